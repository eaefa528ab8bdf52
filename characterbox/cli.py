"""The command line: the same functions as the app, without a browser.

Exit status: 0 done; 2 bad input, told in one line; 3 an endpoint failed for good, the story is kept; 130 interrupted.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import NoReturn

from annotations.errors import AnnotationError
from characterbox import __version__
from characterbox.commands.common import BAD_INPUT, ENDPOINT_FAILED, INTERRUPTED, say
from characterbox.errors import CharacterBoxError, EndpointError


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"{self.prog}: {message}; see {self.prog} --help\n")


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a command and exit with its status."""
    options = _parser().parse_args(arguments)
    try:
        sys.exit(import_module(f"characterbox.commands.{options.command}").run(options))
    except EndpointError as error:
        say(str(error))
        sys.exit(ENDPOINT_FAILED)
    except (CharacterBoxError, AnnotationError) as error:
        say(str(error))
        sys.exit(BAD_INPUT)
    except (KeyboardInterrupt, BrokenPipeError):
        sys.exit(INTERRUPTED)
    finally:
        _let_go_of_output()


def _let_go_of_output() -> None:
    """Write out what is left; where nobody reads it any more, see that Python does not complain of it at its end."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="characterbox", description="See, rate and trust role-play by language models.")
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_Parser)

    play = commands.add_parser("play", help="play a story, one JSON object per event")
    play.set_defaults(command="play")
    play.add_argument("file", nargs="?", metavar="FILE", help="a scene file, or bundled:NAME; needed for a new story")
    play.add_argument("--scene", metavar="ID", help="which scene of the file")
    play.add_argument("--rounds", type=int, metavar="N", help="how many rounds (3)")
    play.add_argument("--narrator", metavar="URL#MODEL", help="the narrator's endpoint (rehearsal)")
    play.add_argument("--character", metavar="URL#MODEL", help="the endpoint of all characters (rehearsal)")
    play.add_argument(
        "--cast", action="append", default=[], metavar="NAME=URL#MODEL", help="the endpoint of one character"
    )
    play.add_argument("--seed", type=int, metavar="N", help="sent with every request (1)")
    play.add_argument("--resume", metavar="STORY", help="play a stored story on")
    play.add_argument(
        "--on-mismatch",
        choices=["stop", "keep", "ask"],
        default="stop",
        help="what to do when a recorded reply belongs to another prompt: stop, keep the record, or ask again",
    )
    _add_database(play)

    judge = commands.add_parser("judge", help="have a story judged")
    judge.set_defaults(command="judge")
    judge.add_argument("story", metavar="STORY")
    judge.add_argument("--judge", required=True, metavar="NAME=URL#MODEL")
    _add_database(judge)

    importing = commands.add_parser("import", help="bring in the scenes of a file")
    importing.set_defaults(command="importing")
    importing.add_argument("file", metavar="FILE", type=Path)
    importing.add_argument("--language", choices=["en", "zh"], help="where the file does not say")
    _add_database(importing)

    export = commands.add_parser("export", help="print a story")
    export.set_defaults(command="export")
    export.add_argument("story", metavar="STORY")
    export.add_argument("--format", choices=["json", "html"], default="json")
    _add_database(export)

    stats = commands.add_parser("stats", help="reliability and validity of a table of ratings")
    stats.set_defaults(command="stats")
    stats.add_argument("file", metavar="FILE.csv", type=Path)
    stats.add_argument("--json", action="store_true", help="print JSON")
    stats.add_argument("--scale", metavar="LOW-HIGH", type=_scale, help="leave out what lies outside, and list it")

    rehearsal = commands.add_parser("rehearsal", help="serve the endpoint that improvises without a language model")
    rehearsal.set_defaults(command="rehearsal")
    rehearsal.add_argument("--port", type=int, required=True, metavar="N")
    rehearsal.add_argument("--latency", type=float, default=0.0, metavar="S", help="seconds per reply")

    app = commands.add_parser("app", help="serve the app on 127.0.0.1")
    app.set_defaults(command="app")
    app.add_argument("--port", type=int, default=8501, metavar="N")
    return parser


def _add_database(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--db", metavar="URL", help="the database (CHARACTERBOX_DB)")


def _scale(text: str) -> tuple[float, float]:
    low, _, high = text.partition("-")
    try:
        scale = float(low), float(high)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no scale; give it like 1-5") from None
    if scale[0] >= scale[1]:
        raise argparse.ArgumentTypeError(f"{text!r} is no scale: the first number must be the lower one")
    return scale
