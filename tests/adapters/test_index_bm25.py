"""Which words of a text count, and as what."""

from __future__ import annotations

import pytest

from glossator.adapters.index.bm25 import WordWeights
from glossator.errors import SettingsError


def words(text: str, language: str = "english") -> set[int]:
    return set(WordWeights(language).of_question(text).indices)


def score(question: str, passage: str, language: str = "english") -> float:
    weights = WordWeights(language)
    asked = set(weights.of_question(question).indices)
    found = weights.of_passage(passage)
    return sum(value for index, value in zip(found.indices, found.values, strict=True) if index in asked)


@pytest.mark.parametrize(
    ("question", "passage"),
    [
        ("ros2_control", "The ros2_control framework."),
        ("ros2 control", "The ros2_control framework."),
        ("cmd_vel", "Publish to /cmd_vel now."),
        ("/cmd_vel", "Publish to cmd_vel now."),
        ("spin", "Call rclpy.spin(node)."),
        ("rclpy.spin", "First rclpy, then spin."),
        ("parameter", "Use getParameter here."),
        ("getparameter", "Use getParameter here."),
        ("C++", "Written in C++."),
        ("urdf", "URDF files."),
        ("robots running", "The robot runs."),
        ("geometry_msgs", "A geometry_msgs/Twist message."),
        ("روبوٹ", "روبوٹ ایک مشین ہے"),
        ("机器人", "机器人 操作系统"),
        ("café", "Un café noir."),
        ("3.14", "Pi is 3.14."),
    ],
)
def test_a_question_finds_the_words_of_the_passage(question: str, passage: str) -> None:
    assert score(question, passage) > 0


def test_an_identifier_is_found_by_its_own_name_before_its_parts() -> None:
    assert score("ros2_control", "Use ros2_control.") > score("ros2_control", "Use ros2 control.")


def test_words_without_meaning_of_their_own_do_not_count() -> None:
    assert words("what is the") == set()


def test_without_a_language_every_word_counts_as_it_stands() -> None:
    assert len(words("the running", "none")) == 2
    assert words("running", "none") != words("run", "none")


def test_another_language_is_stemmed_by_its_own_rules() -> None:
    assert words("Robotern", "german") == words("Roboter", "german")
    assert words("Robotern", "english") != words("Roboter", "english")


def test_an_unknown_language_is_a_matter_of_settings() -> None:
    with pytest.raises(SettingsError, match="klingon"):
        WordWeights("klingon")
