"""The leaderboard says what stands in brackets only where something does."""

import pytest

from characterbox.components.figures.tables.leaderboard import standings_latex
from characterbox.judging.leaderboard import Wanted, board_of, provenance_of, scores_of
from characterbox.store import Store
from pages.leaderboard.views import _explained
from tests.fakes.leaderboards import judge, played


@pytest.mark.parametrize(("scenes", "are_given"), [(2, False), (6, True)])
def test_intervals_and_ranks_are_promised_only_where_there_are_some(url, scenes, are_given):
    store = Store(url)
    judge(store, played(store, ["alpha", "beta"], scenes), "GPT-4", 1, missing=0)
    board = board_of(scores_of(store), Wanted("judge", "en", "GPT-4"))
    assert any(one.low is not None for one in board.standings) == are_given
    told = " ".join(_explained(board))
    assert ("In brackets" in told, "Too few scenes" in told) == (are_given, not are_given)
    assert ("Ranks: the 95 % range" in told) == any(one.best_rank is not None for one in board.standings)
    latex = standings_latex(board.standings, provenance_of(board))
    assert ("Brackets: 95" in latex, "No intervals for fewer than 5 scenes" in latex) == (are_given, not are_given)
    store.close()
