"""Generates exam questions from a book's own words, and some that the book cannot answer.

No model is needed: each question comes with the sections that must answer it, or must be refused.
"""

from glossator.question_generation.definitions import definition_questions, number_questions
from glossator.question_generation.foreign import foreign_questions
from glossator.question_generation.headings import follow_ups, heading_questions, questions_of_headings
from glossator.question_generation.sections import (
    BookSection,
    BookSections,
    GeneratedQuestion,
    SectionPlace,
    first_sentence,
    merge_by_subject,
    sections_of,
    subject_of,
)
from glossator.question_generation.tables import code_questions, table_follow_ups, table_questions

__all__ = [
    "BookSection",
    "BookSections",
    "GeneratedQuestion",
    "SectionPlace",
    "code_questions",
    "definition_questions",
    "first_sentence",
    "follow_ups",
    "foreign_questions",
    "heading_questions",
    "merge_by_subject",
    "number_questions",
    "questions_of_headings",
    "sections_of",
    "subject_of",
    "table_follow_ups",
    "table_questions",
]
