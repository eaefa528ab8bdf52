"""Stories whose replies vary: each text is chosen by its path, from texts that the test gives."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from zlib import crc32

from characterbox.llm.request import Request
from characterbox.play.algorithm import play
from characterbox.play.events import Event
from characterbox.play.world import Script


@dataclass
class Varied:
    """Answers every request with one of the texts; every few actions touch nobody."""

    script: Script
    texts: Sequence[str]
    requests: list[Request] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    async def __call__(self, request: Request) -> str:
        self.requests.append(request)
        if request.form is None:
            return self._text(request, "")
        fields: dict[str, object] = {name: self._text(request, name) for name in request.form.schema["properties"]}
        if "importance" in fields:
            fields["importance"] = 1 + crc32(request.path.encode()) % 10
        fields |= dict.fromkeys({"concluded", "whispered", "unseen"} & fields.keys(), False)
        fields |= dict.fromkeys({"to", "seen_by", "heard_by", "recognised", "hidden"} & fields.keys())
        if "affected" in fields:
            names = [*self.script.scene.names, None]
            fields["affected"] = names[crc32(request.path.encode()) % len(names)]
        return json.dumps(fields, ensure_ascii=False)

    def of(self, agent: str | None, round: int) -> list[Request]:
        """What an agent was asked in a round, in order."""
        return [one for one in self.requests if one.agent == agent and one.path.startswith(f"r{round}/")]

    def _text(self, request: Request, name: str) -> str:
        return self.texts[crc32(f"{request.path} {name}".encode()) % len(self.texts)]


def varied(script: Script, texts: Sequence[str]) -> Varied:
    """A whole story with replies from these texts."""
    ask = Varied(script, texts)

    async def emit(event: Event) -> None:
        ask.events.append(event)

    asyncio.run(play(script, ask, emit))
    return ask
