"""Table 4 as HTML: what has no interval or no score says so, and short words keep to one line."""

from annotations.leaderboard.standings import CraftingScore
from characterbox.components.figures.tables.html import html_of
from characterbox.components.figures.tables.scene_quality import crafting_scores_table

WITH = CraftingScore("a <b>", "extracted", "creativity", 3.5, 0.5, 1.25, 5.0, 4)
WITHOUT = CraftingScore("a <b>", "generated", "creativity", 4.0, 0.0, None, None, 2)


def test_an_interval_or_that_there_is_none():
    shown = html_of(crafting_scores_table([WITH, WITHOUT], ()))
    assert '±0.50</span> <span class="cb-interval">[1.25, 5.00]</span>' in shown
    assert '±0.00</span> <span class="cb-interval">no interval</span>' in shown
    assert "<b>" not in shown


def test_short_words_are_not_broken_where_the_table_is_narrow():
    shown = html_of(crafting_scores_table([WITH], ()))
    assert '<th scope="col" class="cb-unbroken">extracted</th>' in shown
    assert '<td class="cb-quiet-cell">no score</td>' in shown, "a cell that may break would be one letter wide"
