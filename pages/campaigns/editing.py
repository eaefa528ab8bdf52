"""What is being put together for a campaign: its draft, or what it is to be extended by."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from characterbox.campaigns.lifecycle import draft_in, find_extension, keep, keep_extension
from characterbox.campaigns.plan import Draft
from characterbox.stage.stage import Stage, open_stage
from characterbox.store.campaigns.campaign import Campaign, CampaignItem
from pages.shared.current_user import current_user
from pages.story.actions import do


@dataclass(frozen=True)
class Edit:
    """A draft to be changed, and where each change is kept at once."""

    stage: Stage
    campaign: Campaign
    draft: Draft
    """As it is now."""
    fixed: frozenset[str]
    """The items and experts that can't be taken away again; none before the start."""
    load: Callable[[], Draft]
    keep: Callable[[Draft], None]

    def change(self, make: Callable[[Draft], Draft]) -> None:
        """Keep what `make` makes of the draft as it is by then; a refusal is told."""
        do(lambda: self.keep(make(self.load())))

    def set_items(self, make: Callable[[Draft], tuple[CampaignItem, ...]]) -> None:
        """Keep other items."""
        self.change(lambda draft: replace(draft, items=make(draft)))


def edit_draft(stage: Stage, campaign: Campaign) -> Edit:
    """A draft, kept in the database."""
    return Edit(
        stage=stage,
        campaign=campaign,
        draft=draft_in(stage.store, campaign),
        fixed=frozenset(),
        load=partial(_stored, campaign.id),
        keep=lambda draft: keep(open_stage().store, current_user(), campaign.id, draft),
    )


def edit_extension(stage: Stage, campaign: Campaign) -> Edit:
    """All that a campaign is to become, kept for the one who prepares it until it is carried out."""
    present = draft_in(stage.store, campaign)
    store, account = stage.store, current_user().id
    return Edit(
        stage=stage,
        campaign=campaign,
        draft=find_extension(store, campaign.id, account, present),
        fixed=frozenset([*(item.item for item in present.items), *(rater.rater for rater in present.raters)]),
        load=lambda: find_extension(store, campaign.id, account, present),
        keep=lambda wanted: keep_extension(store, campaign.id, account, present, wanted),
    )


def forget_extension(campaign: Campaign) -> None:
    """Drop what a campaign was to be extended by."""
    open_stage().store.extensions.drop(campaign.id, current_user().id)


def _stored(id: str) -> Draft:
    store = open_stage().store
    return draft_in(store, store.campaigns.campaign(id))
