"""The log of changes as a file, made in a process under limits: it grows for years."""

import csv
import io
import json
from typing import Literal

from annotations.exchange.csv_file import guarded
from characterbox.processes.limited import run_limited
from characterbox.store import Store
from characterbox.store.accounts.audit_log import AuditStore, Entry, Wanted

_PORTION = 1000
"""How many entries are read at once."""
Form = Literal["csv", "jsonl"]


def saved_log(db: str, wanted: Wanted, form: Form) -> bytes:
    """The wanted entries of a database, newest first. Raises TooHeavy if it takes more than it may."""
    return run_limited(_made, db, wanted, form)


def _made(db: str, wanted: Wanted, form: Form) -> bytes:
    log = Store(db).audit
    return log_csv(log, wanted) if form == "csv" else log_jsonl(log, wanted)


def log_csv(log: AuditStore, wanted: Wanted) -> bytes:
    """The wanted entries, newest first, as CSV in which no spreadsheet finds a formula."""
    out = io.StringIO(newline="")
    rows = csv.writer(out)
    rows.writerow(Entry.model_fields)
    for entry in _all(log, wanted):
        told = entry.model_dump(mode="json") | {"detail": json.dumps(entry.detail, ensure_ascii=False)}
        rows.writerow("" if value is None else guarded(str(value)) for value in told.values())
    return out.getvalue().encode()


def log_jsonl(log: AuditStore, wanted: Wanted) -> bytes:
    """The wanted entries, newest first, one JSON object a line."""
    return "".join(f"{entry.model_dump_json()}\n" for entry in _all(log, wanted)).encode()


def _all(log: AuditStore, wanted: Wanted) -> list[Entry]:
    found: list[Entry] = []
    while some := log.read(_PORTION, found[-1].id if found else None, wanted):
        found += some
    return found
