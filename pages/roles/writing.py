"""What a model writes for a role: asked for here, read by a person, and accepted part by part."""

from collections.abc import Iterable, Mapping
from html import escape

import streamlit as st

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, say_count, say_moment, translate
from characterbox.components.figures.tables.text import unanswered_told
from characterbox.errors import CharacterBoxError
from characterbox.judging.provenance import NOT_A_RESULT
from characterbox.llm.endpoint import named
from characterbox.llm.journal import OnMismatch
from characterbox.rolebench.generation import Unread
from characterbox.rolebench.profiles.role_making import Audited, Basis, Proposal, ProposedPhrase, RoleMaking
from characterbox.rolebench.running import Generated, look
from characterbox.roles.role import DISTINCT, LEVELS, Catchphrase, Description, Distinctiveness, Provenance
from characterbox.stage.stage import Stage, open_stage
from pages.crafting.text import STATES
from pages.models.text import all_servers, choices
from pages.roles.role import save_change
from pages.roles.text import Opened, opened_or_told, role_html
from pages.scenes.drafts import check_writes
from pages.scenes.text import tell_done
from pages.shared.form import Numbers, endpoint_or_fault, fault, pick_model
from pages.shared.links import go, place_link
from pages.shared.text import caution, lines, name_tab, plain, quiet
from pages.story.actions import do, show_error
from pages.story.casting import keys_told
from pages.sweeps.text import money

WIDTH = 480
EARLIER = 5
"""Earlier runs for the role that are listed."""
EVERY = 1.0
"""Seconds between two looks at a run that is under way."""
JUDGED: Mapping[Basis, str] = {
    "named": to_say("by name and work alone"),
    "shown": to_say("by what the role says"),
}
DEGREES = dict(
    zip(
        LEVELS,
        (to_say("not distinct"), to_say("somewhat distinct"), to_say("very distinct"), to_say("extremely distinct")),
        strict=True,
    )
)


def show_writing(stage: Stage, place: str, id: str | None) -> None:
    """The form in which a model is asked to write for the role that the address names; or what has come of one run."""
    if (opened := opened_or_told(stage, place)) is None:
        return
    name_tab(opened.role.name)
    place_link(say("Back to the role"), ":material/arrow_back:", role=place)
    st.title(say("Have a model write for {name}", name=plain(opened.role.name)))
    show_error()
    tell_done()
    if opened.version is None:
        quiet(say("Bundled roles stay as they are. Import the role as your own to change it."))
    elif id is None:
        _form(stage, opened)
        _earlier(stage, opened)
    else:
        runs = _runs(stage, id)
        st.fragment(_follow, run_every=EVERY if runs else None)(stage, place, id, runs)
        place_link(say("Ask again, or another model"), ":material/add:", role=place, view="writing")


def _form(stage: Stage, opened: Opened) -> None:
    told = say(
        "The model answers basic questions about the role, so that you can see whether it knows the role. It proposes a"
        " description and catchphrases, and says how distinct the role's speech is. Only what you accept is saved."
    )
    st.caption(told)
    text = pick_model(say("Model"), "role-writer", choices(all_servers(stage)), width=WIDTH)
    model = endpoint_or_fault(text) if text else None
    numbers = Numbers()
    budget = numbers.ask(
        say("Budget (US dollars)"), 0.01, None, None, key="role-writer-budget", placeholder=say("no limit"), width=240
    )
    if model is None or not numbers.fine:
        return
    for line in keys_told([model], all_servers(stage)):
        quiet(line)
    wish = RoleMaking(role=opened.role, language=opened.role.language, model=model, budget=budget)
    calls = len([*wish.tasks({})]) + 1  # a description takes two
    quiet(say_count("{count:,} call", "{count:,} calls", calls))
    st.button(
        say("Have it written"), type="primary", key="role-write", on_click=do, args=(_begin, opened.place, wish)
    )  # fmt: skip


def _begin(place: str, wish: RoleMaking) -> None:
    check_writes()
    go(role=place, view="writing", run=open_stage().generations.begin(wish))


def _earlier(stage: Stage, opened: Opened) -> None:
    found = [
        one for one in stage.store.craftings.all(["role"]) if one.content.get("role", {}).get("id") == opened.role.id
    ]
    if found:
        st.subheader(say("Earlier runs"), anchor=False)
    for one in found[:EARLIER]:
        label = f"{say_moment(one.created_at)} · {say(STATES[one.status])}"
        place_link(label, None, f"writing-{one.id}", role=opened.place, view="writing", run=one.id)


def _runs(stage: Stage, id: str) -> bool:
    """Whether it is under way, here or in another process."""
    return stage.generations.under_way(id) or stage.store.craftings.at_work(id)


def _follow(stage: Stage, place: str, id: str, drawn: bool) -> None:
    if (runs := _runs(stage, id)) != drawn:
        st.rerun()
    opened = opened_or_told(stage, place)
    try:
        generated = look(stage.store, id)
    except CharacterBoxError as error:
        st.error(plain(translate(error)))
        return
    proposal = generated.result
    if opened is None or not isinstance(proposal, Proposal) or proposal.role.id != opened.role.id:
        st.error(say("There is no such run for this role."))
        return
    _standing(stage, generated, runs=runs)
    _audit(proposal.audit, proposal.role.language)
    _description(opened, proposal.description)
    _catchphrases(opened, proposal.catchphrases)
    _distinctiveness(opened, proposal)


def _standing(stage: Stage, generated: Generated, *, runs: bool) -> None:
    """How far it is, what it cost, what failed, and how it goes on."""
    id, price = generated.id, generated.price
    if generated.wish.improvised:
        caution(say("This is {mark}.", mark=say(NOT_A_RESULT)))
    state = say(STATES[generated.status]) if runs or generated.status != "running" else say("interrupted")
    done = say("{done:,} of {all:,} parts are done", done=len(generated.known), all=generated.all)
    cost = f" · {money(price)}" if price else ""
    quiet(f"{plain(named(generated.wish.model))} · {state} · {done}{cost}")
    if told := generated.reason or stage.generations.fault(id):
        fault(translate(told))
    if not runs and generated.unanswered:
        quiet(unanswered_told(generated.unanswered))
    lines([f"{name}: {translate(one.problem)}" for name, one in generated.unread.items()])
    if runs:
        st.button(say("Stop"), key="role-write-stop", on_click=do, args=(_stop, id))
    elif generated.changed and generated.open:
        quiet(say("The app's prompts have changed since. Recorded replies are shown unchanged."))
        for label, way in (
            (say("Continue with recorded replies"), "keep"),
            (say("Regenerate where prompts changed"), "ask"),
        ):
            st.button(label, key=f"role-write-{way}", on_click=do, args=(_go_on, id, way))
    elif generated.open:
        st.button(say("Continue"), key="role-write-on", on_click=do, args=(_go_on, id))


def _stop(id: str) -> None:
    check_writes()
    open_stage().generations.rest(id)


def _go_on(id: str, on_mismatch: OnMismatch = "stop") -> None:
    check_writes()
    open_stage().generations.start(id, on_mismatch)


def _audit(audit: Iterable[Audited], language: str) -> None:
    st.subheader(say("Audit: does the model know the role?"), anchor=False)
    rows = "".join(
        f'<li><p class="cb-told">{escape(one.question)}</p><p>{escape(_answered(one))}</p></li>' for one in audit
    )
    st.html(f'<div class="cb-role" lang="{language}"><ol>{rows}</ol></div>')


def _answered(one: Audited) -> str:
    if isinstance(one.answer, Unread):
        return f"{translate(one.answer.problem)}: {one.answer.reply}"
    return say("not answered yet") if one.answer is None else one.answer


def _description(opened: Opened, proposed: Description | None) -> None:
    st.subheader(say("Proposed description"), anchor=False)
    if proposed is None:
        quiet(say("none yet"))
        return
    st.html(role_html(proposed.text, opened.role.language))
    if opened.role.description is not None and opened.role.description.text == proposed.text:
        quiet(say("Accepted."))
        return
    if opened.role.description is not None:
        quiet(say("It would take the place of the role's description."))
    accepted = proposed.model_copy(update={"provenance": _checked(proposed.provenance)})
    _accept("description", opened, description=accepted)


def _catchphrases(opened: Opened, proposed: tuple[ProposedPhrase, ...] | None) -> None:
    st.subheader(say("Proposed catchphrases"), anchor=False)
    if not proposed:
        quiet(say("none yet") if proposed is None else say("The model knows of none."))
    known = {one.text for one in opened.role.catchphrases}
    for number, one in enumerate(proposed or ()):
        st.html(role_html(one.phrase.text, opened.role.language))
        quiet(
            say_count("in {count:,} round of the dialogues", "in {count:,} rounds of the dialogues", one.times)
            if one.times
            else say("in none of the dialogues; check that the role says it")
        )
        if one.phrase.text in known:
            quiet(say("Accepted."))
        else:
            phrase = Catchphrase(text=one.phrase.text, provenance=_checked(one.phrase.provenance))
            _accept(f"phrase-{number}", opened, catchphrases=(*opened.role.catchphrases, phrase))


def _distinctiveness(opened: Opened, proposal: Proposal) -> None:
    st.subheader(say("Distinctiveness of speech"), anchor=False)
    for basis, judged in proposal.distinctiveness.items():
        level = f"{judged.level}/{LEVELS[-1]}, {say(DEGREES[judged.level])}"
        st.markdown(f"**{level}** ({say(JUDGED[basis])})")
        st.html(role_html(judged.reason, opened.role.language))
    if (judged_last := proposal.judged) is None:
        quiet(say("none yet"))
        return
    if not proposal.distinct:
        told = say("RoleLLM chooses roles with level {least} or more only.", least=DISTINCT)
        quiet(told)
    if _same(opened.role.distinctiveness, judged_last):
        quiet(say("Accepted."))
    else:
        accepted = judged_last.model_copy(update={"provenance": _checked(judged_last.provenance)})
        _accept("distinctiveness", opened, distinctiveness=accepted)


def _same(known: Distinctiveness | None, proposed: Distinctiveness) -> bool:
    return known is not None and (known.level, known.reason) == (proposed.level, proposed.reason)


def _checked(provenance: Provenance) -> Provenance:
    """Whoever accepts a part has read it."""
    return provenance.model_copy(update={"verified": True})


def _accept(part: str, opened: Opened, **change: object) -> None:
    given = (_save, opened, change)
    st.button(say("Accept proposal"), key=f"role-accept-{part}", on_click=do, args=given)


def _save(opened: Opened, change: Mapping[str, object]) -> None:
    save_change(open_stage(), opened, **change)
