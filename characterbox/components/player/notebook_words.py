"""What the notebook of the player says, in the language of the interface."""

from typing import Any

from annotations.wording import say
from characterbox.components.step_kinds import KINDS


def notebook_words() -> dict[str, Any]:
    """The words of all sheets."""
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
        "noBeliefs": say("No beliefs yet: they come at the end of each round."),
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
            "part": say("sees where, not how"),
            "none": say("cannot know it"),
        },
        "narratorKnows": say("The narrator knows everything but the beliefs of the characters."),
    }
