"""The versions of a scene, each with the stories that were played with it."""

from annotations.i18n.translation import say_count
from characterbox.scenes.differences import differences
from characterbox.scenes.scene import Scene
from characterbox.scenes.search import fingerprint
from characterbox.stage.stage import Stage
from characterbox.store.versions import Version
from characterbox.values import LANGUAGES
from pages.scenes.text import FIELDS, ORIGINS
from pages.scenes.versions import History, show_versions


def show_history(stage: Stage, shown: Version[Scene] | None) -> None:
    """All versions of a scene, and the differences of two of them; nothing of one that is not stored."""
    if shown is None:
        return
    played = stage.store.scenes.played(shown.content.id)

    def stories(version: Version[Scene]) -> str:
        count = len(played.get(fingerprint(version.content), ()))
        return f" · {say_count('{count:,} story', '{count:,} stories', count)}" if count else ""

    history = History(
        stage.store.scenes,
        differences,
        fields=FIELDS,
        language=lambda scene: scene.language,
        place=lambda chain: {"scene": chain, "view": "Versions"},
        values={"language": LANGUAGES, "origin": ORIGINS},
    )
    show_versions(stage, history, shown, stories)
