"""What is chosen stays chosen, also where the browser hears late of its new address."""

import pytest
from streamlit.testing.v1 import AppTest


def page() -> None:
    import streamlit as st  # noqa: PLC0415 - Streamlit runs this text by itself

    from characterbox.components.url_state import box_in_address, number_in_address, text_in_address  # noqa: PLC0415

    if "elsewhere" in st.query_params:
        st.text("Elsewhere.")
        return
    st.text_input("Search", **text_in_address("text", ends="page"))
    for name, options in (("language", ["", "en", "zh"]), ("sort", ["work", "title"])):
        _, keeping = box_in_address(name, options, options[0], ends="page")
        st.selectbox(name, options, **keeping)
    number, numbered = number_in_address("page", 3)
    st.pagination(3, **numbered)
    st.text(f"Page {number}")
    if "seed" in st.query_params:
        st.text_input("Seed", key="seed", bind="query-params")


@pytest.fixture
def app() -> AppTest:
    return AppTest.from_function(page, default_timeout=60).run()


def choose(app: AppTest, name: str, option: str, *, address: dict[str, str] | None = None) -> dict[str, str]:
    """Choose in a browser that has heard of all so far, or still has another address; what the address becomes."""
    if address is not None:
        app.query_params.clear()
        app.query_params.update(address)
    if name == "page":
        app.pagination("chosen-page").select(int(option)).run()
    else:
        app.selectbox(f"chosen-{name}").select(option).run()
    return said(app)


def said(app: AppTest) -> dict[str, str]:
    assert not app.exception
    return {name: value[0] if isinstance(value, list) else value for name, value in app.query_params.items()}


def shown(app: AppTest) -> list[str]:
    (told,) = app.text
    assert told.value == f"Page {app.pagination('chosen-page').value}"
    return [app.text_input("chosen-text").value, *(box.value for box in app.selectbox), told.value[-1]]


@pytest.mark.slow
def test_a_choice_is_in_the_address_and_the_usual_one_is_not(app: AppTest) -> None:
    assert choose(app, "language", "zh") == {"language": "zh"}
    assert choose(app, "page", "3") == {"language": "zh", "page": "3"}
    assert choose(app, "language", "en") == {"language": "en"}
    assert shown(app) == ["", "en", "work", "1"]
    assert choose(app, "language", "") == {}


def test_a_choice_stands_where_the_next_comes_before_the_browser_has_heard_of_it(app: AppTest) -> None:
    choose(app, "language", "zh")
    assert choose(app, "sort", "title", address={}) == {"language": "zh", "sort": "title"}
    assert shown(app) == ["", "zh", "title", "1"]
    choose(app, "page", "2", address={})
    assert shown(app) == ["", "zh", "title", "2"]
    assert choose(app, "language", "en", address={"language": "zh", "sort": "title"}) == {
        "language": "en", "sort": "title",
    }  # fmt: skip
    app.query_params.update({"page": "2"})
    app.run()
    assert said(app) == {"language": "en", "sort": "title"}


def test_what_is_searched_for_stands_too(app: AppTest) -> None:
    app.text_input("chosen-text").input(" 旱了四十天，一台水泵两家都要 ").run()
    assert said(app) == {"text": "旱了四十天，一台水泵两家都要"}
    choose(app, "language", "zh", address={})
    assert said(app) == {"text": "旱了四十天，一台水泵两家都要", "language": "zh"}
    assert shown(app)[0].strip() == "旱了四十天，一台水泵两家都要"


def test_who_comes_back_to_the_page_finds_it_as_the_address_says(app: AppTest) -> None:
    choose(app, "language", "zh")
    for address in ({"elsewhere": "yes"}, {}):
        app.query_params.clear()
        app.query_params.update(address)
        app.run()
        assert said(app) == address
    assert shown(app) == ["", "", "work", "1"]


def test_another_address_says_what_is_shown(app: AppTest) -> None:
    choose(app, "language", "zh")
    app.query_params.clear()
    app.query_params.update({"language": "en", "sort": "title", "text": "snow", "page": "4"})
    app.run()
    assert shown(app) == ["snow", "en", "title", "1"]
    assert said(app) == {"language": "en", "sort": "title", "text": "snow"}


def test_a_part_that_a_widget_is_bound_to_stays_where_two_others_change(app: AppTest) -> None:
    app.query_params["seed"] = "7"
    app.run()
    choose(app, "page", "3")
    assert choose(app, "language", "zh") == {"seed": "7", "language": "zh"}


def test_an_address_without_a_choice_that_the_browser_knows_of_takes_it_back(app: AppTest) -> None:
    choose(app, "language", "zh")
    app.run()
    app.query_params.clear()
    app.run()
    assert said(app) == {}
    assert shown(app) == ["", "", "work", "1"]


def renamed() -> None:
    import streamlit as st  # noqa: PLC0415 - as above

    from characterbox.components.url_state import box_in_address  # noqa: PLC0415

    options = ["Experts", "Single judge"]
    chosen, keeping = box_in_address("view", options, options[0])
    st.selectbox("view", options, **keeping)
    st.text(chosen)


def test_an_address_of_an_earlier_version_leads_to_what_is_called_otherwise_today() -> None:
    app = AppTest.from_function(renamed, default_timeout=60)
    app.query_params["view"] = "One judge"
    app.run()
    assert [told.value for told in app.text] == ["Single judge"]
    assert [box.value for box in app.selectbox] == ["Single judge"]
    app.selectbox("chosen-view").select("Experts").run()
    assert said(app) == {}
    assert [told.value for told in app.text] == ["Experts"]
