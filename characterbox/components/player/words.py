"""What the player says around a story, in the language of the interface. The names are those that its scripts use.

A text with names in braces takes values in the browser.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from annotations.wording import NAMES, say, tongue, translate
from characterbox.components.player.notebook_words import notebook_words
from characterbox.share.made import MADE
from characterbox.told_before import reread


def player_words(told: Iterable[Mapping[str, Any]] = ()) -> dict[str, Any]:
    """All words of the player, and those for the reasons of these stories and events, by the text that is stored."""
    return {
        **_places(),
        **_steps(),
        **_timeline(),
        "status": _status(),
        "rehearsal": {key: say(text) for key, text in MADE.items()},
        "tools": {
            "branch": say("Branch here"),
            "regenerate": say("Regenerate"),
            "edit": say("Edit"),
            "recast": say("Another model from here"),
        },
        "asking": _asking(),
        "reasons": {reason: translate(reread(reason)) for one in told if (reason := one.get("reason"))},
        **notebook_words(),
    }


def _places() -> dict[str, str]:
    return {
        "tongue": tongue(),
        "own": NAMES[tongue()],
        "cast": say("Cast"),
        "now": say("How things stand"),
        "surroundings": say("Surroundings"),
        "script": say("Script"),
        "position": say("Position"),
        "state": say("State"),
        "time": say("Time"),
        "location": say("Place"),
        "description": say("Setting"),
        "onTurn": say("acting now"),
        "narrator": say("Narrator"),
        "person": say("played by a person"),
        "colon": _marks()["colon"],
        "comma": _marks()["comma"],
        "or": _marks()["or"],
        "join": " · ",
    }


def _marks() -> dict[str, str]:
    chinese = tongue() == "zh"
    return {"colon": "：" if chinese else ": ", "comma": "、" if chinese else ", ", "or": "或" if chinese else " or "}


def _steps() -> dict[str, Any]:
    return {
        "round": say("Round {n}"),
        "veiled": say("Something that {names} cannot perceive"),
        "inReturn": say("in return"),
        "silent": say("says nothing"),
        "touches": say("affects"),
        "nobody": say("affects nobody"),
        "importance": say("importance {n} of 10"),
        "unchanged": say("as before"),
        "concluded": say("The narrator considers the story finished."),
        "degraded": say("The model's reply could not be read; a neutral outcome stands in for it."),
        "degradedBecause": say("The model's reply could not be read; a neutral outcome stands in for it: {reason}"),
        "stock": say("Taking stock"),
        "ofSelf": say("looks within"),
        "ofScene": say("looks around"),
        "belief": say("believes"),
        "desire": say("wants"),
        "intention": say("means to"),
        "others": say("of the others"),
        "scene": say("of the scene"),
        "bearing": say("and so"),
        "end": {
            "rounds": say("All rounds have been played."),
            "concluded": say("The narrator considered the story finished."),
        },
        "noStep": say("No step has been played yet."),
        "soon": say("The stage is set. The first step appears here as soon as it is played."),
    }


def _timeline() -> dict[str, str]:
    return {
        "roundOf": say("Round {n} of {rounds}"),
        "turnOf": say("{name}'s turn"),
        "stepOf": say("step {n} of {steps}"),
        "timeline": say("Timeline"),
        "progress": say("Progress of the story"),
        "first": say("First step"),
        "previous": say("Previous step"),
        "play": say("Play"),
        "pause": say("Pause"),
        "next": say("Next step"),
        "speed": say("Reading speed"),
        "last": say("Last step"),
        "toNow": say("Jump to now"),
        "toolbar": say("What can be done with this step"),
        "lost": say("The connection is lost; trying again."),
    }


def _status() -> dict[str, str]:
    return {
        "running": say("Playing"),
        "paused": say("Paused"),
        "waiting": say("Waiting for an endpoint"),
        "cued": say("Waiting for a person"),
        "failed": say("Stopped by an error"),
        "mismatched": say("Waiting for a choice"),
        "stopped": say("Stopped for good"),
        "ended": say("Ended"),
    }


def _asking() -> dict[str, str]:
    return {
        "action": say("{who} considers what to do"),
        "dialogue": say("{who} looks for words"),
        "action_influence": say("The narrator considers whom this affects"),
        "reaction": say("{who} is about to react"),
        "interaction_result": say("The narrator decides what comes of it"),
        "character_update": say("The narrator notes where and how they are: {who}"),
        "environment_update": say("The narrator looks around"),
        "self_belief": say("Taking stock: {who}"),
        "environment_belief": say("Looking at the others and the scene: {who}"),
    }
