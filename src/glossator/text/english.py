"""English words that do not name the subject of a text, by their role in a sentence."""

from __future__ import annotations


def _word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


QUESTION_WORDS = _word_set("what whats who whom whose which when where why how hows whether")
AUXILIARIES = _word_set(
    """is are was were be been being am do does did done doing has have had having can could will would shall
    should may might must isn't aren't wasn't don't doesn't didn't can't couldn't won't wouldn't shouldn't
    cannot let's lets"""
)
CONJUNCTIONS = _word_set("and but or so then also plus because if when while since though although")
BOUNDARIES = CONJUNCTIONS | _word_set("that which who where why how what after before until unless as")
PREPOSITIONS = _word_set(
    """about above across after against along among around as at before behind below beside between by during
    except for from in inside into like near of off on onto out outside over per since than through to toward
    towards under until up upon using via versus vs with within without"""
)
DETERMINERS = _word_set(
    """a an the my your our his her each every some any no all both either neither another such many much few
    several two three four five"""
)
PERSONS = _word_set("i me we us you he him she i'm i've i'd you're one")
PRONOUNS = _word_set("it its it's they them their theirs this that that's these those")
_ADVERBS = _word_set("there here not just only really actually exactly very too even still ever again")
_REQUESTS = _word_set("please tell give show explain describe define")
_MEASURES = _word_set("long far often")
"""The second words of `how long`, `how far` and `how often`; elsewhere they may be part of a name."""
_VAGUE = _word_set(
    """say mean means know want like get go help try ask think understand see look let make use used using
    work works happen happens need ok okay yes no well oh bit little some kind sort thing things something
    anything stuff way"""
)

FUNCTION_WORDS = (
    QUESTION_WORDS
    | AUXILIARIES
    | CONJUNCTIONS
    | BOUNDARIES
    | PREPOSITIONS
    | DETERMINERS
    | PERSONS
    | PRONOUNS
    | _ADVERBS
)
"""Words of grammar alone."""

STOP_WORDS = FUNCTION_WORDS | _REQUESTS | _MEASURES
"""Words that are no use when texts are compared by their words."""

EMPTY_WORDS = FUNCTION_WORDS | _REQUESTS | _VAGUE
"""Words that do not name the subject of a question."""

ASPECT_WORDS = _word_set(
    """example examples detail details detailed more further elaborate continue simpler simply simple shorter
    briefly summary summarize summarise explanation clarify expand rephrase code snippet step steps difference
    differences advantage advantages disadvantage disadvantages benefit benefits drawback drawbacks limitation
    limitations purpose reason reasons meaning definition syntax uses usage alternative alternatives instead
    else different better best worse first second third fourth last next previous former latter other others
    one ones same mentioned said answer case cases concept idea sense true important matter work compare
    differ depth"""
)
"""Words for an aspect of something that they do not name."""
