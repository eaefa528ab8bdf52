"""Addresses of pages of the app, with what is to be seen there."""

from typing import Literal
from urllib.parse import urlencode

from characterbox.store.stories.story import OVER, Status


def address_of(page: str, /, **place: str) -> str:
    """The address of a page, by its place in the address, with what is to be seen there. The Stage is the first one."""
    return f"/{'' if page == 'stage' else page}{'?' if place else ''}{urlencode(place)}"


def page_of_story(status: Status) -> Literal["playback", "stage"]:
    """The page on which a story is seen: those that are over are played back."""
    return "playback" if status in OVER else "stage"
