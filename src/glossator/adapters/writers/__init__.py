"""Who puts an answer into words. Nothing here loads the agents SDK before somebody writes."""
