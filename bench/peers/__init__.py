"""Glossator beside other products, in one run: `make bench-peers`, docs/benchmarks.md."""
