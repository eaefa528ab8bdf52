"""Where a page begins, and how wide it sets what is read and its tables."""

from typing import NamedTuple

from playwright.sync_api import Page

MEASURE = """() => {
    const READING = 46 * 16, TABLE = 80 * 16;
    const STORY = 34; // times the size of its type
    const CONTROL = 25 * 16; // what is narrower may be a control, or a cell, with a width of its own
    const page = document.querySelector(".stMainBlockContainer"), frame = document.querySelector(".stMain");
    const edge = Math.round(page.getBoundingClientRect().left + parseFloat(getComputedStyle(page).paddingLeft));
    const all = (root) => [...root.querySelectorAll("*")].flatMap((node) =>
        [node, ...(node.shadowRoot ? all(node.shadowRoot) : [])]);
    const box = (node) => {
        const range = document.createRange();
        range.selectNodeContents(node);
        return range.getBoundingClientRect();
    };
    const nodes = all(page).filter((node) => node.checkVisibility() && box(node).width > 0);
    const width = (node) => Math.round(node.getBoundingClientRect().width);
    const left = (node) => Math.round(node.getBoundingClientRect().left);
    const first = (node) => {
        const [most] = [...node.children].filter((one) => nodes.includes(one)).sort((a, b) => left(a) - left(b));
        return most ?? [];
    };
    const begin = [
        ...nodes.filter((node) => node.matches("h1, .page-title, .part-view .text")),
        ...nodes.filter((node) => node.matches(".player, .list-view, .part-view")).flatMap(first),
    ];
    const wide = page.querySelector(":scope > .stVerticalBlock").getBoundingClientRect().width;
    const own = (node) => {
        const { maxWidth, fontSize } = getComputedStyle(node), most = parseFloat(maxWidth);
        const limits = maxWidth.endsWith("px") && most > CONTROL && most < wide;
        return limits && most !== READING && Math.abs(most - STORY * parseFloat(fontSize)) > 1;
    };
    const told = (node) => `${node.localName}.${node.className}: ${node.textContent.trim().slice(0, 60)}`;
    const faults = {
        "begins elsewhere": (begin.length ? begin : [page]).filter((node) => left(node) !== edge).map(told),
        "read too wide": nodes.filter((node) => node.matches("p") && box(node).width > READING + 1).map(told),
        "has a width of its own": nodes.filter((node) => !node.closest(".player") && own(node)).map(told),
        "is a form of a width of its own": nodes.filter((node) => node.matches(".stForm"))
            .filter((node) => width(node) < Math.min(READING, width(node.closest(".stVerticalBlock")))).map(told),
        "wider than a table": wide > TABLE ? [`${wide}`] : [],
        "scrolls sideways": [document.documentElement, frame]
            .filter((node) => node.scrollWidth > node.clientWidth).map((node) => node.localName),
    };
    return [edge, Object.fromEntries(Object.entries(faults).filter(([_, found]) => found.length))];
}"""


class Measured(NamedTuple):
    """What MEASURE finds on a page."""

    edge: int
    """Where its content begins, in pixels from the left."""
    faults: dict[str, list[str]]
    """What is not laid out as on all pages, by what is wrong with it."""


def measured(page: Page) -> Measured:
    """Where a page begins, and what on it begins elsewhere or has another width."""
    return Measured(*page.evaluate(MEASURE))
