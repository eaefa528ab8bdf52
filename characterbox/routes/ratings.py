"""The click of a rater."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response


async def rate(request: Request) -> Response:
    """`POST /ratings`."""
    return JSONResponse({}, status_code=501)
