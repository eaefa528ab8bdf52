"""The file: what is in it, and that no damage to it goes unnoticed."""

import hashlib
import io
import json
import stat
from datetime import UTC, datetime, timedelta
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import JSON, Column, Float, ForeignKey, Integer, MetaData, Table, Text, delete, insert
from sqlmodel import SQLModel, create_engine

from characterbox import __version__
from characterbox.errors import StoreError
from characterbox.store.engine import open_engine
from characterbox.store.transfer.archive import open_archive, travels, write_archive
from characterbox.store.transfer.backup import back_up, pour
from tests.fakes.examples import examples
from tests.fakes.rows import fill, rows_of

METADATA = MetaData()
BOX = Table(
    "box",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("label", Text, nullable=False),
    Column("weight", Float),
    Column("content", JSON),
)
THING = Table(
    "thing", METADATA, Column("id", Integer, primary_key=True), Column("box", ForeignKey("box.id"), nullable=False)
)
KEYHOLE = Table("keyhole", METADATA, Column("id", Integer, primary_key=True), info={"travels": False})
TABLES = METADATA.sorted_tables
BOXES = [{"id": 1, "label": "孙悟空", "weight": 0.5, "content": {"a": 1}}, {"id": 2, "label": "b", "weight": None}]


@pytest.fixture
def engine(tmp_path):
    """An empty database with those tables."""
    engine = create_engine(f"sqlite:///{tmp_path}/empty.db")
    METADATA.create_all(engine)
    yield engine
    engine.dispose()


@pytest.fixture
def path(tmp_path):
    """An archive of two boxes and three things in them."""
    engine = create_engine(f"sqlite:///{tmp_path}/full.db")
    METADATA.create_all(engine)
    with engine.begin() as connection:
        for box in BOXES:
            connection.execute(insert(BOX), box)
        connection.execute(insert(THING), [{"id": number, "box": 1 + number % 2} for number in (7, 8, 9)])
        connection.execute(insert(KEYHOLE), {"id": 4})
        path = tmp_path / "boxes.zip"
        with path.open("w+b") as out:
            write_archive(out, connection, TABLES, "0000", lambda table, rows: None)
    engine.dispose()
    return path


def refusal(path):
    with pytest.raises(StoreError) as caught, open_archive(path):
        pass
    return str(caught.value)


def seal(path):
    """Seal a file anew, so that what is wrong with it has to be found out otherwise."""
    content = path.read_bytes()[:-64]
    path.write_bytes(content + hashlib.sha256(content).hexdigest().encode())


def rewrite(path, change, compression=ZIP_DEFLATED):
    """Write an archive again, with other files and another manifest, and seal it."""
    with ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(files.pop("manifest.json"))
    change(files, manifest)
    with ZipFile(path, "w", compression) as archive:
        archive.comment = bytes(64)
        for name, content in {**files, "manifest.json": json.dumps(manifest).encode()}.items():
            archive.writestr(name, content)
    seal(path)


def test_it_tells_what_it_holds_and_what_not(path):
    with open_archive(path) as archive:
        manifest = archive.manifest
        lines = {table.name: list(archive.lines(table)) for table in manifest.tables}
    assert (manifest.format, manifest.revision, manifest.version) == (1, "0000", __version__)
    assert datetime.now(UTC) - manifest.made_at < timedelta(minutes=1)
    assert [(table.name, table.rows) for table in manifest.tables] == [("box", 2), ("thing", 3)]
    assert manifest.left_out == ("keyhole",)
    assert manifest.rows == 5
    assert lines["thing"] == [b'{"id":7,"box":2}\n', b'{"id":8,"box":1}\n', b'{"id":9,"box":2}\n']
    for table in manifest.tables:
        written = b"".join(lines[table.name])
        assert (table.size, table.sha256) == (len(written), hashlib.sha256(written).hexdigest())


def test_any_program_reads_it(path):
    with ZipFile(path) as archive:
        assert archive.testzip() is None
        rows = [json.loads(line) for line in archive.read("tables/box.jsonl").splitlines()]
    assert rows == [{"id": 1, "label": "孙悟空", "weight": 0.5, "content": {"a": 1}}, {"id": 2, "label": "b"}]


def test_no_changed_byte_goes_unnoticed(path):
    content = path.read_bytes()
    for place in range(len(content)):
        changed = bytearray(content)
        changed[place] ^= 0x20
        path.write_bytes(changed)
        assert "damaged, cut short, or no archive (its seal is broken)" in refusal(path)


def test_no_missing_end_goes_unnoticed(path):
    content = path.read_bytes()
    for length in range(len(content)):
        path.write_bytes(content[:length])
        assert "damaged, cut short, or no archive" in refusal(path)
    path.write_bytes(content + b"\n")
    assert "its seal is broken" in refusal(path)


@pytest.mark.parametrize("content", [b"", b"once upon a time " * 100, b"PK\x05\x06" + bytes(18)])
def test_another_file_is_no_archive(tmp_path, content):
    other = tmp_path / "other.zip"
    other.write_bytes(content)
    assert refusal(other).startswith(f"{other}: it is damaged, cut short, or no archive")
    other.write_bytes(content + bytes(64))
    seal(other)
    assert refusal(other).startswith(f"{other}: it is damaged, cut short, or no archive")


def test_a_file_that_is_not_there_is_told(tmp_path):
    assert refusal(tmp_path / "nosuch.zip").startswith(f"{tmp_path}/nosuch.zip: it cannot be read (No such file")
    assert "Is a directory" in refusal(tmp_path)


CHANGES = {
    "a file more": lambda files, manifest: files.update({"../../evil": b""}),
    "a table less": lambda files, manifest: files.pop("tables/thing.jsonl"),
    "a table twice": lambda files, manifest: manifest["tables"].append(manifest["tables"][0]),
    "a path for a table": lambda files, manifest: manifest["tables"][0].update(name="../box"),
    "more than is told": lambda files, manifest: files.update({"tables/box.jsonl": bytes(1 << 24)}),
    "no manifest": lambda files, manifest: manifest.clear(),
    "a field more": lambda files, manifest: manifest.update(sauce="sweet"),
    "a long manifest": lambda files, manifest: manifest.update(version="1" * (1 << 20)),
    "no number of rows": lambda files, manifest: manifest["tables"][0].update(rows=-1),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_an_archive_that_does_not_fit_its_manifest_is_refused(path, change):
    rewrite(path, change)
    assert "damaged, cut short, or no archive" in refusal(path)


@pytest.mark.parametrize("manifest", ["[]", "{", '"format"', '{"format": "2"}', "[" * 100_000])
def test_a_manifest_that_is_none_is_told(path, manifest):
    with ZipFile(path, "w") as archive:
        archive.comment = bytes(64)
        archive.writestr("manifest.json", manifest)
    seal(path)
    assert "damaged, cut short, or no archive (manifest: " in refusal(path)


def test_a_newer_format_is_told(path):
    rewrite(path, lambda files, manifest: manifest.update(format=2, sauce="sweet"))
    assert refusal(path) == f"{path}: it was written by a newer CharacterBox (format 2); update this one"


def poured(path, engine):
    """Why the archive was not poured in, or None; then it leaves its rows there."""
    try:
        with open_archive(path) as archive:
            pour(archive, engine, lambda table, rows: None)
    except StoreError as error:
        return str(error)
    return None


def stored(engine):
    with engine.connect() as connection:
        return rows_of(connection, TABLES)


WRONG_ROWS = {
    "not valid JSON": (lambda line: line.replace(b"}", b"]"), "table box, rows 1-2: they cannot be read"),
    "another column": (lambda line: line.replace(b"label", b"libel"), "no column 'libel'"),
    "NULL where none may be": (lambda line: line.replace(b',"label":"b"', b""), "does not take them: NOT NULL"),
    "the same key twice": (lambda line: line.replace(b'"id":2', b'"id":1'), "does not take them: UNIQUE"),
    "a number beyond all": (lambda line: line.replace(b'"id":2', b'"id":' + b"9" * 20), "they cannot be read"),
}


@pytest.mark.parametrize(("change", "told"), WRONG_ROWS.values(), ids=WRONG_ROWS)
def test_wrong_rows_leave_the_database_empty(path, engine, change, told):
    def changed(files, manifest):
        files["tables/box.jsonl"] = lines = change(files["tables/box.jsonl"])
        manifest["tables"][0].update(size=len(lines), sha256=hashlib.sha256(lines).hexdigest())

    rewrite(path, changed)
    assert told in poured(path, engine)
    assert stored(engine) == {"box": [], "thing": [], "keyhole": []}


@pytest.mark.parametrize("claim", [{"sha256": "0" * 64}, {"rows": 4}, {"rows": 2}])
def test_rows_that_are_not_those_of_the_manifest_leave_the_database_empty(path, engine, claim):
    rewrite(path, lambda files, manifest: manifest["tables"][1].update(claim))
    assert "table thing: its rows are not those of the manifest" in poured(path, engine)
    assert stored(engine) == {"box": [], "thing": [], "keyhole": []}


def test_a_table_that_the_database_does_not_have_is_told(path, engine):
    THING.drop(engine)
    assert "its tables are not those of its schema" in poured(path, engine)


def test_an_archive_that_is_packed_otherwise_is_read_too(path, engine):
    rewrite(path, lambda files, manifest: None, ZIP_STORED)
    assert poured(path, engine) is None
    assert len(stored(engine)["thing"]) == 3


@pytest.mark.slow
@settings(max_examples=examples(40, 100), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_damage_under_a_right_seal_gives_the_same_rows_or_none(path, engine, data):
    content = path.read_bytes()
    changed = bytearray(content)
    changed[data.draw(st.integers(0, len(content) - 65))] ^= data.draw(st.integers(1, 255))
    path.write_bytes(changed)
    seal(path)
    why = poured(path, engine)
    path.write_bytes(content)
    rows = stored(engine)
    with engine.begin() as connection:
        for table in reversed(TABLES):
            connection.execute(delete(table))
    if why is None:
        boxes = [(1, "孙悟空", 0.5, {"a": 1}), (2, "b", None, None)]
        assert rows == {"box": boxes, "thing": [(7, 2), (8, 1), (9, 2)], "keyhole": []}
    else:
        assert set(map(len, rows.values())) == {0}, why


def test_a_row_that_can_not_be_written_is_named(engine):
    with engine.begin() as connection:
        connection.exec_driver_sql("INSERT INTO box (id, label) VALUES (1, 'a'), (2, x'00')")
        with pytest.raises(StoreError, match="table box, row 2 in the order of its key: it cannot be written as JSON"):
            write_archive(io.BytesIO(), connection, TABLES, "0000", lambda table, rows: None)


def test_it_tells_how_far_it_is(engine):
    told = []
    with engine.begin() as connection:
        connection.execute(insert(BOX), [{"id": number, "label": "b"} for number in range(250)])
        write_archive(io.BytesIO(), connection, TABLES, "0000", lambda *far: told.append(far))
    assert told == [("box", 100), ("box", 200), ("box", 250)]


def test_tables_come_in_an_order_in_which_they_can_be_filled():
    """PostgreSQL checks each row at once; for a table that refers to itself, its rows would need an order too."""
    seen = set()
    for table in SQLModel.metadata.sorted_tables:
        if travels(table):
            assert {key.column.table.name for key in table.foreign_keys} <= seen, table.name
            seen.add(table.name)


def test_what_lets_people_in_stays_with_its_database(tmp_path):
    url = f"sqlite:///{tmp_path}/app.db"
    engine = open_engine(url)
    with engine.begin() as connection:
        fill(connection, SQLModel.metadata.sorted_tables)
    engine.dispose()
    manifest = back_up(url, tmp_path / "all.zip", lambda table, rows: None)
    assert set(manifest.left_out) >= {"session", "invitation", "throttle", "secret", "key_binding", "server_proposal"}
    assert stat.S_IMODE((tmp_path / "all.zip").stat().st_mode) == 0o600
