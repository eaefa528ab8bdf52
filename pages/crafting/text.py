"""What is said of crafting: its ways, methods, roles and states."""

from pydantic import ValidationError

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, say_count, translate
from characterbox.crafting.progress import Crafted, Crafting, Wished
from characterbox.crafting.request import Method, Role, Way, Wish
from characterbox.crafting.stages import Draft, Evaluation, Step, Undecided
from characterbox.crafting.translation import Translation
from characterbox.store.craftings import CraftingStatus
from characterbox.values import LANGUAGES

WAYS: dict[Way, str] = {
    "extract": to_say("Extract from the source"),
    "generate": to_say("Write new scenes"),
}
METHODS: dict[Method, str] = {
    "three-stage": to_say("Three stages: screenwriter, director, evaluator"),
    "direct": to_say("Screenwriter only (baseline)"),
}
ROLES: dict[Role, str] = {
    "screenwriter": to_say("Screenwriter"),
    "director": to_say("Director"),
    "evaluator": to_say("Evaluator"),
    "translator": to_say("Translator"),
}
STATES: dict[CraftingStatus, str] = {
    "running": to_say("running"),
    "paused": to_say("paused"),
    "ended": to_say("done"),
}
FIELDS = {
    "work": to_say("Work"),
    "author": to_say("Author of the work"),
    "count": to_say("Scenes"),
    "fewest": to_say("Characters per scene"),
    "most": to_say("Characters per scene"),
    "threshold": to_say("Minimum mean score to accept a scene"),
    "returns": to_say("Maximum returns for revision per scene"),
    "seed": to_say("Seed"),
    "sampling": to_say("Temperature"),
    "pieces": to_say("Source text"),
}
"""What the fields of a wish are called in its form."""
NOTHING = to_say("{field}: no readable text. Enter some text.")
OVERLONG = to_say("{field}: {count:,} characters exceed the limit of {most:,}. Shorten the text.")
UNFIT = to_say("{field}: invalid value. Enter another one.")


def refusal(error: ValidationError) -> str:
    """Why a wish is refused, by its first fault: in which field of the form, and what to do."""
    first = error.errors(include_url=False)[0]
    if first["type"] == "value_error":  # the wish's own words
        return translate(first["ctx"]["error"])
    name = str(first["loc"][0])
    field = say(FIELDS[name]) if name in FIELDS else name
    match first["type"]:
        case "string_too_short":
            return say(NOTHING, field=field)
        case "string_too_long":
            return say(OVERLONG, field=field, count=len(first["input"]), most=first["ctx"]["max_length"])
    return say(UNFIT, field=field)


def heading(wish: Wished) -> str:
    """What is crafted, in a few words."""
    if isinstance(wish, Translation):
        return say(
            "{title}: translation into {language}", title=wish.scene.title, language=say(LANGUAGES[wish.language])
        )
    scenes = say_count("{count:,} scene", "{count:,} scenes", wish.count)
    if wish.way == "extract":
        return say("{work}: {scenes}, extracted", work=wish.work, scenes=scenes)
    return say("{work}: {scenes}, new", work=wish.work, scenes=scenes)


def how_far(crafting: Crafting) -> str:
    """How many scenes are accepted, rejected, and still to be decided."""
    accepted = sum(one.scene is not None for one in crafting.scenes)
    under_way = sum(one.open or one.undecided for one in crafting.scenes)
    if isinstance(crafting.wish, Translation):
        return say("translated") if accepted else say("to be translated") if under_way else say("not translated")
    rejected = len(crafting.scenes) - accepted - under_way
    return say(
        "{accepted:,} accepted, {rejected:,} rejected, {open:,} pending",
        accepted=accepted, rejected=rejected, open=under_way,
    )  # fmt: skip


def calls_told(wish: Wish) -> str:
    """How many calls a crafting takes, at least and at most, without those that ask once more."""
    if wish.method == "direct":
        return say_count("{count:,} call", "{count:,} calls", wish.count)
    fewest = 3 * wish.count
    if not wish.returns:
        return say_count("{count:,} call", "{count:,} calls", fewest)
    return say("{fewest:,} to {most:,} calls", fewest=fewest, most=fewest * (wish.returns + 1))


def outcome(scene: Crafted) -> str:
    """What has become of a scene so far."""
    if scene.scene is not None:
        return say("accepted")
    if scene.undecided:
        return say("undecided: the evaluator's reply could not be read")
    return say("in progress") if scene.open else say("rejected")


def step_told(step: Step) -> str:
    """A step in a line."""
    match step:
        case Draft(scene=None, role=role):
            return say("{role}: no scene in the reply", role=say(ROLES[role]))
        case Draft(role=role, scene=scene) if scene is not None:
            return say("{role}: {title}", role=say(ROLES[role]), title=scene.title)
        case Evaluation(accepted=True, mean=mean):
            return say("{role}: {mean:.2f}, accepted", role=say(ROLES["evaluator"]), mean=mean)
        case Evaluation(mean=mean):
            return say("{role}: {mean:.2f}, returned", role=say(ROLES["evaluator"]), mean=mean)
        case Undecided():
            return say("{role}: the reply could not be read", role=say(ROLES["evaluator"]))
    raise ValueError(f"{step} is no step of crafting")
