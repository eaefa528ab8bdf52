"""What is chosen, or searched for, kept in the address of the page in English, whatever language the page speaks.

The browser hears of its new address from the app, and until then whatever is done there comes with the old one. So a
choice stands although the address lacks it, as long as the address says what it said before: a choice that is quickly
followed by another would else be lost. To where someone goes back, the choices go back.
"""

from collections.abc import Callable, Collection, Container, Mapping
from dataclasses import dataclass
from typing import TypedDict

import streamlit as st
from streamlit.errors import StreamlitAPIException
from streamlit.runtime.scriptrunner import get_script_run_ctx

FORMERLY: Mapping[str, str] = {
    "A judge": "Judge",
    "Corrected": "Judge, corrected by experts",
    "Each kind of step": "By kind of step",
    "Every pair of scores": "All pairs of scores",
    "Influences": "Action influences",
    "Items taken as independent": "Assume independent items",
    "Judges compared": "Judge comparison",
    "Metrics of items": "Single metrics",
    "One judge": "Single judge",
    "Our scores": "Scores",
    "Rows without a gap": "Complete rows",
    "Scene crafting": "Scene generation",
    "Scenes and experts drawn": "Resample scenes and experts (jackknife)",
    "Scenes and models drawn": "Resample scenes and models (jackknife)",
    "Scenes drawn": "Resample scenes (jackknife)",
    "The experts": "Experts",
    "The paper's": "Published (paper)",
}
"""What options in addresses of earlier versions, which are kept and shared, are called today."""
_WRITTEN = "address-written"
"""In the session: the choices by their names in the address that the browser has not heard of yet."""


@dataclass
class _Written:
    """What a name in the address was and has become by choices."""

    values: tuple[str | None, ...]
    """The newest last; None for nothing."""
    run: object
    """The run of the page in which it was written last: what the address says in that, it says by that."""


class Keeping(TypedDict):
    """What a widget is given so that its choice is in the address."""

    key: str
    on_change: Callable[..., None]
    args: tuple[str, str, str, str | None]


class KeepingBox(Keeping):
    """The same for a box to select in, which begins with what stands in the address.

    The browser forgets what was chosen in a widget that was not there for a while, puts what the widget begins with in
    its place, and sends that as if it had been chosen.
    """

    index: int


class KeepingSegments(Keeping):
    """The same for segments, which would begin with none that is pressed."""

    default: str


class KeepingNumber(Keeping):
    """The same for pages to turn to, which would begin with the first."""

    default: int


class KeepingText(Keeping):
    """The same for text, which would begin empty."""

    value: str


def box_in_address(
    name: str, options: Collection[str], usual: str, *, ends: str | None = None
) -> tuple[str, KeepingBox]:
    """The option that the address has under a name, else the usual one, and what a box with the options is given.

    Another choice takes out of the address what `ends` names. A widget bound to the address would write there what it
    shows, which depends on the language of the reader.
    """
    option, keeping = _in_address(name, options, usual, ends)
    return option, KeepingBox(**keeping, index=[*options].index(option))


def segments_in_address(
    name: str, options: Collection[str], usual: str, *, ends: str | None = None
) -> tuple[str, KeepingSegments]:
    """The same for segments."""
    option, keeping = _in_address(name, options, usual, ends)
    return option, KeepingSegments(**keeping, default=option)


def number_in_address(name: str, most: int) -> tuple[int, KeepingNumber]:
    """The same for a number from 1, the usual one, to `most`."""
    number, keeping = _in_address(name, [str(one) for one in range(1, most + 1)], "1", None, read=int)
    return int(number), KeepingNumber(**keeping, default=int(number))


def text_in_address(name: str, *, ends: str | None = None) -> KeepingText:
    """What a widget for text is given so that it has, and keeps, the text that the address has under a name."""
    key, asked = _key(name), _asked(name) or ""
    if (st.session_state.get(key) or "").strip() != asked:
        st.session_state[key] = asked
    return KeepingText(**_keeping(name, "", ends), value=asked)


def of_today(asked: str, options: Container[str]) -> str:
    """An option by today's name, where an address of an earlier version asks for it by its former one."""
    return asked if asked in options else FORMERLY.get(asked, asked)


def _in_address(
    name: str, options: Collection[str], usual: str, ends: str | None, *, read: Callable[[str], object] = str
) -> tuple[str, Keeping]:
    """`read` gives what the widget has in place of an option."""
    key, asked = _key(name), _asked(name)
    asked = None if asked is None else of_today(asked, options)
    if asked is not None and asked not in options:
        del st.query_params[name]
        _written().pop(name, None)
    option = asked if asked is not None and asked in options else usual
    if st.session_state.get(key) != (value := read(option)):
        st.session_state[key] = value
    return option, _keeping(name, usual, ends)


def _keeping(name: str, usual: str, ends: str | None) -> Keeping:
    return Keeping(key=(key := _key(name)), on_change=_write_down, args=(name, key, usual, ends))


def _asked(name: str) -> str | None:
    """What the address says of a name, when it has caught up with the choices; None for nothing."""
    _catch_up()
    return st.query_params.get(name)


def _catch_up() -> None:
    """Put choices into the address that the browser has not heard of yet; forget those that it knows, or has left.

    Where a widget was not there before, as on a page that one comes back to, there is no choice to be kept.
    """
    written = _written()
    context = get_script_run_ctx(suppress_warning=True)
    if context is not None and context.is_history_navigation:
        written.clear()
    late: dict[str, str | None] = {}
    for name, choice in [*written.items()]:
        said, wanted = st.query_params.get(name), choice.values[-1]
        heard = said == wanted and choice.run is not _run()
        if heard or _key(name) not in st.session_state or said not in choice.values:
            del written[name]
        elif said != wanted:
            late[name], choice.run = wanted, _run()
    _write(late)


def _run() -> object:
    """What is the same within one run of the page, and another one in each."""
    context = get_script_run_ctx(suppress_warning=True)
    return None if context is None else context.cursors


def _key(name: str) -> str:
    """What the widget is called whose choice the address has under a name."""
    return f"chosen-{name}"


def _written() -> dict[str, _Written]:
    found: dict[str, _Written] = st.session_state.setdefault(_WRITTEN, {})
    return found


def _write_down(name: str, key: str, usual: str, ends: str | None) -> None:
    wanted = str(st.session_state[key] or "").strip()  # a field can be sent with nothing in it
    _note(name, None if wanted == usual else wanted, ends)


def _note(name: str, wanted: str | None, ends: str | None) -> None:
    """Put a choice into the address, or take it out if it is None; what `ends` names goes. One step back undoes it."""
    _catch_up()
    changes = {name: wanted}
    if ends is not None and ends in st.query_params:
        changes[ends] = None
    written = _written()
    for one, value in changes.items():
        before = written[one].values if one in written else (st.query_params.get(one),)
        written[one] = _Written((*(past for past in before if past != value), value), _run())
    _write(changes)


def _write(changes: Mapping[str, str | None]) -> None:
    """Change the address; all at once, which is one entry in the browser's history, where no widget is bound to it."""
    if len(changes) > 1:
        kept = {name: st.query_params.get_all(name) for name in st.query_params if name not in changes}
        put = {name: [value] for name, value in changes.items() if value is not None}
        try:
            st.query_params.from_dict({**kept, **put})
        except StreamlitAPIException:  # a bound part of the address is not to be written, though it stays the same
            pass
        else:
            return
    for name, value in changes.items():
        if value is None:
            st.query_params.pop(name, None)
        else:
            st.query_params[name] = value
