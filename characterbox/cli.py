"""The command line: the same functions as the app, without a browser.

Exit status: 0 done; 1 two folders that were compared differ; 2 bad input, or something that is needed cannot be used,
told in one line; 3 an endpoint failed for good, the story is kept, or a sweep or an evaluation is not done or lacks
scores; 4 a study waits for people to rate; 130 interrupted or told to end (SIGTERM).
"""

import argparse
import gc
import io
import os
import sys
from collections.abc import Callable, Sequence
from datetime import date
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import NoReturn

from annotations.errors import AnnotationError
from annotations.exchange.decoding import ENCODINGS
from annotations.i18n.messages import Readable
from annotations.i18n.translation import translate
from characterbox import __version__
from characterbox.accounts.account import LASTS_DAYS, ROLES
from characterbox.commands.exits import BAD_INPUT, ENDPOINT_FAILED, INTERRUPTED, say
from characterbox.commands.roles.role_options import add_role
from characterbox.commands.roles.rolebench_options import add_rolebench
from characterbox.errors import CharacterBoxError, EndpointError
from characterbox.llm.sampling import LEFT

_MODULES = {
    "import": "importing",
    "backup": "archives",
    "restore": "archives",
    "dataset": "training.dataset",
    "reflect": "training.reflect",
    "train": "training.train",
    "serve": "training.serve",
    "evaluate": "training.evaluate",
    "role": "roles.role",
    "rolebench": "roles.rolebench",
}
"""The modules of commands that are not called like their command."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: Readable) -> NoReturn:
        self.exit(BAD_INPUT, f"{self.prog}: {message}; see {self.prog} --help\n")


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a command and exit with its status."""
    _write_utf8()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # while others work, its threads wait: 12 s of stats for 2 s
    options = _parser().parse_args(arguments)
    try:
        status = _imported(options.command).run(options)
        sys.stdout.flush()
        sys.exit(status)
    except EndpointError as error:
        say(translate(error))
        sys.exit(ENDPOINT_FAILED)
    except (CharacterBoxError, AnnotationError) as error:
        say(translate(error))
        sys.exit(BAD_INPUT)
    except (KeyboardInterrupt, BrokenPipeError):
        sys.exit(INTERRUPTED)
    except OSError as error:
        where = "" if error.filename is None else f"{error.filename}: "
        say(f"{where}{error.strerror or error}; make room, or read and write elsewhere")
        sys.exit(BAD_INPUT)
    finally:
        _let_go_of_output()


def _imported(command: str) -> ModuleType:
    """The module of a command. All that it imports stays: to look for garbage there would take a third of the time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        return import_module(f"characterbox.commands.{command}")
    finally:
        gc.freeze()
        if collects:
            gc.enable()


def _write_utf8() -> None:
    """Stories hold any letter, whatever the locale says."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _let_go_of_output() -> None:
    """Write out what is left; where that fails, see that Python does not complain of it at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="characterbox", description="See, rate and trust role-play by language models.")
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_Parser)
    for name, told, add_options, on_database in (
        ("play", "play a story, one JSON object per event", _add_play, True),
        ("judge", "have a story judged", _add_judge, True),
        ("sweep", "play and judge scenes with models, all with all", _add_sweep, True),
        ("study", "make, register and run a study: one folder from its hypotheses to its results", _add_study, False),
        ("crosscheck", "have a second narrator decide, and compare", _add_crosscheck, True),
        ("reflect", "have models rewrite their own parts in stories, reply by reply", _add_reflect, True),
        ("experiment", "see what changes when a judge judges in another way", _add_experiment, True),
        ("dataset", "write a dataset to train a narrator, a judge or characters with", _add_dataset, True),
        ("train", "train a model on a dataset, or go on with a run", _add_train, False),
        ("serve", "serve a trained adapter with vLLM, until interrupted", _add_serve, True),
        ("evaluate", "see whether a training helped, on the scenes that are held out", _add_evaluate, True),
        ("role", "make, import, list, show and export roles, and talk with one", add_role, False),
        ("rolebench", "score what models answer to the questions of RoleBench", add_rolebench, False),
        ("craft", "have models write scenes, from a source or new, or translate one", _add_craft, True),
        ("import", "import the scenes of a file", _add_import, True),
        ("export", "print a story", _add_export, True),
        ("stats", "reliability and validity of a table of ratings", _add_stats, False),
        ("ratings", "export what was rated, or import ratings from elsewhere", _add_ratings, False),
        ("backup", "write all that the database holds to one file", _add_archive, True),
        ("restore", "put back what was backed up, into an empty database", _add_archive, True),
        ("invite", "make an account, or a new link for one that there is", _add_invite, True),
        ("servers", "list the registered servers, add or remove one", _add_servers, True),
        ("rehearsal", "serve the endpoint that improvises without a language model", _add_rehearsal, False),
        ("mcp", "serve the functions of the API to an assistant, over standard input and output", _add_mcp, True),
        ("app", "serve the app on 127.0.0.1", _add_app, False),
    ):
        command = commands.add_parser(name, help=told)
        command.set_defaults(command=_MODULES.get(name, name), called=name)
        add_options(command)
        if on_database:
            command.add_argument("--db", metavar="URL", help="the database (CHARACTERBOX_DB)")
    return parser


def _add_play(play: argparse.ArgumentParser) -> None:
    play.add_argument("file", nargs="?", metavar="FILE", help="a scene file, or bundled:NAME; needed for a new story")
    play.add_argument("--scene", metavar="ID", help="which scene of the file")
    _add_encoding(play, "the scene file")
    play.add_argument("--rounds", type=_number(int, 1, 100), metavar="N", help="how many rounds (3)")
    play.add_argument("--narrator", metavar="URL#MODEL", help="the narrator's endpoint (rehearsal)")
    play.add_argument("--character", metavar="URL#MODEL", help="the endpoint of all characters (rehearsal)")
    play.add_argument(
        "--cast", action="append", default=[], metavar="NAME=URL#MODEL", help="the endpoint of one character"
    )
    play.add_argument(
        "--memory",
        metavar="URL#MODEL",
        help="the embedding model by which characters recall (letters, which need none)",
    )
    play.add_argument("--seed", type=_number(int, 0, 2**31 - 1), metavar="N", help="sent with every request (1)")
    play.add_argument("--may-conclude", action="store_true", help="end early when the narrator calls it finished")
    _add_settings(play)
    play.add_argument("--resume", metavar="STORY", help="play a stored story on")
    _add_on_mismatch(play)


def _add_settings(play: argparse.ArgumentParser) -> None:
    own = f"or {LEFT}, for its own"
    temperature = _option(0, 2)
    play.add_argument("--narrator-temperature", type=temperature, metavar="T", help=f"0 to 2, {own} (0.5)")
    play.add_argument("--character-temperature", type=temperature, metavar="T", help=f"of all characters, {own} (0.5)")
    play.add_argument("--top-p", type=_option(0.01, 1), metavar="P", help=f"of all, {own} (1)")
    play.add_argument("--record-tokens", type=_number(int, 0, 100_000), metavar="N", help="of earlier rounds (40)")
    play.add_argument("--recalled", type=_number(int, 0, 100), metavar="N", help="memories that come back at once (5)")
    for name, usual in (("relevance", "1"), ("recency", "1"), ("importance", "0.1")):
        play.add_argument(f"--{name}", type=_number(float, 0, 10), metavar="W", help=f"its weight for them ({usual})")
    play.add_argument("--half-life", type=_number(float, 0.1, 1000), metavar="TURNS", help="of a memory (6)")
    play.add_argument(
        "--last-beliefs",
        action=argparse.BooleanOptionalAction,
        help="whether beliefs are formed once more after the last round (they are)",
    )


def _add_on_mismatch(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--on-mismatch",
        choices=["stop", "keep", "ask"],
        default="stop",
        help="what to do when a recorded reply belongs to another prompt: stop, keep the record, or ask again",
    )


def _add_encoding(command: argparse.ArgumentParser, what: str) -> None:
    command.add_argument("--encoding", choices=ENCODINGS, help=f"of {what} (where it is certain, it need not be named)")


def _add_judge(judge: argparse.ArgumentParser) -> None:
    judge.add_argument("story", metavar="STORY")
    of = ["characters", "narrator", "narrator-steps", "scene"]
    judge.add_argument("--of", choices=of, help="what is judged (characters)")
    _add_judging(judge)


def _add_experiment(experiment: argparse.ArgumentParser) -> None:
    experiment.add_argument("stories", nargs="+", metavar="STORY")
    _add_judging(experiment)
    experiment.add_argument(
        "--try",
        dest="tried",
        metavar="WHAT,...",
        help="each or one (replies), direct or critique, shuffled, english, repeats (all that differ from the judge)",
    )
    experiment.add_argument(
        "--repeats", type=_number(int, 1, 20), default=2, metavar="N", help="how often all is asked again (2)"
    )
    experiment.add_argument("--plan", action="store_true", help="only tell what would be asked")
    experiment.add_argument("--json", action="store_true", help="print JSON")


def _add_judging(judge: argparse.ArgumentParser) -> None:
    judge.add_argument("--judge", required=True, metavar="NAME=URL#MODEL")
    judge.add_argument("--manner", choices=["critique", "direct", "brief"], help="(as the paper's judge of that name)")
    judge.add_argument("--replies", choices=["one", "each"], help="one reply for all metrics, or one for each (one)")
    judge.add_argument("--order", choices=["rubric", "shuffled"], help="in which the metrics are asked for (rubric)")
    judge.add_argument("--language", choices=["scene", "en", "zh"], help="of the prompts (that of the scene)")
    judge.add_argument(
        "--temperature", type=_option(0, 2), metavar="T", help=f"0 to 2, or {LEFT}, for the endpoint's own (0)"
    )
    again = "ask again what could not be read, or is of another prompt or model"
    judge.add_argument("--anew", action="store_true", help=again)


def _add_sweep(sweep: argparse.ArgumentParser) -> None:
    sweep.add_argument("file", nargs="?", metavar="SWEEP.toml", type=Path)
    sweep.add_argument(
        "--preset", choices=["paper"], help="print a SWEEP.toml: the paper's setting, its models to be given addresses"
    )
    sweep.add_argument("--plan", action="store_true", help="only tell what it would take")
    sweep.add_argument("--failed", action="store_true", help="only try again what failed, or could not be read")
    sweep.add_argument("--out", metavar="FOLDER", type=Path, help="write all of it to a folder when it is done")
    _add_encoding(sweep, "the scene files")
    sweep.add_argument("--against", metavar="FOLDER", type=Path, help="compare that folder with another one")


def _add_study(study: argparse.ArgumentParser) -> None:
    actions = study.add_subparsers(required=True, metavar="ACTION", dest="action", parser_class=_Parser)
    init = actions.add_parser("init", help="make the folder of a new study")
    init.add_argument("folder", metavar="NAME", type=Path, help="the folder, and what the study is called")
    init.add_argument("--preset", choices=["paper"], help="as in the paper, its models to be given addresses")
    run = actions.add_parser("run", help="do what comes next: play and judge, have people rate, write the results")
    run.add_argument("--plan", action="store_true", help="only tell what it would take")
    register = actions.add_parser("register", help="freeze hypotheses, design and analysis, with hashes and a date")
    for action in (run, register):
        action.add_argument(
            "folder", nargs="?", metavar="FOLDER", type=Path, default=Path(), help="of the study (this one)"
        )
        action.add_argument("--db", metavar="URL", help="the database (CHARACTERBOX_DB)")


def _add_crosscheck(check: argparse.ArgumentParser) -> None:
    check.add_argument("stories", nargs="+", metavar="STORY")
    check.add_argument("--narrator", required=True, metavar="URL#MODEL", help="the second narrator's endpoint")
    check.add_argument("--json", action="store_true", help="all figures with their evidence")


def _add_dataset(dataset: argparse.ArgumentParser) -> None:
    dataset.add_argument("kind", choices=["narrator", "judge", "guided", "reflective"], help="what is to be trained")
    dataset.add_argument("--out", required=True, metavar="FOLDER", type=Path, help="a new folder")
    dataset.add_argument("--stories", nargs="+", default=[], metavar="ID", help="(all that have ended)")
    dataset.add_argument("--judge", metavar="NAME", help="whose scores count (the mean of the experts)")
    dataset.add_argument("--language", choices=["en", "zh"], help="of the scenes (both)")
    dataset.add_argument("--improvised", action="store_true", help="include what the rehearsal and the samples wrote")
    dataset.add_argument(
        "--min-score", type=float, metavar="SCORE", help="lowest mean score of a narrator in a story, or of a teacher"
    )
    dataset.add_argument("--narrators", nargs="+", default=[], metavar="MODEL", help="who narrated the stories (all)")
    dataset.add_argument(
        "--since", type=_day, metavar="DATE", help="first day on which stories were begun, such as 2026-11-01"
    )
    dataset.add_argument("--until", type=_day, metavar="DATE", help="last day")
    dataset.add_argument("--test", nargs="+", default=[], metavar="SCENE", help="scenes to test with, by id or title")
    dataset.add_argument("--critique", action="store_true", help="learn the critiques of the judge as well")
    dataset.add_argument(
        "--cutoff", type=_number(int, 64, 1_000_000), metavar="TOKENS", help="list examples that are longer (8192)"
    )


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no day such as 2026-11-01") from None


def _add_serve(serve: argparse.ArgumentParser) -> None:
    serve.add_argument("run", metavar="FOLDER", type=Path, help="the folder of a training run that is done")
    serve.add_argument("--port", type=_number(int, 1024, 65535), metavar="N", help="(a free one from 8001)")


def _add_reflect(reflect: argparse.ArgumentParser) -> None:
    reflect.add_argument("stories", nargs="+", metavar="STORY")
    reflect.add_argument("--character", metavar="NAME", help="whose part is rewritten (each of the cast)")
    reflect.add_argument("--model", metavar="URL#MODEL", help="who rewrites it (the model that played the character)")
    reflect.add_argument("--judge", metavar="NAME=URL#MODEL", help="have the parts scored before and after")
    _add_on_mismatch(reflect)
    reflect.add_argument("--json", action="store_true", help="print JSON, a part a line")


def _add_evaluate(evaluate: argparse.ArgumentParser) -> None:
    evaluate.add_argument("folder", metavar="RUN_FOLDER", type=Path, help="of the training run")
    evaluate.add_argument("--base", metavar="URL#MODEL", help="the model before (as begun in this folder)")
    evaluate.add_argument("--tuned", metavar="URL#MODEL", help="the model that was trained (as begun in this folder)")
    evaluate.add_argument("--teacher", metavar="URL#MODEL", help="the model that it learnt from (none)")
    evaluate.add_argument(
        "--judge",
        action="append",
        default=[],
        dest="judges",
        metavar="NAME=URL#MODEL",
        help="who scores what is played",
    )
    evaluate.add_argument("--characters", metavar="URL#MODEL", help="who plays all characters, beside narrators")
    evaluate.add_argument("--narrator", metavar="URL#MODEL", help="who narrates, beside characters")
    seed = _number(int, 0, 2**31 - 1)
    evaluate.add_argument("--seeds", nargs="+", type=seed, metavar="N", help="of the stories of each scene (1)")
    evaluate.add_argument("--rounds", type=_number(int, 1, 100), metavar="N", help="of each story (3)")
    evaluate.add_argument("--budget", type=float, metavar="$", help="US dollars that it may cost in all (no bound)")
    evaluate.add_argument("--plan", action="store_true", help="only tell what it would take")
    evaluate.add_argument("--json", action="store_true", help="all figures with their evidence")


def _add_craft(craft: argparse.ArgumentParser) -> None:
    craft.epilog = "Exit status: 0 if a scene was accepted, 1 if none was, 2 bad input, 3 an endpoint failed."
    craft.add_argument("source", nargs="?", metavar="SOURCE", type=Path, help="txt, md, docx, epub or pdf")
    craft.add_argument("--way", choices=["extract", "generate"], help="(extract where there is a source)")
    craft.add_argument("--language", choices=["en", "zh"], help="of the scenes")
    craft.add_argument("--work", metavar="TITLE", help="the work that the scenes belong to")
    craft.add_argument("--author", metavar="NAME", help="who wrote the work")
    craft.add_argument("--count", type=_number(int, 1, 100), default=1, metavar="N", help="how many scenes (1)")
    craft.add_argument("--characters", type=_span, default=(2, 4), metavar="FEWEST-MOST", help="in each scene (2-4)")
    craft.add_argument("--passage", type=_number(int, 300, 60_000), metavar="N", help="characters shown of the source")
    craft.add_argument("--direct", action="store_true", help="by the screenwriter alone, as a baseline")
    craft.add_argument("--screenwriter", default="rehearsal", metavar="URL#MODEL", help="(rehearsal)")
    craft.add_argument("--director", metavar="URL#MODEL", help="(the screenwriter's)")
    craft.add_argument("--evaluator", metavar="URL#MODEL", help="(the screenwriter's)")
    craft.add_argument(
        "--threshold", type=_number(float, 1, 5), default=3.5, metavar="MEAN", help="from which on it is accepted (3.5)"
    )
    craft.add_argument("--returns", type=_number(int, 0, 9), default=2, metavar="N", help="to the screenwriter (2)")
    craft.add_argument("--seed", type=_number(int, 0, 2**31 - 1), default=0, metavar="N", help="(0)")
    craft.add_argument(
        "--temperature", type=_option(0, 2), default=0.5, metavar="T", help=f"0 to 2, or {LEFT}, for its own (0.5)"
    )
    craft.add_argument("--translate", metavar="FILE", help="translate a scene instead: of a file, or bundled:NAME")
    craft.add_argument("--scene", metavar="ID", help="which scene of that file")
    _add_encoding(craft, "the source, or of that file")
    craft.add_argument("--to", choices=["en", "zh"], help="the language translated into (the other one)")
    craft.add_argument("--out", metavar="FILE.yaml", type=Path, help="write the accepted scenes there, too")
    craft.add_argument("--resume", metavar="ID", help="go on with a crafting")
    _add_on_mismatch(craft)


def _add_train(train: argparse.ArgumentParser) -> None:
    train.add_argument("file", metavar="RUN.toml", type=Path, help="the recipe")
    train.add_argument("--merge", action="store_true", help="then write the base with the adapter merged into it, too")


def _add_import(importing: argparse.ArgumentParser) -> None:
    importing.add_argument("file", metavar="FILE", type=Path)
    importing.add_argument("--language", choices=["en", "zh"], help="where the file does not say")
    _add_encoding(importing, "the file")


def _add_export(export: argparse.ArgumentParser) -> None:
    export.add_argument("story", metavar="STORY")
    export.add_argument("--format", choices=["json", "html", "text", "markdown"], default="json")


def _add_stats(stats: argparse.ArgumentParser) -> None:
    stats.add_argument("file", metavar="FILE.csv", type=Path)
    stats.add_argument("--json", action="store_true", help="print JSON")
    _add_encoding(stats, "the file")
    stats.add_argument("--scale", metavar="LOW-HIGH", type=_scale, help="leave out what lies outside, and list it")


def _add_ratings(ratings: argparse.ArgumentParser) -> None:
    actions = ratings.add_subparsers(required=True, metavar="ACTION", dest="action", parser_class=_Parser)
    export = actions.add_parser("export", help="write the ratings of a campaign, or of all, to a file")
    export.add_argument(
        "campaign", nargs="?", metavar="CAMPAIGN", help="the id of a campaign (all; CSV and Parquet only)"
    )
    export.add_argument(
        "--format", choices=["csv", "parquet", "jsonl", "label-studio", "label-studio-config"], default="csv"
    )
    export.add_argument("--pseudonyms", action="store_true", help="leave out the names of people")
    export.add_argument("--repeats", action="store_true", help="the hidden repeats instead of the first ratings")
    export.add_argument("--out", required=True, metavar="FILE", type=Path)
    importing = actions.add_parser("import", help="try a file of ratings against a rubric, and store them")
    importing.add_argument("file", metavar="FILE", type=Path, help="CSV, Parquet, or JSON from Label Studio")
    importing.add_argument("--rubric", required=True, metavar="NAME[@VERSION]")
    _add_encoding(importing, "CSV and JSON")
    importing.add_argument("--name", metavar="DATASET", help="what to call the ratings (the name of the file)")
    importing.add_argument(
        "--commit", action="store_true", help="store them; without it, only tell what would be refused"
    )
    importing.add_argument("--leave-out", action="store_true", help="store the others where some are refused")
    for action in (export, importing):
        action.add_argument("--db", metavar="URL", help="the database (CHARACTERBOX_DB)")


def _add_archive(archive: argparse.ArgumentParser) -> None:
    archive.add_argument("file", metavar="FILE", type=Path)


def _add_servers(servers: argparse.ArgumentParser) -> None:
    actions = servers.add_subparsers(metavar="ACTION", dest="action", parser_class=_Parser)
    add = actions.add_parser("add", help="register a server, or change the name and the key of one")
    add.add_argument("url", metavar="URL", help="its address, such as https://api.openai.com/v1")
    add.add_argument("--name", required=True, help="what you call it")
    add.add_argument("--key", metavar="NAME_API_KEY", help="the name of the environment variable with its key (none)")
    remove = actions.add_parser("remove", help="forget a server")
    remove.add_argument("url", metavar="URL")
    for action in (add, remove):
        action.add_argument("--db", metavar="URL", default=argparse.SUPPRESS, help="the database (CHARACTERBOX_DB)")


def _add_invite(invite: argparse.ArgumentParser) -> None:
    invite.add_argument("name", metavar="NAME", help="the person's name; needed to sign in")
    invite.add_argument("--role", choices=ROLES, required=True, help="what the person may do")
    invite.add_argument("--email", help="needed where people sign in elsewhere (CHARACTERBOX_AUTH=oidc)")
    invite.add_argument(
        "--days",
        type=_number(int, 1, 365),
        default=LASTS_DAYS,
        metavar="N",
        help=f"the link is good for ({LASTS_DAYS})",
    )


def _add_rehearsal(rehearsal: argparse.ArgumentParser) -> None:
    rehearsal.add_argument("--port", type=_number(int, 1, 65535), required=True, metavar="N")
    rehearsal.add_argument(
        "--latency", type=_number(float, 0, 60), default=0.0, metavar="S", help="seconds per reply (0)"
    )


def _add_mcp(mcp: argparse.ArgumentParser) -> None:
    mcp.add_argument("--account", metavar="NAME", help="whose rights count; needed where the app has accounts")
    mcp.add_argument("--write", action="store_true", help="let it play and judge, not only read")


def _add_app(app: argparse.ArgumentParser) -> None:
    app.add_argument("--port", type=_number(int, 1, 65535), default=8501, metavar="N", help="(8501)")


def _number(kind: type[int] | type[float], low: float, high: float) -> Callable[[str], float]:
    """Reads a number of this kind from `low` to `high`."""

    def read(text: str) -> float:
        try:
            number = kind(text)
        except ValueError:
            number = low - 1
        if not low <= number <= high:
            whole = "whole number" if kind is int else "number"
            raise argparse.ArgumentTypeError(f"{text!r} is no {whole} from {low} to {high}")
        return number

    return read


def _option(low: float, high: float) -> Callable[[str], float | str]:
    """Reads a number from `low` to `high`, or the word that leaves it to the endpoint."""
    number = _number(float, low, high)
    return lambda text: text if text == LEFT else number(text)


def _span(text: str) -> tuple[int, int]:
    fewest, _, most = text.partition("-")
    try:
        return int(fewest), int(most or fewest)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of characters; give it like 2-4") from None


def _scale(text: str) -> tuple[float, float]:
    low, _, high = text.partition("-")
    try:
        scale = float(low), float(high)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no scale; give it like 1-5") from None
    if not scale[0] < scale[1]:
        raise argparse.ArgumentTypeError(f"{text!r} is no scale: the first number must be the lower one")
    return scale
