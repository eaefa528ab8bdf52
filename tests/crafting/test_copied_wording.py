"""Copied wording: by hand, by laws, and in time."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from characterbox.crafting.originality import FEWEST, NOTABLE, Copied, Wording
from characterbox.scenes.scene import Environment, Profile, Scene, prose_of
from characterbox.values import Language
from tests.crafting.novels import novel
from tests.scenes.authors import authors_scenes

SOURCE = (
    "It was a bright cold day in the town, and the clocks were striking three. Anna, her chin upon her breast, "
    "slipped quickly through the glass doors of the old hotel; nobody saw her. “Don’t you dare,” said the clerk."
)


def a_scene(description: str, language: Language = "en", plot: str | None = None) -> Scene:
    """A scene with this text and, besides, only fields that are shorter than any run."""
    return Scene(
        id="a", title="A", work="B", language=language, origin="extracted",
        environment=Environment(time="noon", location="here", description=description),
        cast=(Profile(name="Anna", description="x", position="y", state="z"),), plot=plot,
    )  # fmt: skip


def of(description: str, source: str = SOURCE, language: Language = "en", plot: str | None = None) -> Copied:
    return Wording(source, language).copied(a_scene(description, language, plot))


def test_nine_words_of_twelve_by_hand() -> None:
    found = of("Then SLIPPED  quickly through the “glass doors” of the old house here.")
    assert (found.words, found.copied, found.share) == (12, 9, 0.75)
    (run,) = found.runs
    assert (run.field, run.words) == ("description", 9)
    assert SOURCE[run.source_start : run.source_end] == "slipped quickly through the glass doors of the old"
    text = prose_of(a_scene("Then SLIPPED  quickly through the “glass doors” of the old house here."))["description"]
    assert text[run.start : run.end] == "SLIPPED  quickly through the “glass doors” of the old"


def test_seven_words_are_chance() -> None:
    found = of("She slipped quickly through the glass doors of a house.")
    assert (found.copied, found.share, found.runs) == (0, 0.0, ())


def test_apostrophes_and_quotation_marks_do_not_matter() -> None:
    assert of('nobody saw her. "DON\'T you dare", said the clerk').share == 1.0


def test_runs_from_two_places_overlap_and_count_once() -> None:
    source = "a b c d e f g h i j. Other words stand here. d e f g h i j k l m n."
    found = of("a b c d e f g h i j k l m n", source)
    assert (found.words, found.copied) == (14, 14)
    assert [(run.words, run.start, run.end) for run in found.runs] == [(11, 6, 27), (10, 0, 19)]


def test_the_longest_of_several_places_is_taken() -> None:
    source = "a b c d e f g h x. a b c d e f g h i j y. a b c d e f g h i z."
    (run,) = of("a b c d e f g h i j k", source).runs
    assert (run.words, source[run.source_start : run.source_end]) == (10, "a b c d e f g h i j")


def test_a_longer_run_that_begins_within_another_one_is_found_whole() -> None:
    source = "a b c d e f g h i j. Elsewhere: b c d e f g h i j k l m n o p."
    assert [run.words for run in of("a b c d e f g h i j k l m n o p", source).runs] == [15, 10]


def test_fields_are_apart_and_short_ones_are_left_out() -> None:
    found = of("It was a bright cold day", plot="in the town, and the clocks were striking three indeed")
    assert (found.words, found.copied) == (10, 9)
    assert [run.field for run in found.runs] == ["plot"]
    assert of("It was").share == 0.0


def test_chinese_by_characters() -> None:
    source = "却说那黛玉，自从来到了贾府以后，步步留心，时时在意。"
    found = of("黛玉自從来到了贾府以后，步步留心！", source, "zh")
    assert found.share == 0.0, "a traditional character is another one"
    found = of("黛玉自从来到了贾府以后步步，小心", source, "zh")
    assert (found.words, found.copied) == (15, 13)
    assert source[found.runs[0].source_start : found.runs[0].source_end] == "黛玉，自从来到了贾府以后，步步"


words = st.lists(st.text(string.ascii_lowercase, min_size=1, max_size=3), min_size=8, max_size=60)


@given(words, words, words)
def test_a_scene_pasted_from_the_source_is_copied_whole(before: list[str], pasted: list[str], after: list[str]) -> None:
    found = of(", ".join(pasted).upper(), " ".join([*before, *pasted, *after]))
    assert found.share == 1.0
    assert found.runs[0].words >= len(pasted)


@given(words, words)
def test_a_scene_without_a_common_word_is_not_copied(ours: list[str], theirs: list[str]) -> None:
    assert of(" ".join(ours), " ".join(f"{word}1" for word in theirs)).copied == 0


@given(st.lists(st.sampled_from("ab"), min_size=8, max_size=60), st.lists(st.sampled_from("ab"), max_size=80))
def test_the_share_is_that_of_a_slow_and_simple_search(ours: list[str], theirs: list[str]) -> None:
    fewest = FEWEST["en"]
    runs = {tuple(theirs[at : at + fewest]) for at in range(len(theirs) - fewest + 1)}
    starts = [at for at in range(len(ours) - fewest + 1) if tuple(ours[at : at + fewest]) in runs]
    assert of(" ".join(ours), " ".join(theirs)).copied == len({at + step for at in starts for step in range(fewest)})


@given(st.lists(st.sampled_from("abc"), min_size=8, max_size=60), st.lists(st.sampled_from("abc"), max_size=80))
def test_each_run_stands_at_the_place_it_names(ours: list[str], theirs: list[str]) -> None:
    text, source = " ".join(ours), ", ".join(theirs)
    for run in of(text, source).runs:
        assert text[run.start : run.end] == source[run.source_start : run.source_end].replace(",", "")
        assert len(text[run.start : run.end].split()) == run.words >= FEWEST["en"]


@pytest.mark.parametrize(
    ("language", "length"),
    [
        ("en", 600_000),
        ("zh", 200_000),
        pytest.param("en", 3_000_000, marks=pytest.mark.soak),
        pytest.param("zh", 1_000_000, marks=pytest.mark.soak),
    ],
)
def test_a_long_novel(language: Language, length: int) -> None:
    text = novel(language, length)
    middle = length // 2
    found = of(text[middle : middle + 500], text, language)
    assert found.share > 0.95, "all but the parts of words at its ends"
    assert abs(found.runs[0].source_start - middle) < 20


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh"])
def test_scenes_of_one_work_have_no_run_in_those_of_another(language: Language) -> None:
    scenes = [scene for scene in authors_scenes() if scene.language == language]
    texts = {work: "\n".join(text for scene in scenes if scene.work == work for text in prose_of(scene).values())
             for work in {scene.work for scene in scenes}}  # fmt: skip
    wordings = {work: Wording(text, language) for work, text in texts.items()}
    for scene in scenes:
        assert [wordings[work].copied(scene).copied for work in wordings if work != scene.work] == [0]
        assert wordings[scene.work].copied(scene).share == 1.0


def test_from_a_fifth_on_somebody_should_look() -> None:
    few, enough, none = (Copied(words, copied, ()) for words, copied in ((1000, 199), (1000, 200), (0, 0)))
    assert [one.is_notable for one in (few, enough, none)] == [False, True, False]
    assert enough.share == NOTABLE
