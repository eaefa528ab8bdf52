"""The app's own HTTP routes, beside those of Streamlit. Who may use them stands in `guard`."""

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from characterbox.components.web import FONTS, font
from characterbox.routes.find import find_named
from characterbox.routes.language import choose_tongue
from characterbox.routes.login.own_account import (
    accept_invitation,
    change_password,
    lend_writing,
    show_account,
    show_invitation,
)
from characterbox.routes.login.passkeys import (
    add_passkey,
    ask_to_add,
    ask_to_sign_in,
    remove_passkey,
    script,
    sign_in_by_passkey,
)
from characterbox.routes.login.sign_in import show_sign_in, sign_in, sign_out
from characterbox.routes.rating import item, mark
from characterbox.routes.stories import behind, live


async def fonts(request: Request) -> Response:
    """`GET /fonts/{name}`: one of the files of the typeface, to be kept for a year."""
    name = request.path_params["name"]
    if name not in FONTS.values():
        return PlainTextResponse(f"there is no font {name}", status_code=404)
    kept = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(font(name), media_type="font/woff2", headers=kept)


async def _to_stage(request: Request) -> RedirectResponse:
    """The Stage page is the first one and has no address of its own; whoever guesses one gets there all the same."""
    return RedirectResponse(f"/?{request.url.query}")


ROUTES = [
    Route("/stage", _to_stage),
    Route("/stories/{story}/live", live),
    Route("/stories/{story}/behind", behind),
    Route("/items/{item}", item),
    Route("/marks", mark, methods=["POST"]),
    Route("/sign-in", show_sign_in),
    Route("/sign-in", sign_in, methods=["POST"]),
    Route("/sign-out", sign_out, methods=["POST"]),
    Route("/invitation/{token}", show_invitation),
    Route("/invitation/{token}", accept_invitation, methods=["POST"]),
    Route("/find", find_named),
    Route("/language", choose_tongue),
    Route("/fonts/{name}", fonts),
    Route("/account", show_account),
    Route("/account", change_password, methods=["POST"]),
    Route("/account/writing", lend_writing, methods=["POST"]),
    Route("/passkeys.js", script),
    Route("/passkeys/ask", ask_to_sign_in, methods=["POST"]),
    Route("/passkeys/sign-in", sign_in_by_passkey, methods=["POST"]),
    Route("/account/passkeys", add_passkey, methods=["POST"]),
    Route("/account/passkeys/ask", ask_to_add, methods=["POST"]),
    Route("/account/passkeys/remove", remove_passkey, methods=["POST"]),
]
