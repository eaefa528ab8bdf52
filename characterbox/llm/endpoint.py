"""Endpoints: where a model is reached, and under which name; and whose work a crafted scene is."""

from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, ValidationError, field_validator

from annotations.i18n.messages import Message, Readable, wrong_with
from characterbox.errors import AddressError
from characterbox.llm.calls.address import fault
from characterbox.scenes.scene import Crafted, slug_of
from characterbox.values import Value

REHEARSAL = "rehearsal"
"""The address of the embedded endpoint that improvises without a language model."""

HANDWRITTEN = "handwritten"
"""The address of what people wrote for the samples of this project: nobody answers there."""

MODELLESS = frozenset({REHEARSAL, HANDWRITTEN})
"""The addresses that have no language model behind them."""

REHEARSAL_MODELS = ("rehearsal", "rehearsal-plain", "rehearsal-wooden")
"""The models of the rehearsal, the best first. Where it is served at an address of its own it answers to no other name:
by the name it is known there."""

EMBEDDER = "~memory"
"""The agent of requests that go to the embedding model by which characters recall: no character's name."""

_SECRETIVE = frozenset("@?")
"""What sets a password or a query off in a URL."""


def is_modelless(url: str, model: str) -> bool:
    """Whether what is reached there under this name is no language model."""
    return url in MODELLESS or model in REHEARSAL_MODELS


class NoURL(ValueError):
    """It is no address at which a model could be reached."""


class SecretiveURL(ValueError):
    """A URL can hold a secret."""


class Endpoint(Value):
    """A model behind an OpenAI-compatible API."""

    url: str
    """The base URL, such as `http://127.0.0.1:8000/v1`, or `rehearsal`; in samples `handwritten`."""
    model: str

    @field_validator("url")
    @classmethod
    def _is_http(cls, url: str) -> str:
        url = url.strip().rstrip("/")
        if url in MODELLESS:
            return url
        if _SECRETIVE & set(url):
            raise SecretiveURL(
                Message(
                    "a URL with @ or ? can contain a secret, and URLs are shown to others; register the"
                    " server with the name of its key"
                )
            )
        if " " in url or not url.isprintable():
            raise ValueError(Message("the URL contains a space or a control character"))
        if not _is_http_url(url):
            raise NoURL(Message("it is neither an http(s) URL nor 'rehearsal'"))
        return url

    @field_validator("model")
    @classmethod
    def _is_named(cls, model: str) -> str:
        if not model.strip():
            raise ValueError(Message("the model name is missing"))
        return model.strip()

    @classmethod
    def parse(cls, text: str) -> "Endpoint":
        """An endpoint from `URL#MODEL` or `rehearsal`.

        Raises AddressError, saying what is wrong with it, without the text where that could hold a secret.
        """
        url, _, model = text.strip().partition("#")
        if url == HANDWRITTEN:
            raise AddressError("endpoint handwritten: it has no model to call; enter URL#MODEL or rehearsal")
        if url == REHEARSAL:
            model = model or REHEARSAL
        if not model.isprintable():
            raise AddressError("endpoint: the model name contains an invisible character; type it again")
        reason: Readable | None = fault(url)
        if reason is None:
            try:
                return cls(url=url, model=model)
            except ValidationError as error:
                reason = wrong_with(error.errors()[0])
        if _SECRETIVE & set(text):
            raise AddressError("endpoint: {reason}; enter URL#MODEL or rehearsal", reason=reason)
        raise AddressError("endpoint {text!r}: {reason}; enter URL#MODEL or rehearsal", text=text, reason=reason)

    @property
    def is_rehearsal(self) -> bool:
        """Whether the rehearsal is behind it, which is no language model."""
        return self.url == REHEARSAL

    @property
    def is_modelless(self) -> bool:
        """Whether no language model is behind it, be it the rehearsal at an address of its own."""
        return is_modelless(self.url, self.model)

    @property
    def is_handwritten(self) -> bool:
        """Whether people wrote in its place, and nobody answers there."""
        return self.url == HANDWRITTEN

    @property
    def filed_as(self) -> str:
        """What its replies are filed under in a story that it reads.

        Raises AddressError for a model whose name has no letter or digit.
        """
        slug = slug_of(self.model)
        if not slug:
            raise AddressError("endpoint {endpoint}: the model name has no letter or digit", endpoint=self)
        return f"{slug}{'~rehearsal' if self.is_rehearsal else ''}"

    @property
    def label(self) -> str:
        """How the endpoint is shown to people."""
        return self.model

    def __str__(self) -> str:
        return self.url if self.url in MODELLESS and self.model == self.url else f"{self.url}#{self.model}"


def label_of(endpoint: Endpoint | None) -> str | None:
    """How an endpoint is shown to people, if there is one."""
    return None if endpoint is None else endpoint.label


def embedding_model(endpoint: Endpoint) -> Endpoint:
    """The endpoint, where an embedding model can be behind it. Raises ValueError if none can."""
    if endpoint.is_modelless:
        raise ValueError(Message("the rehearsal has no embeddings; name an embedding model, or leave it out"))
    return endpoint


def parse_embedding_model(text: str) -> Endpoint:
    """An embedding model from `URL#MODEL`. Raises AddressError, saying what is wrong with it."""
    try:
        return embedding_model(Endpoint.parse(text))
    except ValueError as error:
        raise AddressError("embedding model {text!r}: {error}", text=text, error=error) from None


def _is_http_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # brackets that are not closed, a port that is no number
        return False


class Casting(Value):
    """Which endpoint plays whom."""

    narrator: Endpoint
    characters: dict[str, Endpoint]
    memory: Endpoint | None = Field(default=None, exclude_if=lambda memory: memory is None)
    """The embedding model by whose vectors characters recall; None where they do by letters, which asks nobody."""

    @field_validator("memory")
    @classmethod
    def _embeds(cls, memory: Endpoint | None) -> Endpoint | None:
        return None if memory is None else embedding_model(memory)

    def endpoint(self, agent: str | None) -> Endpoint:
        """The endpoint of a character, of the narrator for None, or of the embedding model, where there is one."""
        if agent == EMBEDDER and self.memory is not None:
            return self.memory
        return self.narrator if agent is None else self.characters[agent]

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All that are asked, the embedding model last."""
        return (self.narrator, *self.characters.values(), *([] if self.memory is None else [self.memory]))

    @property
    def urls(self) -> frozenset[str]:
        """The addresses at which the models are reached."""
        return frozenset(endpoint.url for endpoint in self.endpoints)

    @property
    def models(self) -> list[str]:
        """The names of the models that play, each once, in order."""
        return sorted({endpoint.model for endpoint in (self.narrator, *self.characters.values())})

    @property
    def improvised(self) -> Literal["all", "some"] | None:
        """Whether all parts of the story are made without a language model, or some; None where none is."""
        modelless = [endpoint.is_modelless for endpoint in (self.narrator, *self.characters.values())]
        if not any(modelless):
            return None
        return "all" if all(modelless) else "some"

    @property
    def handwritten(self) -> bool:
        """Whether people wrote the story for this project, or the part of it that it was branched from."""
        return HANDWRITTEN in self.urls


_BY_HAND = ", changed by hand"


def named(endpoint: Endpoint) -> str:
    """The model of a role, as a scene tells of it; where none is behind it, which rehearsal it was."""
    known = endpoint.model in REHEARSAL_MODELS or not endpoint.is_modelless
    return endpoint.model if known else REHEARSAL


def crafter_of(crafted: Crafted) -> str:
    """The method and models of a scene, in one name: the models of all roles in their order, or the one that had all.

    What a person changed is not the work of these models alone, and has another name.
    """
    return f"{crafted.method} · {' / '.join(crafted.models)}{_BY_HAND if crafted.by_hand else ''}"


def models_in(crafter: str) -> list[str]:
    """The models in such a name, each once; of any other name, that alone."""
    method, dot, models = crafter.removesuffix(_BY_HAND).partition(" · ")
    return [*dict.fromkeys(models.split(" / "))] if dot else [method]


def is_improvised(crafter: str) -> bool:
    """Whether no language model played one of the roles of a crafted scene: what comes of it is no result.

    Scenes of other files may name a model with its address, `URL#MODEL`.
    """
    named = [(model.rpartition("#")[0] or model, model.rpartition("#")[2]) for model in models_in(crafter)]
    return any(is_modelless(url, model) for url, model in named)
