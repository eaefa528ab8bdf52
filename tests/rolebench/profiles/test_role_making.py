"""A role made with a model's help: each task at its own path, all of it proposals, what can't be read counted."""

import json
from collections import Counter

import pytest
from pydantic import ValidationError

from characterbox.crafting.sources.passages import split
from characterbox.crafting.sources.source import pasted_source
from characterbox.errors import EndpointError, Interlude, RoleError
from characterbox.llm.endpoint import REHEARSAL, Endpoint
from characterbox.llm.usage import Price, Prices
from characterbox.rolebench.profiles.role_making import QUESTIONS, RoleMaking, evidence_of, passages_of
from characterbox.rolebench.running import begin, look
from characterbox.rolebench.segments import LONGEST_SEGMENT, length
from characterbox.roles.role import Provenance, Role
from tests.fakes.in_process_servers import nearby
from tests.fakes.instructing_model import InstructingModel, last
from tests.fakes.role_writer import SAID, writes
from tests.fakes.roles import FERRYMAN, MONKEY
from tests.rolebench.generating import generated, talkative

NOVEL = """CHAPTER I

“How high is the river?” asked the merchant.

“High,” said Old Tam, “and rising.”

CHAPTER II

It rained for a week.

CHAPTER III

“Slow water!” cried Tam. “Deep water!”"""
NOBODY = Role(id="en-old-tam", name="Old Tam", language="en", work="The Ford", other_names=("Tam",))
ALWAYS = {*(f"audit/{key}" for key in QUESTIONS), "description", "catchphrases", "distinctiveness/named"}


@pytest.fixture
def model():
    model = InstructingModel(lambda body, _: writes(body))
    with nearby(model.app()) as address:
        model.url = f"{address}/v1"
        yield model


def wish(model, role=FERRYMAN, **more):
    return RoleMaking(role=role, language="en", model=Endpoint(url=model.url, model="writer"), **more)


def made(store, wish):
    id = begin(store, wish)
    generated(store, id)
    return look(store, id)


def test_all_that_is_written_is_a_proposal_with_its_model(store, model):
    found = made(store, wish(model))
    assert set(found.known) == {*ALWAYS, "distinctiveness/shown"}
    paths = [reply.path for reply in found.replies]
    assert set(paths) == {*ALWAYS, "distinctiveness/shown", "description/addressed"}
    proposal = found.result
    assert proposal.role == FERRYMAN, "nothing is in the role before somebody accepts it"
    assert {one.answer for one in proposal.audit} == {"A ferryman, as far as I know."}
    assert all("Old Tam" in one.question for one in proposal.audit)
    assert proposal.description.text == "You ferry people over a river."
    by = Provenance(source="writer", model="writer")
    assert [(one.phrase.text, one.times, one.phrase.provenance) for one in proposal.catchphrases] == [
        ("Bridges fall!", 1, by),
        ("Land ho.", 0, by),
    ]
    assert (proposal.judged.level, proposal.distinct, proposal.unread) == (3, True, {})
    assert not any(one.provenance.verified for one in (proposal.description, proposal.judged))


def test_the_audit_shows_no_line_and_the_description_shows_them(store, model):
    made(store, wish(model))
    told = {heading: [last(body) for body in model.bodies if last(body).startswith(heading)] for heading in SAID}
    assert len(told["## Task: a question"]) == len(QUESTIONS)
    assert not any("Bridges fall" in text for text in told["## Task: a question"])
    assert all("Old Tam: Bridges fall." in text for text in told["## Task: describe"])
    assert Counter("Bridges fall" in text for text in told["## Task: how distinct"]) == {True: 1, False: 1}
    [addressed] = told["## Task: address"]
    assert "The character ferries people" in addressed


def test_a_role_is_given_what_is_accepted_and_no_more(store, model):
    proposal = made(store, wish(model)).result
    role = proposal.accepted(["catchphrases", "distinctiveness"])
    assert [one.text for one in role.catchphrases] == ["Slow water, deep water.", "Bridges fall!", "Land ho."]
    assert role.description == FERRYMAN.description
    assert role.distinctiveness.level == 3
    assert not role.verified
    assert proposal.accepted([]) == FERRYMAN


def test_what_cannot_be_read_is_counted_and_accepted_by_nobody(store, model):
    odd = {**SAID, "## Task: the catchphrases": "Who knows.", "## Task: how distinct": '{"level": 9, "reason": "x"}'}
    model.says = lambda body, _: writes(body, odd)
    proposal = made(store, wish(model)).result
    assert set(proposal.unread) == {"catchphrases", "distinctiveness/named", "distinctiveness/shown"}
    assert (proposal.catchphrases, proposal.judged, proposal.distinct) == (None, None, None)
    with pytest.raises(RoleError, match="catchphrases: the model has proposed none"):
        proposal.accepted(["catchphrases"])


def test_a_role_that_is_distinct_only_once_would_not_be_chosen(store, model):
    def says(body, _):
        shown = "Bridges fall" in last(body)
        return json.dumps({"reason": "x", "level": 4 if shown else 2}) if "how distinct" in last(body) else writes(body)

    model.says = says
    proposal = made(store, wish(model)).result
    assert (proposal.judged.level, proposal.distinct) == (4, False)


def rounds_of(body):
    text = last(body)
    if "High" in text:
        rounds = [[("Merchant", "How high is the river?"), ("Old Tam", "High, and rising.")]]
    else:
        rounds = [[("Tam", "Slow water! Deep water!")], [("Tam", "I never said this.")]]
    told = [{"turns": [{"speaker": who, "text": said} for who, said in one]} for one in rounds]
    return json.dumps({"rounds": told})


def test_rounds_are_taken_out_of_the_passages_of_a_novel(store, model):
    model.says = lambda body, _: rounds_of(body) if "the rounds of a character" in last(body) else writes(body)
    source = pasted_source("ford.txt", NOVEL)
    passages, others = passages_of(source, "en")
    assert (len(passages), others, len(split(source, 4_000))) == (2, 1, 3)
    found = made(store, wish(model, NOBODY, passages=passages))
    assert {name for name in found.known if name.startswith("passage/")} == {"passage/1", "passage/2"}
    proposal = found.result
    told = [(part.provenance.source, [one.answer for one in part.rounds]) for part in proposal.role.dialogues]
    assert told == [
        (f"ford.txt, CHAPTER I, {place(passages[0])}, read by writer", ["High, and rising."]),
        (f"ford.txt, CHAPTER III, {place(passages[1])}, read by writer", ["Slow water! Deep water!"]),
    ]
    assert proposal.reasons == {"not_in_passage": 1}
    assert proposal.rejected[0].text == "Tam: I never said this."
    asked = [last(body) for body in model.bodies]
    described = next(text for text in asked if text.startswith("## Task: describe"))
    assert "High, and rising." in described, "the description rests on what was found"


def place(piece):
    return f"characters {piece.passage.start + 1:,} to {piece.passage.end:,}"


def test_a_novel_without_speech_is_refused():
    with pytest.raises(RoleError, match="nobody speaks in it"):
        passages_of(pasted_source("rain.txt", "It rained for a week."), "en")


def test_one_that_failed_goes_on_and_asks_nothing_twice_and_money_ends_where_it_should(store, model):
    id = begin(store, wish(model))
    model.refuses = lambda body: "describe" in last(body)
    with pytest.raises(EndpointError, match="not this one"):
        generated(store, id)
    assert look(store, id).open == ("description",)
    model.refuses = lambda _: False
    generated(store, id)
    assert look(store, id).status == "ended"
    assert set(model.answered.values()) == {1}
    id = begin(store, wish(model, MONKEY.model_copy(update={"language": "en"}), budget=0.5))
    with pytest.raises(Interlude, match="budget is used up"):
        generated(store, id, prices=Prices({"writer": Price(input=1000.0, output=0.0)}))
    assert 0 < look(store, id).price <= 0.5


@pytest.mark.parametrize("role", [FERRYMAN, MONKEY], ids=["en", "zh"])
def test_the_rehearsal_writes_all_of_it(store, role):
    passages, _ = passages_of(pasted_source("x.txt", f"“你来了？”有人问道。\n\n“来了！”{role.name}道。"), role.language)
    model = Endpoint.parse(REHEARSAL)
    wished = RoleMaking(role=role, language=role.language, model=model, passages=passages, seed=3)
    found = made(store, wished)
    assert (found.unread, found.wish.improvised) == ({}, True)
    proposal = found.result
    assert proposal.description.text.startswith("You" if role.language == "en" else "你")
    assert len(proposal.role.dialogues) + len(proposal.rejected) >= 2


def test_evidence_is_spread_over_all_dialogues_and_bounded():
    long = talkative(rounds=100, words=40)
    turns = evidence_of(long)
    words = sum(length(turn.text, "en") for turn in turns)
    assert LONGEST_SEGMENT * 0.8 < words <= LONGEST_SEGMENT
    assert turns[0].text.endswith("one0")
    assert int(turns[-1].text.rpartition("two")[2]) > 90
    assert len(evidence_of(FERRYMAN)) == sum(len(one.turns) for one in FERRYMAN.rounds)


def test_a_role_of_another_language_is_refused(model):
    with pytest.raises(ValidationError, match="of another language"):
        wish(model, MONKEY)
