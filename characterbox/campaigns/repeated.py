"""How steady each expert is over all campaigns, as the items tell that came back unannounced."""

from collections.abc import Mapping

import pandas as pd

from annotations.repeats import Repeats, repeats_of_rater
from annotations.undefined import Undefined, or_undefined
from characterbox.campaigns.oversight import overseer_of
from characterbox.campaigns.standing import repeated_scores
from characterbox.store import Store


def repeats_by_rater(store: Store, rubric: str) -> Mapping[str, Repeats | Undefined]:
    """The stability of each expert who had such items in campaigns with this rubric, by name.

    Raises RatingError if it can't be read.
    """
    pairs: dict[str, list[pd.DataFrame]] = {}
    for campaign in store.campaigns.all():
        repeated = any(one.take for one in store.campaigns.assignments(campaign=campaign.id))
        if campaign.settings.rubric != rubric or not repeated:
            continue
        known = overseer_of(store).of(campaign)
        for rater in {row.assignment.rater for row in known.rows}:
            own = [row for row in known.rows if row.assignment.rater == rater]
            scores = repeated_scores(own, known.rubric)
            if not scores.empty:
                scores["item"] = campaign.id + "/" + scores["item"]
                pairs.setdefault(rater, []).append(scores)
    names = {account.id: account.name for account in store.accounts.all()}
    return {
        names.get(rater, rater): or_undefined(repeats_of_rater, pd.concat(own)) for rater, own in sorted(pairs.items())
    }
