"""What keeps answering while a dependency fails: circuit breakers around the ports, and health."""
