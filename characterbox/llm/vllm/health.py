"""Asking a server of this computer whether it is well, and what it serves."""

import httpx2
from pydantic import BaseModel, ValidationError

from annotations.wording import to_say
from characterbox.errors import EndpointDown
from characterbox.values import Value

_PATIENCE = 1.0
"""Seconds that a server may be silent."""


class Answer(Value):
    """What a server that is well serves."""

    models: tuple[str, ...]
    """Their names, adapters included."""
    context: int | None
    """Tokens that prompt and reply have room for."""


class _Model(BaseModel):
    id: str
    max_model_len: int | None = None


class _Models(BaseModel):
    data: list[_Model]


def ask(root: str) -> Answer:
    """What the server at an address such as `http://127.0.0.1:8000` serves.

    Raises TimeoutError when it is silent, as one may be that has much to do, and EndpointDown when it is not there or
    says that it is not well.
    """
    try:
        with httpx2.Client(base_url=root, timeout=_PATIENCE, trust_env=False) as client:
            client.get("/health").raise_for_status()
            told = _Models.model_validate_json(client.get("/v1/models").raise_for_status().content)
    except httpx2.TimeoutException as error:
        raise TimeoutError(f"{root} is silent") from error
    except httpx2.HTTPStatusError as error:
        raise EndpointDown(
            to_say("{url} answers with status {status}"), url=error.request.url, status=error.response.status_code
        ) from error
    except httpx2.HTTPError as error:
        raise EndpointDown(to_say("{root} can't be reached ({kind})"), root=root, kind=type(error).__name__) from error
    except ValidationError as error:
        raise EndpointDown(to_say("{root}/v1/models does not tell the names of models"), root=root) from error
    lengths = [model.max_model_len for model in told.data if model.max_model_len is not None]
    return Answer(models=tuple(model.id for model in told.data), context=min(lengths, default=None))
