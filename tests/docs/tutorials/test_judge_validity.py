"""The tutorial about the validity of judges from one's own CSV, walked through in both languages."""

from collections.abc import Callable

from playwright.sync_api import Locator, expect

from tests.browser.tables import WAIT
from tests.docs.walk import Walk


def test_judge_validity(begin: Callable[[str], Walk]) -> None:
    walk = begin("judge-validity")
    assert walk.value() == "ratings.csv"
    table = walk.block("ratings.csv")
    assert walk.value() == "kind"
    walk.go_to("Measure", "Reliability and validity")
    walk.choose("Ratings")
    walk.upload("ratings.csv", table)

    walk.heading("Reliability")
    reliability = walk.page.get_by_role("region", name=walk.shown("Reliability"))
    expect(reliability).to_contain_text(walk.label("Experts: do the raters agree on a metric?"), timeout=WAIT)
    expect(row(walk, "Reliability", "believability")).to_contain_text(walk.value())
    walk.heading("Validity")
    for judge in ("judge-a", "judge-b"):
        expect(row(walk, "Validity", judge)).to_contain_text(walk.value())
    walk.page.get_by_role("heading", name=walk.shown("Reliability and validity")).scroll_into_view_if_needed()
    walk.picture("judge-validity-summary")

    walk.press("Single judge", "radio")
    walk.see("At which level does the judge agree?")
    walk.see("Baselines, overall")
    walk.page.get_by_text(walk.shown("At which level does the judge agree?")).first.scroll_into_view_if_needed()
    walk.picture("judge-validity-judge")
    walk.see("Does the judge give the same scores?")
    walk.press("Planning", "radio")
    walk.see("Sources of variance in scores")
    walk.heading("Download")
    for text in ("All statistics (CSV)", "Show the methods paragraph", "Bundle to recompute all statistics"):
        walk.see(text)

    (walk.app.db.parent / "ratings.csv").write_text(table, encoding="utf-8")
    assert "0.87 [ 0.56,  0.97]" in walk.run()
    walk.end()


def row(walk: Walk, table: str, label: str) -> Locator:
    """The row of a table that is called so, whole."""
    region = walk.page.get_by_role("region", name=walk.shown(table))
    return region.locator("tbody tr").filter(has=walk.page.get_by_role("rowheader", name=label, exact=True)).first
