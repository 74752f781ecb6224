"""Sentences that a careful writer might write about the sample book, each with a twin that says something false."""

from __future__ import annotations

from typing import NamedTuple


class Twin(NamedTuple):
    page: str
    faithful: str
    corrupted: str


CONTROL = "04-motion/02-control.md"
TOPICS = "02-ros2/02-topics.md"
SLAM = "05-perception/02-slam.md"
SAFETY = "07-safety/index.md"
LEARNING = "06-learning/01-reinforcement-learning.md"
URDF = "03-modelling/01-urdf.md"

NUMBERS = (
    Twin(
        CONTROL,
        "With the integral gain added, the joint settles within 2 % after 0.64 s.",
        "With the integral gain added, the joint settles within 2 % after 0.46 s.",
    ),
    Twin(
        CONTROL,
        "A PID controller builds its output from three terms.",
        "A PID controller builds its output from four terms.",
    ),
    Twin(
        CONTROL,
        "By default the controller manager updates at 100 Hz.",
        "By default the controller manager updates at 250 Hz.",
    ),
    Twin(
        TOPICS,
        "At 1.5 m/s, a stamp that is off by 100 ms moves each obstacle by 150 mm.",
        "At 1.5 m/s, a stamp that is off by 100 ms moves each obstacle by 15 mm.",
    ),
    Twin(
        SLAM,
        "If the heading is wrong by 1°, a robot that drives 20 m straight ends up 0.35 m to the side.",
        "If the heading is wrong by 1°, a robot that drives 20 m straight ends up 3.5 m to the side.",
    ),
    Twin(
        SLAM,
        "Closing the 60 m loop spreads the correction over 120 edges, about 5 mm each.",
        "Closing the 60 m loop spreads the correction over 120 edges, about 50 mm each.",
    ),
    Twin(
        SAFETY,
        "There are three stop categories in IEC 60204-1.",
        "There are five stop categories in IEC 60204-1.",
    ),
    Twin(
        LEARNING,
        "With a discount factor of 0.99 the horizon is 100 steps, which at 50 Hz is 2 seconds.",
        "With a discount factor of 0.99 the horizon is 100 steps, which at 50 Hz is 20 seconds.",
    ),
    Twin(
        LEARNING,
        "The usual value of $\\epsilon$ in PPO is 0.2.",
        "The usual value of $\\epsilon$ in PPO is 0.9.",
    ),
    Twin(URDF, "URDF has six types of joint.", "URDF has nine types of joint."),
)

DENIALS = (
    Twin(
        CONTROL,
        "Two controllers cannot fight over one motor, since only one active controller can claim a command interface.",
        "Two controllers can fight over one motor, since more than one active controller can claim a command interface.",
    ),
    Twin(
        CONTROL,
        "A soft arm is not a safety system: at 1 m/s it still hits hard.",
        "A soft arm is a safety system: at 1 m/s it never hits hard.",
    ),
    Twin(
        TOPICS,
        "Communication over a topic is one-way, so nothing comes back.",
        "Communication over a topic is not one-way, so something comes back.",
    ),
    Twin(
        TOPICS,
        "A subscription does not start a thread of its own.",
        "A subscription starts a thread of its own.",
    ),
    Twin(
        TOPICS,
        "Publishers and subscribers on a topic do not know each other.",
        "Publishers and subscribers on a topic know each other.",
    ),
    Twin(
        SAFETY,
        "Resetting an emergency stop must not start the machine again.",
        "Resetting an emergency stop must start the machine again.",
    ),
    Twin(
        SAFETY,
        "A performance level never belongs to a single part.",
        "A performance level belongs to a single part.",
    ),
    Twin(SAFETY, "ROS 2 is not safety-rated.", "ROS 2 is safety-rated."),
    Twin(
        LEARNING,
        "In a Markov process the next state does not depend on the history.",
        "In a Markov process the next state depends on the history.",
    ),
    Twin(
        URDF,
        "Closed chains cannot be written as a tree of links and joints.",
        "Closed chains can be written as a tree of links and joints.",
    ),
)

NAMES = (
    Twin(CONTROL, "The controllers are configured in YAML.", "The controllers are configured in JSON."),
    Twin(CONTROL, "The hardware is declared in the URDF.", "The hardware is declared in the SDF."),
    Twin(
        TOPICS,
        "Messages about the physical world start with a `std_msgs/msg/Header`.",
        "Messages about the physical world start with a `std_msgs/msg/String`.",
    ),
    Twin(
        SLAM,
        "FastSLAM and GMapping are examples of particle filter SLAM.",
        "FastSLAM and Hector are examples of particle filter SLAM.",
    ),
    Twin(
        SLAM,
        "ICP pairs each point with its nearest neighbor.",
        "RANSAC pairs each point with its nearest neighbor.",
    ),
    Twin(
        SAFETY,
        "ISO 13850 deals with the emergency stop function.",
        "ISO 26262 deals with the emergency stop function.",
    ),
    Twin(
        LEARNING,
        "SAC, the soft actor-critic, is an off-policy method.",
        "TRPO, the soft actor-critic, is an off-policy method.",
    ),
    Twin(
        URDF,
        "URDF stands for Unified Robot Description Format.",
        "URDF stands for Unified Rover Drawing Format.",
    ),
)

DIRECTIONS = (
    Twin(
        CONTROL,
        "Raising $K_p$ gives a shorter rise time but more overshoot.",
        "Raising $K_p$ gives a longer rise time but less overshoot.",
    ),
    Twin(
        CONTROL,
        "Feedforward settles twice as fast as the integral does.",
        "Feedforward settles twice as slowly as the integral does.",
    ),
    Twin(
        CONTROL,
        "In every cycle the manager reads the hardware before it updates the controllers and writes.",
        "In every cycle the manager writes the hardware before it updates the controllers and reads.",
    ),
    Twin(
        CONTROL,
        "Impedance control is best in contact with stiff surroundings.",
        "Impedance control is best in contact with soft surroundings.",
    ),
    Twin(
        SLAM,
        "Correlative matching is slower than ICP, but harder to fool.",
        "Correlative matching is faster than ICP, but easier to fool.",
    ),
    Twin(SLAM, "Edges with high confidence pull harder.", "Edges with high confidence pull softer."),
    Twin(
        SAFETY,
        "PL e is the highest performance level and PL a the lowest.",
        "PL a is the highest performance level and PL e the lowest.",
    ),
    Twin(
        SAFETY,
        "In a category 1 stop, the arm brakes first and the power is removed afterwards.",
        "In a category 1 stop, the power is removed first and the arm brakes afterwards.",
    ),
    Twin(
        LEARNING,
        "The policy gradient raises the probability of actions with a positive advantage.",
        "The policy gradient lowers the probability of actions with a positive advantage.",
    ),
    Twin(
        LEARNING,
        "PPO needs many samples, while SAC needs fewer.",
        "PPO needs few samples, while SAC needs more.",
    ),
    Twin(
        LEARNING,
        "Going from 50 Hz to 200 Hz with the same $\\gamma$ makes the horizon shrink.",
        "Going from 50 Hz to 200 Hz with the same $\\gamma$ makes the horizon grow.",
    ),
    Twin(
        SLAM,
        "A missed loop leaves some drift, whereas a false one ruins the map.",
        "A false loop leaves some drift, whereas a missed one ruins the map.",
    ),
)

INVENTIONS = (
    Twin(
        CONTROL,
        "Clamping keeps the integral inside a fixed band.",
        "Clamping was invented at Bell Labs to protect telephone relays.",
    ),
    Twin(
        CONTROL,
        "With the mock system a whole stack can be tested without a robot.",
        "With the mock system a whole fleet can be sold without a license.",
    ),
    Twin(
        TOPICS,
        "Relative names let the same program serve two robots when the namespace changes.",
        "Relative names let the same program double its speed when the network is encrypted.",
    ),
    Twin(
        TOPICS,
        "Put your own messages in a separate package so that others can use the definitions without your code.",
        "Put your own messages in a cloud database so that customers can buy the definitions by subscription.",
    ),
    Twin(
        SLAM,
        "Graphs won for mapping because the past can still be corrected.",
        "Graphs won for mapping because graphics cards became cheap.",
    ),
    Twin(
        SLAM,
        "In a long corridor without features, nothing fixes the position along it.",
        "In a long corridor without features, a magnetic compass fixes the position along it.",
    ),
    Twin(
        SAFETY,
        "A hazard is something that could cause harm.",
        "A hazard is a fee that insurers charge for harm.",
    ),
    Twin(
        SAFETY,
        "An e-stop is a red actuator on a yellow background that latches.",
        "An e-stop is a wireless app on a yellow phone that vibrates.",
    ),
    Twin(
        LEARNING,
        "The critic is a second network that learns the value so that the advantage can be estimated.",
        "The critic is a human reviewer who scores the videos so that the salary can be estimated.",
    ),
    Twin(
        URDF,
        "A joint connects a parent link with a child link and says how the child may move.",
        "A joint connects a parent link with a child link and says how much battery remains.",
    ),
)

TWINS = (*NUMBERS, *DENIALS, *NAMES, *DIRECTIONS, *INVENTIONS)
