"""Who narrated the stories behind a board, and how many rounds they have: where models differ in these, their means are
of unlike stories.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import pandas as pd

from annotations.messages import Message, count_message, joined, listed
from annotations.rubric import load_rubric
from annotations.wording import to_say
from characterbox.store.scores import NARRATOR, ROUNDS

Mix = Mapping[str, int]
"""Of how many trajectories each narrator is, or each number of rounds."""
Shares = tuple[tuple[str, int], ...]
"""The same in percent, without what rounds to none: less than half a percent is no difference."""
UNLIKE = {
    NARRATOR: to_say("Not all models were narrated alike: {mixes}."),
    ROUNDS: to_say("Not all models played as many rounds: {mixes}."),
}
MOST = 5
"""Groups of models that a sentence names, those of the most models."""


def mixes(items: pd.DataFrame, column: str) -> dict[str, Mix]:
    """By model, of how many of its trajectories that have a score each narrator is, or each number of rounds."""
    scored = items.dropna(subset=[*load_rubric().keys], how="all")
    found: dict[str, dict[str, int]] = defaultdict(dict)
    counts = scored.groupby(["model", column]).size().reset_index()
    for model, value, count in counts.itertuples(index=False, name=None):
        found[model][str(value)] = count
    return dict(found)


def cautions(items: pd.DataFrame) -> list[Message]:
    """A sentence each where models had other narrators, or other numbers of rounds, or not in the same shares."""
    several = [column for column in UNLIKE if items[column].nunique() > 1]  # soon told; shares take longer
    found = {column: groups for column in several if len(groups := _by_shares(mixes(items, column))) > 1}
    return [Message(UNLIKE[column], mixes=_named(groups, column)) for column, groups in found.items()]


def _by_shares(mixes: Mapping[str, Mix]) -> dict[Shares, list[str]]:
    """Models whose stories are alike together, the most first."""
    groups: dict[Shares, list[str]] = defaultdict(list)
    for model, mix in mixes.items():
        shares = ((value, round(100 * count / sum(mix.values()))) for value, count in mix.items())
        groups[tuple((value, share) for value, share in shares if share)].append(model)
    return dict(sorted(groups.items(), key=lambda group: -len(group[1])))


def _named(groups: Mapping[Shares, Sequence[str]], column: str) -> Message:
    """Such as `alpha, beta (gpt-4); gamma (40 % glm-4, 60 % gpt-4)`."""
    told = [
        Message("{models} ({shares})", models=listed(models), shares=_mixed(shares, column))
        for shares, models in groups.items()
    ]
    if more := sum(map(len, [*groups.values()][MOST:])):
        told[MOST:] = [count_message("{count:,} other model otherwise", "{count:,} other models otherwise", more)]
    return joined(told)


def _mixed(shares: Shares, column: str) -> Message | str:
    values = [_called(value, column) for value, _ in shares]
    if len(shares) == 1:
        return values[0]
    percent = zip(values, shares, strict=True)
    return listed(Message("{share} % {value}", share=share, value=value) for value, (_, share) in percent)


def _called(value: str, column: str) -> Message | str:
    return value if column == NARRATOR else count_message("{count:,} round", "{count:,} rounds", int(value))
