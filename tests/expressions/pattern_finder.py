"""Every regular expression of the product, with the ways in which the code applies it.

A call of `re` is found in the source; what it compiles is worked out in the module that holds it. A pattern that is
kept under a name is applied as that name is used, in its module and wherever it is imported; one that is handed on as a
value is applied in all ways in which its module applies values.
"""

import ast
import importlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from tests.test_imports import PLACES

ROOT = Path(__file__).parents[2]
COMPILES = "compile"
WAYS = frozenset({"match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer"})
_OF_PANDAS = ("contains", "match", "fullmatch", "extract", "extractall", "findall", "count")
ON = "match on"
"""`match` from a place that is given: a reader that goes through a text, one match after the other."""
_FLAGS_AT = {COMPILES: 1, "sub": 4, "subn": 4, "split": 3}
"""Where flags stand among the arguments; elsewhere they are the third."""

Text = str | bytes | re.Pattern[str] | re.Pattern[bytes]
Cases = Mapping[str, Sequence[Callable[[], Iterable[Text]]]]
"""For a file and a function in it the patterns of its calls of `re` that can't be worked out without running it, in the
order of the calls."""


@dataclass(frozen=True)
class Expression:
    place: str
    """The file and the name of the pattern, or what is written there."""
    pattern: re.Pattern
    ways: frozenset[str]


@dataclass(frozen=True)
class Source:
    """A file of the product."""

    path: str
    text: str
    module: str | None = None
    """What it is imported as; None where importing it would run a page."""

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        return {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    @cached_property
    def names(self) -> dict[str, object]:
        """What the file can name; without importing it, no more than the modules that it imports by name alone."""
        if self.module is None:
            return {"re": re}
        try:
            return vars(importlib.import_module(self.module))
        except ModuleNotFoundError as error:
            if error.name not in PLACES:
                raise
            return {"re": re}  # it runs in another environment

    @cached_property
    def calls(self) -> list[ast.Call]:
        """All calls that take the text of a pattern, of `re` and of columns of pandas."""
        return [
            node
            for node in (ast.walk(self.tree) if "re." in self.text or ".str." in self.text else ())
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.args
            and ((_is_re(node.func.value) and node.func.attr in (COMPILES, *WAYS)) or _is_of_pandas(node, node.func))
        ]

    @cached_property
    def imported(self) -> set[tuple[str | None, str]]:
        """The modules from which it imports something by name, and the names there."""
        froms = [node for node in ast.walk(self.tree) if isinstance(node, ast.ImportFrom)]
        return {(node.module, alias.name) for node in froms for alias in node.names}

    def knows(self, module: str | None, name: str) -> bool:
        """Whether it can name what another module calls so."""
        if module is None or name not in self.text:
            return False
        package, _, last = module.rpartition(".")
        return (module, name) in self.imported or (package, last) in self.imported


@cache
def sources() -> list[Source]:
    """The files of the product."""
    files = [
        ROOT / "app.py",
        *(file for top in ("pages", "characterbox", "annotations") for file in (ROOT / top).rglob("*.py")),
    ]
    return [source_of(file.relative_to(ROOT)) for file in sorted(files)]


def source_of(path: Path) -> Source:
    runs = path.name in ("app.py", "__main__.py", "env.py", "navigation.py", "page.py")
    module = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
    return Source(str(path), (ROOT / path).read_text(encoding="utf-8"), None if runs else module)


def other_ways(source: Source) -> Iterator[str]:
    """Ways to come by a pattern that can't be followed: `re` under another name, or another library."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name in ("regex", "re2") or (a.name == "re" and a.asname))
        elif isinstance(node, ast.ImportFrom) and node.module in ("re", "regex", "re2"):
            yield from (f"{node.module}.{a.name}" for a in node.names if a.name in (COMPILES, *WAYS, "*"))
        elif isinstance(node, ast.Attribute) and node.attr in (COMPILES, *WAYS) and _is_re(node.value):
            call = source.parents[node]
            if not (isinstance(call, ast.Call) and call.func is node and call.args):
                yield ast.unparse(node)


def expressions(all_sources: list[Source], by_hand: Cases) -> tuple[list[Expression], list[str]]:
    """All patterns, and the calls whose pattern is not known: `by_hand` has to tell it, nothing else."""
    found, unknown = [], []
    told = {place: list(several) for place, several in by_hand.items()}
    for source in all_sources:
        for call in source.calls:
            place, text = _place(call, source), ast.unparse(call.args[0])
            patterns = _patterns(call, source)
            if not patterns and (cases := told.get(place)):
                flags = _flags(call, source)
                patterns = [one if isinstance(one, re.Pattern) else re.compile(one, flags) for one in cases.pop(0)()]
            if not patterns:
                unknown.append(f"{place}: {text}")
            ways = _ways(call, source, all_sources)
            found += [Expression(place, pattern, ways) for pattern in patterns]
    return found, unknown + [f"{place}: told by hand, and not there" for place, left in told.items() if left]


def kept(source: Source) -> Iterator[re.Pattern]:
    """The patterns that lie in a module when it is imported, also within its classes and containers."""
    if source.module:
        for name, value in source.names.items():
            if not name.startswith("__"):
                yield from _within(value, source.module)


def _patterns(call: ast.Call, source: Source) -> list[re.Pattern]:
    """What a call compiles, as far as its module alone tells."""
    try:
        text = _value(call.args[0], source)
    except NameError:
        name = _name(call, source)
        return list(_within(source.names.get(name), source.module or "")) if name else []
    return [text if isinstance(text, re.Pattern) else re.compile(text, _flags(call, source))]  # type: ignore[call-overload]


def _value(expression: ast.expr, source: Source) -> object:
    return eval(compile(ast.Expression(expression), source.path, "eval"), dict(source.names))


def _flags(call: ast.Call, source: Source) -> int:
    assert isinstance(call.func, ast.Attribute)
    if not _is_re(call.func.value):
        return 0
    at = _FLAGS_AT.get(call.func.attr, 2)
    given = [*call.args[at : at + 1], *(word.value for word in call.keywords if word.arg == "flags")]
    return int(_value(given[0], source)) if given else 0  # type: ignore[call-overload]


def _within(value: object, module: str, seen: frozenset[int] = frozenset()) -> Iterator[re.Pattern]:
    """The patterns in a value, in what it contains, and in the classes of the module."""
    if isinstance(value, re.Pattern):
        yield value
    elif id(value) not in seen:
        inner: Iterable[object] = ()
        if isinstance(value, tuple | list | set | frozenset):
            inner = value
        elif isinstance(value, Mapping):
            inner = value.values()
        elif isinstance(value, type) and value.__module__ == module:
            inner = vars(value).values()
        for one in list(inner):
            yield from _within(one, module, seen | {id(value)})


def _is_re(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "re"


def _is_of_pandas(call: ast.Call, called: ast.Attribute) -> bool:
    """Whether it is a method of `.str` that takes a pattern: some do unless, others only if they are told so."""
    told = next((word.value for word in call.keywords if word.arg == "regex"), None)
    is_told = told.value if isinstance(told, ast.Constant) else told is not None
    unless = called.attr in _OF_PANDAS and (told is None or is_told)
    takes = unless or (called.attr in ("replace", "split") and is_told)
    return isinstance(called.value, ast.Attribute) and called.value.attr == "str" and bool(takes)


def _statement(node: ast.AST, source: Source) -> ast.AST:
    while not isinstance(node, ast.stmt):
        node = source.parents[node]
    return node


def _at_the_top(call: ast.Call, source: Source) -> bool:
    return isinstance(source.parents[_statement(call, source)], ast.Module | ast.ClassDef)


def _name(call: ast.Call, source: Source) -> str | None:
    """The name that a call's value, or a container made of it, gets in the module or class."""
    if not _at_the_top(call, source):
        return None
    match _statement(call, source):
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name
    return None


def _place(call: ast.Call, source: Source) -> str:
    """The file, and the function or else the name of the pattern."""
    node: ast.AST = call
    while not isinstance(node, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef):
        node = source.parents[node]
    name = _called(call, source) or _name(call, source) if isinstance(node, ast.Module) else node.name
    return f"{source.path}: {name}"


def _called(call: ast.Call, source: Source) -> str | None:
    """The name of the one pattern that a call makes, wherever it is."""
    if not (isinstance(call.func, ast.Attribute) and call.func.attr == COMPILES):
        return None
    match source.parents[call]:
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name
        case ast.Tuple(elts=values) as several:
            match source.parents[several]:
                case ast.Assign(targets=[ast.Tuple(elts=names)]) if len(names) == len(values):
                    return ast.unparse(names[values.index(call)])
    return None


def _ways(call: ast.Call, source: Source, all_sources: list[Source]) -> frozenset[str]:
    assert isinstance(call.func, ast.Attribute)
    if not _is_re(call.func.value):
        return frozenset({"search"})
    if call.func.attr != COMPILES:
        return frozenset({call.func.attr})
    if at_once := _way(call, source):
        return frozenset({at_once})
    name = _called(call, source)
    if name is None:
        return _ways_of_values(source)
    readers = [source, *(one for one in all_sources if one is not source and one.knows(source.module, name))]
    ways: set[str] = set()
    for reader in readers:
        for use in ast.walk(reader.tree):
            known = isinstance(use, ast.Name) and use.id == name and isinstance(use.ctx, ast.Load)
            if known or (isinstance(use, ast.Attribute) and use.attr == name):
                way = _way(use, reader)
                ways |= {way} if way else _ways_of_values(reader)
    return frozenset(ways) or WAYS


def _way(value: ast.AST, source: Source) -> str | None:
    """How a pattern is applied right where it is named."""
    method = source.parents[value]
    if not (isinstance(method, ast.Attribute) and method.value is value and method.attr in WAYS):
        return None
    call = source.parents[method]
    goes_on = isinstance(call, ast.Call) and call.func is method and len(call.args) > 1
    return ON if goes_on and method.attr == "match" else method.attr


def _ways_of_values(source: Source) -> frozenset[str]:
    """The ways in which a file applies patterns that have no name of their own there. `split` is a word of texts."""
    named = {"re", *(_called(call, source) for call in source.calls)}
    ways = {
        _way(node.value, source)
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Attribute)
        and node.attr in WAYS - {"split"}
        and not (isinstance(node.value, ast.Name) and node.value.id in named)
        and node.value not in source.calls
    }
    return frozenset(way for way in ways if way) or WAYS
