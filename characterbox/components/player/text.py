"""What the player says around a story, in the language of the interface. The names are those that its scripts use.

A text with names in braces takes values in the browser.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from annotations.i18n.messages import to_say
from annotations.i18n.translation import NAMES, say, tongue, translate
from characterbox.legacy_reasons import reread
from characterbox.llm.endpoint import Casting

KINDS = {
    "action": to_say("action"),
    "dialogue": to_say("words"),
    "action_influence": to_say("influence of the action"),
    "reaction": to_say("reaction"),
    "interaction_result": to_say("result"),
    "character_update": to_say("position and state"),
    "environment_update": to_say("surroundings"),
    "self_belief": to_say("belief of oneself"),
    "environment_belief": to_say("belief of the others and the scene"),
    "story_ended": to_say("end of the story"),
}
"""What the steps of a story are called, by the kind of their event."""

MADE: Mapping[str, str] = {
    "all": to_say("Improvised by the rehearsal endpoint, no language model."),
    "some": to_say("Improvised in part by the rehearsal endpoint, no language model."),
    "hand": to_say("Written by hand for CharacterBox as a sample; no language model."),
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
            "branch": say("Branch here"),
            "regenerate": say("Regenerate"),
            "edit": say("Edit"),
            "recast": say("Another model from here"),
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
        "now": say("How things stand"),
        "surroundings": say("Surroundings"),
        "script": say("Script"),
        "position": say("Position"),
        "state": say("State"),
        "visible": say("What shows"),
        "unseen": say("Hidden from"),
        "face": say("Looks"),
        "knownAs": say("Known as"),
        "time": say("Time"),
        "location": say("Place"),
        "description": say("Setting"),
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
        "veiled": say("Something that {names} cannot perceive"),
        "unmet": say("Somebody out of sight"),
        "inReturn": say("in return"),
        "silent": say("says nothing"),
        "to": say("(to {name})"),
        "whispersTo": say("(whispers to {name})"),
        "mutters": say("(mutters)"),
        "unnoticed": say("not meant to be noticed"),
        "seen": {"by": say("seen by {names}"), "nobody": say("seen by nobody")},
        "heard": {"by": say("heard by {names}"), "nobody": say("heard by nobody")},
        "feels": say("{name} alone feels"),
        "recognised": say("{who} is recognised by {names}."),
        "revealed": say("{alias} turns out to be {name}."),
        "hidden": say("{who} is neither seen nor heard by {names} from now on."),
        "back": say("{names} can be seen and heard again."),
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
        "playFromHere": say("Play from here"),
        "pausePlayback": say("Pause playback"),
        "next": say("Next step"),
        "speed": say("Reading speed"),
        "last": say("Last step"),
        "toNow": say("Jump to now"),
        "toolbar": say("What can be done with this step"),
        "lost": say("The connection is lost; trying again."),
    }


def _transport() -> dict[str, Any]:
    return {
        "acts": say("The story itself"),
        "pauseStory": say("Pause"),
        "pausing": say("Pausing: waiting for the replies under way"),
        "continue": say("Continue"),
        "stepOn": say("Step"),
        "steps": {"call": say("One call"), "turn": say("One turn"), "round": say("One round")},
        "stop": say("Stop"),
        "stopping": say("Stopping ends the story here, for good. It can still be read, and branched at any step."),
        "stopStory": say("Stop the story"),
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
        "action": say("{who} considers what to do and say"),
        "dialogue": say("{who} looks for words"),
        "action_influence": say("The narrator considers whom this affects"),
        "reaction": say("{who} is about to react"),
        "interaction_result": say("The narrator decides what comes of it"),
        "updates": say("The narrator notes how things are now"),
        "character_update": say("The narrator notes where and how they are: {who}"),
        "environment_update": say("The narrator looks around"),
        "self_belief": say("Taking stock: {who}"),
        "environment_belief": say("Looking at the others and the scene: {who}"),
    }


def _notebook() -> dict[str, Any]:
    return {
        "notebook": say("Notebook"),
        "closeNotebook": say("Close the notebook"),
        "sheets": {
            "reply": say("Reply"),
            "memory": say("Memory"),
            "knowledge": say("Knowledge"),
            "beliefs": say("Beliefs"),
            "influence": say("Influence"),
        },
        "kinds": {kind: say(name) for kind, name in KINDS.items()} | {"veiled": say("something else")},
        "noReply": say("There is no reply behind this step."),
        "journalLost": say("What is behind this step could not be fetched. Go to another step and back to try again."),
        **_reply(),
        "memory": _memory(),
        **_knowledge(),
        "whose": say("Whose beliefs"),
        "noBeliefs": say("No beliefs yet: they are formed between rounds."),
        "noInfluence": say("Nobody has moved anybody yet."),
        "inRound": say("once, in round {n}"),
        "inRounds": say("{n} times, in round {rounds}"),
    }


def _reply() -> dict[str, Any]:
    return {
        "takeOf": say("Reply {n} of {of}"),
        "askedAgain": say("asked again"),
        "prompt": say("The prompt"),
        "roles": {"system": say("System"), "user": say("User"), "assistant": say("Assistant")},
        "authors": {
            "model": say("a model"),
            "rehearsal": say("the rehearsal, without a language model"),
            "human": say("a person who played"),
            "edit": say("a person who edited it"),
        },
        "facts": {
            "author": say("Written by"),
            "model": say("Model"),
            "origin": say("Taken over from story"),
            "attempts": say("Attempts made"),
            "troubles": say("What went wrong"),
            "refused": say("Not taken by the model"),
            "latency": say("Latency"),
            "tokens": say("Tokens"),
            "price": say("Price"),
            "finish": say("Finish reason"),
        },
        "seconds": say("{n} s"),
        "tokens": say("{in} in, {out} out"),
        "tokensCached": say("{in} in ({cached} from a cache), {out} out"),
        "tokensUntold": say("not told by the endpoint"),
        "noPrice": say("no price known for this model"),
    }


def _memory() -> dict[str, str]:
    return {
        "told": say(
            "What stood in the prompt as memory, the most useful first:"
            " usefulness is the mean of relevance, recency and importance."
        ),
        "none": say("Nothing had happened before that could be remembered."),
        "lost": say("What was remembered is not known: the prompts are no longer those of then."),
        "relevance": say("relevance"),
        "recency": say("recency"),
        "importance": say("importance"),
        "unknown": say("unknown"),
        "recalled": say("recalled"),
        "inRecord": say("still in the record"),
        "leftOut": say("left out, as the context window was too small"),
    }


def _knowledge() -> dict[str, Any]:
    return {
        "step": say("Step of the turn"),
        "known": {
            "whole": say("can know it"),
            "part": say("can know part of it"),
            "none": say("cannot know it"),
        },
        "narratorKnows": say("The narrator knows everything but the beliefs of the characters."),
    }


def made(casting: Casting) -> str | None:
    """The sentence that stands by the story; None where language models wrote all of it."""
    how = "hand" if casting.handwritten else casting.improvised
    return None if how is None else say(MADE[how])
