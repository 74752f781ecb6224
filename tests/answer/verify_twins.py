"""Sentences that a careful writer might write about the sample book, each with a twin that says something false."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

PAGES = {
    "control": "04-motion/02-control.md",
    "topics": "02-ros2/02-topics.md",
    "slam": "05-perception/02-slam.md",
    "safety": "07-safety/index.md",
    "learning": "06-learning/01-reinforcement-learning.md",
    "urdf": "03-modelling/01-urdf.md",
    "kinematics": "04-motion/01-kinematics.md",
    "services": "02-ros2/03-services.mdx",
    "navigation": "05-perception/03-navigation.md",
    "actions": "02-ros2/04-actions.md",
    "frames": "02-ros2/05-tf2.md",
    "imitation": "06-learning/02-imitation-learning.md",
    "nodes": "02-ros2/01-nodes.md",
}


class Twin(NamedTuple):
    page: str
    faithful: str
    corrupted: str


def _twins(table: str) -> Iterator[Twin]:
    for line in table.strip().splitlines():
        page, faithful, corrupted = line.split(" | ")
        yield Twin(PAGES[page.strip()], faithful, corrupted)


NUMBERS = tuple(
    _twins(r"""
control | With the integral gain added, the joint settles within 2 % after 0.64 s. | With the integral gain added, the joint settles within 2 % after 0.46 s.
control | A PID controller builds its output from three terms. | A PID controller builds its output from four terms.
control | By default the controller manager updates at 100 Hz. | By default the controller manager updates at 250 Hz.
topics | At 1.5 m/s, a stamp that is off by 100 ms moves each obstacle by 150 mm. | At 1.5 m/s, a stamp that is off by 100 ms moves each obstacle by 15 mm.
slam | If the heading is wrong by 1°, a robot that drives 20 m straight ends up 0.35 m to the side. | If the heading is wrong by 1°, a robot that drives 20 m straight ends up 3.5 m to the side.
slam | Closing the 60 m loop spreads the correction over 120 edges, about 5 mm each. | Closing the 60 m loop spreads the correction over 120 edges, about 50 mm each.
safety | There are three stop categories in IEC 60204-1. | There are five stop categories in IEC 60204-1.
learning | With a discount factor of 0.99 the horizon is 100 steps, which at 50 Hz is 2 seconds. | With a discount factor of 0.99 the horizon is 100 steps, which at 50 Hz is 20 seconds.
learning | The usual value of $\epsilon$ in PPO is 0.2. | The usual value of $\epsilon$ in PPO is 0.9.
urdf | URDF has six types of joint. | URDF has nine types of joint.
""")
)

DENIALS = tuple(
    _twins(r"""
control | Two controllers cannot fight over one motor, since only one active controller can claim a command interface. | Two controllers can fight over one motor, since more than one active controller can claim a command interface.
control | A soft arm is not a safety system: at 1 m/s it still hits hard. | A soft arm is a safety system: at 1 m/s it never hits hard.
topics | Communication over a topic is one-way, so nothing comes back. | Communication over a topic is not one-way, so something comes back.
topics | A subscription does not start a thread of its own. | A subscription starts a thread of its own.
topics | Publishers and subscribers on a topic do not know each other. | Publishers and subscribers on a topic know each other.
safety | Resetting an emergency stop must not start the machine again. | Resetting an emergency stop must start the machine again.
safety | A performance level never belongs to a single part. | A performance level belongs to a single part.
safety | ROS 2 is not safety-rated. | ROS 2 is safety-rated.
learning | In a Markov process the next state does not depend on the history. | In a Markov process the next state depends on the history.
urdf | Closed chains cannot be written as a tree of links and joints. | Closed chains can be written as a tree of links and joints.
""")
)

NAMES = tuple(
    _twins(r"""
control | The controllers are configured in YAML. | The controllers are configured in JSON.
control | The hardware is declared in the URDF. | The hardware is declared in the SDF.
topics | Messages about the physical world start with a `std_msgs/msg/Header`. | Messages about the physical world start with a `std_msgs/msg/String`.
slam | FastSLAM and GMapping are examples of particle filter SLAM. | FastSLAM and Hector are examples of particle filter SLAM.
slam | ICP pairs each point with its nearest neighbor. | RANSAC pairs each point with its nearest neighbor.
safety | ISO 13850 deals with the emergency stop function. | ISO 26262 deals with the emergency stop function.
learning | SAC, the soft actor-critic, is an off-policy method. | TRPO, the soft actor-critic, is an off-policy method.
urdf | URDF stands for Unified Robot Description Format. | URDF stands for Unified Rover Drawing Format.
""")
)

DIRECTIONS = tuple(
    _twins(r"""
control | Raising $K_p$ gives a shorter rise time but more overshoot. | Raising $K_p$ gives a longer rise time but less overshoot.
control | Feedforward settles twice as fast as the integral does. | Feedforward settles twice as slowly as the integral does.
control | In every cycle the manager reads the hardware before it updates the controllers and writes. | In every cycle the manager writes the hardware before it updates the controllers and reads.
control | Impedance control is best in contact with stiff surroundings. | Impedance control is best in contact with soft surroundings.
slam | Correlative matching is slower than ICP, but harder to fool. | Correlative matching is faster than ICP, but easier to fool.
slam | Edges with high confidence pull harder. | Edges with high confidence pull softer.
safety | PL e is the highest performance level and PL a the lowest. | PL a is the highest performance level and PL e the lowest.
safety | In a category 1 stop, the arm brakes first and the power is removed afterwards. | In a category 1 stop, the power is removed first and the arm brakes afterwards.
learning | The policy gradient raises the probability of actions with a positive advantage. | The policy gradient lowers the probability of actions with a positive advantage.
learning | PPO needs many samples, while SAC needs fewer. | PPO needs few samples, while SAC needs more.
learning | Going from 50 Hz to 200 Hz with the same $\gamma$ makes the horizon shrink. | Going from 50 Hz to 200 Hz with the same $\gamma$ makes the horizon grow.
slam | A missed loop leaves some drift, whereas a false one ruins the map. | A false loop leaves some drift, whereas a missed one ruins the map.
""")
)

INVENTIONS = tuple(
    _twins(r"""
control | Clamping keeps the integral inside a fixed band. | Clamping was invented at Bell Labs to protect telephone relays.
control | With the mock system a whole stack can be tested without a robot. | With the mock system a whole fleet can be sold without a license.
topics | Relative names let the same program serve two robots when the namespace changes. | Relative names let the same program double its speed when the network is encrypted.
topics | Put your own messages in a separate package so that others can use the definitions without your code. | Put your own messages in a cloud database so that customers can buy the definitions by subscription.
slam | Graphs won for mapping because the past can still be corrected. | Graphs won for mapping because graphics cards became cheap.
slam | In a long corridor without features, nothing fixes the position along it. | In a long corridor without features, a magnetic compass fixes the position along it.
safety | A hazard is something that could cause harm. | A hazard is a fee that insurers charge for harm.
safety | An e-stop is a red actuator on a yellow background that latches. | An e-stop is a wireless app on a yellow phone that vibrates.
learning | The critic is a second network that learns the value so that the advantage can be estimated. | The critic is a human reviewer who scores the videos so that the salary can be estimated.
urdf | A joint connects a parent link with a child link and says how the child may move. | A joint connects a parent link with a child link and says how much battery remains.
""")
)

MIXED = tuple(
    _twins(r"""
kinematics | Forward kinematics gives the tool pose from the joint angles, and there is always exactly one solution. | Forward kinematics gives the tool pose from the joint angles, and there are always exactly three solutions.
kinematics | In the Denavit–Hartenberg convention a joint is described by four numbers rather than six. | In the Denavit–Hartenberg convention a joint is described by seven numbers rather than six.
kinematics | The workspace is the set of points that the tool is able to reach. | The workspace is the set of points that the tool is unable to reach.
kinematics | Inverse kinematics is more difficult than forward kinematics since the number of solutions changes. | Inverse kinematics is easier than forward kinematics since the number of solutions changes.
kinematics | An arm with seven joints has infinitely many solutions. | An arm with seven joints has no solutions.
kinematics | In the modified convention the x terms are applied before the z terms. | In the modified convention the z terms are applied before the x terms.
kinematics | Craig's textbook uses the modified convention. | Spong's textbook uses the modified convention.
kinematics | URDF stores six numbers for each joint. | URDF stores sixteen numbers for each joint.
kinematics | A DH table that does not name its convention is useless. | A DH table that does not name its convention is useful.
services | A service client sends one request and gets exactly one response back. | A service client sends one request and gets exactly five responses back.
services | Several clients can share a service, but each name should have just one server. | Several clients can share a service, but each name should have at least three servers.
services | The fields above the `---` line form the request, those below it the response. | The fields below the `---` line form the request, those above it the response.
services | ROS 2 will not prevent you from starting a second server with the same name. | ROS 2 will prevent you from starting a second server with the same name.
services | `Trigger` should be preferred to `Empty`. | `Empty` should be preferred to `Trigger`.
services | By default a service's quality of service is reliable and volatile with a depth of 10. | By default a service's quality of service is reliable and volatile with a depth of 100.
services | A handler ought to return within 100 ms. | A handler ought to return within 10 seconds.
services | Do not read a sensor through a service inside a control loop. | Always read a sensor through a service inside a control loop.
services | Averaging 100 independent samples reduces the standard deviation to 0.05 N. | Averaging 100 independent samples reduces the standard deviation to 0.5 mN.
services | Anything slower than that should be an action. | Anything slower than that should be a parameter.
services | On DDS a service consists of two topics, one carrying requests and the other replies. | On gRPC a service consists of two topics, one carrying requests and the other replies.
navigation | The controller server runs at 20 Hz unless configured otherwise. | The controller server runs at 200 Hz unless configured otherwise.
navigation | The global planner may take a second because it thinks over tens of meters. | The local planner may take an hour because it thinks over tens of kilometers.
navigation | In a costmap the value 254 marks a lethal cell that an obstacle occupies. | In a costmap the value 254 marks an unknown cell that nothing occupies.
navigation | The inflation layer is applied last and spreads cost around lethal cells. | The inflation layer is applied first and spreads cost around lethal cells.
navigation | The global costmap covers the entire map, while the local one is a rolling window that follows the robot. | The local costmap covers the entire map, while the global one is a rolling window that follows the robot.
navigation | Every cell of a costmap fits in a single byte. | Every cell of a costmap fits in a double precision float.
navigation | AMCL publishes the transform from `map` to `odom`. | AMCL publishes the transform from `base_link` to `laser`.
navigation | The voxel layer does for depth cameras in 3D what the obstacle layer does for lidar. | The voxel layer was added by NVIDIA so that ray tracing could be rendered.
navigation | Each Nav2 server is a lifecycle node, so a manager can bring them up in order. | Each Nav2 server is a Docker container, so Kubernetes can bring them up in order.
navigation | The obstacle layer clears cells that a beam passes through. | The obstacle layer marks cells that a beam passes through.
""")
)

UNSEEN = tuple(
    _twins(r"""
actions | An action consists of three messages: goal, feedback and result. | An action consists of two messages: goal and result.
actions | Feedback can be sent many times, while the result is sent only once. | Feedback can be sent only once, while the result is sent many times.
actions | In the `.action` file the feedback comes last, although it comes earlier in time. | In the `.action` file the feedback comes first, although it comes earlier in time.
actions | Every accepted goal gets a goal ID, which is a UUID of 16 bytes. | Every accepted goal gets a goal ID, which is a UUID of 64 bytes.
actions | One action server is able to track several goals at the same time. | One action server is unable to track several goals at the same time.
actions | On the wire, an action is made of three services and two topics. | On the wire, an action is made of five services and nine topics.
actions | In C++ a finished result is kept for 10 s by default. | In Rust a finished result is kept for 10 s by default.
actions | The `cancel_goal` service asks to cancel one goal or all of them. | The `pause_goal` service asks to suspend one goal or all of them.
frames | tf2 keeps track of coordinate frames over time. | tf2 keeps track of battery voltages over time.
frames | Apart from the root, each frame has exactly one parent. | Apart from the root, each frame has exactly two parents.
frames | A parent can have as many children as you like. | A parent can have only one child.
frames | Rotations are sent as quaternions in the order x, y, z, w. | Rotations are sent as Euler angles in the order roll, pitch, yaw.
frames | If two nodes publish different parents for one child, lookups give jumping results. | If two nodes publish different parents for one child, lookups give stable results.
frames | The stamp of a transform has to be the time of the measurement rather than the time of publishing. | The stamp of a transform has to be the time of publishing rather than the time of the measurement.
frames | Moving transforms are published on the `/tf` topic. | Moving transforms are published on the `/odom_raw` topic.
imitation | In behavior cloning the demonstrations are a labeled dataset. | In behavior cloning the demonstrations are not a labeled dataset.
imitation | A policy that is right in 99% of steps still fails in 87% of runs. | A policy that is right in 99% of steps still fails in 7% of runs.
imitation | Behavior cloning needs no simulator and no reward. | Behavior cloning needs a simulator and a reward.
imitation | A small error takes the robot off the demonstrated path, and the next error is larger. | A small error takes the robot off the demonstrated path, and the next error is smaller.
imitation | DAgger gathers labels in the states that the learner visits. | DAgger gathers labels in the states that the expert avoids.
imitation | With human-gated DAgger a person takes over when the policy goes wrong. | With human-gated DAgger the policy takes over when a person goes wrong.
imitation | VR controllers do not give force feedback. | VR controllers give force feedback.
imitation | Without recovery, the expected cost can grow with the square of the number of steps, $\epsilon T^2$. | Behavior cloning was first used in 1989 by Pomerleau to steer a van.
nodes | A node is an object in a process and not the process itself. | A node is the process itself and not an object in it.
nodes | A single process can contain one node or fifty. | A single process can contain one node or ninety.
nodes | The example node compares the battery voltage with a limit once a second. | The example node compares the battery voltage with a limit once an hour.
""")
)
"""Written when everything else was done, and first looked at then."""

TWINS = (*NUMBERS, *DENIALS, *NAMES, *DIRECTIONS, *INVENTIONS, *MIXED, *UNSEEN)
