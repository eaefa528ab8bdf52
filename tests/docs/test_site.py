"""The pages hold together: links, anchors, pictures, both languages; the built site asks nothing of other servers."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from lxml import html

from annotations.i18n.translation import TONGUES
from tests.docs.site import DOCS, REPOSITORY, TUTORIALS, pages, parsed, pieces, told

ZENSICAL = REPOSITORY / ".venv-docs/bin/zensical"
CONFIGURATIONS = {"en": "zensical.toml", "zh": "zensical.zh.toml"}
BOTH = ("index.md", "features.md", "tutorials", "how-to", "method")
"""What is there in both languages."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as `make docs` builds it, of a copy of its sources, without network where the system can cut it off."""
    if not ZENSICAL.exists():
        pytest.skip("the documentation's packages are not there: make .venv-docs/done")
    folder = tmp_path_factory.mktemp("site")
    for name in CONFIGURATIONS.values():
        shutil.copyfile(REPOSITORY / name, folder / name)
    for name in (*TONGUES, "theme"):
        shutil.copytree(DOCS / name, folder / "docs" / name)
    for configuration in CONFIGURATIONS.values():
        command = [*alone(), str(ZENSICAL), "build", "--strict", "--config-file", configuration]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    return folder / "build/docs"


def alone() -> list[str]:
    """What runs a command in a network of its own, in which there is nobody; nothing where that is not allowed."""
    cut = ["unshare", "--net", "--map-root-user"]
    try:
        return cut if subprocess.run([*cut, "true"], capture_output=True, check=False).returncode == 0 else []
    except FileNotFoundError:
        return []


def nav(part: Any) -> list[str]:
    """All pages of a part of the menu."""
    if isinstance(part, str):
        return [part]
    return [page for one in (part.values() if isinstance(part, dict) else part) for page in nav(one)]


@pytest.mark.parametrize("language", TONGUES)
def test_each_page_is_in_the_menu_once(language: str) -> None:
    told_there = tomllib.loads((REPOSITORY / CONFIGURATIONS[language]).read_text(encoding="utf-8"))["project"]["nav"]
    there = [str(page.relative_to(DOCS / language)) for page in pages(language)]  # type: ignore[arg-type]
    assert sorted(nav(told_there)) == sorted(there)


def test_what_people_learn_from_is_there_in_both_languages() -> None:
    english, chinese = (
        {str(page.relative_to(DOCS / language)) for page in pages(language) if told(page).split("/")[2] in BOTH}
        for language in TONGUES
    )
    assert english == chinese
    assert {f"tutorials/{name}.md" for name in TUTORIALS} < english


@pytest.mark.parametrize("language", TONGUES)
def test_each_picture_is_there_and_is_used(language: str) -> None:
    used = {
        (page.parent / piece.text).resolve()
        for page in pages(language)  # type: ignore[arg-type]
        for piece in pieces(page)
        if piece.kind == "picture"
    }
    there = {*(DOCS / language / "pictures").iterdir()}
    assert used == there
    assert max(picture.stat().st_size for picture in there) < 100_000


@pytest.mark.parametrize(
    "name", ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "docs/architecture.md"]
)
def test_links_of_the_repository_lead_to_files(name: str) -> None:
    page = REPOSITORY / name
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if "://" not in link and not (page.parent / link).is_file()] == []


@pytest.mark.process
def test_no_link_is_dead(built: Path) -> None:
    assert len([*built.rglob("*.html")]) > len(pages())
    dead = []
    for page in sorted(built.rglob("*.html")):
        for element, _, link, _ in html.parse(page).getroot().iterlinks():
            parts = urlsplit(link)
            if parts.scheme in ("http", "https", "mailto", "data", "javascript"):
                assert parts.netloc or parts.scheme in ("mailto", "data", "javascript"), f"{page}: {link}"
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            anchor = unquote(parts.fragment)
            if page.name == "404.html" and parts.path.startswith("/"):
                continue
            if not target.is_file() or (anchor and target.suffix == ".html" and anchor not in names(target)):
                dead.append(f"{page.relative_to(built)}: {link} ({element.tag})")
    assert dead == []


def names(page: Path, known: dict[Path, set[str]] = {}) -> set[str]:  # noqa: B006 - kept between calls
    """The anchors of a page."""
    if page not in known:
        known[page] = {*map(str, html.parse(page).xpath("//@id"))}
    return known[page]


@pytest.mark.process
def test_nothing_is_loaded_from_elsewhere(built: Path) -> None:
    loading = ("script", "link", "img", "iframe", "source", "video", "audio")
    for page in built.rglob("*.html"):
        root = html.parse(page).getroot()
        foreign = [link for element, _, link, _ in root.iterlinks() if element.tag in loading and "://" in link]
        assert foreign == [], page
    for style in built.rglob("*.css"):
        assert not re.search(r"url\(['\"]?https?:|@import", style.read_text(encoding="utf-8")), style


def test_chinese_paragraphs_stand_on_one_line() -> None:
    """A break within one would be shown as a blank between two characters."""
    broken = []
    for page in pages("zh"):
        for token in parsed(page):
            kinds = [child.type for child in token.children or []]
            if "softbreak" in kinds and token.map is not None:
                broken.append(f"{told(page)}, line {token.map[0] + 1}")
    assert broken == []
