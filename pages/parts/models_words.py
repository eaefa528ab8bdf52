"""Servers in words: what kind they are, what may be asked of them, and what they take for their work."""

from characterbox.errors import CharacterBoxError
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.keys import key_named
from characterbox.llm.server import Kind, Server

KINDS: dict[Kind, str] = {
    "api": "OpenAI-compatible API",
    "vllm": "vLLM server",
    "started": "vLLM, started by this app",
    "rehearsal": "Rehearsal",
}

NO_MODEL = "The rehearsal endpoint improvises by grammar and chance: there is no language model behind it."


def limits(server: Server) -> str:
    """What may be asked of a server, in one line."""
    per_minute = [
        f"{number:,} {what}"
        for number, what in ((server.requests_per_minute, "requests"), (server.tokens_per_minute, "tokens"))
        if number is not None
    ]
    parts = [
        f"{server.parallel:,} at once",
        *([f"{' and '.join(per_minute)} a minute"] if per_minute else []),
        f"waits {server.timeout:g} s",
        f"replies up to {server.reply_bound:,} tokens",
        f"context {server.context:,} tokens" if server.context is not None else "context window not known",
    ]
    return " · ".join(parts)


def models(server: Server) -> str:
    """The models of a server, by name."""
    return ", ".join(server.models) or "no model chosen yet"


def choice(server: Server, model: str) -> str:
    """A model as it stands among others to choose from."""
    return server.name if server.kind == "rehearsal" else f"{server.name} · {model}"


def choices(servers: list[Server]) -> dict[str, str]:
    """All models of these servers: the text that names the endpoint, and how it is shown."""
    return {str(Endpoint(url=one.url, model=model)): choice(one, model) for one in servers for model in one.models}


def key_in_words(key: str | None) -> str:
    """Which key is sent, by its name, and whether there is such a key; the key itself is never shown."""
    if key is None:
        return "no key"
    try:
        return f"the key {key} ({'set' if key_named(key) else 'not set'})"
    except CharacterBoxError as error:
        return f"the key {key} (it can't be used: {error})"
