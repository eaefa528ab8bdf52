"""The paper's own figures (RoleLLM, tables 3 to 8, 10 and 11), to be shown beside ours, with what limits them.

A figure of Rouge-L is a hundred times the score of `characterbox.rolebench.rouge`. Titles, notes and the names of
columns are to be said.
"""

from dataclasses import dataclass

from annotations.i18n.messages import to_say
from characterbox.values import Language


@dataclass(frozen=True)
class PublishedRow:
    """What a table says of a model, or of a way to prompt or to train one."""

    name: str
    figures: tuple[float, ...]
    """One in each column."""


@dataclass(frozen=True)
class PublishedTable:
    """A table, or one of the two that a table is made of."""

    number: str
    """In the paper, such as `3a`."""
    title: str
    language: Language | None
    """Of the answers; None where models of both languages stand in one table."""
    columns: tuple[str, ...]
    rows: tuple[PublishedRow, ...]
    note: str


ROUGE_NOTE = to_say(
    "Rouge-L in percent. The paper names no tokenizer, does not say how several references count, and gives no"
    " intervals; compare with care."
)
WINS_NOTE = to_say(
    "Share of answers, in percent, that were preferred to RoleGPT's, in the eyes of GPT-4 and of three graduate"
    " students. The paper does not say how ties count, and gives no intervals."
)
AVERAGES_NOTE = to_say(
    "Rouge-L in percent. For LLaMA, Alpaca and Vicuna the averages printed (22.4, 30.2, 28.4) are not the means of the"
    " three figures beside them (17.0, 28.1, 24.7); the paper does not say why. It names no tokenizer, does not say how"
    " several references count, and gives no intervals; compare with care."
)
PROMPTING_NOTE = to_say(
    "How often GPT-4 ranked a way of prompting first among the three, in percent, and its mean rank (lower is better),"
    " for questions about Chinese roles. The rates add up to 102.4, so ties for the first rank seem to count for each."
)
OTHER_SPLIT_NOTE = to_say(
    "Rouge-L in percent. Table 5 gives RoleLLaMA-7B 25.7 on SPE; the figures here may rest on other test questions."
)
_PARTS = ("CUS", "RAW", "SPE", to_say("Average"))
_JUDGES = ("GPT-4", to_say("People"))


def _rows(text: str) -> tuple[PublishedRow, ...]:
    """A line has a name and figures, with bars between."""
    lines = (line.split(" | ") for line in text.strip().splitlines())
    return tuple(PublishedRow(name, tuple(float(one) for one in figures.split())) for name, figures in lines)


PUBLISHED: tuple[PublishedTable, ...] = (
    PublishedTable(
        "3a",
        to_say("Instruction generalization, English: Rouge-L"),
        "en",
        _PARTS,
        _rows("""
RoleGPT | 57.6 53.2 32.3 47.7
LLaMA | 12.9 12.3 25.5 16.9
LLaMA-script | 8.3 5.1 10.8 8.1
Alpaca | 24.2 35.3 27.0 28.8
Vicuna | 21.0 25.5 29.1 25.2
ChatPLUG | 24.0 34.7 25.8 28.2
Character.AI | 41.9 45.7 30.3 39.3
LLaMA-2-7B-Chat | 16.2 26.2 21.4 21.2
RoleLLaMA-7B | 32.9 37.6 38.1 36.2
RoleLLaMA2 (13B-Chat) | 37.5 47.9 48.8 44.7
"""),
        ROUGE_NOTE,
    ),
    PublishedTable(
        "3b",
        to_say("Instruction generalization, English: win rate against RoleGPT"),
        "en",
        _JUDGES,
        _rows("""
Vicuna | 32.0 23.4
Alpaca | 16.0 20.0
ChatPLUG | 3.8 16.4
Character.AI | 31.4 30.2
RoleLLaMA-7B | 55.8 52.0
"""),
        WINS_NOTE,
    ),
    PublishedTable(
        "4a",
        to_say("Instruction generalization, Chinese: Rouge-L"),
        "zh",
        _PARTS,
        _rows("""
RoleGPT | 53.7 57.5 24.8 45.3
ChatGLM2 | 39.4 50.6 31.0 40.3
ChatGLM2-script | 14.0 30.7 9.1 17.9
ChatPLUG | 38.9 61.4 31.0 43.8
Character.AI | 42.0 55.8 28.7 42.2
Yi-6B-Chat | 40.6 56.5 26.9 41.3
RoleGLM | 50.5 52.6 34.1 45.7
"""),
        ROUGE_NOTE,
    ),
    PublishedTable(
        "4b",
        to_say("Instruction generalization, Chinese: win rate against RoleGPT"),
        "zh",
        _JUDGES,
        _rows("""
ChatGLM2 | 24.2 19.6
ChatPLUG | 28.9 19.9
Character.AI | 28.2 19.0
RoleGLM | 36.4 52.4
"""),
        WINS_NOTE,
    ),
    PublishedTable(
        "5a",
        to_say("Role generalization, English: Rouge-L"),
        "en",
        _PARTS,
        _rows("""
RoleGPT | 60.2 53.2 29.9 47.8
LLaMA | 13.2 12.3 25.5 22.4
Alpaca | 23.2 35.3 25.9 30.2
Vicuna | 20.8 25.5 27.8 28.4
ChatPLUG | 28.7 34.7 25.0 29.5
LLaMA-2-7B-Chat | 20.8 26.2 20.2 22.4
RoleLLaMA-7B | 41.3 41.1 25.7 36.0
"""),
        AVERAGES_NOTE,
    ),
    PublishedTable(
        "5b",
        to_say("Role generalization, English: win rate against RoleGPT"),
        "en",
        _JUDGES,
        _rows("""
Alpaca | 12.0 28.2
Vicuna | 31.0 32.4
ChatPLUG | 8.8 12.0
RoleLLaMA-7B | 64.5 56.1
"""),
        WINS_NOTE,
    ),
    PublishedTable(
        "6",
        to_say("Context-Instruct (c-inst) or retrieval (reaug), instruction generalization: Rouge-L"),
        "en",
        ("SPE",),
        _rows("""
RoleLLaMA (w/o c-inst) | 21.4
RoleLLaMA (reaug, w/o c-inst) | 19.1
RoleLLaMA (w/ c-inst) | 38.1
"""),
        ROUGE_NOTE,
    ),
    PublishedTable(
        "7",
        to_say("Ways of prompting RoleGPT, as GPT-4 ranked them"),
        "zh",
        (to_say("Win rate"), to_say("Mean rank")),
        _rows("""
RoleGPT (zsp) | 9.3 2.4
RoleGPT (fsp) | 29.8 1.9
RoleGPT (fsd) | 63.3 1.5
"""),
        PROMPTING_NOTE,
    ),
    PublishedTable(
        "8",
        to_say("Retrieval (reaug) or system instruction (sys), questions about the role: Rouge-L"),
        None,
        ("reaug", "sys"),
        _rows("""
RoleLLaMA | 36.7 38.1
RoleGLM | 25.3 34.1
RoleGPT | 23.6 23.4
"""),
        ROUGE_NOTE,
    ),
    PublishedTable(
        "10a",
        to_say("RoleLLaMA by what it was trained on: Rouge-L"),
        "en",
        _PARTS,
        _rows("""
RoleLLaMA (general) | 35.7 39.2 21.4 32.1
RoleLLaMA (specific) | 25.1 27.6 28.2 26.9
RoleLLaMA (mix) | 32.9 37.6 38.1 36.2
"""),
        ROUGE_NOTE,
    ),
    PublishedTable(
        "10b",
        to_say("RoleGLM by what it was trained on: Rouge-L"),
        "zh",
        _PARTS,
        _rows("""
RoleGLM (general) | 52.0 53.4 19.2 41.5
RoleGLM (specific) | 37.0 46.9 34.8 39.6
RoleGLM (mix) | 50.5 52.6 34.1 45.7
"""),
        ROUGE_NOTE,
    ),
    PublishedTable(
        "11",
        to_say("Context-Instruct (c-inst) or retrieval (reaug), role generalization: Rouge-L"),
        "en",
        ("SPE",),
        _rows("""
RoleLLaMA (w/o c-inst) | 28.1
RoleLLaMA (reaug, w/o c-inst) | 18.7
RoleLLaMA (w/ c-inst) | 35.0
"""),
        OTHER_SPLIT_NOTE,
    ),
)
