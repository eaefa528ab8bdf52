"""The log as a file: what is wanted of it, and nothing that a spreadsheet would carry out."""

import csv
import io
import json
from datetime import timedelta

from characterbox.accounts.account import COMMAND_LINE, LOCAL
from characterbox.store.accounts.audit_file import log_csv, log_jsonl
from characterbox.store.accounts.audit_log import ALL, Wanted
from characterbox.store.tables.columns import now


def test_a_file_has_all_that_is_wanted_newest_first(store):
    for number in range(1005):
        store.audit.add(LOCAL, "story.deleted", f"s{number}", {})
    store.audit.add(COMMAND_LINE, "story.exported", "x", {"form": "md"})
    lines = [json.loads(line) for line in log_jsonl(store.audit, ALL).splitlines()]
    assert [line["subject"] for line in lines] == ["x", *(f"s{number}" for number in reversed(range(1005)))]
    for wanted in (Wanted(action="story.exported"), Wanted(actor_name=COMMAND_LINE.name)):
        assert [json.loads(line)["subject"] for line in log_jsonl(store.audit, wanted).splitlines()] == ["x"]
    hour = timedelta(hours=1)
    assert (
        log_jsonl(store.audit, Wanted(since=now() + hour)) == log_jsonl(store.audit, Wanted(until=now() - hour)) == b""
    )
    assert store.audit.names() == sorted([LOCAL.name, COMMAND_LINE.name])


def test_no_cell_is_a_formula(store):
    store.audit.add(LOCAL.model_copy(update={"name": "=1+1"}), "story.deleted", "@SUM(A1)", {"title": "x"})
    [row] = csv.DictReader(io.StringIO(log_csv(store.audit, ALL).decode()))
    assert (row["actor_name"], row["subject"], row["address"]) == ("'=1+1", "'@SUM(A1)", "")
