"""What the player says around a story, in the language of the interface. The names are those that its scripts use.

A text with names in braces takes values in the browser.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from annotations.i18n.messages import to_say
from annotations.i18n.translation import NAMES, say, tongue, translate
from characterbox.llm.endpoint import Casting
from characterbox.reason_sentences import reread

KINDS = {
    "action": to_say("action"),
    "dialogue": to_say("dialogue"),
    "action_influence": to_say("action influence"),
    "reaction": to_say("reaction"),
    "interaction_result": to_say("result"),
    "character_update": to_say("character update"),
    "environment_update": to_say("environment update"),
    "self_belief": to_say("self-belief"),
    "environment_belief": to_say("environment belief"),
    "story_ended": to_say("end of the story"),
}
"""What the steps of a story are called, by the kind of their event."""

MADE: Mapping[str, str] = {
    "all": to_say("Demo output from the built-in rehearsal (no language model)."),
    "some": to_say("Partly demo output from the built-in rehearsal (no language model)."),
    "hand": to_say("Sample story written by hand for CharacterBox (no language model)."),
}


def player_words(told: Iterable[Mapping[str, Any]] = ()) -> dict[str, Any]:
    """All words of the player, and those for the reasons of these stories and events, by the text that is stored."""
    return {
        **_places(),
        **_steps(),
        **_timeline(),
        **_transport(),
        "status": _status(),
        "rehearsal": {key: say(text) for key, text in MADE.items()},
        "tools": {
            "branch": say("Branch from here"),
            "regenerate": say("Regenerate"),
            "edit": say("Edit"),
            "recast": say("Change model from here"),
        },
        "asking": _asking(),
        "reasons": {reason: translate(reread(reason)) for one in told if (reason := one.get("reason"))},
        **_notebook(),
    }


def _places() -> dict[str, str]:
    return {
        "tongue": tongue(),
        "own": NAMES[tongue()],
        "cast": say("Cast"),
        "now": say("Current state"),
        "surroundings": say("Environment"),
        "script": say("Script"),
        "position": say("Position"),
        "state": say("State"),
        "visible": say("Visible to others"),
        "unseen": say("Hidden from"),
        "face": say("Appearance"),
        "knownAs": say("Known as"),
        "time": say("Time"),
        "location": say("Location"),
        "description": say("Description"),
        "more": say("more"),
        "less": say("less"),
        "onTurn": say("acting now"),
        "characters": say("Characters"),
        "narrator": say("Narrator"),
        "person": say("played by a person"),
        "colon": _marks()["colon"],
        "comma": _marks()["comma"],
        "semicolon": say("; "),
        "or": _marks()["or"],
        "join": " · ",
    }


def _marks() -> dict[str, str]:
    chinese = tongue() == "zh"
    return {"colon": "：" if chinese else ": ", "comma": "、" if chinese else ", ", "or": "或" if chinese else " or "}


def _steps() -> dict[str, Any]:
    return {
        "round": say("Round {n}"),
        "beforeFirst": say("Before the first round"),
        "veiled": say("An event that {names} cannot perceive"),
        "unmet": say("Somebody out of sight"),
        "inReturn": say("(reaction)"),
        "silent": say("says nothing"),
        "to": say("(to {name})"),
        "whispersTo": say("(whispers to {name})"),
        "mutters": say("(mutters)"),
        "unnoticed": say("meant to go unnoticed"),
        "seen": {"by": say("seen by {names}"), "nobody": say("seen by nobody")},
        "heard": {"by": say("heard by {names}"), "nobody": say("heard by nobody")},
        "feels": say("Felt only by {name}"),
        "recognised": say("{who} is recognized by {names}."),
        "revealed": say("{alias} turns out to be {name}."),
        "hidden": say("{names} can no longer see or hear {who}."),
        "back": say("{names} can be seen and heard again."),
        "touches": say("affects"),
        "nobody": say("affects nobody"),
        "importance": say("importance {n}/10"),
        "unchanged": say("unchanged"),
        "concluded": say("The narrator considers the story finished."),
        "degraded": say("The model's reply could not be read. A neutral outcome is used instead."),
        "degradedBecause": say("The model's reply could not be read ({reason}). A neutral outcome is used instead."),
        "stock": say("Belief update"),
        "ofSelf": say("(self-belief)"),
        "ofScene": say("(environment belief)"),
        "belief": say("Belief"),
        "desire": say("Desire"),
        "intention": say("Intention"),
        "others": say("View of others"),
        "scene": say("View of the scene"),
        "bearing": say("Effect on actions"),
        "end": {
            "rounds": say("All rounds have been played."),
            "concluded": say("The narrator considered the story finished."),
        },
        "noStep": say("No steps yet."),
        "soon": say("The first step will appear here."),
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
        "playFromHere": say("Play from here"),
        "pausePlayback": say("Pause playback"),
        "next": say("Next step"),
        "speed": say("Reading speed"),
        "last": say("Last step"),
        "toNow": say("Jump to latest"),
        "toolbar": say("Step actions"),
        "lost": say("Connection lost. Reconnecting."),
    }


def _transport() -> dict[str, Any]:
    return {
        "acts": say("Story controls"),
        "pauseStory": say("Pause"),
        "pausing": say("Pausing: waiting for pending replies"),
        "continue": say("Continue"),
        "stepOn": say("Step"),
        "steps": {"call": say("One call"), "turn": say("One turn"), "round": say("One round")},
        "stop": say("Stop"),
        "stopping": say("Stopping ends the story permanently. You can still read it and branch from any step."),
        "stopStory": say("Stop story"),
    }


def _status() -> dict[str, str]:
    return {
        "running": say("Playing"),
        "paused": say("Paused"),
        "waiting": say("Waiting for an endpoint"),
        "cued": say("Waiting for a person"),
        "failed": say("Stopped by an error"),
        "mismatched": say("Waiting for a decision"),
        "stopped": say("Stopped permanently"),
        "ended": say("Ended"),
    }


def _asking() -> dict[str, str]:
    return {
        "action": say("{who} is deciding what to do and say"),
        "dialogue": say("{who} is deciding what to say"),
        "action_influence": say("The narrator is deciding who is affected"),
        "reaction": say("{who} is deciding how to react"),
        "interaction_result": say("The narrator is deciding the result"),
        "updates": say("The narrator is updating characters and environment"),
        "character_update": say("The narrator is updating position and state: {who}"),
        "environment_update": say("The narrator is updating the environment"),
        "self_belief": say("Updating self-belief: {who}"),
        "environment_belief": say("Updating environment belief: {who}"),
    }


def _notebook() -> dict[str, Any]:
    return {
        "notebook": say("Step details"),
        "closeNotebook": say("Close step details"),
        "sheets": {
            "reply": say("Reply"),
            "memory": say("Memory"),
            "knowledge": say("Knowledge"),
            "beliefs": say("Beliefs"),
            "influence": say("Influence"),
        },
        "kinds": {kind: say(name) for kind, name in KINDS.items()} | {"veiled": say("hidden event")},
        "noReply": say("This step has no reply."),
        "journalLost": say("The details of this step could not be loaded. Go to another step and back to retry."),
        **_reply(),
        "memory": _memory(),
        **_knowledge(),
        "whose": say("Character"),
        "noBeliefs": say("No beliefs yet. Beliefs are updated between rounds."),
        "noInfluence": say("No influence between characters yet."),
        "inRound": say("once (round {n})"),
        "inRounds": say("{n} times (round {rounds})"),
    }


def _reply() -> dict[str, Any]:
    return {
        "takeOf": say("Reply {n} of {of}"),
        "askedAgain": say("asked again"),
        "prompt": say("Prompt"),
        "roles": {"system": say("System"), "user": say("User"), "assistant": say("Assistant")},
        "authors": {
            "model": say("a model"),
            "rehearsal": say("built-in rehearsal (no language model)"),
            "human": say("a person (playing)"),
            "edit": say("a person (editing)"),
        },
        "facts": {
            "author": say("Written by"),
            "model": say("Model"),
            "origin": say("Reused from story"),
            "attempts": say("Attempts"),
            "troubles": say("Errors"),
            "refused": say("Not supported by the model"),
            "latency": say("Latency"),
            "tokens": say("Tokens"),
            "price": say("Price"),
            "finish": say("Finish reason"),
        },
        "seconds": say("{n} s"),
        "tokens": say("{in} in, {out} out"),
        "tokensCached": say("{in} in ({cached} cached), {out} out"),
        "tokensUntold": say("not reported by the endpoint"),
        "noPrice": say("price unknown for this model"),
    }


def _memory() -> dict[str, str]:
    return {
        "told": say(
            "The memories in the prompt, most useful first. Usefulness is the weighted mean of relevance,"
            " recency and importance."
        ),
        "byLetters": say("Relevance measured by wording."),
        "byModel": say("Relevance measured by meaning, with the embedding model {model}, for recalled memories."),
        "none": say("No memories before this step."),
        "lost": say("The memories used here are unknown, because the prompts have changed since."),
        "relevance": say("relevance"),
        "recency": say("recency"),
        "importance": say("importance"),
        "unknown": say("unknown"),
        "recalled": say("recalled"),
        "inRecord": say("in the recent record"),
        "leftOut": say("left out: context window too small"),
    }


def _knowledge() -> dict[str, Any]:
    return {
        "step": say("Step of this turn"),
        "known": {
            "whole": say("can know"),
            "part": say("can know part"),
            "none": say("cannot know"),
        },
        "narratorKnows": say("The narrator knows everything except the characters' beliefs."),
    }


def made(casting: Casting) -> str | None:
    """The sentence that stands by the story; None where language models wrote all of it."""
    how = "hand" if casting.handwritten else casting.improvised
    return None if how is None else say(MADE[how])
