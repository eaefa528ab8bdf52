"""Cautions: each fault of a plan is told in a sentence with names and remedy, and a sound plan has none."""

import re

import pytest

from annotations.design.plan import plan_campaign
from annotations.design.settings import Assignment, Candidate, Design, Names, Rater
from annotations.errors import RatingError
from tests.annotations.campaigns import candidate, crossed, experts
from tests.fakes.in_english import in_english

CHINESE = frozenset({"zh"})


def warnings(
    items: list[Candidate], raters: list[Rater], design: Design, assigned: list[Assignment] | None = None
) -> tuple[str, ...]:
    return plan_campaign(items, raters, design, assigned or []).warnings


@pytest.mark.parametrize(
    "plan",
    [
        (crossed(3, 1, 5), experts(3), Design(2, 0)),
        (crossed(5, 1, 2), experts(3), Design(2, 0)),
        (crossed(10, 1, 3), experts(6), Design(2, 0)),
        (crossed(4, 2, 5, chinese=2), experts(4), Design(4, 0, 0.1)),
        (crossed(5, 2, 3), experts(5, "en"), Design(3, 1, 0.05)),
    ],
)
def test_a_sound_plan_has_none(plan: tuple[list[Candidate], list[Rater], Design]) -> None:
    assert warnings(*plan) == ()


def test_one_rater_per_item_tells_nothing_about_agreement() -> None:
    assert in_english(warnings(crossed(4, 1, 3), experts(3), Design(1, 0))) == (
        "Every item has only one rater: agreement cannot be computed, and strict raters cannot be distinguished"
        " from poor items. Use at least 2 raters per item.",
    )
    assigned = [Assignment("r0", item.item) for item in crossed(4, 1, 2)]
    some = warnings(crossed(4, 1, 2), experts(2), Design(1, 0), [*assigned, Assignment("r1", "i0-0-0")])
    assert in_english(some[0]) == (
        "Some items have only one rater and provide no information on agreement. Use at least 2 raters per item."
    )


def test_pairs_that_share_too_little() -> None:
    [sentence] = warnings(crossed(5, 1, 1), experts(5), Design(2, 0))
    assert in_english(sentence).startswith("10 pairs of raters share fewer than 2 items (r0 and r1: ")
    assert in_english(sentence).endswith(
        ", 7 more): pairwise agreement cannot be computed for them. Use more items or more raters per item."
    )


def test_raters_without_a_link() -> None:
    raters = [*experts(2, "en"), Rater("x", CHINESE), Rater("y", CHINESE)]
    assert in_english(warnings(crossed(4, 2, 2, chinese=2), raters, Design(2, 0))) == (
        (
            "The design is not connected: no shared items link r0, r1 with x, y. Across these "
            "groups, strict raters cannot be distinguished from poor items. Use more items, more "
            "raters per item, or more raters who read several languages."
        ),
        (
            "4 raters read only some of the languages en, zh (r0: en, r1: en, x: zh, 1 more): "
            "differences between languages are partly differences between raters."
        ),
    )


def test_models_that_are_not_on_a_par() -> None:
    items = [item for item in crossed(4, 2, 3) if item.item not in {"i0-0-2", "i0-1-2"}]
    assert in_english(warnings(items, experts(2), Design(2, 0))) == (
        "Models have different numbers of items: m2 has 6, m0 has 8. Means over items weight some models more.",
        (
            "1 model is not in every scene (m2). Some scenes are harder than others, so compare "
            "models over shared scenes only."
        ),
    )


def test_scenes_that_are_rated_themselves_are_not_to_be_in_common() -> None:
    """Each scene is the work of one model: over which scenes models are compared is not to be chosen."""
    items = [Candidate(f"i{n}", f"scene {n}", "", f"m{n % 2}", "en") for n in range(6)]
    assert warnings(items, experts(2), Design(2, 0, rates_scenes=True)) == ()
    assert in_english(warnings(items, experts(2), Design(2, 0))[0]).startswith("2 models are not in every scene")


def test_raters_who_see_a_model_oftener_than_others() -> None:
    """What was assigned before is lopsided, and nothing new can make up for it."""
    items = crossed(4, 1, 2)
    lopsided = [Assignment("r0" if item.model == "m0" else "r1", item.item) for item in items]
    assert in_english(warnings(items, experts(2), Design(1, 0), lopsided)[1]) == (
        "2 raters see some models more often than others (r0: 0 to 4, r1: 0 to 4 items per "
        "model), so their severity affects the models unequally."
    )


def test_raters_without_work() -> None:
    raters = [*experts(3), Rater("x", CHINESE)]
    stranger, idle = warnings([candidate("i1")], raters, Design(2, 0))[-2:]
    assert in_english(stranger) == "1 rater reads no language of the campaign (x) and gets no new items."
    assert re.fullmatch(r"1 rater has no item \(r\d\): there are more raters than work\.", str(idle))


def test_raters_who_have_left() -> None:
    items, left = crossed(4, 1, 2), Rater("x", frozenset())
    assigned = [Assignment("x", items[0].item)]
    sentences = warnings(items, [*experts(3), left], Design(2, 0), assigned)
    assert (
        "1 rater has left (x) and gets no new items. Items already assigned still count as theirs, rated or not."
        in in_english(sentences)
    )
    assert not any("reads no language" in in_english(sentence) for sentence in sentences)


def test_uneven_loads() -> None:
    raters = [*experts(2), Rater("x", CHINESE)]
    sentences = warnings(crossed(8, 1, 2, chinese=2), raters, Design(2, 0))
    assert (
        "Workloads are uneven: x has 4 items, r0 has 14. Languages or earlier assignments prevent a better balance."
    ) in in_english(sentences)


def test_raters_without_repeats() -> None:
    raters = [*experts(2), Rater("x", CHINESE)]
    sentences = warnings(crossed(8, 1, 1, chinese=1), raters, Design(2, 0, 0.1))
    assert in_english(sentences[-1]) == "1 rater has no hidden repeat (x): a rater needs at least 5 items."


def test_raters_and_languages_go_by_name_and_a_model_called_like_a_rater_stays_as_it_is():
    ann, bob = Rater("a" * 12, frozenset({"en"})), Rater("b" * 12, frozenset({"en", "zh"}))
    items = [Candidate(f"i{n}", f"s{n}", "Ann", model, "en") for n, model in enumerate((ann.id, ann.id, "other"))]
    items.append(Candidate("i3", "scene", "Bob", "other", "zh"))
    names = Names(((ann.id, "Ann"), (bob.id, "Bob")), language={"en": "English", "zh": "Chinese"}.__getitem__)
    told = plan_campaign(items[:3], [ann, bob], Design(2, 0), names=names).warnings
    assert f"Models have different numbers of items: other has 1, {ann.id} 2." in in_english(told[0])
    told = plan_campaign(items, [ann, bob], Design(1, 0), names=names).warnings
    assert any("reads only a part of the languages English, Chinese (Ann: English)" in in_english(one) for one in told)
    assert not any(in_english(bob.id) in in_english(one) for one in told)


def test_a_refusal_names_item_and_language():
    item, names = Candidate("i", "scene", "Ann", "m", "en"), Names(item="The {} mill".format, language=str.upper)
    with pytest.raises(RatingError, match="only 0 of the raters read EN, the language of item 'The i mill';"):
        plan_campaign([item], [Rater("x", CHINESE)], Design(1, 0), names=names)
