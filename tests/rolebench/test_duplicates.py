"""What says much the same as an earlier text, by BM25."""

from hypothesis import given
from hypothesis import strategies as st

from characterbox.rolebench.duplicates import duplicates
from characterbox.roles.retrieval import Similarity


def test_of_the_same_words_the_first_is_kept():
    found = duplicates(["Name three fruits.", "How does a kettle work?", "name three FRUITS!"], "en")
    assert {place: near.place for place, near in found.items()} == {2: 0}
    assert round(found[2].similarity, 5) == 1


def test_in_chinese_words_count_too():
    found = duplicates(["请写一首关于春天的诗。", "水壶怎样烧水？", "请写一首关于春天的诗！"], "zh")
    assert {*found} == {2}


def test_texts_without_words_are_duplicates_where_they_are_equal():
    assert {*duplicates(["?", "!", "?"], "en")} == {2}


def test_a_lower_limit_removes_more():
    texts = ["a boat on the river", "a boat on the lake", "a cart on the road", "stars"]
    counts = [len(duplicates(texts, "en", alike)) for alike in (1.0, 0.5, 0.1)]
    assert counts == sorted(counts)
    assert counts[-1] > counts[0]


@given(st.lists(st.text("abc ", min_size=1, max_size=8), min_size=1, max_size=12), st.floats(0.1, 1))
def test_each_duplicate_is_near_to_one_that_is_kept_and_no_kept_one_is_near_to_another(texts, alike):
    found = duplicates(texts, "en", alike)
    index = Similarity(texts, "en")
    kept = [place for place in range(len(texts)) if place not in found]
    assert kept[0] == 0
    assert all(near.place in kept and near.place < place for place, near in found.items())
    for place in kept:
        scores = index.scores(texts[place])
        before = [scores[one] for one in kept if one < place]
        assert not scores[place] or not before or max(before) / scores[place] < alike
