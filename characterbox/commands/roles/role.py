"""`characterbox role`: the roles there are, their files, and dialogues with them."""

import argparse
import json
from importlib import import_module
from pathlib import Path

from annotations.i18n.messages import cited
from characterbox.accounts.account import COMMAND_LINE
from characterbox.commands.database import open_store
from characterbox.commands.exits import say
from characterbox.errors import RoleError
from characterbox.roles.cards import MOST_EXAMPLES, card_of_role
from characterbox.roles.heading import RoleHeading, heading_of
from characterbox.roles.library import bundled_roles, open_roles
from characterbox.roles.role import FEWEST_TURNS, Provenance, Role
from characterbox.roles.role_files import as_json, read_roles
from characterbox.scenes.cards import export
from characterbox.scenes.file_reading import read_bytes
from characterbox.store import Store


def run(options: argparse.Namespace) -> int:
    """Do what `options.action` says."""
    with open_store(options) as store:
        if options.action == "talk":
            return int(import_module("characterbox.commands.roles.talk").talk(options, store))
        if options.action == "make":
            return int(import_module("characterbox.commands.roles.making").make(options, store))
        return _ACTIONS[options.action](options, store)


def role_named(store: Store, text: str) -> Role:
    """The role that people name: `bundled:ID`, the path of a JSON file of one role, or an ID in the database.

    Raises RoleError where there is none, or more than one, and SceneError where a file is no JSON.
    """
    if text.startswith("bundled:") or text.endswith(".json") or Path(text).exists():
        found = open_roles(text)
    else:
        found = tuple(
            store.roles.find(one.place).content
            for one in store.roles.headings()
            if text in (one.place, one.heading.id) and not one.away
        )
    if len(found) == 1:
        return found[0]
    if found:
        ids = ", ".join(role.id for role in found)
        raise RoleError("{text}: there are several roles ({ids}); give a file of one, or the place that `role list`"
                        " tells", text=cited(text), ids=ids)  # fmt: skip
    raise RoleError("{text}: there is no such role; `role list` tells all", text=cited(text))


def _import(options: argparse.Namespace, store: Store) -> int:
    roles = read_roles(options.file.name, read_bytes(options.file))
    new = store.roles.add(roles)
    for role in roles:
        print(f"{role.id}: {_told(heading_of(role))}")
        if role.turns < FEWEST_TURNS:
            few = f"only {role.turns} turns are known; models hardly learn how it speaks with fewer than {FEWEST_TURNS}"
            say(f"{role.id}: {few}")
    print(f"{options.file.name}: {len(roles)} roles read, {new} new")
    return 0


def _list(options: argparse.Namespace, store: Store) -> int:
    placed = [(f"bundled:{role.id}", heading_of(role)) for role in bundled_roles()]
    placed += [(one.place, one.heading) for one in store.roles.headings() if not one.away]
    for place, heading in placed:
        if options.json:
            print(json.dumps({"place": place, **heading.model_dump(mode="json")}, ensure_ascii=False))
        else:
            print(f"{place}: {_told(heading)}")
    return 0


def _told(heading: RoleHeading) -> str:
    parts = [heading.name, heading.language, heading.work, f"{heading.rounds:,} rounds"]
    return ", ".join([*parts, "verified" if heading.verified else "not verified"])


def _show(options: argparse.Namespace, store: Store) -> int:
    role = role_named(store, options.role)
    print(f"{role.name} ({role.id}): {role.work}{f', {role.author}' if role.author else ''}; {role.turns:,} turns")
    if role.description is not None:
        print(f"\nDescription ({_source(role.description.provenance)})\n{role.description.text}")
    if role.catchphrases:
        print("\nCatchphrases")
        for phrase in role.catchphrases:
            print(f"- {phrase.text} ({_source(phrase.provenance)})")
    if role.dialogues:
        print("\nDialogues")
        for part in role.dialogues:
            print(f"- {len(part.rounds):,} rounds ({_source(part.provenance)})")
    if role.distinctiveness is not None:
        print(f"\nDistinctiveness of its speech: {role.distinctiveness.level} of 4: {role.distinctiveness.reason}")
    return 0


def _source(provenance: Provenance) -> str:
    writer = "" if provenance.model is None else f", written by {provenance.model}"
    return f"{provenance.source}{writer}, {'verified' if provenance.verified else 'not verified'}"


def _export(options: argparse.Namespace, store: Store) -> int:
    roles = [role_named(store, one) for one in options.roles]
    if options.format == "card":
        if len(roles) > 1:
            raise RoleError("--format card: a card holds one role; name one")
        print(export.as_json(card_of_role(roles[0])).decode(), end="")
        if (rounds := heading_of(roles[0]).rounds) > MOST_EXAMPLES:
            say(f"{roles[0].id}: the card holds {MOST_EXAMPLES} of {rounds:,} rounds; JSON holds all")
    else:
        print(as_json(roles).decode(), end="")
    for role in roles:
        store.audit.add(COMMAND_LINE, "roles.exported", role.id, {"form": options.format})
    return 0


_ACTIONS = {"import": _import, "list": _list, "show": _show, "export": _export}
