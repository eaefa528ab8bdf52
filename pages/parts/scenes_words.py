"""What the Scenes page calls things."""

from collections.abc import Mapping

from annotations.wording import say, say_count, to_say
from characterbox.scenes.finding import Heading
from characterbox.scenes.scene import Crafted, Passage
from characterbox.values import LANGUAGES

ORIGINS: Mapping[str, str] = {
    "extracted": to_say("from its source"),
    "generated": to_say("generated"),
    "original": to_say("original"),
}
WHOSE: Mapping[str, str] = {
    "bundled": to_say("bundled"),
    "own": to_say("own"),
    "away": to_say("put away"),
}
FIELDS: Mapping[str, str] = {
    "title": to_say("Title"),
    "work": to_say("Work"),
    "language": to_say("Language"),
    "origin": to_say("Origin"),
    "author": to_say("Author"),
    "time": to_say("Time"),
    "location": to_say("Place"),
    "description": to_say("Environment"),
    "plot": to_say("How the source goes on"),
    "cast": to_say("Cast"),
    "name": to_say("Name"),
    "gender": to_say("Gender"),
    "position": to_say("Position"),
    "state": to_say("State"),
    "account": to_say("Description"),
    "knowledge": to_say("Knows"),
    "unaware": to_say("Does not know"),
}
"""The fields of a scene, as `characterbox.scenes.differences` calls them; to be said."""
HINTS: Mapping[str, str] = {
    "title": to_say("What happens, as a headline."),
    "author": to_say("Of the work, if it is known."),
    "description": to_say("What there is, and what is going on as the scene begins."),
    "plot": to_say("For readers and judges, if there is a source. The players never see it."),
    "gender": to_say("If it matters."),
    "position": to_say("Where they are as the scene begins."),
    "state": to_say("How they are as the scene begins."),
    "account": to_say("Who they are: looks, temper, past, goals. They themselves, narrator and judges read it."),
    "knowledge": to_say("What they know that others may not; a sentence or a few each. They read it themselves."),
    "unaware": to_say(
        "What they do not know, or cannot know yet. Narrator and judges read it, they themselves never do."
    ),
}
"""What is to be written there, where the name does not say it; to be said."""
METHODS: Mapping[str, str] = {
    "three-stage": to_say("in three stages: screenwriter, director and evaluator"),
    "direct": to_say("by the screenwriter alone"),
    "translated": to_say("as a translation"),
}


def about_heading(heading: Heading) -> str:
    """What is known of a scene besides its title, in one line."""
    parts = [
        heading.work,
        say(LANGUAGES[heading.language]),
        say(ORIGINS[heading.origin]),
        say_count("{count} character", "{count} characters", heading.characters),
        say(WHOSE[heading.whose]),
    ]
    if heading.version is not None and heading.version > 1:
        parts.append(say("version {version}", version=heading.version))
    return " · ".join(parts)


def passage_told(passage: Passage) -> str:
    """Where in its source a scene comes from."""
    told = say(
        "{source}, characters {start:,} to {end:,}", source=passage.source, start=passage.start + 1, end=passage.end
    )
    return told if passage.chapter is None else say("{chapter}; {place}", chapter=passage.chapter, place=told)


def crafted_told(crafted: Crafted) -> str:
    """How a scene was crafted."""
    first = say("translator") if crafted.method == "translated" else say("screenwriter")
    models = {
        first: crafted.screenwriter,
        say("director"): crafted.director,
        say("evaluator"): crafted.evaluator,
    }
    told = say(", ").join(say("{role}: {model}", role=role, model=model) for role, model in models.items() if model)
    if crafted.by_hand:
        how = to_say("by models, {method} ({models}), and changed by a person")
    else:
        how = to_say("by models, {method} ({models})")
    return say(how, method=say(METHODS[crafted.method]), models=told)
