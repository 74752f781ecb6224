"""The modules that load the agents SDK, which takes seconds: import them only after `ready`."""
