"""Where a page begins, and how wide it sets what is read and its tables."""

from typing import Any

from playwright.sync_api import Page

READING, TABLE = 46 * 16, 80 * 16

MEASURE = """() => {
    const page = document.querySelector(".stMainBlockContainer");
    const edge = page.getBoundingClientRect().left + parseFloat(getComputedStyle(page).paddingLeft);
    const box = (node) => {
        const range = document.createRange();
        range.selectNodeContents(node);
        return range.getBoundingClientRect();
    };
    const shown = (node) => node.checkVisibility() && box(node).width > 0;
    const roots = [page, ...[...page.querySelectorAll("*")].flatMap((node) => node.shadowRoot ?? [])];
    const titles = roots.flatMap((root) => [...root.querySelectorAll("h1")]);
    const players = roots.flatMap((root) => [...root.querySelectorAll(".player, .list-view, .part-view")]);
    const begin = [...titles, ...players.flatMap((player) => [...player.children])].filter(shown);
    return {
        edge: Math.round(edge),
        left: Math.round(Math.min(...begin.map((node) => node.getBoundingClientRect().left))),
        read: Math.max(0, ...[...page.querySelectorAll("p")].filter(shown).map((node) => box(node).width)),
        table: page.querySelector(":scope > .stVerticalBlock").getBoundingClientRect().width,
    };
}"""
"""The edge of its content, where its title or its player begins, the widest line that is read, and the block of it
all, in pixels."""


def measured(page: Page) -> dict[str, Any]:
    """What MEASURE finds on a page."""
    found: dict[str, Any] = page.evaluate(MEASURE)
    return found
