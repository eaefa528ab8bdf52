"""The typeface of the stories, for the pages."""

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from characterbox.components.fonts import FONTS, font


async def fonts(request: Request) -> Response:
    """`GET /fonts/{name}`: one of the files of the typeface, to be kept for a year."""
    name = request.path_params["name"]
    if name not in FONTS.values():
        return PlainTextResponse(f"there is no font {name}", status_code=404)
    kept = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(font(name), media_type="font/woff2", headers=kept)
