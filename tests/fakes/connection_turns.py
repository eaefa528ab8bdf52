"""What stands behind the turns of connections, and connections to it, in a time of their own."""

import asyncio

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from characterbox.accounts.account import Account
from characterbox.accounts.session_user import Visitor
from characterbox.routes.limits.turns import TurnsMiddleware

PEOPLE = {b"ann": "0123456789ab", b"bob": "ba9876543210"}
RERUN = BackMsg(rerun_script={"query_string": ""}).SerializeToString()
STOP = BackMsg(stop_script=True).SerializeToString()
DRAWN = ForwardMsg(script_finished=ForwardMsg.FINISHED_SUCCESSFULLY).SerializeToString()
DRAWN_ANEW = ForwardMsg(script_finished=ForwardMsg.FINISHED_EARLY_FOR_RERUN).SerializeToString()


class Site:
    """What stands behind the turns: it tells who it is, and answers when it is told to."""

    def __init__(self):
        self.turns = TurnsMiddleware(self.app, lambda cookies: cookies.get("", ""))
        self.answers = asyncio.Event()
        self.ended = set()
        """Cookies of sessions that have ended."""

    async def app(self, scope, receive, send):
        (_, cookie), *_ = scope["headers"]
        who = None if cookie in self.ended else PEOPLE.get(cookie[:3])
        scope["visitor"] = who and Visitor(Account(id=who, name="Ann", role="viewer"))

        async def still_may():
            return cookie not in self.ended

        scope["still_may"] = still_may
        connection = scope["connection"]
        connection.begun = True
        if scope["type"] == "http":
            if scope.get("method") == "POST":
                connection.heard.append(await receive())
            await self.answers.wait()
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await connection.ends.wait()
            return
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] != "websocket.disconnect":
            connection.heard.append(message["bytes"])
            connection.send = send


class Connection:
    """Somebody's request, or page."""

    def __init__(self, site, cookie, kind="http", host="198.51.100.1", method="GET"):
        self.begun, self.heard, self.told, self.send = False, [], [], None
        self.ends, self.sent = asyncio.Event(), asyncio.Queue()
        headers = [(b"cookie", cookie)]
        scope = {"type": kind, "method": method, "headers": headers, "client": (host, 1), "connection": self}
        self.task = asyncio.create_task(site.turns(scope, self.sent.get, self.take))

    async def take(self, message):
        self.told.append(message)

    def say(self, message):
        self.sent.put_nowait({"type": "websocket.receive", "bytes": message})

    async def tell(self, message):
        await self.send({"type": "websocket.send", "bytes": message})

    def leave(self):
        self.sent.put_nowait({"type": "websocket.disconnect"})


def begun(connections):
    return sum(one.begun for one in connections)


async def connected(site, cookie, count, kind="http", **more):
    found = [Connection(site, cookie, kind, **more) for _ in range(count)]
    await asyncio.sleep(0)
    await asyncio.sleep(0.01)
    return found


async def known(site, cookie):
    """The site has told once whose the cookie is."""
    site.answers.set()
    (one,) = await connected(site, cookie, 1)
    one.ends.set()
    await one.task
    site.answers.clear()
