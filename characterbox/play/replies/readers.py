"""How the replies to the tasks are read that hold more than their form: names of the cast, and prose in its place."""

import re
from collections.abc import Collection, Mapping, Sequence

from characterbox.errors import ReplyError
from characterbox.llm.replies.character_names import match_name, means_nobody
from characterbox.llm.replies.reading import Way, is_nothing, plain, read_prose
from characterbox.pause_reasons import Reason
from characterbox.play.replies.cast_names import CastNames, means_everybody, unknown_name
from characterbox.play.replies.form_reading import checked_form, is_form, label_before, labels_of, read_form
from characterbox.play.replies.forms import ActionReply, InfluenceReply, ResultReply, UpdatesReply
from characterbox.prompts import words
from characterbox.values import LANGUAGE_CODES

PROSE_LABELS: Mapping[str, Sequence[str]] = {
    "action": ("action", "行动", "动作"),
    "dialogue": ("dialogue", "speech", "对话", "台词"),
    "reaction": ("reaction", "反应"),
}
"""For each task of prose the words with which a model may name what it gives."""
_BETWEEN = re.compile(r"[;；]{2}|(?<=[\]】])[;；](?=[ \t]{0,9}[\[【])")
_BRACKETS = "[]【】"


def read_action(text: str, *, speaker: str, names: Mapping[str, str], last: bool = False) -> ActionReply:
    """What a character does and says: the JSON form, a labelled text, or plain prose, which is the action alone.

    `names` gives the true name of each other by what the character calls it. In the `last` reply there will be, an
    addressee that can't be used is left out. Raises ReplyError if there is no action, or either is a refusal.
    """
    if not is_form(text, ActionReply, "action"):
        prose = read_prose(text, speaker=speaker, labels=PROSE_LABELS["action"])
        if label_before(prose, ActionReply) in (None, "action"):
            return ActionReply(action=_text(prose, text))
    reply = _performed(read_form(text, ActionReply, last=last), text, speaker)
    to = match_name(reply.to or "", names)
    if to is None and not last and not _is_to_all(reply.to):
        raise ReplyError(unknown_name("to", reply.to or "", names), reply=text)
    if "dialogue" not in reply.model_fields_set and (reply.whispered or to is not None):
        if not last:  # the words would be asked for without saying for whom they are
            raise ReplyError(Reason("field_missing", field="dialogue"), reply=text)
        reply = reply.model_copy(update={"dialogue": None})
    return reply.model_copy(update={"to": None if to is None else names[to]})


def _text(prose: str, reply: str) -> str:
    """The prose, unless it is a word for nobody or nothing: what somebody may say, and no deed or result."""
    if is_nothing(prose):
        raise ReplyError(Reason("no_text"), reply=reply)
    return prose


def _is_to_all(to: str | None) -> bool:
    """Whether words are for nobody in particular."""
    return to is None or means_nobody(to) or means_everybody(to)


def _performed(reply: ActionReply, text: str, speaker: str) -> ActionReply:
    """The reply with action and words as their prose is read. Raises ReplyError if either is a refusal."""
    try:
        told = {"action": read_prose(reply.action, speaker=speaker, labels=PROSE_LABELS["action"])}
        if reply.dialogue:
            told["dialogue"] = read_speech(reply.dialogue, speaker=speaker)
    except ReplyError as error:
        raise ReplyError(Reason.of(error), reply=text) from None
    return reply.model_copy(update=told)


def read_speech(text: str, *, speaker: str) -> str:
    """The words spoken; empty for the agreed sign of silence, and for nothing else."""
    speech = read_prose(text, speaker=speaker, labels=PROSE_LABELS["dialogue"])
    bare = speech.strip(" ()（）[].。").casefold()
    return "" if bare in {words(language).silence.strip("()（）") for language in LANGUAGE_CODES} else speech


def read_influence(
    text: str, *, actor: str, names: Sequence[str], there: Collection[str] | None = None, last: bool = False
) -> InfluenceReply:
    """The influence of the actor's action, with `affected` the exact name of another character or None.

    `there` are those who are meant by everybody: all, where that is not told.

    The paper's `[actor];; [target];; [effect]` is read too; the actor as target means that nobody is affected. In the
    `last` reply there will be, an importance or a list that can't be used is left out.
    Raises ReplyError if a target is named that is not in the cast, or no effect is told.
    """
    way = _in_three_parts(text)
    reply = checked_form(text, InfluenceReply, [way], last=last) if way else read_form(text, InfluenceReply, last=last)
    reply = CastNames(text, names, there, last).perceivers(reply, without=actor)
    if reply.affected is None:
        return reply
    affected = match_name(reply.affected, names)
    if affected is None and not means_nobody(reply.affected):
        known = ", ".join(name for name in names if name != actor)
        raise ReplyError(Reason("nobody_known", name=repr(reply.affected), known=known), reply=text)
    return reply.model_copy(update={"affected": None if affected == actor else affected})


def _in_three_parts(text: str) -> Way | None:
    """The paper's `[actor];; [target];; [effect]`; None if the reply has another form.

    Raises ReplyError if the last bracket is not closed: a text that is cut off is no text.
    """
    parts = [part.strip(" \t\r\n*") for part in _BETWEEN.split(plain(text).rstrip(" \t\n;；"))]
    if len(parts) != 3 or not all(part.strip(f"{_BRACKETS} ") for part in parts):
        return None
    if parts[2][0] in _BRACKETS and not any(closing in parts[2] for closing in "]】"):
        raise ReplyError(Reason("field_cut_off", field="effect"), reply=text)
    affected, effect = (part.strip(f"{_BRACKETS} ") for part in parts[1:])
    return Way({"affected": [affected], "effect": [effect]}, cut=False)


def read_result(
    text: str, *, names: Sequence[str], there: Collection[str] | None = None, last: bool = False
) -> ResultReply:
    """The result of an interaction: the JSON form, a labelled text, or plain prose, which then has no importance.

    `there` are those who are meant by everybody: all, where that is not told.

    In the `last` reply there will be, an importance or a list that can't be used is left out. Raises ReplyError if
    there is no result.
    """
    if is_form(text, ResultReply, "result"):
        cast = CastNames(text, names, there, last)
        reply = cast.perceivers(read_form(text, ResultReply, last=last))
        return reply.model_copy(update={"recognised": cast.by_whom("recognised", reply.recognised or ())})
    prose = read_prose(text, labels=("result", *labels_of(ResultReply)["result"]))
    match label_before(prose, ResultReply):
        case None | "result":
            return ResultReply(result=_text(prose, text))
        case "importance":
            raise ReplyError(Reason("importance_alone"), reply=text)
        case _:
            raise ReplyError(Reason("field_missing", field="result"), reply=text)


def read_updates(text: str, *, names: Sequence[str], last: bool = False) -> UpdatesReply:
    """How things are after a turn. In the `last` reply there will be, who is hidden is as before where that can't be
    used. Raises ReplyError if it can't be read."""
    reply = read_form(text, UpdatesReply, last=last)
    if reply.hidden is None:
        return reply
    try:
        if any(not one.by and match_name(one.who, names) for one in reply.hidden):
            raise ReplyError(Reason("field_missing", field="hidden.by"), reply=text)  # nobody, or everybody?
        hidden = CastNames(text, names).by_whom("hidden", reply.hidden)
    except ReplyError:
        if not last:
            raise
        hidden = None  # with somebody left out, whoever is not listed would come into sight
    return reply.model_copy(update={"hidden": hidden})
