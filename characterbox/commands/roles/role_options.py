"""The options of `characterbox role`."""

import argparse
from pathlib import Path

from annotations.exchange.decoding import ENCODINGS
from characterbox.roles.prompting import STRATEGIES

ROLE = "bundled:ID, a JSON file of one role, or the ID of a role in the database"


def add_role(role: argparse.ArgumentParser) -> None:
    """Each of its actions."""
    actions = role.add_subparsers(required=True, metavar="ACTION", dest="action", parser_class=type(role))
    make = actions.add_parser("make", help="make a role of a script, novel, card, scene or story; a model may help")
    _add_make(make)
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
    for action in (make, bring, known, show, export, talk):
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


def _add_make(make: argparse.ArgumentParser) -> None:
    of = make.add_mutually_exclusive_group(required=True)
    of.add_argument("--script", metavar="FILE", type=Path, help="a script: txt, md, fountain, docx, pdf or epub")
    of.add_argument("--novel", metavar="FILE", type=Path, help="a novel, read by --model passage by passage")
    of.add_argument("--card", metavar="FILE", type=Path, help="a character card")
    of.add_argument("--scene", metavar="FILE", help="a scene: bundled:NAME, or a scene file")
    of.add_argument("--story", metavar="ID", help="a story that was played here")
    of.add_argument("--from", dest="known", metavar="ROLE", help=f"a role that there is: {ROLE}")
    of.add_argument("--resume", metavar="ID", help="go on with what a model was asked, and was broken off")
    make.add_argument("--role", metavar="NAME", help="who of the script, novel, scene or story")
    make.add_argument("--other-name", metavar="NAME", action="append", default=[], help="another name of the same one")
    make.add_argument("--scene-id", metavar="ID", help="which scene of the file")
    make.add_argument("--work", metavar="TITLE", help="what the role belongs to; needed for a script, novel or card")
    make.add_argument("--author", metavar="NAME", help="who wrote the work")
    make.add_argument("--language", choices=["en", "zh"], help="of the role (what its letters say)")
    make.add_argument("--encoding", choices=ENCODINGS, help="of a text file (where it is certain, leave it out)")
    make.add_argument(
        "--model",
        metavar="URL#MODEL",
        help="has the model audited, and write description, catchphrases and how distinct the speech is",
    )
    make.add_argument("--budget", metavar="USD", type=float, help="what may be spent on it, in US dollars")
    make.add_argument("--seed", metavar="N", type=int, default=0, help="what is drawn by chance (0)")
    make.add_argument(
        "--on-mismatch",
        choices=["stop", "keep", "ask"],
        default="stop",
        help="what to do with recorded replies to other prompts than today's (stop)",
    )
    make.add_argument(
        "--accept",
        nargs="+",
        choices=["description", "catchphrases", "distinctiveness"],
        default=[],
        help="which proposals of the model to put into the role (none)",
    )
    make.add_argument("--out", metavar="FILE.json", type=Path, help="a new file for the role")
