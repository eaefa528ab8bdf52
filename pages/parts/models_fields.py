"""What is written in the form of a server, read: a server, or what is wrong with which field."""

import re
import shlex
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from annotations.messages import wrong_with
from annotations.wording import say, sentence, to_say, translate
from characterbox.errors import EndpointError
from characterbox.llm.address import is_private, origin
from characterbox.llm.endpoint import NoURL, SecretiveURL
from characterbox.llm.server import Kind, Launch, Server
from characterbox.llm.vllm.command import HOST, arguments
from characterbox.reasons import Reason

LIMITS = ("parallel", "requests_per_minute", "tokens_per_minute", "timeout", "reply_tokens", "context")
FIELDS: Mapping[Kind, tuple[str, ...]] = {
    "api": ("name", "url", "private", "key", "models", *LIMITS),
    "azure": ("name", "url", "private", "api_version", "key", "models", *LIMITS),
    "vllm": ("name", "url", "private", "key", "models", *LIMITS),
    "started": ("name", "model", "port", "adapters", "flags", "keep", *LIMITS),
}
"""The fields of each kind of server that people write themselves."""

NEEDED = to_say("Write a number.")
_SENTENCES: Mapping[tuple[str, str | type[ValueError]], str] = {
    ("name", "string_too_short"): to_say("Give it a name."),
    ("name", "string_too_long"): to_say("A name has at most 80 characters."),
    ("url", NoURL): to_say("Write an address, such as http://127.0.0.1:8000/v1."),
    ("url", SecretiveURL): to_say(
        "An address with @ or ? can hold a secret, and addresses are shown. Leave that out, and write the environment "
        'variable that holds the key under "Name of the key".'
    ),
    ("api_version", "string_pattern_mismatch"): to_say("Write the version as Azure does, such as 2024-10-21."),
    ("model", "string_too_short"): to_say("Name the model, or its folder."),
}
_BOUNDS = {
    "greater_than": to_say("It has to be greater than {gt:g}."),
    "greater_than_equal": to_say("It has to be greater than or equal to {ge:g}."),
    "less_than_equal": to_say("It has to be less than or equal to {le:g}."),
}


class FieldFaults(Exception):
    """What is wrong with a form: one sentence for each field that can't be used."""

    def __init__(self, faults: Mapping[str, str]) -> None:
        super().__init__("; ".join(f"{field}: {fault}" for field, fault in faults.items()))
        self.faults = faults


def read_server(kind: Kind, written: Mapping[str, Any]) -> Server:
    """The server that a form describes. Raises FieldFaults."""
    values: dict[str, Any] = {"kind": kind, "name": _text(written, "name")}
    faults = _missing(written)
    values |= {field: written[field] for field in LIMITS if field not in faults}
    if kind == "started":
        launch = _launch(written, faults)
        if launch is not None:
            url = f"http://{HOST}:{launch.port}/v1"
            values |= {"url": url, "launch": launch, "models": _served(launch, faults)}
    else:
        values |= {"url": _text(written, "url"), "key": _text(written, "key") or None}
        values["private"] = bool(written.get("private"))
        values["models"] = tuple(dict.fromkeys(_lines(written, "models")))
        if kind == "azure":
            values["api_version"] = _text(written, "api_version")
    server = _server(values, faults)
    if server is not None and server.key is not None and not is_private(server.url):
        told = translate(Reason("key_in_clear", key=server.key, origin=origin(server.url)))
        faults.setdefault("key", sentence(told))
    if faults or server is None:
        raise FieldFaults(faults)
    return server


def written_of(server: Server) -> dict[str, Any]:
    """What stands in the form of a server that is there already."""
    launch = server.launch
    shown: dict[str, Any] = {field: getattr(server, field) for field in LIMITS}
    shown |= {"name": server.name, "url": server.url, "key": server.key or "", "models": "\n".join(server.models)}
    shown |= {"api_version": server.api_version or "", "private": server.private}
    if launch is not None:
        adapters = "\n".join(f"{name} = {folder}" for name, folder in launch.adapters.items())
        shown |= {"model": launch.model, "port": launch.port, "adapters": adapters}
        shown |= {"flags": shlex.join(launch.flags), "keep": launch.keep}
    return shown


def _server(values: dict[str, Any], faults: dict[str, str]) -> Server | None:
    try:
        return Server(**values)
    except ValidationError as error:
        faults |= {field: said for field, said in _sentences(error).items() if field in values and field not in faults}
        return None


def _launch(written: Mapping[str, Any], faults: dict[str, str]) -> Launch | None:
    adapters, flags = _adapters(written, faults), _flags(written, faults)
    try:
        launch = Launch(
            model=_text(written, "model"),
            port=written["port"],
            adapters=adapters,
            flags=flags,
            keep=written["keep"],
        )
    except ValidationError as error:
        faults |= {field: said for field, said in _sentences(error).items() if field not in faults}
        return None
    return launch


def _served(launch: Launch, faults: dict[str, str]) -> tuple[str, ...]:
    """The names under which vLLM serves the models of a launch; what it would not be started with is a fault."""
    bare = launch.model_copy(update={"adapters": {}, "flags": ()})
    words: list[str] = []
    for field in ("model", "adapters", "flags"):
        bare = bare.model_copy(update={field: getattr(launch, field)})
        try:
            words = arguments(bare)
        except EndpointError as error:
            faults.setdefault(field, sentence(str(error)))
            return ()
    return words[0], *launch.adapters


def _adapters(written: Mapping[str, Any], faults: dict[str, str]) -> dict[str, str]:
    adapters: dict[str, str] = {}
    for line in _lines(written, "adapters"):
        name, equals, folder = (part.strip() for part in line.partition("="))
        if not (name and equals and folder):
            faults["adapters"] = say("Write one adapter a line: NAME = FOLDER.")
        elif name in adapters:
            faults["adapters"] = say("Two adapters are called {name}.", name=name)
        adapters[name] = folder
    return adapters


def _flags(written: Mapping[str, Any], faults: dict[str, str]) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(_text(written, "flags")))
    except ValueError:
        faults["flags"] = say("A quotation mark is not closed.")
        return ()


def _missing(written: Mapping[str, Any]) -> dict[str, str]:
    needed = ("parallel", "timeout", "reply_tokens", "port")
    return {field: say(NEEDED) for field in needed if field in written and written[field] is None}


def _sentences(error: ValidationError) -> dict[str, str]:
    """For each field one sentence. What was written is not repeated: it may be a key."""
    told: dict[str, str] = {}
    for one in error.errors(include_input=False, include_url=False):
        field = str(one["loc"][0]) if one["loc"] else "url"
        fault = one.get("ctx", {}).get("error")
        message = _SENTENCES.get((field, type(fault) if fault else one["type"])) or _BOUNDS.get(one["type"])
        if message is not None:
            said = say(message, **one.get("ctx", {}))
        else:
            said = re.sub(r"^Input should be", "It has to be", sentence(translate(wrong_with(one))))
        told.setdefault(field, said)
    return told


def _text(written: Mapping[str, Any], field: str) -> str:
    return str(written.get(field) or "").strip()


def _lines(written: Mapping[str, Any], field: str) -> list[str]:
    return [line.strip() for line in _text(written, field).splitlines() if line.strip()]
