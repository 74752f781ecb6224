"""The exam: measures the assistant on generated questions with known answers, without a language model."""
