"""From a draft to what every expert has to do: the plan of a campaign, before it starts and when it is extended."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from annotations.design.order import Check, chance, with_checks
from annotations.design.plan import Plan, plan_campaign
from annotations.design.practice import AttentionCheck, PracticeItem
from annotations.design.settings import UNNAMED, Candidate, Design, Names, Rater, Settings
from annotations.design.settings import Assignment as Planned
from annotations.errors import RatingError
from annotations.i18n.messages import OR, Message, Readable, joined
from annotations.rubrics.rubric import Rubric
from characterbox.accounts.permissions import may
from characterbox.campaigns.assignments import check_assignment, check_items, practice_assignments, practice_items
from characterbox.campaigns.blinded_item import headings_of
from characterbox.campaigns.oversight import overseer_of
from characterbox.errors import CampaignError
from characterbox.store import Store
from characterbox.store.campaigns.campaign import Assignment, Campaign, CampaignItem, CampaignRater, new_assignment
from characterbox.values import LANGUAGES


@dataclass(frozen=True)
class Draft:
    """What a plan is made from."""

    settings: Settings
    items: Sequence[CampaignItem]
    raters: Sequence[CampaignRater]
    names: Names = UNNAMED
    """For what is said of the plan; `at_work` knows them."""


def draft_of(store: Store, campaign: Campaign) -> Draft:
    """The draft of a campaign, or what it was started with."""
    return Draft(campaign.settings, store.campaigns.items(campaign.id), store.campaigns.raters(campaign.id))


def at_work(store: Store, campaign: Campaign, draft: Draft) -> Draft:
    """A draft of the campaign as it is planned: whoever may rate no more is given no languages, and so nothing new.

    That is whose account is disabled or has another role, and who has failed the practice set of this campaign in the
    last attempt that there is; a researcher may allow another one, and then they are at work again. Raises RatingError
    or CampaignError if rubric or practice set of a campaign that has started can't be read.
    """
    failed = _failed(store, campaign)
    accounts = store.accounts.all()
    there = {account.id for account in accounts if may(account, "rate")} - failed
    raters = (one if one.rater in there else one.model_copy(update={"languages": ()}) for one in draft.raters)
    names = Names(
        tuple((str(account.id), account.name) for account in accounts),
        lambda id: _title(store, draft.items, id),
        lambda code: Message(LANGUAGES.get(code, code)),
    )
    return replace(draft, raters=tuple(raters), names=names)


def still_assigned(store: Store, campaign: Campaign, draft: Draft, assigned: Iterable[Assignment]) -> list[Assignment]:
    """What of the assigned is rated, or can still be: without what those left undone who may rate no more.

    `draft` is one of those at work (see `at_work`). An extension gives what is left undone to others who read it; where
    there is nobody else, it stays with whoever had it, and holds up nothing. Whoever comes back, as by another attempt
    at the practice set, finds it assigned as it was: then it has a rater too many.
    """
    rubric = store.rubrics.rubric(campaign.settings.rubric, campaign.settings.rubric_version)
    gone = {rater.rater for rater in draft.raters if not rater.languages}
    sheets = {id: sheet for rater in gone for id, sheet in store.marks.sheets(campaign.id, rater).items()}
    rated = {id for id, sheet in sheets.items() if sheet.done(rubric)}
    language = {item.item: item.language for item in draft.items}
    there = list(assigned)
    held = {(one.rater, one.item) for one in there}
    standing: list[Assignment] = []
    handed_on: Counter[str] = Counter()
    for one in there:
        if one.rater not in gone:
            standing.append(one)
        elif one.purpose == "rate" and one.take == 0:
            others = sum(
                language[one.item] in rater.languages and (rater.rater, one.item) not in held for rater in draft.raters
            )
            if one.id in rated or others <= handed_on[one.item]:
                standing.append(one)
            else:
                handed_on[one.item] += 1
    return standing


def plan_of(draft: Draft, rubric: Rubric, assigned: Iterable[Assignment] = ()) -> Plan:
    """The plan of a draft, or of an extension beyond what is assigned already. Raises RatingError where there is none.

    That practice and attention checks can be had in the languages of all raters is looked at, too.
    """
    settings = draft.settings
    design = Design(settings.raters_per_item, settings.seed, settings.repeats, rubric.subject == "scene")
    before = [Planned(one.rater, one.item, one.take == 1) for one in assigned if one.purpose == "rate"]
    plan = plan_campaign(map(_candidate, draft.items), map(_rater, draft.raters), design, before, draft.names)
    for rater in _reading(draft.raters):
        _practice(rater, draft, rubric)
        _checks(rater, draft, rubric)
    return plan


def assignments_of(
    campaign: str, draft: Draft, rubric: Rubric, plan: Plan, assigned: Sequence[Assignment] = ()
) -> list[Assignment]:
    """What is new for every expert: practice first where it is asked for, then the items, checks among them."""
    new: list[Assignment] = []
    for rater in _reading(draft.raters):
        before = [one for one in assigned if one.rater == rater.rater]
        order = [one for one in plan.added if one.rater == rater.rater]
        if order and not before:
            new += practice_assignments(campaign, rater.rater, _practice(rater, draft, rubric), 1)
        checks = [] if before else _checks(rater, draft, rubric)
        place = max((one.place for one in before), default=0)
        mixed = with_checks(
            order, [Check(one.key, one.language) for one in checks], _rater(rater), draft.settings.seed, draft.names
        )
        new += _placed(campaign, rater.rater, mixed, place)
    return new


def start(store: Store, campaign: Campaign) -> list[Assignment]:
    """What a draft comes to when it starts. Raises RatingError where it cannot, CampaignError if it is no draft."""
    if campaign.status != "draft":
        raise CampaignError(
            "campaign {id} has already started; its status is “{status}”",
            id=campaign.id,
            status=Message(campaign.status),
        )
    draft = at_work(store, campaign, draft_of(store, campaign))
    rubric = store.rubrics.rubric(campaign.settings.rubric, campaign.settings.rubric_version)
    return assignments_of(campaign.id, draft, rubric, plan_of(draft, rubric))


def _failed(store: Store, campaign: Campaign) -> set[str | None]:
    """Who has failed the practice set, and has no attempt left."""
    if campaign.status == "draft" or not campaign.settings.practice:
        return set()
    trained = [(line.rater, line.training) for line in overseer_of(store).of(campaign).board.raters]
    return {
        rater for rater, how in trained if how is not None and how.state == "failed" and how.attempt >= how.attempts
    }


def _reading(raters: Iterable[CampaignRater]) -> list[CampaignRater]:
    """Those who can be given something (see `at_work`)."""
    return [rater for rater in raters if rater.languages]


def _placed(campaign: str, rater: str, order: Iterable[Planned | Check], place: int) -> Iterator[Assignment]:
    for number, one in enumerate(order, place + 1):
        if isinstance(one, Check):
            yield check_assignment(campaign, rater, one.id, number)
        else:
            yield new_assignment(campaign, rater, one.item, place=number, take=int(one.repeat))


def _practice(rater: CampaignRater, draft: Draft, rubric: Rubric) -> list[PracticeItem]:
    if not draft.settings.practice:
        return []
    if not (items := practice_items(rubric, rater.languages)):
        raise RatingError(
            "rubric {rubric}: its practice set has no items in {languages}",
            rubric=rubric.name,
            languages=joined(map(draft.names.language, rater.languages), OR),
        )
    return items


def _checks(rater: CampaignRater, draft: Draft, rubric: Rubric) -> list[AttentionCheck]:
    """As many attention checks as are asked for, drawn for this rater."""
    settings = draft.settings
    if not settings.checks:
        return []
    known = sorted(check_items(rubric, rater.languages), key=lambda item: item.key)
    if len(known) < settings.checks:
        raise RatingError(
            "{wanted} attention checks are requested, but rubric {rubric} has only {known} in {languages};"
            " request fewer",
            wanted=settings.checks,
            rubric=rubric.name,
            known=len(known),
            languages=joined(map(draft.names.language, rater.languages), OR),
        )
    drawn = chance(settings.seed, "which checks", rater.rater).permutation(len(known))[: settings.checks]
    return [known[number] for number in sorted(drawn.tolist())]


def _title(store: Store, items: Iterable[CampaignItem], id: str) -> Readable:
    """What an item is called: its scene and, where it is about a character, who that is; its id if it is gone."""
    about = [item for item in items if item.item == id]
    heading = headings_of(store, about).get(id)
    if heading is None:
        return id
    character = about[0].character
    if character is None:
        return heading.title
    return Message("{character}, {scene}", character=character, scene=heading.title)


def _candidate(item: CampaignItem) -> Candidate:
    return Candidate(item.item, item.scene, item.character or "", item.model, item.language)


def _rater(rater: CampaignRater) -> Rater:
    return Rater(rater.rater, frozenset(rater.languages))
