"""Did it help? Base, tuned and teacher beside each other: planned and priced, run, and shown as tables."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st
from pydantic import ValidationError

from annotations.i18n.messages import wrong_with
from annotations.i18n.translation import say, sentence, translate
from characterbox.errors import CharacterBoxError
from characterbox.judging.judge import known_judges
from characterbox.stage.stage import Stage
from characterbox.sweeps.progress import Plan
from characterbox.training.datasets.example import StoryKind
from characterbox.training.evaluation.folder import evaluated_in, evaluation_in
from characterbox.training.evaluation.plan import ROUNDS, EvaluationPlan, Models, plan_evaluation
from characterbox.training.evaluation.progress import taken
from pages.models.text import all_servers, choices
from pages.shared.form import Numbers, endpoint_or_fault, fault, pick_model, pick_some
from pages.shared.text import facts, quiet
from pages.story.actions import do
from pages.sweeps.text import money, time_told
from pages.training.evaluation_progress import Begun, broken_off, show_begun, start_evaluation

WIDTH = 400
_PLANNED, _ANEW = "evaluation-planned", "evaluation-anew-of"


def show_evaluation(stage: Stage, folder: Path, tuned: str) -> None:
    """The evaluation of the run in a folder: the one that was begun, or the form of a new one; `tuned` is the name that
    the adapter is served under."""
    st.subheader(say("Evaluation"))
    job = stage.evaluations.of(str(folder))
    if job is not None and job.under_way:
        show_begun(stage, Begun(str(folder), job.run.plan, None), _plan_anew)
        return
    try:
        begun = evaluation_in(folder, stage.store)
    except CharacterBoxError as error:
        fault(sentence(translate(error)))
        begun = None
    if begun is None:
        fault(broken_off(job))
        _new(stage, folder, tuned)
    elif st.session_state.get(_ANEW) == str(folder):
        quiet(say("Earlier stories and scores are kept. The new plan asks only for what it lacks."))
        _new(stage, folder, tuned)
        st.button(say("Back to the evaluation"), key="evaluation-back", type="tertiary", on_click=_plan_anew)
    else:
        show_begun(stage, Begun(str(folder), begun.plan, (begun.status, begun.reason)), _plan_anew)


def _plan_anew(folder: str | None = None, plan: EvaluationPlan | None = None) -> None:
    """Have the form shown for the run in a folder, with the models of this plan; or not any more."""
    st.session_state[_ANEW] = folder
    for name in ("base", "tuned", "teacher", "characters", "narrator"):
        if plan is not None and (endpoint := getattr(plan, name)) is not None:
            st.session_state[f"evaluation-{name}"] = str(endpoint)


def _new(stage: Stage, folder: Path, tuned: str) -> None:
    """Which models are compared; then what that takes; then it starts."""
    quiet(say("Compare base, tuned model and teacher on the test scenes. Serve the adapter first."))
    try:
        evaluated = evaluated_in(folder)
    except CharacterBoxError as error:
        fault(sentence(translate(error)))
        return
    models, told = _form(stage, evaluated.kind, tuned)
    fault(told)
    if models is None:
        return
    kept, plan, found = st.session_state.get(_PLANNED, (None, None, None))
    if kept != (str(folder), models.model_dump_json()):
        if not st.button(say("Show plan"), key="evaluation-plan"):
            return
        try:
            plan = plan_evaluation(stage.store, evaluated, models)
            with st.spinner(say("Estimating calls and tokens with a dry run (no language model)")):
                found = taken(stage.store, stage.client, plan)
        except CharacterBoxError as error:
            fault(sentence(translate(error)))
            return
        st.session_state[_PLANNED] = (str(folder), models.model_dump_json()), plan, found
    facts(_plan_told(found, plan.budget))
    st.button(say("Start evaluation"), key="evaluation-start", on_click=do, args=(_start, str(folder), plan))


def _form(stage: Stage, kind: StoryKind, tuned: str) -> tuple[Models | None, str | None]:
    known = choices(all_servers(stage))
    served = next((one for one in known if one.endswith(f"#{tuned}")), None)
    asked = {"base": say("Base"), "tuned": say("Tuned")}
    if kind != "judge":
        asked["teacher"] = say("Teacher")
        asked |= {"characters": say("Characters")} if kind == "narrator" else {"narrator": say("Narrator")}
    given: dict[str, Any] = {}
    for name, label in asked.items():
        if name == "tuned" and served is not None:
            st.session_state.setdefault("evaluation-tuned", served)
        text = pick_model(label, f"evaluation-{name}", known, index=None, width=WIDTH)
        if text and (endpoint := endpoint_or_fault(text)) is not None:
            given[name] = endpoint
    numbers = Numbers()
    if kind != "judge":
        judges = {
            one.rater: one for one in known_judges(stage.store, "narrator" if kind == "narrator" else "character")
        }
        given["judges"] = tuple(judges[one] for one in pick_some(say("Judges"), judges, key="evaluation-judges"))
        given["rounds"] = numbers.ask(say("Rounds"), 1, 100, ROUNDS, key="evaluation-rounds", width=160)
    budget = numbers.ask(
        say("Budget (US dollars)"), 0.0, None, None, key="evaluation-budget", placeholder=say("no limit"), width=240
    )
    return _read(given, budget) if numbers.fine else (None, None)


def _read(given: Mapping[str, Any], budget: float | None) -> tuple[Models | None, str | None]:
    if "base" not in given or "tuned" not in given:
        return None, None
    try:
        return Models(**given, budget=budget or None), None
    except ValidationError as error:
        return None, translate(wrong_with(error.errors(include_input=False)[0]))


def _plan_told(found: Plan, budget: float | None) -> dict[str, str]:
    price = say("unknown") if found.price is None else money(found.price) if found.price else say("free")
    spent = money(found.progress.spent)
    return {
        say("Calls"): say("about {count:,}", count=found.calls),
        say("Price"): price if budget is None else say("{what}; budget {budget}", what=price, budget=money(budget)),
        **({say("Already spent"): spent} if found.progress.spent else {}),
        say("Time"): time_told(found.seconds),
    }


def _start(folder: str, plan: EvaluationPlan) -> None:
    start_evaluation(folder, plan)
    _plan_anew()
