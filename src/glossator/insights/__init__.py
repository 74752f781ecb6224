"""What an operator learns from the questions: gaps, flagged answers, cited sections."""
