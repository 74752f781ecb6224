"""One module a contract; none knows another."""
