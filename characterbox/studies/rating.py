"""What people rate in a study: which trajectories, drawn before anything is played, and the campaign in the app.

A trajectory is known by the story that it will be in, and the id of a story follows from what is played. So the plan of
the campaign is made, and refused where it can't be kept, before any money is spent.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from annotations.design.order import chance
from annotations.design.plan import Plan
from annotations.design.settings import Names
from annotations.errors import RatingError
from annotations.i18n.messages import Message
from annotations.rubrics.rubric import load_rubric
from characterbox.accounts.account import COMMAND_LINE, Account
from characterbox.accounts.permissions import may
from characterbox.campaigns.lifecycle import add_expert, begin, keep, make
from characterbox.campaigns.oversight import overseer_of
from characterbox.campaigns.plan import Draft, assignments_of, plan_of
from characterbox.campaigns.rater_statistics import Count
from characterbox.errors import StudyError
from characterbox.scenes.scene import Scene, slug_of
from characterbox.settings import settings
from characterbox.store import Store
from characterbox.store.campaigns.campaign import Campaign, CampaignItem, CampaignRater
from characterbox.store.ratings.ratings import scene_name
from characterbox.store.tables.ratings import Item
from characterbox.studies.folder import CAMPAIGN, PEOPLE, Study
from characterbox.studies.progress import Started, note_started, started_in
from characterbox.sweeps.sweep import Sweep, cells_of
from characterbox.values import LANGUAGES

_NAMES = Names(language=lambda code: Message(LANGUAGES.get(code, code)))


@dataclass(frozen=True)
class Left:
    """What one expert still has to rate."""

    name: str
    count: Count
    failed: bool
    """Whether the expert failed the practice set and has no attempt left."""


def rated_items(study: Study, sweep: Sweep) -> list[CampaignItem]:
    """The trajectories that people rate, by their labels: all, or as drawn with the campaign's seed."""
    draw, seed = study.campaign.items, study.campaign.seed
    scenes = {scene_name(scene): scene for scene in sweep.scenes}
    chosen = _some_of_each_language(scenes, draw.scenes, seed)
    casts = {name: _some(scenes[name].names, draw.characters, seed, "characters", name) for name in chosen}
    items = {
        item.item: item
        for cell in cells_of(sweep)
        for name in casts.get(scene_name(cell.scene), ())
        for item in [_item(cell.id, name, cell.scene, cell.character.model)]
    }
    return [items[label] for label in sorted(items)]


def _item(story: str, name: str, scene: Scene, model: str) -> CampaignItem:
    return CampaignItem(
        identity=Item(kind="character", owner=story, slug=slug_of(name)),
        story_id=story,
        character=name,
        scene=scene_name(scene),
        model=model,
        language=scene.language,
    )


def _some_of_each_language(scenes: Mapping[str, Scene], count: int | None, seed: int) -> list[str]:
    languages = sorted({scene.language for scene in scenes.values()})
    of_each = {language: [name for name in scenes if scenes[name].language == language] for language in languages}
    return [name for language in languages for name in _some(of_each[language], count, seed, "scenes", language)]


def _some(names: Sequence[str], count: int | None, seed: int, *purpose: str) -> list[str]:
    """All of the names, or so many of them, drawn from their alphabetical order."""
    known = sorted(names)
    if count is None or count >= len(known):
        return known
    return [
        known[place] for place in sorted(chance(seed, "rated in a study", *purpose).permutation(len(known))[:count])
    ]


def planned(study: Study, sweep: Sweep) -> Plan:
    """Who would rate what. Raises StudyError where that can't be planned, whatever is played."""
    raters = [CampaignRater(rater=one.name, languages=one.languages) for one in study.experts.experts]
    draft = Draft(study.campaign.settings, rated_items(study, sweep), raters, _NAMES)
    try:
        plan = plan_of(draft, load_rubric())
        assignments_of("", draft, load_rubric(), plan)
    except RatingError as error:
        raise StudyError("{file} and {people}: {reason}", file=CAMPAIGN, people=PEOPLE, reason=error.message) from None
    return plan


def experts_of(study: Study, store: Store) -> list[tuple[Account, CampaignRater]]:
    """The accounts of the experts; where nobody signs in, they are made. Raises StudyError for whom there is none."""
    found = []
    for expert in study.experts.experts:
        if settings().auth == "off":
            account: Account | None = add_expert(store, COMMAND_LINE, expert.name)
        else:
            account = store.accounts.named(expert.name)
        if account is None or account.id is None or not may(account, "rate"):
            raise StudyError(
                "{file}: there is no account with which {name} may rate; make one with: characterbox invite {name!r}"
                " --role expert",
                file=PEOPLE,
                name=expert.name,
            )
        found.append((account, CampaignRater(rater=account.id, languages=expert.languages)))
    return found


def check_accounts(study: Study, store: Store) -> None:
    """Raises StudyError where people sign in and an expert has no account: before anything is asked, and paid for."""
    if settings().auth != "off":
        experts_of(study, store)


def campaign_of(study: Study, store: Store, sweep: Sweep, id: str | None) -> Campaign | None:
    """The campaign of the study, if there is one: the one of this id; else one of its name that was made by a command
    and rates the same.

    Raises StudyError if the one of this id is gone, or another campaign has the name.
    """
    name = study.campaign.name
    if id is not None:
        known = next((one for one in store.campaigns.all() if one.id == id), None)
        if known is None:
            raise StudyError(
                "the campaign {id} of this study is not in the database; name the database that the study was run in"
                " (--db), or restore it from a backup",
                id=id,
            )
        return known
    items = {item.item for item in rated_items(study, sweep)}
    for one in store.campaigns.all():
        if one.settings.name == name:
            same = {item.item for item in store.campaigns.items(one.id)} == items
            if same and one.created_by == COMMAND_LINE.name:
                return one
            raise StudyError(
                "{file}: the name {name!r} belongs to another campaign in the database ({id}), which rates other items"
                " or was made by a person; choose another name",
                file=CAMPAIGN,
                name=name,
                id=one.id,
            )
    return None


def start_campaign(study: Study, store: Store, sweep: Sweep, campaign: Campaign | None) -> Campaign:
    """Have the experts rate: make the campaign unless it was made, and start it unless it has started. Its id is in
    `run.toml` before anything is in it, so that it is known as the study's own wherever this is broken off.

    Raises StudyError or CampaignError where that can't be done.
    """
    if campaign is None:
        campaign = make(store, COMMAND_LINE, study.campaign.name)
    started = Started(sweep=sweep.name, campaign=campaign.id)
    if started_in(study.folder) != started:
        note_started(study.folder, started)
    if campaign.status == "draft":
        raters = [rater for _, rater in experts_of(study, store)]
        keep(store, COMMAND_LINE, campaign.id, Draft(study.campaign.settings, rated_items(study, sweep), raters))
        begin(store, COMMAND_LINE, campaign.id)
    return store.campaigns.campaign(campaign.id)


def left(store: Store, campaign: Campaign) -> list[Left]:
    """The experts who have not rated all, each with how far they are; nobody once the campaign is closed."""
    lines = sorted(_lines(store, campaign), key=lambda one: one.name)
    return [] if campaign.status == "closed" else [one for one in lines if one.count.left]


def _lines(store: Store, campaign: Campaign) -> Iterator[Left]:
    names = {account.id: account.name for account in store.accounts.all()}
    for line in overseer_of(store).of(campaign).board.raters:
        training = line.training
        failed = training is not None and training.state == "failed" and training.attempt >= training.attempts
        yield Left(names.get(line.rater, line.rater), line.count, failed)
