"""The chat client: calls to OpenAI-compatible endpoints, as many at once as each allows, streamed where wanted."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import httpx2
from pydantic import SecretStr

from characterbox.errors import ContextOverflow, EndpointDown, EndpointError
from characterbox.llm import keys
from characterbox.llm.calls.address import Reach
from characterbox.llm.calls.answers import (
    MAX_TEXT,
    Completion,
    Offer,
    check,
    read_completion,
    read_embeddings,
    read_offers,
    read_stream,
)
from characterbox.llm.calls.call import FORMATS, Call, Format, OnToken, is_too_long, refused_by
from characterbox.llm.calls.connection import CircuitBreaker, Connection, Urgent, never
from characterbox.llm.calls.retry_policy import Refusal, RetryPolicy, TransportError
from characterbox.llm.calls.streamed_field import StreamedField
from characterbox.llm.endpoint import REHEARSAL, Endpoint
from characterbox.llm.keys import Keyring
from characterbox.llm.rehearsal.app import rehearsal_app
from characterbox.llm.rehearsal.transport import AppTransport
from characterbox.llm.replies.reading import storable
from characterbox.llm.request import Request
from characterbox.llm.server import Server
from characterbox.llm.usage import Prices, Usage, estimate
from characterbox.pause_reasons import OfferedModels, Reason, at_endpoint
from characterbox.processes.concurrency import OnEachLoop

__all__ = ["MAX_TEXT", "Client", "Completion", "OnToken"]

_FINISH = 40
"""Characters that are kept of the reason why a reply ends."""
_USUAL_REPLY = 400
"""Tokens that are set aside for a reply where tokens are limited by the minute, until it is known how many it has."""
_GLANCE = 10.0
"""Seconds that a look at the list of models may take."""


def _anywhere(_: str) -> Reach:
    return "anywhere"


class Client:
    """Calls endpoints. It belongs to the event loop it is first used on; close it there.

    What a server may be asked is looked up at each attempt, and so is its key. An option that a model refuses, such as
    the seed, is left out from then on, of which each reply tells, or asked for in an older way; what was learned is
    forgotten when its address goes down. Keys that were sent are masked in all that comes back.
    """

    def __init__(
        self,
        servers: Callable[[str], Server] = Server.unregistered,
        *,
        key_of: Callable[[Server], SecretStr | None] = keys.key_for,
        prices: Prices | None = None,
        rehearsal_latency: float = 0.0,
        patience: RetryPolicy | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
        reach: Callable[[str], Reach] = _anywhere,
    ) -> None:
        """`servers` gives what is known of a URL, and `key_of` the key that may be sent to one.

        `reach` gives where connections for a URL may go. `transport` carries all calls in place of the network.
        """
        self._servers = servers
        self._prices = Prices.load() if prices is None else prices
        self.rehearsal_latency = rehearsal_latency
        self._patience = patience or RetryPolicy()
        self._transport = transport
        self._reach = reach
        self._keys = Keyring(key_of)
        self._lines: dict[str, Connection] = {}
        self._replies = OnEachLoop()

    async def complete(
        self,
        endpoint: Endpoint,
        request: Request,
        *,
        seed: int,
        on_token: OnToken | None = None,
        urgent: Urgent = never,
        bound: int | None = None,
    ) -> Completion:
        """The reply to a request, of `bound` tokens at most if given, where the server may send more; packed vectors
        where it `embeds`.

        Raises EndpointDown when the address is down, at once if that is known, or has no time for it, ContextOverflow
        when the prompt is too long, and EndpointError when the endpoint refuses, or fails whenever it is asked this
        while other calls get through.
        """
        if endpoint.is_handwritten:
            raise EndpointError(Reason("by_hand"))
        line = self._line(endpoint.url)
        try:
            trial = await line.circuit.admit()
        except EndpointDown as error:
            raise EndpointDown(at_endpoint(endpoint, Reason.of(error))) from None
        most = min((one for one in (bound, request.sampling.max_tokens) if one is not None), default=None)
        call = Call(endpoint, request, seed, on_token, urgent, line, trial, line.gate.ticket(), most)
        try:
            return await self._persist(call)
        finally:
            if call.trial:
                line.circuit.released()

    def price(self, endpoint: Endpoint, prompt_tokens: int | None, completion_tokens: int | None) -> float | None:
        """What so many tokens cost, in US dollars; None when the price or a count is not known."""
        usage = Usage(prompt_tokens=prompt_tokens, completion_tokens=completion_tokens)
        return self._price(endpoint, self._servers(endpoint.url), usage)

    def prompt_room(self, endpoint: Endpoint) -> int | None:
        """How many tokens a prompt may have; None when the context window is not known."""
        return self._line(endpoint.url).as_told(self._servers(endpoint.url), endpoint.model).prompt_room

    def format_of(self, endpoint: Endpoint) -> Format:
        """How structured replies are asked for, as far as is known: by words alone where all else was refused."""
        refused = self._line(endpoint.url).refused.get(endpoint.model, frozenset())
        return next((way for way in FORMATS if way not in refused), "text")

    def down(self, url: str) -> Reason | None:
        """Why an address counts as down; None while it does not."""
        return self._line(url).circuit.reason

    def try_again(self, url: str) -> None:
        """Let the next call try an address that is down, however soon."""
        self._line(url).circuit.try_again()

    async def reachable(self, url: str) -> bool:
        """Whether it is worth while to call an address (again).

        It is where somebody is there, whatever they say to the question for their models: only a call finds out more.
        An address that is down is not looked at while it is left alone, unless it is down as nobody answered there.
        The next call tries it while others wait, and all go on if that succeeds.
        """
        circuit = self._line(url).circuit
        if circuit.left_alone and not circuit.unreachable:
            return False
        try:
            await self._list(url, self._servers(url))
        except Refusal:
            pass
        except (TransportError, EndpointError) as error:
            if not isinstance(error, TransportError) or error.unreachable:
                return False
        if circuit.unreachable:
            circuit.try_again()
        return not circuit.left_alone

    async def offers(self, url: str) -> tuple[Offer, ...] | None:
        """The models that are offered at an address; None on Azure, which does not tell its deployments.

        Raises EndpointDown when nobody answers there, and EndpointError when it does not tell.
        """
        server = self._servers(url)
        try:
            offers = await self._list(url, server)
        except (TransportError, Refusal) as error:
            kind = EndpointDown if isinstance(error, TransportError) and error.unreachable else EndpointError
            raise kind(self._one_line(at_endpoint(url, error.reason))) from None
        return None if server.kind == "azure" else offers

    async def close(self) -> None:
        """Close all connections."""
        for line in self._lines.values():
            await line.wire.close()

    async def _persist(self, call: Call) -> Completion:
        """The reply, after as many attempts as it takes."""
        circuit = call.line.circuit
        begun: list[int] = []  # how often its address had answered as each attempt began that failed
        while True:
            before, server = circuit.successes, self._servers(call.endpoint.url)
            try:
                completion = await self._attempt(call, server)
            except Refusal as refusal:
                call.passed()
                await self._learn(call, server, refusal)
            except TransportError as trouble:
                begun.append(before)
                if call.is_hopeless_after(trouble, self._patience, others=circuit.successes > before):
                    lately = circuit.successes > begun[-2:][0]
                    raise self._give_up(call, trouble, alone=circuit.successes > begun[0], lately=lately) from None
                await self._pause(call, trouble)
            else:
                call.passed()
                if call.refused:
                    call.line.refused[call.endpoint.model] = call.all_refused()
                return completion

    async def _attempt(self, call: Call, server: Server) -> Completion:
        line, loop = call.line, asyncio.get_running_loop()
        line.gate.allow(server)
        tokens = estimate(call.request.messages) + _USUAL_REPLY if line.gate.by_tokens else 0
        place = await line.gate.enter(call.ticket, tokens, call.urgent)
        if place is None:
            raise call.down()
        used = None
        try:
            if call.is_shut_out:
                raise call.down()
            started = loop.time()
            answer = await self._exchange(call, server)
            counted = answer.usage
            if counted.prompt_tokens is not None and counted.completion_tokens is not None:
                used = counted.prompt_tokens + counted.completion_tokens
        finally:
            line.gate.leave(place, used)
        return self._completion(call, server, answer, loop.time() - started)

    async def _exchange(self, call: Call, server: Server) -> Completion:
        """Send the request, and read what comes back."""
        key = self._keys.key(server)
        body = call.body(call.reply_bound(server))
        if call.on_token is not None:
            call.on_token(call.request, "")
        wire = call.line.wire
        path = server.path(call.endpoint.model, embeds=call.request.embeds)
        reach, azure = self._reach(call.endpoint.url), server.api_version
        async with wire.request(path, body, key=key, patience=server.timeout, azure=azure, reach=reach) as response:
            await self._replies.here().turn()
            await check(response, self._keys)
            if call.request.embeds:
                return read_embeddings(await response.whole(), len(call.request.messages), self._keys)
            if call.on_token is None or "event-stream" not in response.headers.get("content-type", ""):
                return read_completion(await response.whole(), self._keys)
            call.whole = True  # if it has to be asked anew
            show, form = partial(call.on_token, call.request), call.request.form
            live = None if form is None else form.live
            return await read_stream(response, show if live is None else StreamedField(live, show).add, self._keys)

    async def _learn(self, call: Call, server: Server, refusal: Refusal) -> None:
        """Find out what to ask otherwise. Raises the error if there is nothing."""
        if is_too_long(call.request, refusal.status, refusal.text):
            call.line.learn_window(call.endpoint.model, refusal.text)
            if call.reply_bound(server) >= call.bound:
                raise ContextOverflow(self._told(call, refusal.reason)) from None
            call.troubles.append("bound of the reply refused")
        elif refusal.status in (400, 422) and (named := refused_by(refusal.text, call.asked)):
            call.refused |= {named}
            call.troubles.append(f"option {named} refused")
        else:
            raise EndpointError(self._told(call, await self._with_advice(call, server, refusal))) from None

    async def _with_advice(self, call: Call, server: Server, refusal: Refusal) -> Reason:
        """A refusal, and what to do about it."""
        what = refusal.reason
        if refusal.status in (401, 403):
            if server.key is None:
                return Reason("no_key_named", what=what)
            missing = self._keys.key(server) is None
            return Reason("key_missing" if missing else "key_refused", what=what, key=server.key)
        if refusal.status != 404 or server.kind == "azure":
            return what if refusal.status != 404 else Reason("wrong_deployment", what=what)
        try:
            offered = [offer.model for offer in await self._list(call.endpoint.url, server)]
        except (TransportError, Refusal, EndpointError):
            return Reason("wrong_url", what=what)
        if not offered:
            return Reason("offers_none", what=what)
        return Reason("offered", what=what, models=OfferedModels(", ".join(offered[:10])))

    def _give_up(self, call: Call, trouble: TransportError, *, alone: bool, lately: bool) -> EndpointError:
        """The error of a call that failed; unless it is `alone` with that, its address counts as down.

        Where others got through `lately`, since its last attempt but one, it would fail again, and be paid for again.
        """
        seconds = trouble.after if (trouble.after or 0) > self._patience.longest_wait else None
        if trouble.spent:
            seconds = self._patience.longest_down
        told = trouble.reason
        if trouble.after and seconds:
            told = Reason("rest_wanted", what=told, seconds=f"{seconds:.0f}")
        if len(call.troubles) > 1:
            told = Reason("after_attempts", what=told, count=len(call.troubles))
        reason = self._one_line(told)
        if not call.is_shut_out and (call.trial or seconds is not None or not alone):
            call.trial = False
            call.line.fail(reason, unreachable=trouble.unreachable, seconds=seconds)
        elif not call.is_shut_out and lately and not trouble.unasked:
            return EndpointError(at_endpoint(call.endpoint, Reason("others_through", what=reason)))
        return EndpointDown(at_endpoint(call.endpoint, reason))

    async def _pause(self, call: Call, trouble: TransportError) -> None:
        """Wait before the next attempt. Raises EndpointDown if the address has gone down meanwhile.

        An endpoint can ask for a longer pause, not for a shorter one. Where it asks that of all, the gate sees to it,
        so that they keep their order and all that may leave then do; a time shorter than any pause tells nothing.
        """
        pause, after = self._patience.pause_before(len(call.troubles), call.request.path), trouble.after or 0.0
        if trouble.holds and after >= self._patience.pause:
            call.line.gate.hold(after)
        else:
            await asyncio.sleep(max(after, pause))
        if call.is_shut_out:
            raise call.down()

    async def _list(self, url: str, server: Server) -> tuple[Offer, ...]:
        wire, key, patience = self._line(url).wire, self._keys.key(server), min(server.timeout, _GLANCE)
        reach, azure = self._reach(url), server.api_version
        async with wire.request("/models", key=key, patience=patience, azure=azure, reach=reach) as response:
            if server.kind == "azure":  # it tells the models that could be deployed, and so only that it is there
                return ()
            await check(response, self._keys)
            offers = read_offers(await response.whole())
        return tuple(replace(offer, model=self._keys.mask(storable(offer.model))[:200]) for offer in offers)

    def _line(self, url: str) -> Connection:
        if (line := self._lines.get(url)) is None:
            from characterbox.llm.calls.http import Wire  # noqa: PLC0415 - openai takes as long as all else of a command

            rehearsal = AppTransport(rehearsal_app(self.rehearsal_latency)) if url == REHEARSAL else None
            address = "http://rehearsal/v1" if url == REHEARSAL else url
            wire = Wire(address, rehearsal or self._transport)
            line = self._lines[url] = Connection(wire, CircuitBreaker(self._patience))
        return line

    def _completion(self, call: Call, server: Server, answer: Completion, latency: float) -> Completion:
        taken = replace(
            answer.usage,
            attempts=len(call.troubles) + 1,
            troubles=tuple(call.troubles),
            refused=call.left_out,
            latency=latency,
            price=self._price(call.endpoint, server, answer.usage),
        )
        ended = answer.finish_reason and storable(answer.finish_reason)[:_FINISH]
        return Completion(storable(answer.text), ended, taken)

    def _price(self, endpoint: Endpoint, server: Server, usage: Usage) -> float | None:
        free = server.kind in ("rehearsal", "started")
        counts = usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens
        return 0.0 if free else self._prices.price(endpoint.model, *counts)

    def _told(self, call: Call, what: Reason) -> Reason:
        """A refusal in one line, without anything secret in it."""
        return self._one_line(at_endpoint(call.endpoint, what))

    def _one_line(self, reason: Reason) -> Reason:
        return reason.mapped(lambda text: self._keys.mask(" ".join(text.split())))
