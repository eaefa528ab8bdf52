"""Second narrators: ask one about a story, and see how far each agrees with the one that narrated it."""

import json
from collections.abc import Iterator, Sequence

import streamlit as st

from annotations.errors import AnnotationError, Undefined
from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, speaking, translate
from annotations.reliability.intraclass import IntraclassCorrelation
from annotations.reliability.narrator_agreement import AFFECTED, KAPPA, WORDING, CrossCheck, Nominal, Somebody, Wording
from annotations.resampling.estimates import Estimate
from characterbox.components.figures.background.process import open_figure_process
from characterbox.components.figures.background.source import awaited
from characterbox.errors import CharacterBoxError
from characterbox.judging.cross_check import Checked, agreement, as_json, checks_of, left_out, rows_of
from characterbox.judging.provenance import DEMO_NOTE
from characterbox.llm.endpoint import Endpoint
from characterbox.scenes.scene import slug_of
from characterbox.stage.jobs.model_jobs import Crosscheck
from characterbox.stage.stage import Stage
from characterbox.store.stories.stories import Story
from pages.shared.downloads import given_out
from pages.shared.form import MOST_LINE
from pages.shared.text import facts, plain, quiet

STEPS = {"influence": to_say("Action influences"), "result": to_say("Results")}


def crosschecks(stage: Stage, story: Story) -> None:
    """The cross-checks of a story: a form to ask a second narrator, who is being asked, and what is recorded."""
    st.subheader(say("Second narrators"))
    st.caption(
        say(
            "A second narrator answers the same questions as the first: whom each action affects, and what"
            " results from it. Each question is one call. The answers do not change the story. One story is too"
            " few for intervals."
        )
    )
    _form(stage, story)
    running = any(one.under_way for one in stage.jobs.of(Crosscheck, story.id))
    st.fragment(_crosschecks, run_every=1.0 if running else None)(stage, story, running)


def _form(stage: Stage, story: Story) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        address = st.text_input(
            say("Second narrator"),
            placeholder=say("URL#MODEL or rehearsal"),
            key="check-narrator",
            width=380,
            max_chars=MOST_LINE,
        )
        pressed = st.button(say("Cross-check story"), key="check-story")
    if not pressed:
        return
    try:
        stage.jobs.start(Crosscheck(story, Endpoint.parse(address)))
    except CharacterBoxError as error:
        st.error(plain(translate(error)))


def _crosschecks(stage: Stage, story: Story, drawn_running: bool) -> None:
    asked = stage.jobs.of(Crosscheck, story.id)
    for one in asked:
        future, name = one.future, str(one.narrator)
        if not future.done():
            told = say("{name}: {done} of {count} decisions done", name=name, done=one.done, count=one.whole or "?")
            st.progress(one.done / one.whole if one.whole else 0.0, plain(told))
            if st.button(say("Stop"), key=f"check-stop-{name}"):
                one.stop()
        elif future.cancelled():
            quiet(say("{name}: stopped. Cross-check again to continue; replies received are reused.", name=name))
        elif error := future.exception():
            st.warning(plain(say("{name}: {what}", name=name, what=translate(error))))
        elif not one.whole:
            quiet(say("{name}: nothing to ask, because this story has no readable decision by a model.", name=name))
    if drawn_running and all(one.future.done() for one in asked):
        st.rerun()
    checks = checks_of(stage.store, story)
    for narrator, checked in checks.items():
        _check(story, narrator, checked)
    if checks:
        with st.expander(say("What the statistics mean")):
            for definition in (KAPPA, AFFECTED, WORDING):
                quiet(say(definition))


def _check(story: Story, narrator: Endpoint, checked: Sequence[Checked]) -> None:
    st.markdown(f"**{plain(str(narrator))}**")
    if _improvised(story, narrator):
        quiet(say(DEMO_NOTE))
    try:
        compared = open_figure_process().recall(agreement, rows_of(story, checked))
        facts(dict(_lines(awaited(compared, say("Comparing the narrators")))), small=True)
    except (AnnotationError, CharacterBoxError) as error:
        st.warning(plain(say("The narrators can't be compared: {error}.", error=error)))
    for reason, count in left_out([checked]).items():
        quiet(say("Not compared: {count} ({reason})", count=count, reason=say(reason)))
    st.download_button(
        say("Cross-check results (JSON)"),
        given_out("figures.exported", story.id, lambda: _file(story, narrator, checked)),
        file_name=f"cross-check-{story.id}-{slug_of(str(narrator))}.json",
        mime="application/json",
        key=f"check-file-{narrator}",
        on_click="ignore",
        icon=":material/download:",
    )


def _improvised(story: Story, narrator: Endpoint) -> bool:
    return narrator.is_modelless or story.casting.improvised is not None


def _file(story: Story, narrator: Endpoint, checked: Sequence[Checked]) -> bytes:
    """All figures with their evidence. In English, as papers are."""
    with speaking("en"):
        found = open_figure_process().recall(agreement, rows_of(story, checked)).result()
    figures = as_json(found, left_out([checked]), improvised=_improvised(story, narrator))
    told = {"story": story.id, "first": story.casting.narrator.model, "second": narrator.model, **figures}
    return json.dumps(told, ensure_ascii=False, indent=2, allow_nan=False).encode()


def _lines(found: CrossCheck) -> Iterator[tuple[str, str]]:
    yield say("Affected character, or nobody"), _agreed(found.affected)
    if isinstance(found.somebody, Somebody):
        counts = found.somebody
        yield say("Whether anyone is affected"), _agreed(counts.agreement)
        yield (
            say("Someone affected, according to"),
            say(
                "both: {both}; first only: {first}; second only: {second}; neither: {neither}",
                both=counts.both,
                first=counts.first_only,
                second=counts.second_only,
                neither=counts.neither,
            ),
        )
    for step, icc in found.importance.items():
        yield say("Importance: {step}", step=say(STEPS[step])), _icc(icc)
    for step, near in found.wording.items():
        yield say("Wording: {step}", step=say(STEPS[step])), _near(near)


def _agreed(found: Nominal | Undefined) -> str:
    if isinstance(found, Undefined):
        return translate(found.reason)
    equal = say(
        "{share:.0%} of {n} agree; {chance:.0%} expected by chance",
        share=found.share.estimate,
        n=found.n,
        chance=found.by_chance,
    )
    if isinstance(found.kappa, Estimate):
        return say("{equal}; kappa {kappa:.2f}", equal=equal, kappa=found.kappa.estimate)
    return say("{equal}; no kappa: {reason}", equal=equal, reason=found.kappa.reason)


def _icc(found: IntraclassCorrelation | Undefined) -> str:
    if isinstance(found, Undefined):
        return translate(found.reason)
    return say("{name} {value:.2f}, n = {n}", name=found.name, value=found.estimate, n=found.n)


def _near(found: Wording | Undefined) -> str:
    if isinstance(found, Undefined):
        return translate(found.reason)
    near = say("similarity {value:.2f}, n = {n}", value=found.similarity.estimate, n=found.n)
    if found.of_others is None:
        return near
    return say(
        "{near}; for comparison, {other:.2f} with the text for the next action", near=near, other=found.of_others
    )
