"""Settings, typed, from the environment (`CHARACTERBOX_...`), and whether the app may be served with them."""

import re
from functools import cache
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from platformdirs import user_config_path, user_data_path
from pydantic import BeforeValidator, Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from characterbox.errors import CharacterBoxError

Program = Annotated[Path | None, BeforeValidator(lambda path: path or None)]
"""A program; a variable that is empty is as good as none."""
Auth = Literal["off", "local", "oidc"]
"""Who may come in: whoever sits at the computer; people who were invited, with passwords that are kept here; people who
were invited, who sign in elsewhere (OpenID Connect)."""


def is_loopback(address: str | None) -> bool:
    """Whether only this computer reaches what is served at the address; none at all means all of them."""
    if address == "localhost":
        return True
    try:
        return ip_address(address or "0.0.0.0").is_loopback  # noqa: S104 # nosec B104 # nothing is bound
    except ValueError:
        return False


def exposure_fault(auth: Auth, url: str | None, address: str | None) -> str | None:
    """Why the app must not be served at this address, and what to do; None if it may."""
    if is_loopback(address):
        return _named_fault(url) if auth == "off" else None
    served = f"server.address is {address or 'not set'!r}, which others reach"
    if auth == "off":
        return (
            f"{served}, and the app runs without accounts. Set CHARACTERBOX_AUTH to local or oidc and CHARACTERBOX_URL"
            " to the address in people's browsers, or serve on 127.0.0.1"
        )
    if url is None:
        return f"{served}: set CHARACTERBOX_URL to the address in people's browsers, such as https://rate.example.org"
    return None


def _named_fault(url: str | None) -> str | None:
    """Why an app without accounts must not have this URL: one that others reach means a proxy that lets them all in."""
    if url is None or is_loopback(urlsplit(url).hostname):
        return None
    return (
        f"CHARACTERBOX_URL is {url}, where others reach the app, and it runs without accounts. Set CHARACTERBOX_AUTH to"
        " local or oidc, or unset CHARACTERBOX_URL"
    )


class Settings(BaseSettings):
    """What may be set from outside; each field is `CHARACTERBOX_` and its name in capitals."""

    model_config = SettingsConfigDict(env_prefix="CHARACTERBOX_", frozen=True)

    db: str = Field(default_factory=lambda: database_url(user_data_path("characterbox") / "characterbox.db"))
    """The database: a URL (`sqlite:///...`, `postgresql://...`) or the path of an SQLite file."""
    prices: Path = Field(default_factory=lambda: user_config_path("characterbox") / "prices.toml")
    """A file with prices of models that one has added or changed; it need not exist."""
    vllm: Program = None
    """The `vllm` executable, or the Python interpreter whose environment has vLLM, that servers are started with; where
    it is not set, the one on the PATH, or in this environment."""
    train: Program = None
    """The Python interpreter that trains: one whose environment has PyTorch, TRL and this package; where it is not set,
    this one."""
    vllm_arguments: Annotated[tuple[str, ...], NoDecode] = ()
    """Names of arguments of vLLM that admins may give beyond the plain ones, separated by blanks. Some run code."""
    rehearsal_latency: Annotated[float, Field(ge=0, le=60)] = 0.7
    """Seconds that the app's own rehearsal endpoint takes for a reply, so that one can watch it think."""

    samples: bool = True
    """Whether a database in which there is nothing else is given the samples as the app starts: stories and a study."""

    auth: Auth = "off"
    """Who may come in; see `Auth`."""
    url: str | None = None
    """The address of the app in people's browsers, without a path, such as `https://rate.example.org`: links of
    invitation begin with it, and requests to its host are answered. Needed where others reach the app."""

    audit_days: Annotated[int, Field(ge=1, le=36500)] | None = None
    """How many days the log of changes is kept; where it is not set, for ever."""
    embedded_by: Annotated[tuple[str, ...], NoDecode] = ()
    """The origins of sites whose pages may show the app in a frame, with spaces between; without any, no site's may."""

    @field_validator("embedded_by", mode="before")
    @classmethod
    def _as_origins(cls, value: object) -> object:
        return tuple(map(as_framing, value.split())) if isinstance(value, str) else value

    @field_validator("url")
    @classmethod
    def _as_origin(cls, value: str | None) -> str | None:
        return None if value is None else as_origin(value)

    @property
    def https(self) -> bool:
        """Whether people reach the app by HTTPS."""
        return (self.url or "").startswith("https:")

    @field_validator("vllm_arguments", mode="before")
    @classmethod
    def _as_names(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        names = tuple(value.split())
        if strange := [name for name in names if not re.fullmatch(r"--?[A-Za-z][A-Za-z0-9_.-]*", name)]:
            raise ValueError(f"{strange[0]!r} is no name of an argument; give names alone, like --chat-template")
        return names

    @field_validator("db")
    @classmethod
    def _as_url(cls, value: str) -> str:
        return as_url(value)


def as_url(database: str) -> str:
    """The URL of a database that is given as a URL, or as the path of an SQLite file.

    Raises ValueError, saying what to give, for what is neither.
    """
    if database.strip() in ("", ":memory:"):
        raise ValueError(f"{database!r} names no file; give a file, sqlite:///FILE or postgresql://...")
    try:
        return database if "://" in database else database_url(Path(database))
    except RuntimeError:
        raise ValueError(f"there is no home folder {database.partition('/')[0]!r}; write the path out") from None


def as_origin(url: str) -> str:
    """The scheme, host and port of a URL that has nothing else. Raises ValueError, saying what to give, for others."""
    parts = urlsplit(url.strip().rstrip("/"))
    plain = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    if not plain or parts.path or parts.query or parts.fragment or "@" in parts.netloc:
        raise ValueError(f"{url!r} is no address of an app; give it like https://rate.example.org, without a path")
    return f"{parts.scheme}://{parts.netloc.lower()}"


def as_framing(url: str) -> str:
    """The origin of a site, as a policy of frames can name it. Raises ValueError, saying what to give, for others."""
    origin = as_origin(url)
    if re.fullmatch(r"https?://[a-z0-9.:\[\]-]+", origin) is None:
        raise ValueError(f"{url!r} is no origin of a site; give it like https://lab.example.org, in ASCII letters")
    return origin


def database_url(path: Path) -> str:
    """The URL of an SQLite file."""
    return f"sqlite:///{path.expanduser().absolute()}"


@cache
def settings() -> Settings:
    """The settings of this process. Raises CharacterBoxError, naming the variable, if one cannot be used."""
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors()[0]
        reason = first["msg"].removeprefix("Value error, ")
        name = f"CHARACTERBOX_{'_'.join(str(part) for part in first['loc']).upper()}"
        raise CharacterBoxError(f"environment: {name} cannot be used ({reason}); change it or unset it") from None
