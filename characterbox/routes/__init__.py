"""The app's own HTTP routes, beside those of Streamlit."""

from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.routing import Route

from characterbox.routes.live import live
from characterbox.routes.ratings import rate


async def _to_stage(request: Request) -> RedirectResponse:
    """The Stage page is the first one and has no address of its own; whoever guesses one gets there all the same."""
    return RedirectResponse(f"/?{request.url.query}")


ROUTES = [
    Route("/stage", _to_stage),
    Route("/stories/{story}/live", live),
    Route("/ratings", rate, methods=["POST"]),
]
