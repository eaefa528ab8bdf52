"""A small benchmark, and wishes for answers to it."""

from pathlib import Path

from characterbox.llm.endpoint import Endpoint
from characterbox.rolebench.answers.answering import Answering
from characterbox.rolebench.answers.questions import Choice, read_questions
from tests.rolebench.generating import talkative
from tests.rolebench.role_answers import a_file, a_row

TAM, ANN = talkative(), talkative("Ann")
OF = "rolebench-eng/instruction-generalization"


def a_benchmark(folder: Path) -> Path:
    """Two general questions to both roles, of which one is worded with blanks, and one to each about itself."""
    for kind in ("general", "role_specific"):
        (folder / OF / kind).mkdir(parents=True)
    general = [
        a_row(question, plain, *(f"{role} {answer} {n}" for n in range(5)), role=role)
        for role in ("Old Tam", "Ann")
        for question, plain, answer in ((" Why is water wet? \n", "it is a liquid", "because"), ("How?", "so", "so"))
    ]
    a_file(folder / OF / "general/test.jsonl", *general)
    about = [
        a_row(f"Where do you live, {role}?", "at the old river", role=role, type=("script_based",))
        for role in ("Old Tam", "Ann")
    ]
    a_file(folder / OF / "role_specific/test.jsonl", *about)
    return folder


def wish(folder: Path, url: str, *, choice: Choice | None = None, **more: object) -> Answering:
    """Both roles are asked all questions of the benchmark."""
    found = read_questions(folder, [TAM, ANN], choice)
    told = {"roles": found.roles, "questions": found.questions, "language": "en"}
    return Answering(**{**told, "model": Endpoint(url=url, model="writer"), **more})
