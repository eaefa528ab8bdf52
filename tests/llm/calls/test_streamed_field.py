"""The text of a field, as it streams within a JSON reply."""

import json

from hypothesis import given
from hypothesis import strategies as st

from characterbox.llm.calls.streamed_field import StreamedField


def shown(pieces):
    found = []
    field = StreamedField("action", found.append)
    for piece in pieces:
        field.add(piece)
    return found


@given(st.text(), st.booleans(), st.data())
def test_however_a_reply_is_cut_its_text_is_shown_once(text, ascii, data):
    reply = json.dumps({"action": text, "dialogue": "Who is there?"}, ensure_ascii=ascii)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(reply)), max_size=20)))
    pieces = [reply[start:end] for start, end in zip([0, *cuts], [*cuts, len(reply)], strict=True)]
    assert "".join(shown(pieces)) == text
    assert "" not in shown(pieces)


def test_text_is_shown_before_it_is_complete():
    assert shown(['```json\n{"action": "He ', "bows", ' low.", "to": "Ann"}\n```']) == ["He ", "bows", " low."]


def test_a_reply_that_is_no_json_shows_nothing():
    assert shown(["Action: he ", "{bows}", " low."]) == []
    assert shown(['{"action": 5, "dialogue": "No."}']) == []
    assert shown(["[1, 2]", '"action"']) == []


def test_no_more_is_read_than_people_read():
    assert len("".join(shown(['{"action": "', *["x" * 1000] * 40]))) < 10_000
