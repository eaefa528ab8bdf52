"""Who may import whom: the order of the house, kept by a test."""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OURS = ("annotations", "characterbox", "pages", "app")


def imported(source: str, module: str) -> Iterator[str]:
    """The dotted names of all that a module imports, wherever in it, also by `import_module` and `__import__`."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=origin, names=names, level=level):
                base = module.split(".")[: -level or None] if level else []
                start = ".".join([*base, *([origin] if origin else [])])
                yield from (f"{start}.{alias.name}" for alias in names)
            case ast.Call(func=ast.Name(id="import_module" | "__import__") | ast.Attribute(attr="import_module")):
                yield ast.unparse(node.args[0]).strip("'\"f")


def faults(source: str, module: str) -> list[str]:
    """What the module imports and may not."""
    found = list(imported(source, module))
    return sorted({name for name in found if not _may_import(module, name)})


TELLS = frozenset(
    f"annotations.i18n.translation.{name}"
    for name in (
        "say",
        "say_count",
        "say_day",
        "say_moment",
        "sentence",
        "speaking",
        "tongue",
        "translate",
        "translate_into",
    )
)
"""What makes sentences in the language of whoever reads."""
SHOWS = ("app", "pages", *(f"characterbox.{room}" for room in ("cli", "commands", "components", "routes")))
"""The rooms that show sentences to people; all others carry messages."""


ABOVE_STUDIES = ("app", "pages", *(f"characterbox.{room}" for room in ("cli", "commands", "routes", "studies")))
"""The rooms that may know of studies, which use all that is below them."""


PLACES: Mapping[str, str] = {
    **dict.fromkeys(("torch", "transformers", "trl", "peft", "datasets", "accelerate"), "characterbox.training.worker"),
    "ray": "characterbox.cluster",
}
"""Packages of environments of their own, and the one room that imports each."""


def _within(name: str, *packages: str) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def _may_import(module: str, name: str) -> bool:
    if _within(module, "annotations") and _within(name, "characterbox", "pages", "app", "streamlit", "openai"):
        return False
    if _within(module, "characterbox") and _within(name, "pages", "app"):
        return False
    if _within(name, "streamlit") and not _within(module, "app", "pages", "characterbox.components"):
        return False
    if _within(name, "openai") and not _within(module, "characterbox.llm"):
        return False
    if _within(name, "characterbox.studies") and not _within(module, *ABOVE_STUDIES):
        return False
    if (place := PLACES.get(name.partition(".")[0])) is not None and not _within(module, place):
        return False
    if _within(module, "characterbox.training.worker") and _within(name, *OURS):
        return _within(name, "characterbox.training.worker")
    if name in TELLS and not _within(module, *SHOWS, "annotations.i18n"):
        return False
    makes_engine = name.rpartition(".")[2] in ("create_engine", "create_async_engine", "engine_from_config")
    return not makes_engine or _within(module, "characterbox.store")


def modules() -> dict[str, Path]:
    """All modules of the project by their dotted names."""
    files = [ROOT / "app.py", *(file for folder in OURS[:3] for file in (ROOT / folder).rglob("*.py"))]
    names = [".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for file in files]
    return dict(zip(names, files, strict=True))


def test_every_module_imports_only_what_it_may():
    found = modules()
    assert {
        "app",
        "annotations.rubrics.rubric",
        "characterbox.llm.calls.client",
        "characterbox.store.engine",
    } <= found.keys()
    wrong = {name: faults(file.read_text(encoding="utf-8"), name) for name, file in found.items()}
    assert {name: what for name, what in wrong.items() if what} == {}


def test_an_engine_is_built_by_no_other_name():
    builders = [
        name
        for name, file in modules().items()
        if re.search(r"create_(async_)?engine", source := file.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute) and node.attr in ("create_engine", "create_async_engine")
    ]
    assert builders == [], "import create_engine by name, so that the check above sees it"


@pytest.mark.parametrize(
    ("module", "source", "fault"),
    [
        ("annotations.x", "import characterbox", "characterbox"),
        ("annotations.x", "from characterbox.errors import SceneError", "characterbox.errors.SceneError"),
        ("annotations.x", "def f():\n    import openai.types", "openai.types"),
        ("annotations.x", "import streamlit as st", "streamlit"),
        ("characterbox.x", "from pages import stage", "pages.stage"),
        ("characterbox.x", "class A:\n    def f(self):\n        from app import app", "app.app"),
        ("characterbox.x", "import streamlit", "streamlit"),
        ("characterbox.stage.x", "from streamlit.components import v2", "streamlit.components.v2"),
        ("characterbox.play.x", "if True:\n    from openai import AsyncOpenAI", "openai.AsyncOpenAI"),
        ("characterbox.play.x", "import importlib\nimportlib.import_module('openai')", "openai"),
        ("characterbox.play.x", "__import__('streamlit')", "streamlit"),
        ("pages.x", "from sqlmodel import create_engine", "sqlmodel.create_engine"),
        ("characterbox.llm.x", "from sqlalchemy import create_engine as make", "sqlalchemy.create_engine"),
        ("app", "import openai", "openai"),
        ("characterbox.training.runs", "import torch", "torch"),
        ("characterbox.sweeps.x", "from ray.util import ActorPool", "ray.util.ActorPool"),
        ("characterbox.training.worker.x", "from characterbox.values import Value", "characterbox.values.Value"),
        (
            "characterbox.sweeps.x",
            "from characterbox.studies.folder import Study",
            "characterbox.studies.folder.Study",
        ),
        (
            "characterbox.llm.x",
            "from annotations.i18n.translation import say, to_say",
            "annotations.i18n.translation.say",
        ),
        (
            "characterbox.store.x",
            "def f():\n    from annotations.i18n.translation import tongue",
            "annotations.i18n.translation.tongue",
        ),
    ],
)
def test_the_check_catches(module, source, fault):
    assert faults(source, module) == [fault]


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("app", "import streamlit"),
        ("pages.x", "import streamlit, characterbox.errors"),
        ("characterbox.components.player", "import streamlit.components.v2"),
        ("characterbox.llm.calls.client", "import openai\nfrom openai import AsyncOpenAI"),
        ("characterbox.x", "from annotations.rubrics.rubric import load_rubric"),
        ("characterbox.commands.app", "from characterbox.settings import settings"),
        ("characterbox.store.engine", "from sqlmodel import create_engine"),
        ("characterbox.llm.x", "from annotations.i18n.messages import cited, to_say"),
        ("characterbox.training.worker.x", "import torch\nfrom characterbox.training.worker.run import Run"),
        ("characterbox.cluster.x", "import ray"),
        ("characterbox.commands.x", "from annotations.i18n.translation import say, speaking"),
        ("characterbox.commands.study", "from characterbox.studies.folder import read_study"),
        ("characterbox.store.x", "from . import engine\nfrom .engine import open_engine"),
        ("characterbox.x", "from pagesmith import pages\nimport application"),
    ],
)
def test_the_check_lets_pass(module, source):
    assert faults(source, module) == []
