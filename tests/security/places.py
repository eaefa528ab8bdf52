"""What a fuzzed request needs of the app that it is sent to: ids that are there, cookies, tokens, challenges."""

import asyncio
import json
from contextlib import ExitStack
from functools import cache
from uuid import uuid4

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from characterbox.accounts.account import COMMAND_LINE, ROLES
from characterbox.accounts.credentials import hash_of
from characterbox.accounts.session_user import DEVICE_COOKIE, device_cookie, new_device
from tests.fakes.authenticator import Authenticator, text_of
from tests.fakes.campaigns import started
from tests.fakes.databases import store_in
from tests.security.raw_requests import Told
from tests.security.shared_server import NOBODY, PATIENCE, Server, Visit

PASSWORD = "correct horse battery"
XSRF = "_streamlit_xsrf"
FILES = "scene=bundled:holmes-study"
"""The view of the Scenes page that has files to take along."""
CHANGES = ("/sign-out", "/account", "/invitation/{token}", "/_stcore/stream")
"""Routes by which somebody can be signed out, and more."""


@cache
def kept() -> str:
    """The hash of the password that everybody has."""
    return asyncio.run(hash_of(PASSWORD))


class Places:
    """Fills the places of requests to one server, in which an expert rates a story and all have a password."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._open = ExitStack()
        self._store = store_in(server.app.db)
        self._open.callback(self._store.close)
        self._accounts = {who: self._account(who) for who in ROLES if who in server.cookies}
        expert = server.names["expert"]
        item = started(self._store, self._store.stories.story(server.story), expert)[2][expert][0]
        invited = f"Invited with {expert}"
        self._invited = self._store.accounts.add(COMMAND_LINE, invited, "viewer") if self._accounts else None
        self._passkeys = {who: Authenticator(f"passkey of {who}".encode()) for who in self._accounts}
        host = f"{{}}:{server.app.port}"
        self._known = {
            "story": server.story, "item": item.id, "rater": item.rater, "campaign": item.campaign,
            "account": self._accounts.get("viewer", ""), "password": PASSWORD,
            "font": "source-serif-4-latin-400-normal.woff2",
            "host": host.format("127.0.0.1"), "own": f"http://{host.format('127.0.0.1')}",
            "host by name": host.format("localhost"), "own by name": f"http://{host.format('localhost')}",
            "challenge": "", "client data": "", "invitation": "none", "used invitation": "none",
        }  # fmt: skip
        self.renew()
        health = server.request(NOBODY, "GET", "/_stcore/health")
        self._known["xsrf"] = health.cookies[XSRF]
        self._known["session"], self._known["media"] = self._opened("researcher" if self._accounts else NOBODY)
        self._known["foreign session"] = self._opened("admin" if self._accounts else NOBODY)[0]

    def close(self) -> None:
        """Let go of connections and of the database."""
        self._open.close()

    def __call__(self, name: str) -> bytes:
        """What stands in a place: a word, for some with the role whose it is."""
        kind, _, who = name.rpartition(" of ")
        match kind:
            case "":
                return str(uuid4()).encode() if name == "uuid" else self._known[name].encode()
            case "cookies":
                return self._cookies(who).encode()
            case "ticket" | "new ticket":
                return self._ticket(who, new=kind == "new ticket").encode()
            case "credential" | "new credential":
                return self._answered(who, new=kind == "new credential").encode()
        raise LookupError(f"there is no place {name}")

    def heed(self, route: str, told: Told) -> None:
        """Have signed in again who no longer is, after an answer that may have changed that."""
        if route.startswith(CHANGES) and told.status < 400:
            self.renew()

    def renew(self) -> None:
        """Set right again what requests have changed: roles, passwords, sessions, and an invitation that is open."""
        self._store.sessions.forget()
        for who, account in self._accounts.items():
            self._store.accounts.enable(COMMAND_LINE, account)
            if self._store.accounts.find(account).role != who:
                self._store.accounts.change_role(COMMAND_LINE, account, who)  # type: ignore[arg-type]
            found = self._store.accounts.password_of(self.server.names[who])
            if found is None or found[1] != kept():
                self._store.accounts.accept(self._store.invitations.make(COMMAND_LINE, account), kept())
            if self._store.sessions.find(self.server.cookies[who].partition("=")[2]) is None:
                self.server.sign_in(who)
        if self._invited is not None:
            invitation = self._store.invitations.find(self._known["invitation"])
            if invitation is None or invitation.state != "open":
                made = self._store.invitations.make(COMMAND_LINE, str(self._invited.id))
                self._known |= {"used invitation": self._known["invitation"], "invitation": made}

    def _account(self, who: str) -> str:
        account = self._store.accounts.named(self.server.names[who])
        assert account is not None
        return str(account.id)

    def _cookies(self, who: str) -> str:
        """The session, what Streamlit asks for with an upload, and that the browser, a new one, is known."""
        cookies = [f"{XSRF}={self._known['xsrf']}", *filter(None, [self.server.cookies.get(who, "")])]
        if who in self._accounts:
            device = device_cookie(new_device(), self._accounts[who], kept(), self._store.sessions.key())
            cookies.append(f"{DEVICE_COOKIE}={device}")
        return "; ".join(cookies)

    def _ticket(self, who: str, *, new: bool) -> str:
        """A fresh challenge: its text is remembered, for the answer that follows in the same request."""
        path, fields = ("/account/passkeys/ask", {"now": PASSWORD}) if new else ("/passkeys/ask", {})
        headers = {"host": self._known["host by name"], "origin": self._known["own by name"]}
        headers["cookie"] = self._cookies(who)
        answer = self.server.request(who, "POST", path, headers=headers, json=fields)
        if answer.status_code != 200:
            return f"none-{answer.status_code}"
        told = answer.json()
        self._known["challenge"] = told["ask"]["challenge"]
        created = {"type": "webauthn.create" if new else "webauthn.get", "challenge": self._known["challenge"]}
        self._known["client data"] = text_of(json.dumps({**created, "origin": self._known["own by name"]}).encode())
        return str(told["ticket"])

    def _answered(self, who: str, *, new: bool) -> str:
        """The right answer to the challenge, within a text of JSON."""
        authenticator = self._passkeys.get(who) or Authenticator()
        answer = authenticator.make if new else authenticator.sign
        return json.dumps(answer(self._known["challenge"], self._known["own by name"]))[1:-1]

    def _opened(self, who: str) -> tuple[str, str]:
        """The name of a session of pages that stays open, and that of a file which is offered in it."""
        visit = self._open.enter_context(self.server.visit(who))
        assert visit is not None
        pages = visit.open().pages
        return _session_and_file(visit, pages["scenes"])


def _session_and_file(visit: Visit, page: str) -> tuple[str, str]:
    message, session, file = BackMsg(), "", ""
    message.rerun_script.query_string, message.rerun_script.page_script_hash = FILES, page
    visit.socket.send(message.SerializeToString())
    while True:
        told = ForwardMsg.FromString(visit.socket.recv(PATIENCE))  # type: ignore[arg-type]
        session = told.new_session.initialize.session_id or session
        file = told.delta.new_element.download_button.deferred_file_id or file
        match told.WhichOneof("type"):
            case "script_finished" if file:
                asked = BackMsg()
                asked.backend_operation_request.request_id = "1"
                asked.backend_operation_request.session_id = session
                asked.backend_operation_request.deferred_file.file_id = file
                visit.socket.send(asked.SerializeToString())
            case "backend_operation_response":
                return session, told.backend_operation_response.deferred_file.url.removeprefix("/media/")
