"""Servers to choose from, and in words: their kind, what may be asked of them, and what they take for their work."""

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, say_count, translate
from characterbox.components.figures.tables.text import tokens_told
from characterbox.errors import AddressError, CharacterBoxError
from characterbox.llm.endpoint import REHEARSAL, Endpoint
from characterbox.llm.keys import key_named
from characterbox.llm.server import Kind, Server
from characterbox.stage.stage import Stage

STYLE = """
<style>
[class*="st-key-server-row"] { border-top: 1px solid color-mix(in srgb, currentColor 18%, transparent);
  padding-top: .7rem; }
.cb-log { font: .78rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; white-space: pre-wrap;
  overflow-wrap: anywhere; max-height: 26rem; overflow: auto; margin: 0; padding: .7rem .9rem;
  border: 1px solid color-mix(in srgb, currentColor 18%, transparent); display: flex; flex-direction: column-reverse; }
</style>
"""
KINDS: dict[Kind, str] = {
    "api": to_say("OpenAI-compatible API"),
    "azure": to_say("Azure OpenAI"),
    "vllm": to_say("vLLM server"),
    "started": to_say("vLLM, started by this app"),
    "rehearsal": to_say("Built-in rehearsal"),
}

ADMINS_ONLY = to_say(
    "Only admins can add, change, start, stop and remove servers. You can propose servers. For anything else,"
    " ask an admin."
)
NO_MODEL = to_say(
    "The built-in rehearsal improvises with grammar rules and random numbers. It is not a language model."
)


def kind_name(kind: Kind) -> str:
    """What kind of server it is."""
    return say(KINDS[kind])


def server_name(server: Server) -> str:
    """What people call a server."""
    return kind_name("rehearsal") if server.kind == "rehearsal" else server.name


def model_name(endpoint: Endpoint) -> str:
    """What plays a part: the name of a model, or that people wrote it."""
    return say("written by hand") if endpoint.is_handwritten else endpoint.label


def limits(server: Server) -> str:
    """What may be asked of a server, in one line."""
    parts = [
        say("{count:,} concurrent", count=server.parallel),
        *_per_minute(server.requests_per_minute, server.tokens_per_minute),
        say("timeout {seconds:g} s", seconds=server.timeout),
        say("replies up to {tokens}", tokens=tokens_told(server.reply_bound)),
        say("context window unknown")
        if server.context is None
        else say("context window {tokens}", tokens=tokens_told(server.context)),
    ]
    return " · ".join(parts)


def _per_minute(requests: int | None, tokens: int | None) -> list[str]:
    asked = "" if requests is None else say_count("{count:,} request", "{count:,} requests", requests)
    taken = "" if tokens is None else tokens_told(tokens)
    if asked and taken:
        return [say("{requests} and {tokens} per minute", requests=asked, tokens=taken)]
    return [say("{what} per minute", what=asked or taken)] if asked or taken else []


def models(server: Server) -> str:
    """The models of a server, by name."""
    return say(", ").join(server.models) or say("no models chosen yet")


def choice(server: Server, model: str) -> str:
    """A model as it stands among others to choose from."""
    return server_name(server) if model == REHEARSAL == server.url else f"{server_name(server)} · {model}"


def choices(servers: list[Server]) -> dict[str, str]:
    """All models of these servers: the text that names the endpoint, and how it is shown."""
    return {str(Endpoint(url=one.url, model=model)): choice(one, model) for one in servers for model in one.models}


def key_in_words(key: str | None) -> str:
    """Which key is sent, by its name, and whether there is such a key; the key itself is never shown."""
    if key is None:
        return say("no key")
    try:
        return say("key {key} (set)", key=key) if key_named(key) else say("key {key} (not set)", key=key)
    except CharacterBoxError as error:
        return say("key {key} (can't be used: {error})", key=key, error=translate(error))


def all_servers(stage: Stage) -> list[Server]:
    """All servers to choose from, the rehearsal first."""
    saved = stage.store.servers.all()
    return [find_server(stage, REHEARSAL), *(server for server in saved if server.url != REHEARSAL)]


def find_server(stage: Stage, url: str) -> Server:
    """The server at an address. Raises AddressError if there is none."""
    server = stage.store.servers.find(url)
    if server is None and url != REHEARSAL:
        raise AddressError(say("no server has this address; it may have been removed"))
    return server or Server.unregistered(REHEARSAL)
