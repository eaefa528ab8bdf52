"""Properties that take long to try: on a few examples in the ordinary run, and on all of them in the soak."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis.strategies import SearchStrategy

Test = Callable[..., None]
FEW, FULL = "few", "full"


def on_examples(
    *strategies: SearchStrategy[Any], few: int, full: int = 100, **named: SearchStrategy[Any]
) -> Callable[[Test], Test]:
    """`given(*strategies, **named)`: the test is tried on `few` examples, and in the soak on `full` ones too."""

    def decorate(test: Test) -> Test:
        examples = given(*strategies, **named)
        runs = {name: settings(max_examples=n)(examples(test)) for name, n in ((FEW, few), (FULL, full))}

        def tried(examples: str, **fixtures: object) -> None:
            runs[examples](**fixtures)

        signature = inspect.signature(runs[FEW])
        own = inspect.Parameter("examples", inspect.Parameter.KEYWORD_ONLY)
        tried.__signature__ = signature.replace(parameters=[*signature.parameters.values(), own])  # type: ignore[attr-defined]
        tried.__name__, tried.__doc__, tried.__module__ = test.__name__, test.__doc__, test.__module__
        return pytest.mark.parametrize("examples", [FEW, pytest.param(FULL, marks=pytest.mark.soak)])(tried)

    return decorate
