"""The judges that are known: whoever judges under a name is one version of it."""

import hashlib
import json
from contextlib import suppress

from pydantic import ValidationError

from annotations.rubric import load_rubric
from characterbox.judging.judge import Judge
from characterbox.store import Store


def registered(store: Store, judge: Judge) -> Judge:
    """The judge with its version: a new one where another model, protocol or wording of the prompts judges.

    Where a model is reached makes no version.
    """
    return judge.model_copy(update={"version": store.judges.version(judge.name, _digest(judge), _content(judge))})


def known_judges(store: Store) -> list[Judge]:
    """The newest version of each judge, by name; what can't be read any more is left out."""
    known = []
    for content in store.judges.latest().values():
        with suppress(ValidationError):
            known.append(Judge.model_validate(content["judge"]))
    return known


def _content(judge: Judge) -> dict[str, object]:
    return {
        "judge": judge.model_dump(mode="json", exclude={"version", "variation", "reseeded"}),
        "prompts": _prompts(judge),
    }


def _digest(judge: Judge) -> str:
    content = {
        "model": judge.endpoint.model,
        "rehearsal": judge.endpoint.is_rehearsal,
        "protocol": judge.protocol.model_dump(mode="json"),
        "prompts": _prompts(judge),
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _prompts(judge: Judge) -> str:
    return judge.protocol.prompts_digest(load_rubric())
