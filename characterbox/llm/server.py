"""Servers: what is known of the addresses at which models are reached, and how much may be asked of each."""

import re
from functools import lru_cache
from typing import Annotated, Literal

from pydantic import Field, ValidationInfo, field_validator, model_validator

from annotations.i18n.messages import Message
from characterbox.llm.calls.address import Reach, fault, fault_on_azure, is_local, resource, spelled
from characterbox.llm.calls.retry_policy import Refusal
from characterbox.llm.endpoint import REHEARSAL, Endpoint
from characterbox.llm.rehearsal.grammar import MODELS
from characterbox.pause_reasons import Reason
from characterbox.values import Value

Kind = Literal["api", "azure", "vllm", "started", "rehearsal"]
"""An OpenAI-compatible API; Azure OpenAI; a vLLM server given by its URL; one that the app starts; the embedded
rehearsal."""

_DEPLOYMENT = re.compile(r"(?!\.+\Z)[A-Za-z0-9._-]{1,64}")

FlagText = Annotated[str, Field(min_length=1, max_length=200)]


class Launch(Value):
    """How the app starts a vLLM server. Prefix caching is always on, but for an embedding model."""

    model: Annotated[str, Field(min_length=1)]
    """A folder, or the name of a model that vLLM can find."""
    port: Annotated[int, Field(ge=1024, le=65535)]
    adapters: dict[str, str] = Field(default_factory=dict)
    """LoRA adapters: the model name under which each is served, and its folder."""
    flags: tuple[FlagText, ...] = ()
    """Further arguments of `vllm serve`, one word each."""
    keep: bool = False
    """Whether the server is left running when the app ends."""


class Server(Value):
    """One address, the models behind it, and what may be asked of it."""

    url: str
    """The base URL, such as `http://127.0.0.1:8000/v1`, or `rehearsal`."""
    name: Annotated[str, Field(min_length=1, max_length=80)]
    """What people call it."""
    kind: Kind
    models: tuple[str, ...] = ()
    """The names of the models to choose from, adapters included; on Azure those of the deployments."""
    key: str | None = None
    """The name of the environment variable, or of the entry in secrets.toml, that holds the key. Never the key."""
    api_version: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}(-preview)?$")] | None = None
    """The version of Azure's API, such as 2024-10-21; None for all other kinds."""
    parallel: Annotated[int, Field(ge=1, le=10_000)] = 1000
    """How many requests may be under way at once."""
    requests_per_minute: Annotated[int, Field(ge=1)] | None = None
    tokens_per_minute: Annotated[int, Field(ge=1)] | None = None
    """Tokens of prompts and replies together; None for no limit."""
    timeout: Annotated[float, Field(gt=0, le=3600)] = 180.0
    """Seconds after which a silent server counts as failed."""
    context: Annotated[int, Field(ge=256)] | None = None
    """Tokens that prompt and reply have room for; None when unknown."""
    reply_tokens: Annotated[int, Field(ge=16, le=100_000)] = 4000
    """Bound of one reply, the thinking of a reasoning model included."""
    launch: Launch | None = None
    """How the app starts it; None when it is only reached."""
    private: bool = False
    """Whether it may be reached at an address of a private network, or of this computer."""

    @field_validator("url")
    @classmethod
    def _is_address(cls, url: str) -> str:
        if told := fault(url):
            raise ValueError(told)
        return Endpoint(url=url, model="any").url

    @field_validator("models")
    @classmethod
    def _are_deployments(cls, models: tuple[str, ...], told: ValidationInfo) -> tuple[str, ...]:
        if told.data.get("kind") == "azure" and not all(map(_DEPLOYMENT.fullmatch, models)):
            raise ValueError(Reason("no_deployment"))
        return models

    @field_validator("key")
    @classmethod
    def _names_a_key(cls, key: str | None) -> str | None:
        """Only what is named like a key is ever read from the environment and sent."""
        if key is not None and not (key.endswith("_API_KEY") and key.isidentifier() and key.isascii()):
            raise ValueError(Message("a key name must end in _API_KEY, such as OPENAI_API_KEY"))
        return key

    @model_validator(mode="after")
    def _is_consistent(self) -> "Server":
        if (self.kind == "started") != (self.launch is not None):
            raise ValueError("a server that the app starts says how, and no other does")
        if (self.kind == "azure") != (self.api_version is not None):
            raise ValueError("a server of Azure has the version of its API, and no other has")
        if self.kind == "azure" and (told := fault_on_azure(self.url)):
            raise ValueError(told)
        if (self.kind == "rehearsal") != (self.url == REHEARSAL):
            raise ValueError(Message("the address 'rehearsal' is only for the built-in rehearsal"))
        return self

    @staticmethod
    @lru_cache(maxsize=256)
    def unregistered(url: str) -> "Server":
        """What is taken for an address that nobody has registered: it gets no key.

        Kept, as it is looked up at each attempt: to check it takes 0.12 ms.
        """
        if url == REHEARSAL:
            return Server(url=url, name="Rehearsal", kind="rehearsal", models=tuple(MODELS))
        return Server(url=url, name=url, kind="api")

    @property
    def spelled(self) -> str:
        """Its address, spelled as that of all servers at the same place."""
        return spelled(resource(self.url) if self.kind == "azure" else self.url)

    @property
    def reach(self) -> Reach:
        """Where connections to it may go with accounts on, as it is registered, which only admins can do."""
        if self.private:
            return "network"
        return "loopback" if is_local(self.url) else "public"

    def path(self, model: str, *, embeds: bool) -> str:
        """Where embeddings of a model are asked for, or chat completions, below the base URL.

        Raises Refusal for what can be no deployment of Azure: it would lead elsewhere.
        """
        asked = "/embeddings" if embeds else "/chat/completions"
        if self.kind == "azure":
            if not _DEPLOYMENT.fullmatch(model):
                raise Refusal(Reason("no_deployment"))
            return f"/deployments/{model}{asked}"
        return asked

    @property
    def reply_bound(self) -> int:
        """How many tokens a reply may have: never more than a quarter of the context window."""
        return self.reply_tokens if self.context is None else min(self.reply_tokens, self.context // 4)

    @property
    def prompt_room(self) -> int | None:
        """How many tokens a prompt may have; None when the context window is not known."""
        return None if self.context is None else self.context - self.reply_bound
