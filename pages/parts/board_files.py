"""The files of the leaderboard: the standings in three forms, and the ratings behind them."""

from collections.abc import Callable

import streamlit as st

from annotations.improvised import judge_called
from annotations.wording import say, speaking, to_say
from characterbox.components.figures.board_tables import standings_latex
from characterbox.components.figures.charts import chosen_pictures
from characterbox.components.figures.prose import said
from characterbox.components.figures.words import file_name
from characterbox.judging.board import Board, provenance_of
from characterbox.judging.board_ratings import ratings_behind
from characterbox.judging.standings_files import ratings_csv, standings_csv, standings_json
from characterbox.store import Store
from pages.parts.validity_ways import download

FILES: tuple[tuple[str, Callable[[Board], bytes], str, str], ...] = (
    (to_say("Standings (CSV)"), lambda board: standings_csv(board.standings, provenance_of(board)), "csv", "text/csv"),
    (
        to_say("Table 1 (LaTeX)"),
        lambda board: standings_latex(board.standings, provenance_of(board)).encode(),
        "tex",
        "application/x-tex",
    ),
    (
        to_say("Standings (JSON)"),
        lambda board: standings_json(board.standings, provenance_of(board)).encode(),
        "json",
        "application/json",
    ),
)
TOLD = to_say(
    "All figures are those of the table above, at full precision; from the ratings they can be worked out again."
)


def show_files(store: Store, board: Board) -> None:
    """What can be taken away of a board, and as what charts are saved."""
    wanted = board.wanted
    with speaking("en"):
        judge = "experts" if wanted.judge is None else judge_called(wanted.judge, board.judged_by_rehearsal)
    of = (wanted.narrator or "", judge, wanted.whose)
    name = file_name("leaderboard", wanted.sweep or "", *of, wanted.language)
    st.subheader(say("To take away"))
    st.html(said(say(TOLD)))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for label, made, ending, mime in FILES:
            download(say(label), _content(made, board), f"{name}.{ending}", f"board-{ending}", mime)
        download(
            say("Ratings behind it (CSV)"),
            lambda: ratings_csv(ratings_behind(store, wanted)),
            f"{name}-ratings.csv",
            "board-ratings",
        )
        chosen_pictures()


def _content(made: Callable[[Board], bytes], board: Board) -> Callable[[], bytes]:
    return lambda: made(board)
