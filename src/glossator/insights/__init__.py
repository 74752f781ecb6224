"""What an author learns from readers' questions: content gaps, flagged answers, cited sections."""
