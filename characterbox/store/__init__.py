"""The database of the app: stories with their journal, ratings, imported scenes and servers."""

from characterbox.store.claims import Claims
from characterbox.store.drafts import DraftStore
from characterbox.store.engine import open_engine
from characterbox.store.ratings import RatingStore
from characterbox.store.scenes import SceneStore
from characterbox.store.servers import ServerStore
from characterbox.store.stories import StoryStore
from characterbox.store.writer import Writer


class Store:
    """An open database. Raises StoreError if it cannot be opened."""

    def __init__(self, url: str) -> None:
        self._engine = open_engine(url)
        self._writer = Writer(self._engine)
        self._claims = Claims(self._engine, self._writer)
        self.stories = StoryStore(self._engine, self._writer, self._claims)
        self.ratings = RatingStore(self._engine, self._writer)
        self.scenes = SceneStore(self._engine, self._writer)
        self.servers = ServerStore(self._engine, self._writer)
        self.drafts = DraftStore(self._engine, self._writer)

    def close(self) -> None:
        """Finish all writes and close the connections."""
        self._writer.close()
        self._claims.close()
        self._engine.dispose()
