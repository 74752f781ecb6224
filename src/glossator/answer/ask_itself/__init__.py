"""The questions that a book asks of itself: made from its own words, and some from far away.

They need no model: each comes with the places that must answer it, or must be refused.
"""

from glossator.answer.ask_itself.definitions import definition_questions
from glossator.answer.ask_itself.foreign import foreign_questions
from glossator.answer.ask_itself.headings import heading_questions
from glossator.answer.ask_itself.sections import BookSection, first_sentence, sections_of
from glossator.answer.ask_itself.self_question import Place, SelfQuestion, joined

__all__ = [
    "BookSection",
    "Place",
    "SelfQuestion",
    "definition_questions",
    "first_sentence",
    "foreign_questions",
    "heading_questions",
    "joined",
    "sections_of",
]
