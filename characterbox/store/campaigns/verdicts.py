"""Verdicts: the consensus on a metric of an item, with its reason. They stand beside the ratings and change none."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, func, insert, select

from annotations.errors import RatingError
from annotations.marking.marks import MOST_TEXT
from characterbox.accounts.account import Account
from characterbox.errors import CampaignError
from characterbox.store.accounts.audit_log import record
from characterbox.store.campaigns.campaign import CAMPAIGN, ITEM, campaign_of, unknown_campaign
from characterbox.store.ratings.rubrics import RubricStore
from characterbox.store.tables.campaigns import VerdictRow
from characterbox.store.tables.columns import now, table_of
from characterbox.store.writer import Writer, in_turn
from characterbox.values import Value

VERDICT = table_of(VerdictRow)


class Ruling(Value):
    """What an adjudicator decides."""

    item: str
    metric: str
    score: int | float | None
    """The consensus; None takes the verdict back that counts until now."""
    reason: str


class Verdict(Ruling):
    """A ruling as it stands in the log. The last on a metric of an item counts, unless it took another back."""

    id: int
    campaign: str
    adjudicator: str
    """The name of the account."""
    at: datetime


class VerdictStore:
    """Appends verdicts and reads them."""

    def __init__(self, engine: Engine, writer: Writer, rubrics: RubricStore) -> None:
        self._engine = engine
        self._writer = writer
        self._rubrics = rubrics

    def add(self, campaign: str, ruling: Ruling, actor: Account) -> Verdict:
        """Append a verdict, with its entry in the log of changes.

        Raises RatingError for a metric or score that the rubric does not have and for a reason that is missing or too
        long, CampaignError for a campaign that has not started, an item that is not its own, and a verdict taken back
        where none counts.
        """

        def write(connection: Connection) -> Verdict:
            checked = self._checked(connection, campaign, ruling)
            row = {**checked.model_dump(), "campaign": campaign, "adjudicator": actor.name, "at": now()}
            id: int = connection.execute(insert(VERDICT).values(row).returning(VERDICT.c.id)).scalar_one()
            told = checked.model_dump(exclude={"item"})
            record(connection, actor, "campaign.adjudicate", campaign, {"item": checked.item, **told})
            return Verdict(id=id, **row)

        return self._writer.submit(in_turn(write)).result()

    def of_campaign(self, campaign: str) -> list[Verdict]:
        """The verdicts that count, by item and metric."""
        last = select(func.max(VERDICT.c.id)).where(VERDICT.c.campaign == campaign)
        last = last.group_by(VERDICT.c.item, VERDICT.c.metric)
        query = select(VERDICT).where(VERDICT.c.id.in_(last), VERDICT.c.score.is_not(None))
        with self._engine.connect() as connection:
            rows = connection.execute(query.order_by(VERDICT.c.item, VERDICT.c.metric)).mappings()
            return [_verdict(row) for row in rows]

    def history(self, campaign: str, item: str) -> list[Verdict]:
        """All verdicts on an item, the first one first."""
        query = select(VERDICT).where(VERDICT.c.campaign == campaign, VERDICT.c.item == item).order_by(VERDICT.c.id)
        with self._engine.connect() as connection:
            return [_verdict(row) for row in connection.execute(query).mappings()]

    def _checked(self, connection: Connection, campaign: str, ruling: Ruling) -> Ruling:
        """The ruling as it is stored."""
        row = connection.execute(select(CAMPAIGN).where(CAMPAIGN.c.id == campaign)).mappings().first()
        if row is None:
            raise unknown_campaign(campaign)
        if (known := campaign_of(row)).status == "draft":
            raise CampaignError("campaign {id} has not started; there is nothing to adjudicate yet", id=campaign)
        where = (ITEM.c.campaign == campaign) & (ITEM.c.item == ruling.item)
        if connection.scalar(select(ITEM.c.item).where(where)) is None:
            raise CampaignError("campaign {id} has no item {item!r}", id=campaign, item=ruling.item)
        rubric = self._rubrics.rubric(known.settings.rubric, known.settings.rubric_version)
        metric = rubric.metric(ruling.metric).key
        score = None if ruling.score is None else rubric.check(metric, ruling.score)
        if score is None and _last_score(connection, campaign, ruling) is None:
            raise CampaignError("{metric}: there is no decision to withdraw", metric=metric)
        return Ruling(item=ruling.item, metric=metric, score=score, reason=_reason(ruling))


def _last_score(connection: Connection, campaign: str, ruling: Ruling) -> float | None:
    of_cell = (VERDICT.c.item == ruling.item) & (VERDICT.c.metric == ruling.metric)
    query = select(VERDICT.c.score).where(VERDICT.c.campaign == campaign, of_cell)
    score: float | None = connection.scalar(query.order_by(VERDICT.c.id.desc()).limit(1))
    return score


def _reason(ruling: Ruling) -> str:
    reason = ruling.reason.strip()
    if not reason or len(reason) > MOST_TEXT or "\x00" in reason:
        raise RatingError(
            "{metric}: enter a reason of 1 to {most} characters; this one has {count}",
            metric=ruling.metric,
            most=MOST_TEXT,
            count=len(reason),
        )
    return reason


def _verdict(row: Any) -> Verdict:
    score = row["score"]
    return Verdict(
        **{name: row[name] for name in Verdict.model_fields if name != "score"},
        score=int(score) if score is not None and score.is_integer() else score,
    )
