"""The page Scenes, drawn without a browser."""

from streamlit.testing.v1 import AppTest


def draw():
    """Run the page, as its own script."""
    import runpy  # noqa: PLC0415
    from pathlib import Path  # noqa: PLC0415

    import pages  # noqa: PLC0415

    runpy.run_path(str(Path(next(iter(pages.__path__))) / "scenes" / "page.py"))


def texts(app):
    """What the page shows as HTML, with or without links."""
    linked = [one.proto.json for one in app.get("bidi_component") if one.proto.component_name == "characterbox_links"]
    return "\n".join([*(one.proto.body for one in app.get("html")), *linked])


def page(**place):
    """The page at a place of its own, which is drawn without a fault."""
    app = AppTest.from_function(draw, default_timeout=60)
    for name, value in place.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app
