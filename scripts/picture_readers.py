"""Some weeks of made-up readers, for the picture of the author's desk.

Their questions are really asked and answered; only then are the moments moved back in time.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2

from glossator.question_generation import BookSections, heading_questions
from glossator.settings import Settings
from glossator.wiring import embedder_of, index_of

DAYS = 66
SESSIONS = 160
GAPS = (
    (
        15,
        "How do I connect the robot to Home Assistant?",
        "Can I control the robot from Home Assistant?",
        "Home Assistant integration over MQTT?",
        "Is there a Home Assistant plugin for this robot?",
    ),
    (
        12,
        "Which battery chemistry lasts longest?",
        "Should I use LiFePO4 or lithium polymer batteries?",
        "What battery chemistry is best for a robot?",
        "LiPo or LiFePO4?",
    ),
    (10, "How do I install ROS 2 on Windows?", "Does ROS 2 run on Windows 11?", "Can I use WSL2 for ROS 2?"),
    (8, "How do I run this on a Raspberry Pi 5?", "Is a Raspberry Pi 5 fast enough?"),
    (6, "How do I use ROS 2 with Docker?", "Is there a Docker image for the examples?"),
    (5, "Can I use PX4 with this book?", "Does it cover PX4 and drones?"),
    (4, "How do I use micro-ROS on an ESP32?", "Does micro-ROS run on Arduino?"),
)
"""In how many sessions it is asked, and how."""
ALONE = (
    "Who won the football world cup in 1998?",
    "Is the exam on chapter 4 open book?",
    "Does the author have a YouTube channel?",
    "Thanks, that helped",
    "Hello",
)


def ask_for_weeks(url: str, home: Path, records: Path) -> None:
    """The server at `url` keeps its records there."""
    chance = random.Random(7)  # the same readers for every picture
    with httpx2.Client(base_url=url, timeout=60) as client:
        for questions in _sessions(_answerable(home), chance):
            _ask(client, questions, chance)
    _move_back(records, chance)


def _answerable(home: Path) -> list[str]:
    embedder = embedder_of(Settings())
    index = index_of(Settings(home=home), expects=embedder.identity)
    try:
        language = index.manifest().lexicon.language
        return [question.text for question in heading_questions(BookSections(index), language)]
    finally:
        index.close()


def _sessions(good: list[str], chance: random.Random) -> list[list[str]]:
    """Readers come back to some sections far more often than to others."""
    chance.shuffle(good)
    weights = [1 / (place + 2) ** 0.8 for place in range(len(good))]
    sessions = [chance.choices(good, weights, k=chance.choice((1, 1, 2, 2, 3, 4))) for _ in range(SESSIONS)]
    for count, *wordings in GAPS:
        for session in chance.sample(sessions, count):
            session.insert(chance.randint(0, len(session)), chance.choice(wordings))
    for question in ALONE * 2:
        chance.choice(sessions).append(question)
    return sessions


def _ask(client: httpx2.Client, questions: Sequence[str], chance: random.Random) -> None:
    session = None
    for question in questions:
        asked = {"question": question, **({"session": session} if session else {})}
        told = client.post("/v1/ask", json=asked).raise_for_status().json()
        session = {"id": told["session"]["id"]}
        if chance.random() < 0.22 and told["outcome"] != "small_talk":
            is_helpful = chance.random() < (0.9 if told["outcome"] == "answered" else 0.35)
            judged = {"exchange_id": told["id"], "helpful": is_helpful}
            client.post("/v1/feedback", json=judged).raise_for_status()


def _move_back(records: Path, chance: random.Random) -> None:
    """More readers lately, and fewer at weekends."""
    now = datetime.now(UTC)
    with sqlite3.connect(records) as database:
        for (session,) in database.execute("SELECT number FROM sessions").fetchall():
            seconds = (now - _day(chance, now)).total_seconds()
            for table, columns in _MOMENTS.items():
                moved = ", ".join(_earlier(column, seconds) for column in columns)
                database.execute(f"UPDATE {table} SET {moved} WHERE {_of_session(table)}", (session,))


def _of_session(table: str) -> str:
    match table:
        case "sessions":
            return "number = ?"
        case "feedback" | "cited_sections":
            return "exchange_id IN (SELECT id FROM exchanges WHERE session = ?)"
        case _:
            return "session = ?"


_MOMENTS = {
    "feedback": ("given_at",),
    "cited_sections": ("cited_at",),
    "unanswered_questions": ("asked_at",),
    "exchanges": ("asked_at", "answered_at"),
    "sessions": ("created_at", "updated_at"),
}


def _earlier(column: str, seconds: float) -> str:
    """As the database writes moments: text, with six digits behind the second and the zone."""
    moved = f"strftime('%Y-%m-%d %H:%M:%f', {column}, '-{seconds:.3f} seconds') || '000+00:00'"
    return f"{column} = {moved}"


def _day(chance: random.Random, now: datetime) -> datetime:
    while True:
        day = now - timedelta(days=int(DAYS * chance.random() ** 1.35))
        when = day.replace(hour=chance.randint(6, 22), minute=chance.randint(0, 59))
        if when < now and chance.random() < (0.35 if when.weekday() >= 5 else 1.0):
            return when
