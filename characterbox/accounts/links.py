"""Links that people are sent."""

HERE = "http://127.0.0.1:8501"
"""Where the app is, as long as nobody has said otherwise."""


def invitation_link(url: str | None, token: str) -> str:
    """Where an invitation is used; `url` is the app's address in people's browsers."""
    return f"{url or HERE}/invitation/{token}"


def sign_in_link(url: str | None) -> str:
    """Where one signs in."""
    return f"{url or HERE}/sign-in"
