"""`characterbox export` is run by whoever has the computer: a story leaves with all that is stored of it."""

import json
from argparse import Namespace

import pytest

from characterbox.commands.export import run
from characterbox.play.paths import reply_path
from tests.fakes.databases import database_in, store_in
from tests.fakes.reasons import a_reason
from tests.fakes.stories import a_story


@pytest.mark.parametrize("form", ["json", "html"])
async def test_what_a_server_said_is_told(tmp_path, capsys, form):
    url = database_in(tmp_path / "export.db")
    store = store_in(tmp_path / "export.db")
    story = a_story(store)
    with store.stories.claimed(story.id) as claimed:
        await claimed.move("failed", a_reason("endpoint http://10.0.0.5/v1#m: HTTP 500: SECRET-BODY"))
    store.close()
    assert run(Namespace(db=url, story=story.id, format=form)) == 0
    assert "HTTP 500: SECRET-BODY" in capsys.readouterr().out


def test_a_story_is_exported_with_its_journal(in_process, rehearsed):
    events, db = rehearsed
    first = json.loads(events.splitlines()[0])
    done = in_process("export", first["story"], "--db", db)
    exported = json.loads(done.out)
    told = [{**event, "story": first["story"]} for event in exported["events"]]
    assert told == [json.loads(line) for line in events.splitlines()]
    replies = {reply["path"] for reply in exported["journal"]}
    assert {reply_path(event["path"], replies) for event in told if event["path"] != "end"} == replies
    assert exported["costs"]["story"]["unanswered"] == 0
    page = in_process("export", first["story"], "--format", "html", "--db", db).out
    assert page.lstrip().lower().startswith("<!doctype html>")
    assert told[0]["belief"][:10] in page
