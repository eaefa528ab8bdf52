"""The database of the app: accounts, stories with their journal, campaigns and ratings, imported scenes and servers."""

from characterbox.accounts.credentials import digest
from characterbox.store.accounts.accounts import AccountStore
from characterbox.store.accounts.audit_log import AuditStore
from characterbox.store.accounts.failed_sign_ins import FailedSignIns, ThrottleStore
from characterbox.store.accounts.invitations import InvitationStore
from characterbox.store.accounts.passkeys import PasskeyStore
from characterbox.store.accounts.sessions import SessionsElsewhere, SessionStore
from characterbox.store.campaigns.campaign import ExtensionStore
from characterbox.store.campaigns.campaigns import CampaignStore
from characterbox.store.campaigns.marks import MarkStore
from characterbox.store.campaigns.records import RecordStore
from characterbox.store.campaigns.verdicts import VerdictStore
from characterbox.store.craftings import CraftingStore
from characterbox.store.engine import open_engine
from characterbox.store.ratings.datasets import DatasetStore
from characterbox.store.ratings.judges import JudgeStore
from characterbox.store.ratings.published_names import PublishedNameStore
from characterbox.store.ratings.ratings import Newest, RatingStore, newest
from characterbox.store.ratings.rubrics import RubricStore
from characterbox.store.ratings.scene_ratings import SceneRatingStore
from characterbox.store.ratings.scores import ScoreStore
from characterbox.store.ratings.votes import VoteStore
from characterbox.store.roles import RoleStore
from characterbox.store.samples import SampleStore
from characterbox.store.scenes import SceneStore
from characterbox.store.servers import ServerStore
from characterbox.store.stories.answer_drafts import DraftStore, PreferenceStore
from characterbox.store.stories.branch_tree import FamilyStore
from characterbox.store.stories.claims import Claims
from characterbox.store.stories.costs_across_stories import SpendingStore
from characterbox.store.stories.search import StorySearch
from characterbox.store.stories.stories import StoryStore
from characterbox.store.sweeps import SweepStore
from characterbox.store.writer import Writer


class Store:
    """An open database. Raises StoreError if it cannot be opened."""

    def __init__(self, url: str) -> None:
        self._engine = open_engine(url)
        self._writer = Writer(self._engine)
        self._claims = Claims(self._engine, self._writer)
        self.stories = StoryStore(self._engine, self._writer, self._claims)
        self.shelf = StorySearch(self._engine, self._writer)
        self.families = FamilyStore(self._engine, self._writer, self._claims)
        self.ratings = RatingStore(self._engine, self._writer)
        self.scores = ScoreStore(self._engine)
        self.judges = JudgeStore(self._engine, self._writer)
        self.scenes = SceneStore(self._engine, self._writer)
        self.roles = RoleStore(self._engine, self._writer)
        self.craftings = CraftingStore(self._engine, self._writer, self._claims)
        self.scene_ratings = SceneRatingStore(self._engine, self._writer)
        self.servers = ServerStore(self._engine, self._writer)
        self.drafts = DraftStore(self._engine, self._writer)
        self.preferences = PreferenceStore(self._engine, self._writer)
        self.sessions = SessionStore(self._engine, self._writer)
        self.elsewhere = SessionsElsewhere(self._writer)
        self.accounts = AccountStore(self._engine, self._writer, self.sessions)
        self.invitations = InvitationStore(self._engine, self._writer)
        self.passkeys = PasskeyStore(self._engine, self._writer)
        self.throttles = ThrottleStore(self._engine, self._writer)
        self.audit = AuditStore(self._engine, self._writer)
        self.failed_sign_ins = FailedSignIns(self._writer)
        self.rubrics = RubricStore(self._engine, self._writer)
        self.campaigns = CampaignStore(self._engine, self._writer)
        self.extensions = ExtensionStore(self._engine, self._writer)
        self.marks = MarkStore(self._engine, self._writer)
        self.records = RecordStore(self._engine, self.marks)
        self.published_names = PublishedNameStore(self._engine, self._writer)
        self.datasets = DatasetStore(self._engine, self._writer)
        self.samples = SampleStore(self._engine, self._writer)
        self.spending = SpendingStore(self._engine)
        self.votes = VoteStore(self._engine, self._writer)
        self.sweeps = SweepStore(self._engine, self._writer, self._claims)
        self.verdicts = VerdictStore(self._engine, self._writer, self.rubrics)

    def newest(self) -> Newest:
        """The state that all ratings are in now."""
        return newest(self._engine)

    def identity(self) -> str:
        """What tells this database from all others, as 64 hexadecimal digits; it stays as long as the database."""
        return digest(f"database {self.sessions.key()}")

    def close(self) -> None:
        """Finish all writes and close the connections."""
        self.failed_sign_ins.flush()
        self._writer.close()
        self._claims.close()
        self._engine.dispose()
