"""The questions that a book asks of itself: made from its own words, and some from far away.

They need no model: each comes with the places that must answer it, or must be refused.
"""

from glossator.answer.ask_itself.code import code_questions
from glossator.answer.ask_itself.definitions import definition_questions
from glossator.answer.ask_itself.follow_ups import follow_ups
from glossator.answer.ask_itself.foreign import foreign_questions
from glossator.answer.ask_itself.headings import heading_questions
from glossator.answer.ask_itself.numbers import number_questions
from glossator.answer.ask_itself.sections import BookSection, first_sentence, sections_of
from glossator.answer.ask_itself.self_question import Place, SelfQuestion, joined
from glossator.answer.ask_itself.tables import table_follow_ups, table_questions

__all__ = [
    "BookSection",
    "Place",
    "SelfQuestion",
    "code_questions",
    "definition_questions",
    "first_sentence",
    "follow_ups",
    "foreign_questions",
    "heading_questions",
    "joined",
    "number_questions",
    "sections_of",
    "table_follow_ups",
    "table_questions",
]
