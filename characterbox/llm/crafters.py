"""Whose work a crafted scene is, as tables name it: the method and the models of its roles."""

from characterbox.llm.endpoint import REHEARSAL, REHEARSAL_MODELS, Endpoint, is_modelless
from characterbox.scenes.scene import Crafted

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
