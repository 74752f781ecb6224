"""The little words of English that hold a question together, by what they do in it."""

from __future__ import annotations


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


QUESTION_WORDS = _listed("what whats who whom whose which when where why how hows whether")
AUXILIARIES = _listed(
    """is are was were be been being am do does did done doing has have had having can could will would shall
    should may might must isn't aren't wasn't don't doesn't didn't can't couldn't won't wouldn't shouldn't
    cannot let's lets"""
)
CONJUNCTIONS = _listed("and but or so then also plus because if when while since though although")
BOUNDARIES = CONJUNCTIONS | _listed("that which who where why how what after before until unless as")
PREPOSITIONS = _listed(
    """about above across after against along among around as at before behind below beside between by during
    except for from in inside into like near of off on onto out outside over per since than through to toward
    towards under until up upon using via versus vs with within without"""
)
DETERMINERS = _listed(
    """a an the my your our his her each every some any no all both either neither another such many much few
    several two three four five"""
)
PERSONS = _listed("i me we us you he him she i'm i've i'd you're one")
PRONOUNS = _listed("it its it's they them their theirs this that that's these those")
_REQUESTS = _listed(
    """please tell give show explain describe say mean means know want like get go help try ask think
    understand see look let make use used using work works happen happens need there here not just only
    really actually exactly very too even still ever again ok okay yes no well oh bit little some kind
    sort thing things something anything stuff way"""
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
    | _REQUESTS
)
"""Words that say nothing of what a question is about."""

LEANING_WORDS = _listed(
    """example examples detail details detailed more further elaborate continue simpler simply simple shorter
    briefly summary summarize summarise explanation clarify expand rephrase code snippet step steps difference
    differences advantage advantages disadvantage disadvantages benefit benefits drawback drawbacks limitation
    limitations purpose reason reasons meaning definition syntax uses usage alternative alternatives instead
    else different better best worse first second third fourth last next previous former latter other others
    one ones same mentioned said answer case cases concept idea sense true important matter work compare
    differ depth"""
)
"""Words that ask for a side of something which they do not name."""
