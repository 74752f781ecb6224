"""Chat completions, as every client of the OpenAI API asks for them."""

from glossator.web.contracts.openai.routes import openai

__all__ = ["openai"]
