"""The rehearsal: an OpenAI-compatible endpoint that improvises by grammar and seed, without a language model."""

from characterbox.llm.rehearsal.app import rehearsal_app
from characterbox.llm.rehearsal.transport import AppTransport

__all__ = ["AppTransport", "rehearsal_app"]
