"""The app's own HTTP routes, beside those of Streamlit."""

from starlette.routing import Route

from characterbox.routes.live import live
from characterbox.routes.ratings import rate

ROUTES = [
    Route("/stories/{story}/live", live),
    Route("/ratings", rate, methods=["POST"]),
]
