"""The views of the leaderboard: our table with what lies behind each figure, its charts and files, and the paper's."""

import html
import time
from collections.abc import Mapping

import streamlit as st

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, say_count, speaking, translate
from annotations.marking.rating import judge_called
from annotations.report.published import SHARED_DEVIATIONS
from annotations.report.published_names import PublishedNames
from annotations.resampling.draws import USUAL_DRAWS
from annotations.rubrics.rubric import RESERVED, load_rubric
from characterbox.accounts.permissions import PAGES
from characterbox.components.figures.background.selection import Selection
from characterbox.components.figures.charts.judges import PAPERS_POINT, chosen_pictures, show_chart
from characterbox.components.figures.charts.leaderboard import MOST, means_chart, radar
from characterbox.components.figures.charts.theme import shown_tokens
from characterbox.components.figures.tables.captions import fault, nothing_to_draw, said
from characterbox.components.figures.tables.html import data, html_of, mark
from characterbox.components.figures.tables.leaderboard import (
    board_table,
    column_name,
    metrics_spelled_out,
    paper_table,
    scenes_table,
    standings_latex,
    trajectories_table,
)
from characterbox.components.figures.tables.text import capital, counted, file_name, in_a_row, language_name
from characterbox.components.mounts import show_linked
from characterbox.judging.leaderboard import (
    Board,
    provenance_of,
    ratings_behind,
    scenes_behind,
    trajectories_in,
    whose_scores,
)
from characterbox.judging.leaderboard_files import cautions, ratings_csv, standings_csv, standings_json
from characterbox.judging.provenance import NOT_A_RESULT
from characterbox.scenes.scene import slug_of
from characterbox.store import Store
from pages.shared.current_user import allowed
from pages.shared.folded import show_how
from pages.shared.form import pick_some
from pages.shared.links import address_of, page_link
from pages.validity.links import download

MOST_SHOWN = 60
"""Trajectories of one scene whose place in their story is looked up."""


def show_behind(store: Store, board: Board, metric: str) -> None:
    """The scenes behind the model that was chosen, and the trajectories in the scene that was chosen."""
    if (model := st.query_params.get("model")) is None:
        return
    scenes = scenes_behind(board, model, metric)
    if scenes.empty:
        st.html(fault(say("{model} has no score here; click another score in the table.", model=model)))
        return
    scene = st.query_params.get("scene")
    title = f"{data(model)} · {data(capital(column_name(metric)))}"
    close = f'<a class="cb-close" href="{html.escape(without("model", "scene"))}">{say("Close")}</a>'
    show_linked(f'<div class="cb-behind"><h2>{title}</h2>{close}</div>', key="behind")
    told = say("Scores by scene, best first, next to the mean of the other models in the same scene.")
    own = say("For corrected means, these are the judge's own scores.") if board.wanted.whose == "corrected" else ""
    st.html(said(in_a_row(told, own, say("Click a scene to see its trajectories."))))
    left, right = st.columns(2, gap="large")
    with left:
        show_linked(html_of(scenes_table(scenes, scene, to)), key="scenes")
    with right:
        if scene is not None:
            _show_trajectories(store, board, model, scene)


def _show_trajectories(store: Store, board: Board, model: str, scene: str) -> None:
    items = trajectories_in(board, model, scene)
    if items.empty:
        st.html(fault(say("{model} has no trajectory in {scene}.", model=model, scene=scene)))
        return
    st.html(f'<h3 class="cb-title">{data(scene)}</h3>')
    addresses = {}
    if allowed(PAGES["playback"]):
        for item, story, slug in items[["item", "story", "slug"]].head(MOST_SHOWN).itertuples(index=False, name=None):
            addresses[item] = address_of("playback", **_place(store, story, slug))
        st.html(said(say("Click a character to open its part in Playback.")))
    show_linked(html_of(trajectories_table(items, addresses)), key="trajectories")


def _place(store: Store, story: str, character: str) -> dict[str, str]:
    """The story and the step at which its character first acts, as Playback takes them."""
    acts = (slug_of(getattr(event, "character", "")) == character for event in store.stories.events(story))
    at = next((at for at, own in enumerate(acts, 1) if own), None)
    return {"story": story} if at is None else {"story": story, "at": str(at)}


def to(changes: Mapping[str, str]) -> str:
    """The address of what the page shows now, but for these changes. With another model, no scene is open."""
    kept = st.query_params.to_dict()
    if "model" in changes:
        kept.pop("scene", None)
    return address_of("leaderboard", **{**kept, **changes})


def without(*names: str) -> str:
    """The address of what the page shows now, without these."""
    kept = {name: value for name, value in st.query_params.to_dict().items() if name not in names}
    return address_of("leaderboard", **kept)


MEANS = to_say(
    "Mean over scenes ± standard deviation over scenes. The value of a scene is the mean of its trajectories."
)
IN_BRACKETS = to_say("In brackets: 95 % interval by Student's t over scenes, with raters fixed.")
FEW_SCENES = to_say("Too few scenes or items for intervals: at least five scenes and six items are needed.")
CORRECTED = to_say(
    "Prediction-powered means (Angelopoulos et al., 2023) over trajectories: the judge's scores, corrected by the"
    " judge's error on trajectories that experts also scored. Valid if those are a random sample of the model's"
    " trajectories."
)
CORRECTED_IN_BRACKETS = to_say("In brackets: 95 % intervals by leaving out each scene once (jackknife).")
RANKS = to_say(
    "Ranks: the 95 % range (2.5th to 97.5th percentile) over {draws:,} bootstrap resamples of scenes (seed"
    " {seed}, the same scenes for all models), and the share of resamples in which no other model is better."
)
FEW_CORRECTED = to_say(
    "Too few scenes for rank ranges: each model needs at least five scenes scored by experts and five scored by"
    " the judge only."
)
EXPERTS = to_say("For each trajectory and metric, the mean over the experts is used.")
OTHER_SCENES = to_say("Models have different scenes: see n.")
TOP = to_say("Bold: best in the column. Underlined: second best. Click a score to see its scenes.")


AHEAD = 0.1
"""Seconds by which the table goes before the charts above it: a browser that draws charts meanwhile shows it no earlier
than them, on two cores after 1.2 s instead of 0.36 s (`make bench`, row `board`)."""


def show_ours(store: Store, board: Board, metric: str) -> None:
    """Charts, our table with the paper's figures for the models that it has, too, what lies behind it, and files."""
    names = store.published_names.names()
    st.html(origin(board))
    charts = st.container(key="board-charts")
    st.html(said(say(TOP)))
    show_linked(html_of(board_table(board, metric, to, names)), key="board")
    st.html(said(metrics_spelled_out()))
    show_how(_explained(board))
    show_behind(store, board, metric)
    time.sleep(AHEAD)
    with charts:
        show_charts(board, metric, names)
    show_files(store, board)


def nothing_is_scored() -> None:
    """Say so, and where scores come from."""
    told = said(say("No scores yet. Have a judge or experts score stories to rank the models here."))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html(told, width="content")
        page_link(say("Start story"), "stage", "leaderboard", icon=":material/play_circle:")
        page_link(say("Playback"), "playback", "leaderboard", icon=":material/menu_book:")
        page_link(say("Annotate"), "annotate", "leaderboard", icon=":material/edit_note:")


PAPERS_SCORES = to_say(
    "Scores by GPT-4: mean ± standard deviation. The paper gives no intervals and does not say how the deviation was"
    " computed."
)


def show_papers(language: str, metric: str) -> None:
    """The paper's table for one of its languages, as a whole."""
    title = say(
        "Published scores (CharacterBox paper, table 1): scenes in {language}", language=language_name(language)
    )
    st.html(f'<h3 class="cb-title">{data(title)}</h3>')
    st.html(html_of(paper_table(language, metric)))
    st.html(said(metrics_spelled_out()))
    show_how([say(PAPERS_SCORES), *([say(SHARED_DEVIATIONS)] if language == "en" else [])])


def left_out_told(counts: Mapping[str, int]) -> str:
    """How many trajectories are left out, and why, as HTML; nothing where none is."""
    reasons = say("; ").join(say(reason, count=count) for reason, count in counts.items())
    return said(say("Trajectories left out: {reasons}.", reasons=reasons)) if reasons else ""


def unscored_told(counts: Mapping[str, int]) -> str:
    """How many trajectories lack a score, in all and of which models, as HTML; nothing where none does."""
    if not counts:
        return ""
    models = say(", ").join(say("{name}: {count:,}", name=model, count=count) for model, count in counts.items())
    told = say_count(
        "{count:,} trajectory lacks a score on some metric and is not counted in the means of that metric ({models}).",
        "{count:,} trajectories lack a score on some metric and are not counted in the means of that metric"
        " ({models}).",
        sum(counts.values()),
        models=models,
    )
    return said(told)


def origin(board: Board) -> str:
    """Whose scores these are, of how much; what is left out; how stories differ; and what no language model made."""
    items = board.items.dropna(subset=[*load_rubric().keys], how="all")
    counts = say(", ").join(
        [
            counted(items["model"].nunique(), "model"),
            counted(items["scene"].nunique(), "scene"),
            say("{n:,} trajectories", n=len(items)),
        ]
    )
    head = data(say("Scores by {whose}. {counts}.", whose=translate(whose_scores(board)), counts=counts))
    told = f'<p class="cb-said">{head}{mark() if board.judged_by_rehearsal else ""}</p>'
    told += left_out_told(board.left_out) + unscored_told(board.unscored)
    told += "".join(map(said, map(translate, cautions(board.items))))
    if board.improvised:
        notice = say("Scores of the marked models are {mark}.", mark=say(NOT_A_RESULT))
        told += f'<p class="cb-notice">{notice}</p>'
    return told


def _explained(board: Board) -> list[str]:
    """What the figures of the table are; of intervals and of ranks only where there is one at least."""
    corrected, shown = board.wanted.whose == "corrected", board.standings
    between = any(one.low is not None for one in shown)
    drawn = any(one.best_rank is not None for one in shown)
    ranks = say(RANKS, draws=USUAL_DRAWS.number, seed=USUAL_DRAWS.seed) if drawn else ""
    if corrected:
        in_brackets = say(CORRECTED_IN_BRACKETS) if between else ""
        return [*filter(None, (say(CORRECTED), in_brackets, ranks or say(FEW_CORRECTED)))]
    scenes = {one.scenes for one in board.of(RESERVED).values()}
    told = (
        say(EXPERTS) if board.wanted.whose == "experts" else "",
        say(MEANS),
        say(IN_BRACKETS) if between else say(FEW_SCENES),
        ranks,
        say(OTHER_SCENES) if len(scenes) > 1 else "",
    )
    return [*filter(None, told)]


def show_charts(board: Board, metric: str, names: PublishedNames) -> None:
    """One beside the other."""
    left, right = st.columns(2, gap="large")
    with left:
        _show_means(board, metric, names)
    with right:
        _show_outlines(board)


def _show_means(board: Board, metric: str, names: PublishedNames) -> None:
    whose, name = translate(whose_scores(board)), column_name(metric)
    title = say("Mean score and rank of each model: {metric}", metric=capital(name))
    st.html(f'<h3 class="cb-title">{data(title)}</h3>')
    if not board.of(metric):
        st.html(nothing_to_draw(say("no model has a mean")))
        return
    figure = means_chart(board, metric, say("Score by {whose}", whose=whose), shown_tokens(), names)
    alt = say("{title}; the table below shows the same values", title=title)
    file = ("leaderboard", board.wanted.narrator or "", whose, metric)
    show_chart(figure, alt, file, Selection(board.wanted.language))
    shown = board.of(metric).values()
    between = say("Line: 95 % interval.") if any(one.low is not None for one in shown) else ""
    drawn = say("Brackets after a rank: its 95 % interval.") if any(one.best_rank for one in shown) else ""
    beside = any(trace.name == "paper" for trace in figure.data)
    st.html(said(in_a_row(between, say("n is the number of scenes."), drawn, say(PAPERS_POINT) if beside else "")))


def _show_outlines(board: Board) -> None:
    title = say("Mean scores of selected models, metric by metric")
    st.html(f'<h3 class="cb-title">{title}</h3>')
    chosen = pick_some(
        say("Models"),
        board.models,
        max_selections=MOST,
        key="models",
        bind="query-params",
        placeholder=say("Top {most}", most=min(MOST, len(board.models))),
    )
    models = chosen or board.models[:MOST]
    figure = radar(board, models, shown_tokens())
    if not figure.data:
        st.html(nothing_to_draw(say("no model has a mean on every metric")))
        return
    whose = translate(whose_scores(board))
    alt = say(
        "Radar chart: profiles of selected models over the metrics, by {whose}; the table below shows the same values",
        whose=whose,
    )
    names = ("leaderboard-metrics", board.wanted.narrator or "", whose)
    show_chart(figure, alt, names, Selection(board.wanted.language))
    between = any(one.low is not None for one in board.standings if one.model in models)
    line = say("Line: mean. Band: its 95 % interval.") if between else say("Line: mean.")
    st.html(said(in_a_row(line, say("The axis does not begin at 1."))))


TOLD = to_say(
    "The files contain the values of the table above at full precision; they can be recomputed from the ratings."
)


def show_files(store: Store, board: Board) -> None:
    """What can be taken away of a board, and as what charts are saved."""
    wanted = board.wanted
    with speaking("en"):
        judge = "experts" if wanted.judge is None else judge_called(wanted.judge, board.judged_by_rehearsal)
    of = (wanted.narrator or "", judge, wanted.whose)
    name = file_name("leaderboard", wanted.sweep or "", *of, wanted.language)
    st.subheader(say("Download"))
    st.html(said(say(TOLD)))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for label, ending, made in (
            (say("Standings (CSV)"), "csv", lambda: standings_csv(board.standings, provenance_of(board))),
            (say("Table 1 (LaTeX)"), "tex", lambda: standings_latex(board.standings, provenance_of(board)).encode()),
            (say("Standings (JSON)"), "json", lambda: standings_json(board.standings, provenance_of(board)).encode()),
        ):
            download(label, made, f"{name}.{ending}", f"board-{ending}")
        download(
            say("Underlying ratings (CSV)"),
            lambda: ratings_csv(ratings_behind(store, wanted)),
            f"{name}-ratings.csv",
            "board-ratings",
        )
        chosen_pictures()
