"""What people prefer: each has their own, and the last word counts."""


def test_nobody_prefers_anything_at_first(store):
    assert store.preferences.find("a1", "launch") == {}


def test_the_last_word_counts_for_each_by_themselves(store):
    store.preferences.save("a1", "launch", {"rounds": 3})
    store.preferences.save("a2", "launch", {"rounds": 9})
    store.preferences.save(None, "launch", {"rounds": 1})
    store.preferences.save("a1", "launch", {"seed": 7})
    store.preferences.save("a1", "else", {})
    assert store.preferences.find("a1", "launch") == {"seed": 7}
    assert store.preferences.find("a2", "launch") == {"rounds": 9}
    assert store.preferences.find(None, "launch") == {"rounds": 1}


def test_what_is_dropped_is_gone_for_its_owner_alone(store):
    for owner in (None, "0123456789ab"):
        store.preferences.save(owner, "draft", {"a": 1})
    store.preferences.drop(None, "draft")
    assert store.preferences.find(None, "draft") == {}
    assert store.preferences.find("0123456789ab", "draft") == {"a": 1}
    store.preferences.drop(None, "draft")
