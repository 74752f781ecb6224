"""The pages of a small book."""

PAGES = {
    "01-start/01-nodes.md": """
# Nodes

A node is one program of a robot that does one job, such as reading a camera. Nodes find each other without a
central server. A node that crashes takes nothing else down with it.

## Stopping a node

To stop a node, press Ctrl+C in its terminal, or ask it to shut down:

```bash
ros2 lifecycle set /camera shutdown
```

A node that does not react is killed with `kill -9`. This loses whatever it had not written yet.
""",
    "01-start/02-topics.md": """
# Topics

A topic is a named stream of messages. Publishers send messages to it, and every subscriber receives a copy.

## Quality of service

Quality of service is the set of delivery rules of an endpoint. A subscriber connects only when the publisher
offers at least what the subscriber requests. A best-effort publisher never satisfies a reliable subscriber.

| Profile | Reliability | Depth |
|---|---|---|
| default | reliable | 10 |
| sensor data | best effort | 5 |
""",
    "02-motion/01-batteries.md": """
# Batteries

A lithium battery pack of this robot holds 480 watt hours and lasts four hours of walking. Charge it to at most
80 percent for storage. Never charge a pack that is swollen.

## Charging

1. Switch the robot off.
2. Connect the charger before the mains.
3. Wait until the lamp is green.
""",
}
