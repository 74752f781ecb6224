"""Numbers, denials, names, direction, order and reach are compared one by one."""

from __future__ import annotations

import pytest

from glossator.answer.verify import Verifier
from glossator.model import Chunk, Evidence, Section, Verdict
from glossator.testing import WordEmbedder

SAME = [
    ("The camera sends 1,000 pictures each hour.", "Each hour the camera sends 1000 pictures."),
    ("The arm settles in 0.64 s after the release.", "After the release the arm settles in 640 ms."),
    ("The robot has twelve motors in its two legs.", "In its two legs the robot has 12 motors."),
    ("The battery loses 20 % in an hour of walking.", "In an hour of walking the battery loses 20 percent."),
    ("The wall is 1.5 m away from the laser.", "The wall is 150 cm away from the laser."),
    ("The pack weighs 3.98 kg with its case.", "The pack with its case weighs about 4 kg."),
    ("The planner runs before the controller starts.", "The controller starts after the planner runs."),
    ("The lidar is faster than the camera.", "The camera is slower than the lidar."),
    ("The manager owns both plugins of the robot.", "Both plugins of the robot are owned by the manager."),
    ("The gripper is not stable on wet ground.", "On wet ground the gripper is unstable."),
    ("The server does not answer without a goal.", "Without a goal the server doesn't answer."),
    ("The robot turns right, not left, at the door.", "At the door the robot does not turn left but right."),
    ("Every motor of the leg has a brake.", "Each motor of the leg has a brake."),
    ("Not only the wheels but also the arms move at night.", "The wheels and the arms move at night."),
]

DIFFERENT = [
    ("The camera sends 1,000 pictures each hour.", "Each hour the camera sends 10,000 pictures."),
    ("The arm settles in 0.64 s after the release.", "After the release the arm settles in 64 ms."),
    ("The robot has twelve motors in its two legs.", "In its two legs the robot has 11 motors."),
    ("The robot has three cameras and two lidars.", "The robot has two cameras and three lidars."),
    ("The loop runs at 100 Hz in the real robot.", "In the real robot the loop runs at 100 kHz."),
    ("The planner runs before the controller starts.", "The planner runs after the controller starts."),
    ("The planner runs before the controller starts.", "The controller starts before the planner runs."),
    ("The lidar is faster than the camera.", "The camera is faster than the lidar."),
    ("The lidar is faster than the camera.", "The lidar is slower than the camera."),
    ("More gain increases the overshoot of the joint.", "More gain decreases the overshoot of the joint."),
    ("The gripper is stable on wet ground.", "The gripper is unstable on wet ground."),
    ("The gripper is stable on wet ground.", "The gripper is not stable on wet ground."),
    ("The server never answers without a goal.", "The server answers without a goal."),
    ("The fuse cannot be replaced while the motor runs.", "The fuse can be replaced while the motor runs."),
    ("Friction causes heat in the gear of the arm.", "Heat causes friction in the gear of the arm."),
    ("The Gazebo simulator draws the arm with shadows.", "The Webots simulator draws the arm with shadows."),
    ("Call `spin_once` in the loop of the node.", "Call `spin_until_future` in the loop of the node."),
    ("Some motors of the leg have a brake.", "All motors of the leg have a brake."),
    ("The robot turns left at the first door.", "The robot turns left at the last door."),
]


def verdict(said: str, claim: str) -> Verdict:
    section = Section("", "", (), 0)
    page = f"Robots are machines. {said} Batteries are heavy, and wheels are round."
    chunk = Chunk("p.md", "Robots", "", "", 0, (section,), page, 0, len(page), 0, "")
    return Verifier(WordEmbedder(), "english").check(claim, [Evidence(1, chunk, section, (), 1.0)]).verdict


@pytest.mark.parametrize(("said", "claim"), SAME)
def test_the_same_thing_said_otherwise_is_kept(said: str, claim: str) -> None:
    assert verdict(said, claim) is not Verdict.UNSUPPORTED


@pytest.mark.parametrize(("said", "claim"), DIFFERENT)
def test_one_word_that_turns_a_sentence_round_is_noticed(said: str, claim: str) -> None:
    assert verdict(said, claim) is Verdict.UNSUPPORTED
