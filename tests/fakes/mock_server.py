"""A server that speaks the OpenAI chat API, on a free port of 127.0.0.1: it answers as told, counts, and fails as told.

Its replies depend on nothing but the request.
"""

import asyncio
import hashlib
import json
import re
import socket
import threading
from collections import Counter, deque
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import httpx2
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

Style = Literal["json", "text", "prose"]
"""How structured replies come: as JSON, in the text formats of the paper, or as prose that holds no field."""
Fault = Literal[
    *("500", "429", "401", "403", "404", "402", "400", "reset", "no_choices", "no_message", "html", "length"),
    *("429 in 1 s", "429 in 90 s", "429 bare", "500 bare", "silent", "empty", "malformed", "1 MB", "closed"),
]
"""Those with a status ask to be asked again after a millisecond, unless they say otherwise."""

SOON = {"retry-after-ms": "1"}
"""Asks the client to come back at once; it does not accept 0."""

TEXT_FORMS = {
    "influence": "[{actor}];; [{affected}];; [{mark} At 10:30 it hurts.]",
    "action": "Action: {mark} waits.\nDialogue: {mark} Who is there?\nTo: everyone\nWhispered: no\nUnseen: no",
    "result": "{mark} They stand apart.",
    "updates": "Position: {mark} at the door\nState: calm\nOther position: {mark} at the desk\nTime: {mark}",
    "character_update": "Position: {mark} at the door; State: calm",
    "environment_update": "Time: {mark}\nLocation: the lobby\nDescription: an open safe",
    "self_belief": "Belief: {mark}\nDesire: to leave\nIntention: to run",
    "environment_belief": "Perception of Others: {mark}\nUnderstanding of Scene: dim\nInfluence on Behavior: care",
    "scores": "KA: 4\nBA: 4\nEE: 3\nPT: 5\nIM: 2\nAD: 3\nBC: 4",
    "scores_narrator": "quality: 2\nquantity: 5\nrelevance: 4\nmanner: 3",
    "scores_scene": "creativity: 3\ncoherence: 4\nconformity: 2\ndetail: 5",
}


@dataclass
class MockServer:
    """What the server does, and what it has seen."""

    style: Style = "json"
    refused_formats: set[str] = field(default_factory=set)
    """Kinds of `response_format` that are refused with 400."""
    refused_fields: set[str] = field(default_factory=set)
    """Fields of a request that are refused with `refusal`, one at a time."""
    refusal: Literal[400, 422] = 400
    faults: deque[Fault] = field(default_factory=deque)
    """What goes wrong with the next requests, one each."""
    faults_at: dict[str, deque[Fault]] = field(default_factory=dict)
    """What goes wrong with the next requests of a task, one each."""
    always: Fault | None = None
    """What goes wrong with every request, once the faults are used up."""
    window: int | None = None
    """How many characters a prompt may have; None for any number."""
    models: tuple[str, ...] = ("m", "n")
    """What `GET /models` offers."""
    latency: float = 0.0
    streams_forms: bool = True
    """Whether it streams structured replies too, and does not refuse to."""
    answers: int | None = None
    """How many requests are answered in all; those that come later wait until there are more. None: all are."""
    seen: list[dict[str, Any]] = field(default_factory=list)
    """The bodies of all requests."""
    embedded: list[str] = field(default_factory=list)
    """The texts of which vectors were given, in order."""
    most_texts: int | None = None
    """How many texts are taken at once, and no more; None for any number."""
    text_window: int | None = None
    """How many characters a text may have of which a vector is wanted; None for any number."""
    dimensions: int = 8
    url: str = ""
    authorization: str | None = None
    """What the last request said in this header."""

    def keys(self) -> list[str]:
        """For each request seen, what tells it from others."""
        return [key_of(body["messages"]) for body in self.seen]

    def formats(self) -> list[str]:
        """For each request seen, the `response_format` asked for; `none` when there was none."""
        return [body.get("response_format", {}).get("type", "none") for body in self.seen]

    def tasks(self) -> Counter[str]:
        """How often each task was asked, by the heading of its prompt."""
        return Counter(_task(body) for body in self.seen)

    def catch_up(self) -> None:
        """Wait until all that was sent before has arrived: what is asked now, over new connections, comes after it."""
        for _ in range(3):
            httpx2.get(f"{self.url}/models")

    async def chat(self, request: Request) -> Response:
        body = await request.json()
        self.seen.append(body)
        number = len(self.seen)
        self.authorization = request.headers.get("authorization")
        await asyncio.sleep(self.latency)
        while self.answers is not None and number > self.answers:
            await asyncio.sleep(0.01)
        faults = self.faults or self.faults_at.get(_task(body))
        fault = faults.popleft() if faults else self.always
        if fault in ("silent", "closed"):
            return await _no_answer(request, fault)
        if fault not in (None, "reset", "length", "empty", "1 MB"):
            return _faulty(fault, self.authorization)
        if (size := sum(len(message["content"]) for message in body["messages"])) > (self.window or size):
            told = {"message": f"The prompt is too long: {size} characters", "code": "context_length_exceeded"}
            return JSONResponse({"error": told}, 400)
        kind = body.get("response_format", {}).get("type")
        if kind is not None and "stream" in body and not self.streams_forms:
            return JSONResponse({"error": {"message": f"Streaming is not supported with {kind}"}}, status_code=400)
        if kind in self.refused_formats:
            return JSONResponse({"error": {"message": f"{kind} is not supported"}}, status_code=400)
        for name in sorted(self.refused_fields & set(body)):
            told = {"loc": ["body", name], "msg": "Extra inputs are not permitted"}
            return JSONResponse({"detail": [told]}, status_code=self.refusal)
        text = reply_text(body, self.style)
        text = {"empty": "", "1 MB": "She waits. " * 95_000}.get(fault or "", text)
        finish_reason = "length" if fault == "length" else "stop"
        if fault == "length":
            text = text[: len(text) // 2]
        if body.get("stream"):
            chunks = _chunks(text, finish_reason, broken=fault == "reset")
            return StreamingResponse(chunks, media_type="text/event-stream")
        if fault == "reset":
            return StreamingResponse(_half_a_body(), media_type="application/json")
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish_reason}
        return JSONResponse({"id": "x", "object": "chat.completion", "created": 0, "model": body["model"],
                             "choices": [choice], "usage": _usage(text)})  # fmt: skip

    async def embeddings(self, request: Request) -> Response:
        """Vectors of texts: each follows from its text alone."""
        body = await request.json()
        texts: list[str] = body["input"]
        fault = self.faults_at["embeddings"].popleft() if self.faults_at.get("embeddings") else None
        if fault is not None:
            return _faulty(fault, None)
        if self.most_texts is not None and len(texts) > self.most_texts:
            return JSONResponse({"error": {"message": f"batch size must not be over {self.most_texts}"}}, 400)
        if self.text_window is not None and max(map(len, texts)) > self.text_window:
            told = f"This model's maximum context length is {self.text_window} tokens"
            return JSONResponse({"error": {"message": told}}, 400)
        self.embedded += texts
        data = [
            {"object": "embedding", "index": index, "embedding": vector_of(text, self.dimensions)}
            for index, text in enumerate(texts)
        ]
        usage = {"prompt_tokens": sum(map(len, texts)), "total_tokens": sum(map(len, texts))}
        return JSONResponse({"object": "list", "data": data[::-1], "model": body["model"], "usage": usage})

    async def offered(self, request: Request) -> Response:
        if self.always in ("silent", "closed"):
            return await _no_answer(request, self.always)
        if self.always is not None:
            return _faulty(self.always, None)
        return JSONResponse({"object": "list", "data": [{"id": model, "max_model_len": 4096} for model in self.models]})

    def app(self) -> Starlette:
        """The server as an application."""
        chat = Route("/v1/chat/completions", self.chat, methods=["POST"])
        embeddings = Route("/v1/embeddings", self.embeddings, methods=["POST"])
        return Starlette(routes=[chat, embeddings, Route("/v1/models", self.offered)])


@contextmanager
def mock_server(**behaviour: Any) -> Iterator[MockServer]:
    """The server, running in a thread."""
    mock = MockServer(**behaviour)
    with serving(mock.app()) as address:
        mock.url = f"{address}/v1"
        yield mock


@contextmanager
def serving(app: Any) -> Iterator[str]:
    """An ASGI application behind a real server in a thread; gives its address."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        config = uvicorn.Config(app, log_level="critical", lifespan="off", timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            while not server.started:
                assert thread.is_alive(), "the server did not start"
                thread.join(0.01)
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(10)


def vector_of(text: str, dimensions: int) -> list[float]:
    """A vector that only this text has, not of length 1."""
    raw = hashlib.sha512(text.encode("utf-8", "surrogatepass")).digest()
    return [byte / 16 - 8 for byte in raw[:dimensions]]


def key_of(messages: list[dict[str, str]]) -> str:
    """A fingerprint of the messages of a request."""
    return hashlib.sha256(json.dumps([[m["role"], m["content"]] for m in messages]).encode()).hexdigest()


def reply_text(body: dict[str, Any], style: Style) -> str:
    """The reply to a request; every text in it carries a mark that only this request has."""
    mark = f"mark-{key_of(body['messages'])[:12]}"
    task = _task(body)
    if style == "prose" or task not in TEXT_FORMS:
        return f"They wait in the rain, {mark}."
    actor = _actor(body)
    others = [name for name in _cast(body) if name != actor]
    if style == "text":
        return TEXT_FORMS[task].format(mark=mark, actor=actor, affected=others[0] if others else "None")
    return json.dumps(_json_reply(task, mark, others), ensure_ascii=False)


def _json_reply(task: str, mark: str, others: list[str]) -> dict[str, Any]:
    all_there = {"seen_by": None, "heard_by": None}
    fields: dict[str, dict[str, Any]] = {
        "action": {"action": mark, "dialogue": mark, "to": None, "whispered": False, "unseen": False},
        "influence": {"affected": others[0] if others else None, "effect": mark, "importance": 4, **all_there},
        "result": {"result": mark, "felt": None, "importance": 6, "seen_by": None},
        "updates": {
            "position": mark,
            "state": "calm",
            "visible": None,
            "other_position": mark,
            "other_state": "calm",
            "other_visible": None,
            "time": mark,
            "location": "lobby",
            "description": "a safe",
            "concluded": False,
            "hidden": None,
        },
        "character_update": {"position": mark, "state": "calm"},
        "environment_update": {"time": mark, "location": "lobby", "description": "a safe", "concluded": False},
        "self_belief": {"belief": mark, "desire": "rest", "intention": "leave"},
        "environment_belief": {"others": mark, "scene": "unclear", "bearing": "care"},
        "scores": {"KA": 4, "BA": 4, "EE": 3, "PT": 5, "IM": 2, "AD": 3, "BC": 4},
        "scores_narrator": {"quality": 2, "quantity": 5, "relevance": 4, "manner": 3},
        "scores_scene": {"creativity": 3, "coherence": 4, "conformity": 2, "detail": 5},
    }
    return fields[task]


_TASKS = {
    "influence": ("## Task: influence", "## 任务：影响"),
    "result": ("## Task: result", "## 任务：结果"),
    "updates": ("## Task: update", "## 任务：更新"),
    "character_update": ("## Task: character update", "## 任务：角色更新"),
    "environment_update": ("## Task: environment update", "## 任务：环境更新"),
    "self_belief": ("## Task: self-belief", "## 任务：自我信念"),
    "environment_belief": ("## Task: environment-belief", "## 任务：环境信念"),
    "scores": ("## Task: scores", "## 任务：评分"),
    "action": ("## Task: action", "## 任务：行动"),
    "dialogue": ("## Task: dialogue", "## 任务：对话"),
    "reaction": ("## Task: reaction", "## 任务：反应"),
    "critique": ("## Task: critique", "## 任务：评论"),
    "critique_narrator": ("## Task: critique of the narrator", "## 任务：评论叙述者"),
    "scores_narrator": ("## Task: scores of the narrator", "## 任务：给叙述者评分"),
    "critique_scene": ("## Task: critique of the scene", "## 任务：评论场景"),
    "scores_scene": ("## Task: scores of the scene", "## 任务：给场景评分"),
}


def _task(body: dict[str, Any]) -> str:
    """The task of the last message that names one: a message may ask for the same once more."""
    for message in reversed(body["messages"]):
        lines = message["content"].splitlines() if message["role"] == "user" else []
        for task, headings in _TASKS.items():
            if any(heading in lines for heading in headings):
                return task
    return "unknown"


def _actor(body: dict[str, Any]) -> str:
    """Whose action it is about, also where the question is put once more."""
    told = "\n".join(message["content"] for message in body["messages"][1:] if message["role"] == "user")
    found = re.search(r"\nWhom does (.+?) affect most|\n(.+?)的言行对谁影响最大", told)
    return found.group(1) or found.group(2) if found else "the actor"


def _cast(body: dict[str, Any]) -> list[str]:
    """The names in the narrator's system message; none where there is no cast in it."""
    listed = re.search(r"<(cast|角色表)>\n(.*?)\n</\1>", body["messages"][0]["content"], re.DOTALL)
    return re.findall(r"^- ([^|｜\n]+?) ?[|｜]", listed.group(2), re.MULTILINE) if listed else []


def _faulty(fault: Fault, authorization: str | None) -> Response:
    match fault:
        case "html":
            return HTMLResponse("<html><body>\n<h1>Welcome</h1>\n</body></html>")
        case "no_choices":
            return JSONResponse({"detail": "ok"})
        case "no_message":
            return JSONResponse({"choices": [{"index": 0, "message": None, "finish_reason": "stop"}]})
        case "malformed":
            return Response('{"id": "x", "choices": [{"message": {"content": "She wai', media_type="application/json")
        case _:
            status, _, when = fault.partition(" ")
            soon = {"": SOON, "in 1 s": {"retry-after": "1"}, "in 90 s": {"retry-after": "90"}, "bare": {}}[when]
            told = {"error": {"message": f"out\nof order {status} for {authorization}"}}
            return JSONResponse(told, int(status), headers=soon)


async def _no_answer(request: Request, fault: Fault) -> Response:
    """Keep silent for longer than anybody waits, or cut the connection."""
    if fault == "silent":
        await asyncio.sleep(3600)
    request.receive.__self__.transport.abort()  # uvicorn's
    return Response()


async def _half_a_body() -> AsyncIterator[str]:
    yield '{"id": "x", "cho'
    raise ConnectionResetError


async def _chunks(text: str, finish_reason: str, *, broken: bool) -> AsyncIterator[str]:
    base = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    half = len(text) // 2
    for number, piece in enumerate([text[:half], text[half:]]):
        if broken and number == 1:
            raise ConnectionResetError
        choice = {"index": 0, "delta": {"content": piece}, "finish_reason": None}
        yield f"data: {json.dumps({**base, 'choices': [choice]})}\n\n"
    last = {"index": 0, "delta": {}, "finish_reason": finish_reason}
    yield f"data: {json.dumps({**base, 'choices': [last]})}\n\n"
    yield f"data: {json.dumps({**base, 'choices': [], 'usage': _usage(text)})}\n\n"
    yield "data: [DONE]\n\n"


def _usage(text: str) -> dict[str, int]:
    return {"prompt_tokens": 7, "completion_tokens": len(text), "total_tokens": 7 + len(text)}
