"""The judges that are known: whoever judges under a name is one version of it, for each subject by itself."""

import hashlib
import json
from contextlib import suppress

from pydantic import ValidationError

from annotations.rubric import Subject, load_rubric
from characterbox.judging.judge import Judge, rater_of
from characterbox.llm.endpoint import is_modelless
from characterbox.store import Store


def registered(store: Store, judge: Judge, of: Subject = "character") -> Judge:
    """The judge with its version: a new one where another model, protocol or wording of the prompts judges.

    Where a model is reached makes no version, and neither does what it judges besides.
    """
    version = store.judges.version(judge.name, of, _digest(judge, of), _content(judge, of))
    return judge.model_copy(update={"version": version})


def as_known(store: Store, judge: Judge, of: Subject = "character") -> Judge | None:
    """The judge with its version, if it is known; nothing is stored."""
    version = store.judges.find(judge.name, of, _digest(judge, of))
    return None if version is None else judge.model_copy(update={"version": version})


def known_judges(store: Store, of: Subject = "character") -> list[Judge]:
    """The newest version of each judge, by name; what can't be read any more is left out."""
    known = []
    for name, content in store.judges.latest(of).items():
        with suppress(ValidationError):
            judge = Judge.model_validate(content["judge"])
            if judge.name == name:
                known.append(judge)
    return known


def rehearsed_raters(store: Store, of: Subject = "character") -> frozenset[str]:
    """The raters that are the rehearsal: a version of a judge is that from end to end."""
    return frozenset(
        rater_of(name, version)
        for name, version, content in store.judges.all(of)
        if is_modelless(**content["judge"]["endpoint"])
    )


def _content(judge: Judge, of: Subject) -> dict[str, object]:
    return {
        "judge": judge.model_dump(mode="json", exclude={"version", "variation", "reseeded"}),
        "prompts": _prompts(judge, of),
    }


def _digest(judge: Judge, of: Subject) -> str:
    content = {
        "model": judge.endpoint.model,
        "rehearsal": judge.endpoint.is_rehearsal,
        "protocol": judge.protocol.model_dump(mode="json"),
        "prompts": _prompts(judge, of),
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _prompts(judge: Judge, of: Subject) -> str:
    return judge.protocol.prompts_digest(load_rubric(of))
