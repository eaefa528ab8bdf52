"""The options of `characterbox role`."""

import argparse
from pathlib import Path

from characterbox.roles.prompting import STRATEGIES

ROLE = "bundled:ID, a JSON file of one role, or the ID of a role in the database"


def add_role(role: argparse.ArgumentParser) -> None:
    """Each of its actions."""
    actions = role.add_subparsers(required=True, metavar="ACTION", dest="action", parser_class=type(role))
    bring = actions.add_parser("import", help="store the roles of a JSON file")
    bring.add_argument("file", metavar="FILE", type=Path, help="one role, or several, as `role export` writes them")
    known = actions.add_parser("list", help="the bundled roles, and those in the database")
    known.add_argument("--json", action="store_true", help="print JSON Lines")
    show = actions.add_parser("show", help="what is known of a role, and where each part comes from")
    show.add_argument("role", metavar="ROLE", help=ROLE)
    export = actions.add_parser("export", help="print roles as JSON, or one as a character card")
    export.add_argument("roles", nargs="+", metavar="ROLE", help=ROLE)
    export.add_argument("--format", choices=["json", "card"], default="json", help="(json)")
    talk = actions.add_parser("talk", help="talk with a role, or have two roles talk")
    _add_talk(talk)
    for action in (bring, known, show, export, talk):
        action.add_argument("--db", metavar="URL", help="the database (CHARACTERBOX_DB)")


def _add_talk(talk: argparse.ArgumentParser) -> None:
    talk.add_argument("role", nargs="?", metavar="ROLE", help=f"{ROLE}; needed for a new dialogue")
    talk.add_argument("--model", metavar="URL#MODEL", help="the model that speaks as the role (rehearsal)")
    talk.add_argument("--strategy", choices=STRATEGIES, help="how the role is shown examples (fsd, zsp without any)")
    talk.add_argument("--as", dest="person", metavar="NAME", help="what the role calls you (Guest)")
    talk.add_argument("--persona", metavar="TEXT", help="who you are, as the role is told it")
    talk.add_argument("--with", dest="other", metavar="ROLE", help="another role, which begins; you only read")
    talk.add_argument("--other-model", metavar="URL#MODEL", help="the model of the other role (that of the role)")
    talk.add_argument("--rounds", metavar="N", type=int, help="of a dialogue of two roles (5)")
    talk.add_argument("--resume", metavar="STORY", help="go on with a dialogue")
