"""The cast of a sweep: models under the names that its file calls them by, in `cast.toml` beside it.

[models]
strong = { endpoint = "https://api.openai.com/v1#gpt-4.1" }
weak = { endpoint = "http://127.0.0.1:8000/v1#tiny", price = { input = 0.1, output = 0.2 } }

Where a model is reached, and under which name there, differs from lab to lab; what is played with what does not. So
the file of a sweep can say `#strong`, and stays as it is.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pydantic import ValidationError, model_validator

from annotations.i18n.messages import wrong_with
from annotations.rubrics.rubric_file import Misfit, hold_together, read_toml
from characterbox.errors import CharacterBoxError
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.usage import Price
from characterbox.scenes.file_reading import decode
from characterbox.scenes.scene import Text
from characterbox.values import Value

CAST = "cast.toml"
"""The name of the file."""


class CastModel(Value):
    """A model."""

    endpoint: Text
    """`URL#MODEL`, or `rehearsal`."""
    price: Price | None = None
    """Counts where the app knows no price of it."""


class _File(Value):
    models: dict[Text, CastModel]

    @model_validator(mode="after")
    def _endpoints_can_be_used(self) -> "_File":
        hold_together(self._misfits())
        return self

    def _misfits(self) -> Iterator[Misfit]:
        for name, model in self.models.items():
            try:
                Endpoint.parse(model.endpoint)
            except CharacterBoxError as error:
                yield ("models", name, "endpoint"), error.args[0]
            except ValidationError as error:
                yield ("models", name, "endpoint"), wrong_with(error.errors()[0])


@dataclass(frozen=True)
class Cast:
    """The models that have an address."""

    models: Mapping[str, Endpoint] = field(default_factory=dict)
    """By the name that files call each by."""
    prices: Mapping[str, Price] = field(default_factory=dict)
    """By the name that a model has where it is reached."""

    def addressed(self, text: str) -> str:
        """What a file says of a model, with the address in place of `#NAME` where the cast has one."""
        name = text.strip().removeprefix("#").strip()
        known = self.models.get(name) if text.strip().startswith("#") else None
        return text if known is None else str(known)


def read_cast(raw: bytes) -> Cast:
    """The cast that a file describes. Raises FaultyFile with the line of each fault."""
    toml, _ = decode(CAST, raw, "UTF-8")
    file = read_toml(toml, _File, file=CAST)
    models = {name.strip(): Endpoint.parse(model.endpoint) for name, model in file.models.items()}
    prices = zip(models.values(), (model.price for model in file.models.values()), strict=True)
    return Cast(models, {endpoint.model: price for endpoint, price in prices if price is not None})
