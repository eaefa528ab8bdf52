"""The ways in which models damage their replies, each as what it does to a reply that is well formed."""

import html
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from string import Template
from typing import Any

from tests.fakes.examples import is_soak

BULK = 10 if is_soak() else 1
"""Times 100 KB, of which more is not read."""


@dataclass(frozen=True)
class Whole:
    """A well-formed reply: its fields in order, and their labels in Chinese."""

    fields: Mapping[str, Any]
    chinese: Mapping[str, str]

    @property
    def json(self) -> str:
        """The reply as it should be."""
        return _json(self.fields)

    @property
    def other(self) -> str:
        """A reply that says something else in every field."""
        return _json({key: _another(value) for key, value in self.fields.items()})

    def keyed(self, change: Callable[[str], str]) -> str:
        """JSON with other keys."""
        return _json({change(key): value for key, value in self.fields.items()})

    def pairs(self, form: str, between: str) -> str:
        """All fields, each as `form` has it with its `key`, `label` in Chinese, `text` and `value` in JSON."""
        return between.join(
            form.format(key=key, upper=key.upper(), label=self.chinese[key], text=_text(value), value=_json(value))
            for key, value in self.fields.items()
        )

    def without_last(self) -> "Whole":
        """The same without its last field."""
        return Whole(dict(list(self.fields.items())[:-1]), self.chinese)


@dataclass(frozen=True)
class Damage:
    """One way to damage a reply, and what a careful reader says to it."""

    name: str
    of: Callable[[Whole], str]
    problem: str | None = None
    """What is wrong with the reply when it can't be read; None when it is read as if it were whole."""


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(value)
    return {"None": "None", "True": "yes", "False": "no"}.get(str(value), str(value))


def _another(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, list):
        return []
    return value % 3 + 1 if isinstance(value, int) else f"Not {value}"


def _nested(whole: Whole) -> str:
    return _json({"reply": {"answer": whole.fields}})


def _split(whole: Whole) -> str:
    return "\n".join(_json({key: value}) for key, value in whole.fields.items())


ABSENT = "required|neither a JSON object nor text with the labels|no text|alone|refuses|JSON that does not hold"
CUT = "cut off|missing|neither a JSON object|JSON that does not hold"
DIFFERENT = "several (?:answers|scores)"
DENIED = "I'm sorry, but I can't assist with that request."
DENIED_ZH = "很抱歉，我无法满足这个请求。"
THOUGHT = "Is she hurt? Perhaps {this}; or not. At 10:30: no."

READ = [
    Damage("as it should be", lambda w: w.json),
    Damage("keys in upper case", lambda w: w.keyed(str.upper)),
    Damage("keys in title case", lambda w: w.keyed(str.title)),
    Damage("spaces round the keys", lambda w: w.keyed(lambda key: f"  {key} ")),
    Damage("bold keys", lambda w: w.keyed(lambda key: f"**{key}**")),
    Damage("brackets round the keys", lambda w: w.keyed(lambda key: f"[{key}]")),
    Damage("a colon in the keys", lambda w: w.keyed(lambda key: f"{key}:")),
    Damage("the labels of the other language", lambda w: w.keyed(w.chinese.__getitem__)),
    Damage("escaped keys", lambda w: json.dumps({w.chinese[key]: value for key, value in w.fields.items()})),
    Damage("keys without quotes", lambda w: "{" + w.pairs("{key}: {value}", ", ") + "}"),
    Damage("the quotes of Python", lambda w: repr(dict(w.fields))),
    Damage(
        "smart quotes",
        lambda w: (
            w.json.replace('"', "“").replace("“:", "”:").replace("“,", "”,").replace("“}", "”}").replace("“]", "”]")
        ),
    ),
    Damage("smart quotes that all close", lambda w: w.json.replace('"', "”")),
    Damage("full-width punctuation", lambda w: "｛" + w.pairs("“{key}”：{value}", "，") + "｝"),
    Damage("full-width semicolons", lambda w: "{" + w.pairs('"{key}"：{value}', "；") + "}"),
    Damage("a trailing comma", lambda w: w.json[:-1] + ",}"),
    Damage("commas twice", lambda w: "{" + w.pairs('"{key}": {value}', ",, ") + "}"),
    Damage("no commas, but lines", lambda w: "{\n" + w.pairs('"{key}": {value}', "\n") + "\n}"),
    Damage("comments", lambda w: "{ // the reply\n" + w.pairs('"{key}": {value}', ", // so\n") + " /* all */ }"),
    Damage("comments of Python", lambda w: "{\n" + w.pairs('"{key}": {value}', ", # so\n") + "\n}"),
    Damage("no brace before it", lambda w: w.json[1:]),
    Damage("no braces at all", lambda w: w.json[1:-1]),
    Damage("a brace too many", lambda w: w.json + "}"),
    Damage("pretty-printed", lambda w: json.dumps(w.fields, indent=4, ensure_ascii=False)),
    Damage("CRLF line ends", lambda w: json.dumps(w.fields, indent=2).replace("\n", "\r\n")),
    Damage("a code fence", lambda w: f"```\n{w.json}\n```"),
    Damage("a code fence with its language", lambda w: f"```json\n{w.json}\n```"),
    Damage("a code fence on one line", lambda w: f"```json {w.json}```"),
    Damage("a code fence that is not closed", lambda w: f"```json\n{w.json}"),
    Damage("a code fence that is only closed", lambda w: f"{w.json}\n```"),
    Damage("a code fence between words", lambda w: f"Here you are:\n```json\n{w.json}\n```\nAnything else?"),
    Damage("prose before it", lambda w: f"Sure! Here is the JSON at 10:30: {w.json}"),
    Damage("prose after it", lambda w: f"{w.json}\n\nNote: all this is fiction; he {{and she}} are fine."),
    Damage("an apology before it", lambda w: f"I apologize for the confusion. The right answer:\n{w.json}"),
    Damage("a Chinese apology before it", lambda w: f"抱歉，刚才格式有误。正确的回答如下：\n{w.json}"),
    Damage("a think-block", lambda w: f"<think>{THOUGHT}</think>\n\n{w.json}"),
    Damage("a think-block with another answer in it", lambda w: f"<think>{w.other}</think>{w.json}"),
    Damage("a think-block that is only closed", lambda w: f"{w.other} {THOUGHT}\n</think>\n{w.json}"),
    Damage("think-blocks in one another", lambda w: f"<think>a<think>{w.other}</think>b</think>{w.json}"),
    Damage("a block of thinking aloud", lambda w: f"<Thinking>{THOUGHT}</Thinking>{w.json}"),
    Damage("a think-block in brackets", lambda w: f"[THINK]{w.other}[/THINK]{w.json}"),
    Damage("a block of reasoning", lambda w: f"<reasoning>{w.other}</reasoning>{w.json}"),
    Damage("a block of thinking in triangles", lambda w: f"◁think▷{w.other}◁/think▷{w.json}"),
    Damage(
        "a channel for thinking",
        lambda w: f"<|channel|>analysis<|message|>{w.other}<|end|><|channel|>final<|message|>{w.json}<|return|>",
    ),
    Damage("the end token of a template", lambda w: f"{w.json}<|im_end|>"),
    Damage("the end of a sequence", lambda w: f"<s> {w.json}</s>"),
    Damage("two answers that agree", lambda w: f"{w.json}\n{w.json}"),
    Damage("two answers that agree but for case", lambda w: f"{w.json}\n{w.keyed(str.upper)}"),
    Damage("an answer cut off and then a whole one", lambda w: f"{w.json[: len(w.json) // 2]}\n\n{w.json}"),
    Damage("one object for each field", _split),
    Damage("in a list", lambda w: f"[{w.json}]"),
    Damage("in another object", lambda w: _json({"reply": w.fields})),
    Damage("in another object in another", _nested),
    Damage("in a list in an object", lambda w: _json({"updates": [w.fields]})),
    Damage("extra keys", lambda w: _json({"note": "At 10:30: x", **w.fields, "tags": ["a", {"b": None}]})),
    Damage("a key twice with the same value", lambda w: w.json[:-1] + ", " + w.json[1:]),
    Damage("HTML entities", lambda w: html.escape(w.json)),
    Damage("HTML tags round it", lambda w: f"<pre><code>{w.json}</code></pre>"),
    Damage("a byte order mark", lambda w: "\ufeff" + w.json),
    Damage("letters without width", lambda w: w.json.replace('"', '\u200b"\u200b')),
    Damage("spaces that do not break", lambda w: w.json.replace(', "', ',\u00a0"').replace("{", "{\u00a0")),
    Damage("braces before it", lambda w: "{" * 40_000 + "\n" + w.json),
    Damage("more than is read of prose before it", lambda w: "She waits. " * (9_500 * BULK) + w.json),
    Damage("more than is read of blank lines before it", lambda w: "So:" + "\n" * (100_000 * BULK) + w.json),
    Damage("NUL and a lone surrogate before it", lambda w: "\0\ud83d " + w.json),
    Damage("control characters round it", lambda w: f"\x06\x1b{w.json}\x7f\x9b"),
    Damage("control characters before the keys", lambda w: w.json.replace(', "', ',\x06 \x1f"').replace("{", "{\x0b")),
    Damage("form feeds and lone carriage returns", lambda w: json.dumps(w.fields, indent=2).replace("\n", "\f\r")),
    Damage("lines with labels", lambda w: w.pairs("{key}: {text}", "\n")),
    Damage("lines with labels in upper case", lambda w: w.pairs("{upper} : {text}", "\n")),
    Damage("lines with labels in the other language", lambda w: w.pairs("{label}：{text}", "\n")),
    Damage("lines with bold labels", lambda w: w.pairs("**{key}:** {text}", "\n\n")),
    Damage("lines with bold labels and full-width colons", lambda w: w.pairs("**{key}**： {text}", "\n")),
    Damage("lines with labels in brackets", lambda w: w.pairs("[{key}]: [{text}]", "\n")),
    Damage("Chinese brackets and no colon", lambda w: w.pairs("【{label}】{text}", "\n")),
    Damage("a Markdown list", lambda w: "Here:\n" + w.pairs("- **{key}**: {text}", "\n")),
    Damage("a numbered list", lambda w: w.pairs("1. {key}: {text}", "\n")),
    Damage("a quotation in Markdown", lambda w: w.pairs("> {key}: {text}", "\n")),
    Damage("headings", lambda w: w.pairs("### {key}\n{text}", "\n\n")),
    Damage("bold headings", lambda w: w.pairs("**{key}**\n{text}", "\n\n")),
    Damage("a table", lambda w: "| Field | Value |\n|---|---|\n" + w.pairs("| **{key}** | {text} |", "\n")),
    Damage("a table with prose behind it", lambda w: w.pairs("| {key} | {text} |", "\n") + "\n\nThat is all."),
    Damage("tags of XML", lambda w: w.pairs("<{key}>{text}</{key}>", "\n")),
    Damage(
        "tags of XML with prose round them", lambda w: "So: " + w.pairs("<{key}>{text}</{key}>", "") + "\nAll fine?"
    ),
    Damage("labels with CRLF line ends", lambda w: w.pairs("{key}: {text}", "\r\n")),
    Damage("labels after an unlabelled apology", lambda w: "My apologies.\n" + w.pairs("{key}: {text}", "\n")),
    Damage("labelled lines twice", lambda w: "\n\n".join([w.pairs("{key}: {text}", "\n")] * 2)),
    Damage("bold labels in HTML", lambda w: w.pairs("<b>{key}</b>: {text}<br>", "")),
]

CONTROLS = {
    "a control character": "\x06",
    "several": "\x01\x1b\x7f",
    "NUL": "\0",
    "one of the second set": "\x9b",
}
"""What guided decoding lets through inside a JSON string, and no story may tell."""

REFUSED = [
    Damage("empty", lambda _: "", ABSENT),
    Damage("blank", lambda _: " \n\t\u3000\n", ABSENT),
    Damage("None", lambda _: "None", ABSENT),
    Damage("null", lambda _: "null", ABSENT),
    Damage("not applicable", lambda _: "N/A", ABSENT),
    Damage("an empty object", lambda _: "{}", ABSENT),
    Damage("an empty list", lambda _: "[]", ABSENT),
    Damage("only braces", lambda _: "{" * 40_000, ABSENT),
    Damage("objects in objects without end", lambda _: '{"a":' * 10_000, ABSENT),
    Damage("lists in objects without end", lambda _: '{"effect": [' * 10_000, ABSENT),
    Damage("more than is read of prose", lambda _: "She waits by the door. " * (4_500 * BULK), ABSENT),
    Damage("more than is read of list marks", lambda _: "x" + "\n- * > " * (14_000 * BULK), ABSENT),
    Damage("a refusal", lambda _: DENIED, ABSENT),
    Damage("a refusal in Chinese", lambda _: DENIED_ZH, ABSENT),
    Damage("a think-block that is not closed", lambda w: f"<think>{THOUGHT} {w.json}", ABSENT),
    Damage("nothing but a think-block", lambda w: f"<think>{w.json}</think>", ABSENT),
    Damage("cut off in the middle", lambda w: w.json[: len(w.json) // 2], CUT),
    Damage("cut off after a colon", lambda w: w.json[: w.json.rindex(":") + 1], CUT),
    Damage("cut off in the last key", lambda w: w.json[: w.json.rindex('":')], CUT),
    Damage("cut off after a comma", lambda w: w.without_last().json[:-1] + ",", CUT),
    Damage("labels without anything behind them", lambda w: w.pairs("{key}:", "\n"), ABSENT),
    Damage("two answers that differ", lambda w: f"{w.json}\n{w.other}", DIFFERENT),
    Damage("a list of two answers that differ", lambda w: f"[{w.json}, {w.other}]", DIFFERENT),
    Damage("a draft and a final answer", lambda w: f'{{"draft": {w.json}, "final": {w.other}}}', DIFFERENT),
    Damage("one answer for each of two characters", lambda w: f'{{"Ann": {w.json}, "Bob": {w.other}}}', DIFFERENT),
    Damage("keys twice with other values", lambda w: w.json[:-1] + ", " + w.other[1:], DIFFERENT),
    Damage(
        "labelled lines twice with other texts",
        lambda w: (
            w.pairs("{key}: {text}", "\n") + "\n\n" + Whole(json.loads(w.other), w.chinese).pairs("{key}: {text}", "\n")
        ),
        DIFFERENT,
    ),
    Damage(
        "values in lists", lambda w: _json({key: [value] for key, value in w.fields.items()}), "string|number|valid"
    ),
    Damage(
        "the form itself",
        lambda w: _json({"properties": {key: {"type": "string"} for key in w.fields}}),
        "string|number|valid",
    ),
    Damage("ellipses for values", lambda w: "{" + w.pairs('"{key}": ...', ", ") + "}", "text|number|valid"),
]

TEXT = 'At 10:30: she bows (deeply); "no", she thinks.'

PROSE_READ = {
    "as it should be": TEXT,
    "blanks round it": f" \n\t{TEXT}\n\n",
    "quotes of the other kind": f"「{TEXT}」",
    "smart quotes": f"“{TEXT}”",
    "bold": f"**{TEXT}**",
    "brackets": f"[{TEXT}]",
    "a code span": f"`{TEXT}`",
    "a code fence": f"```\n{TEXT}\n```",
    "a code fence with a language": f"```text\n{TEXT}\n```",
    "a code fence on one line": f"```{TEXT}```",
    "a code fence that is not closed": f"```\n{TEXT}",
    "a code fence that is announced": f"Here is the text:\n```\n{TEXT}\n```",
    "a label": f"$title: {TEXT}",
    "a label in upper case": f"$upper:{TEXT}",
    "a bold label": f"**$title:** {TEXT}",
    "a label in brackets": f"[$title]: {TEXT}",
    "a heading": f"### $title:\n{TEXT}",
    "a label of the other language": f"$label：{TEXT}",
    "a label in Chinese brackets": f"【$label】：{TEXT}",
    "an announcement": f"Sure! Here is the $title of Ann:\n\n{TEXT}",
    "an announcement in Chinese": f"好的，以下是$label：\n{TEXT}",
    "JSON": '{"$title": TEXT}',
    "JSON in upper case": '{"$upper": TEXT}',
    "JSON with the key of the other language": '{"$label": TEXT}',
    "JSON with another key": '{"text": TEXT}',
    "JSON with more in it": '{"name": "Ann", "$title": TEXT, "mood": 3}',
    "JSON in a list": '[{"$title": TEXT}]',
    "JSON in JSON": '{"reply": {"$title": TEXT}}',
    "JSON without the last brace": '{"$title": TEXT',
    "JSON with prose before it": 'Of course:\n{"$title": TEXT}',
    "JSON in a code fence": '```json\n{"$title": TEXT}\n```',
    "full-width JSON": f"｛“$title”：“{TEXT}”｝",
    "twice the same JSON": '{"$title": TEXT}\n{"$title": TEXT}',
    "a tag": f"<$title>{TEXT}</$title>",
    "a think-block": f"<think>{THOUGHT}</think>\n\n{TEXT}",
    "a think-block that is only closed": f"{THOUGHT}\n</think>{TEXT}",
    "a channel for thinking": f"<|channel|>analysis<|message|>Hm.<|end|><|channel|>final<|message|>{TEXT}<|return|>",
    "the end token of a template": f"{TEXT}<|im_end|>",
    "a byte order mark": f"\ufeff{TEXT}",
    "letters without width": f"\u200b{TEXT}\u200b",
    "HTML entities": html.escape(TEXT),
    "HTML tags": f"<p>{TEXT}</p>",
    "more than is read of blanks before it": " " * (100_000 * BULK) + TEXT,
}
"""What a careful reader takes for TEXT, with the name of the task where $title or $label stands."""

PROSE_REFUSED = {
    "empty": "",
    "blank": " \n\u3000",
    "None": "None",
    "null in quotes": '"null"',
    "not applicable": "N/A.",
    "无": "（无）",
    "a dash": "—",
    "a label alone": "**$title:**",
    "an empty code fence": "```\n```",
    "a think-block that is not closed": f"<think>{THOUGHT} {TEXT}",
    "nothing but a think-block": f"<think>{THOUGHT}</think>",
    "a refusal": DENIED,
    "a refusal with a smart quote": DENIED.replace("'", "’"),
    "a refusal of the role": "I apologize, but I am not able to go on with this role-play.",
    "a refusal that explains": "As an AI language model, I don't have feelings, so I cannot write this.",
    "a refusal in Chinese": DENIED_ZH,
    "a refusal that explains in Chinese": "作为一个人工智能语言模型，我不能编写这段内容。",
    "JSON cut off": '{"$title": "At 10:30: she bo',
    "JSON with two texts": '{"what": "She bows.", "how": "Deeply."}',
    "JSON with two answers": '{"$title": "She bows."}\n{"$title": "She sits."}',
    "JSON with a list": '{"$title": ["She bows."]}',
    "JSON between prose": 'So {"$title": "She bows."} it is.',
    "an empty object": "{}",
    "JSON of nothing": '{"$title": null}',
    "only braces": "{" * 1000,
}
"""What is no text at all, or leaves open which."""


def in_prose(form: str, title: str, label: str) -> str:
    """The damaged text of a task called `title` in English and `label` in Chinese."""
    return Template(form).substitute(title=title, upper=title.upper(), label=label).replace("TEXT", _json(TEXT))
