"""The language of the interface: chosen in the header, remembered by the browser."""

import pytest

from characterbox.settings import settings
from tests.routes.conftest import ADDRESS


@pytest.mark.parametrize("tongue", ["en", "zh"])
def test_what_was_chosen_is_remembered_whatever_the_browser_likes(client, people, tongue):
    people.add("Ann", "admin")
    chosen = client.get(f"/language?to={tongue}")
    assert chosen.status_code == 303
    assert chosen.headers["set-cookie"] == f"characterbox_language={tongue}; Max-Age=31536000; Path=/; SameSite=Lax"
    for liked in ("en", "zh"):
        page = client.get("/sign-in", headers={"Accept-Language": liked}).text
        assert f'<html lang="{tongue}">' in page


@pytest.mark.parametrize("wanted", ["", "?to=", "?to=fr", "?to=zh%0d%0aSet-Cookie:%20a=b"])
def test_a_language_that_is_not_spoken_is_refused(client, wanted):
    refused = client.get(f"/language{wanted}")
    assert refused.status_code == 400
    assert "set-cookie" not in refused.headers


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"{ADDRESS}/playback?story=ab12&at=7", "/playback?story=ab12&at=7"),
        (f"{ADDRESS}/sign-in?next=%2Fannotate%3Fitem%3D1&language=en", "/sign-in?next=%2Fannotate%3Fitem%3D1"),
        (f"{ADDRESS}/playback?language=zh&text=a+b", "/playback?language=zh&text=a+b"),
        (f"{ADDRESS}/", "/"),
        (ADDRESS, "/"),
        (f"{ADDRESS}//evil.example/", "/"),
        ("https://evil.example/playback?story=1", "/"),
        (ADDRESS.replace("http:", "ftp:") + "/playback", "/"),
        ("http://[", "/"),
        ("nonsense", "/"),
        (None, "/"),
    ],
)
def test_it_goes_back_to_where_it_was_chosen_and_nowhere_else(client, before, after):
    headers = {} if before is None else {"Referer": before}
    assert client.get("/language?to=zh", headers=headers).headers["location"] == after


def test_where_there_is_https_no_other_host_sets_the_language(client, people, monkeypatch):
    people.add("Ann", "admin")
    monkeypatch.setenv("CHARACTERBOX_URL", "https://rate.example.org")
    settings.cache_clear()
    chosen = client.get("/language?to=zh").headers["set-cookie"]
    assert chosen == "__Host-characterbox_language=zh; Max-Age=31536000; Path=/; SameSite=Lax; Secure"
    both = {"Cookie": "__Host-characterbox_language=zh; characterbox_language=en"}
    assert '<html lang="zh">' in client.get("/sign-in", headers=both).text
