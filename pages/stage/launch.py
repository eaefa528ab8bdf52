"""The form that launches a story. It begins with what was launched last."""

from collections.abc import Collection, Iterable
from typing import Any

import streamlit as st

from annotations.i18n.messages import cited, to_say
from annotations.i18n.translation import NAMES, say, say_count, tongue
from characterbox.llm.endpoint import Casting
from characterbox.play.world import Script
from characterbox.scenes.library import bundled
from characterbox.scenes.scene import Scene
from characterbox.scenes.search import fingerprint
from characterbox.stage.forecast import Forecast
from characterbox.stage.stage import Stage
from characterbox.values import LANGUAGES
from pages.models.text import all_servers
from pages.shared.current_user import current_user
from pages.shared.form import UNUSABLE, Numbers
from pages.shared.text import plain, quiet, scene_as_text
from pages.stage.doors import show_doors
from pages.story.casting import chosen_casting, chosen_people
from pages.story.list import recent
from pages.story.settings_form import chosen_settings, fill, kept, memory_key, remembered
from pages.story.start import start_button


def forecast_line(expected: Forecast) -> str:
    """Calls, tokens, price and time in one line; what is not known is said to be so."""
    calls = say_count("About {count:,} call", "About {count:,} calls", expected.calls)
    prompt, reply = _rough(expected.prompt_tokens), _rough(expected.completion_tokens)
    tokens = say("{prompt} tokens in, {reply} out", prompt=prompt, reply=reply)
    parts = [calls, tokens, _price(expected), _time(expected)]
    if expected.by_people:
        parts.insert(1, say_count("{count:,} reply by people", "{count:,} replies by people", expected.by_people))
    return " · ".join(parts)


def _rough(count: int) -> str:
    """A number as a forecast can know it: two digits of it."""
    return f"{float(f'{count:.2g}'):,.0f}"


def _price(expected: Forecast) -> str:
    if expected.price is None:
        return say("price unknown")
    return say("about ${price:.2g}", price=expected.price) if expected.price else say("free")


def _time(expected: Forecast) -> str:
    if expected.by_people:
        return say("duration depends on how quickly people reply")
    if expected.seconds is None:
        return say("duration unknown: these models have not played yet")
    minutes = max(1, round(expected.seconds / 60))
    return say_count("about {count:,} minute", "about {count:,} minutes", minutes)


PREFERENCE = FORM = "launch"
REMEMBERED = ("language", "narrator", "characters", "rounds", "seed", "early", memory_key(FORM))
"""What is remembered from launch to launch besides the scene, by the keys of the widgets."""
SPOKEN = "launch-spoken"
"""In the session: the language of the interface when the form was drawn last; scenes of it are offered."""
START = to_say("Start story")
UNKNOWN_LANGUAGE = to_say(
    "The link asks for scenes in {wanted}, which is not available here. Scenes in {shown} are shown instead."
)
UNKNOWN_SCENE = to_say(
    "The link asks for the scene {wanted}, which is not available in {language}. “{shown}” is shown instead."
)


def launch_form(stage: Stage) -> None:
    """Pick a scene and endpoints, and start; the page then shows the story."""
    _remember_last(stage)
    st.title(say("Stage"))
    starting = show_doors(stage)
    if starting is None:
        st.caption(say("Choose a scene, start the story and follow it step by step."))
    choosing, reading = st.columns([2, 3], gap="large")
    with choosing:
        scene = _scene(stage)
        if starting is None:
            starting = st.container()
        else:
            with starting:
                quiet(say("“{title}” ({work}), or choose another one below.", title=scene.title, work=scene.work))
        casting = chosen_casting(stage, scene)
        people = chosen_people(scene, casting)
        numbers = Numbers()
        rounds, seed = st.columns(2)
        with rounds:
            count = numbers.ask(say("Rounds"), 1, 20, key="rounds", persist_state="session")
        with seed:
            number = numbers.ask(say("Seed"), 0, 2**31 - 1, key="seed", persist_state="session")
        early = st.toggle(
            say("The story may end early, once the narrator considers it finished"),
            key="early",
            persist_state="session",
        )
        chosen = chosen_settings(FORM, all_servers(stage))
        if numbers.fine and chosen is not None:
            script = Script(scene=scene, rounds=count, seed=number, may_conclude=early, settings=chosen.settings)
            if casting is not None:
                casting = casting.model_copy(update={"memory": chosen.memory})
            with starting:
                _start(stage, script, casting, people)
        else:
            with starting:
                st.button(say(START), key="launch", type="primary", width="stretch", disabled=True)
                quiet(say(UNUSABLE))
    with reading:
        scene_as_text(scene)
    recent(stage)


def _start(stage: Stage, script: Script, casting: Casting | None, people: list[str | None]) -> None:
    """The button, and what the story will take; where an endpoint is not there, the reason and the choice."""
    story = start_button(stage, say(START), script, casting, people)
    if story is not None:
        seen = {key: st.session_state.get(key) for key in REMEMBERED}
        chosen = {"scene": script.scene.id, "settings": kept(script.settings)}
        stage.store.preferences.save(current_user().id, PREFERENCE, {**seen, **chosen})
        st.query_params.from_dict({"story": story.id})
        st.rerun()
    if casting is not None:
        quiet(forecast_line(stage.forecast(script, casting, people)))


def _remember_last(stage: Stage) -> None:
    """Begin with what was launched last, once in a session; what can't be any more is passed over."""
    if "rounds" in st.session_state:
        return
    first: dict[str, Any] = {"rounds": 3, "seed": 1, "early": False}
    last = dict(stage.store.preferences.find(current_user().id, PREFERENCE))
    chosen = last.pop("scene", None)
    fill(FORM, remembered(last.pop("settings", None)))
    if (language := last.pop("language", None)) in NAMES:
        st.session_state[f"scene-{language}-last"] = chosen
    for key, value in {**first, **last}.items():
        if value is not None:
            st.session_state[key] = value


def _scene(stage: Stage) -> Scene:
    scenes = [*bundled(), *stage.store.scenes.all()]
    wanted = st.query_params.get("language")
    if wanted in NAMES:
        st.session_state["language"] = wanted
    elif st.session_state.get(SPOKEN) != tongue():
        st.session_state["language"] = tongue()
    st.session_state[SPOKEN] = tongue()
    st.segmented_control(
        say("Scene language"),
        list(NAMES),
        format_func=NAMES.__getitem__,
        required=True,
        key="language",
        on_change=_to_url,
        args=("language",),
    )
    language: str = st.session_state["language"] or tongue()  # none can be chosen by hand
    spoken = say(LANGUAGES[language])
    _tell_unknown("language", UNKNOWN_LANGUAGE, NAMES, shown=spoken)
    named = names_of(scene for scene in scenes if scene.language == language)
    chosen = st.selectbox(
        say("Scene"),
        list(named),
        index=list(named).index(_first(language, list(named))),
        format_func=lambda id: f"{named[id].title} ({named[id].work})",
        key=f"scene-{language}",
        on_change=_to_url,
        args=("scene", f"scene-{language}"),
    )
    _tell_unknown("scene", UNKNOWN_SCENE, named, language=spoken, shown=named[chosen].title)
    return named[chosen]


def _tell_unknown(name: str, message: str, known: Collection[str], **instead: str) -> None:
    """Say what the address asks for in vain, and what is shown instead; it is taken out of the address."""
    wanted = st.query_params.get(name)
    if wanted is not None and wanted not in known:
        del st.query_params[name]
        st.warning(plain(say(message, wanted=cited(wanted), **instead)))


def names_of(scenes: Iterable[Scene]) -> dict[str, Scene]:
    """The scenes by what the address calls them: their id, and for another one of the same id a mark behind it."""
    named: dict[str, Scene] = {}
    for scene in scenes:
        named[scene.id if scene.id not in named else marked_name(scene)] = scene
    return named


def marked_name(scene: Scene) -> str:
    """What the address calls a scene that is not the first with its id."""
    return f"{scene.id}~{fingerprint(scene)[:8]}"


def _first(language: str, options: list[str]) -> str:
    """The scene that the URL names, else the one that was launched last, else the first."""
    wanted = (st.query_params.get("scene"), st.session_state.get(f"scene-{language}-last"))
    return next((one for one in wanted if one in options), options[0])


def _to_url(name: str, key: str | None = None) -> None:
    st.query_params[name] = st.session_state[key or name]
    if name == "language":
        st.query_params.pop("scene", None)
