"""The rubrics that can be rated with: the bundled ones, and those that researchers import."""

from functools import lru_cache

from sqlalchemy import Connection, Engine, select

from annotations.errors import RatingError
from annotations.i18n.messages import listed
from annotations.rubrics.rubric import Rubric, bundled_rubrics, bundled_text, load_rubric, parse_rubric
from characterbox.accounts.account import Account
from characterbox.store.accounts.audit_log import record
from characterbox.store.tables.campaigns import RubricRow
from characterbox.store.tables.columns import insert_into, now, table_of
from characterbox.store.writer import Writer

_RUBRIC = table_of(RubricRow)
_KEPT = 64
"""How many rubrics are kept at hand; a version never changes."""


class RubricStore:
    """Keeps rubrics. A version is never changed or removed: ratings name it."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer
        self._parsed = lru_cache(_KEPT)(self._read)

    def names(self) -> list[tuple[str, str]]:
        """Name and version of all rubrics: the bundled ones first, of one name the version added last first."""
        bundled = [(name, load_rubric(name).version) for name in bundled_rubrics()]
        query = select(_RUBRIC.c.name, _RUBRIC.c.version).order_by(_RUBRIC.c.name, _RUBRIC.c.added_at.desc())
        with self._engine.connect() as connection:
            own = [(row.name, row.version) for row in connection.execute(query)]
        return bundled + [one for one in own if one[0] not in bundled_rubrics()]

    def rubric(self, name: str, version: str) -> Rubric:
        """A rubric in one version. Raises RatingError if there is none, or what is stored can't be read."""
        return self._parsed(name, version)

    def text(self, name: str, version: str) -> str:
        """The file of a rubric that was imported, or is kept for a campaign. Raises RatingError if there is none."""
        if (text := self._find(name, version)) is not None:
            return text
        names = self.names()
        known = listed(f"{name} {version}" for name, version in names)
        if name not in dict(names):
            raise RatingError("there is no rubric {name!r}; available: {known}", name=name, known=known)
        raise RatingError(
            "there is no version {version!r} of the rubric {name!r}; available: {known}",
            name=name,
            version=version,
            known=known,
        )

    def keep(self, name: str, version: str, actor: Account) -> None:
        """Keep a bundled rubric as it is in this version of the app, for the ratings that are to rest on it."""
        if name not in bundled_rubrics() or load_rubric(name).version != version:
            return
        row = {"name": name, "version": version, "text": bundled_text(name), "added_by": actor.name, "added_at": now()}
        keeping = insert_into(_RUBRIC, self._engine.dialect.name).values(row).on_conflict_do_nothing()
        self._writer.submit(lambda connection: connection.execute(keeping)).result()

    def add(self, text: str, file: str, actor: Account) -> Rubric:
        """Import the rubric that a file describes; the same one once more changes nothing.

        Raises RatingError, naming line and reason, if it is faulty, and if its name and version are taken by another.
        """
        rubric = parse_rubric(text, file=file)
        if rubric.name in bundled_rubrics():
            raise RatingError(
                "{file}: {name!r} is the name of a bundled rubric; choose another name",
                file=file,
                name=rubric.name,
            )
        row = {"name": rubric.name, "version": rubric.version, "text": text, "added_by": actor.name, "added_at": now()}
        inserting = insert_into(_RUBRIC, self._engine.dialect.name).values(row).on_conflict_do_nothing()
        adding = inserting.returning(_RUBRIC.c.name)

        def write(connection: Connection) -> None:
            if connection.execute(adding).first() is not None:  # it was not there already
                told = {"version": rubric.version}
                record(connection, actor, "rubric.add", rubric.name, told)

        self._writer.submit(write).result()
        if self.text(rubric.name, rubric.version) != text:
            raise RatingError(
                "{file}: version {version!r} of the rubric {name!r} already exists with other content; ratings"
                " may depend on it, so use a new version number",
                file=file,
                name=rubric.name,
                version=rubric.version,
            )
        return rubric

    def _read(self, name: str, version: str) -> Rubric:
        """What is kept goes before the file of that version in the app, which may have been changed since."""
        kept = self._find(name, version) is not None
        if not kept and name in bundled_rubrics() and load_rubric(name).version == version:
            return load_rubric(name)
        return parse_rubric(self.text(name, version), file=f"{name} {version}")

    def _find(self, name: str, version: str) -> str | None:
        query = select(_RUBRIC.c.text).where(_RUBRIC.c.name == name, _RUBRIC.c.version == version)
        with self._engine.connect() as connection:
            text: str | None = connection.scalar(query)
        return text
