"""The runs that the app starts. They live on their own, as its servers do, and are found again after a restart."""

import threading
from pathlib import Path

from platformdirs import user_data_path

from characterbox.accounts.account import Account
from characterbox.accounts.permissions import require
from characterbox.errors import TrainingError
from characterbox.settings import settings
from characterbox.store.accounts.audit_log import AuditStore
from characterbox.training.environment import find_training_python
from characterbox.training.recipe import Recipe
from characterbox.training.run_folder import PATIENCE, RunFolder, RunState


class Runs:
    """The runs in a folder, by name. Any thread may use it; other apps may share the folder."""

    def __init__(self, folder: Path, log: AuditStore, patience: float = PATIENCE) -> None:
        """`log` is told who starts, stops and merges; `patience` is how many seconds a run gets to stop by itself."""
        self._folder = folder
        self._log = log
        self._patience = patience

    @classmethod
    def of_user(cls, log: AuditStore) -> "Runs":
        """Those of all apps of this user."""
        return cls(user_data_path("characterbox") / "training" / "runs", log)

    def all(self) -> dict[str, RunState]:
        """All runs by name, the one that was started last first; one that can't be read has failed."""
        states = {folder.name: self._state_of(folder.name) for folder in self.folders()}
        return dict(sorted(states.items(), key=lambda one: (-(one[1].since or 0), one[0])))

    def folders(self) -> list[Path]:
        """The folders of all runs."""
        return [one.parent for one in self._folder.glob("*/run.json")]

    def state(self, name: str) -> RunState:
        """How a run is. Raises TrainingError for a folder with files that can't be read."""
        return self._of(name).state()

    def recipe(self, name: str) -> Recipe:
        """What a run trains. Raises TrainingError where there is no such run."""
        recipe = self._of(name).recipe()
        if recipe is None:
            raise TrainingError("there is no run {name}; choose another one", name=name)
        return recipe

    def folder(self, name: str) -> Path:
        """Where the adapter and the merged weights of a run are."""
        return self._of(name).path

    def log(self, name: str, last: int = 200) -> str:
        """The last lines of the log of a run, secrets blacked out; empty before the first start."""
        return "\n".join(self._of(name).lines(last))

    def start(self, actor: Account, recipe: Recipe) -> RunState:
        """Start a run under the name of its recipe, or go on with it; what is under way, or done, stays so.

        Raises NotAllowed but for admins, TrainingError where there is no Python that trains, the name is that of
        another run, or dataset or base have changed, and ProgramError where the process can't be started.
        """
        require(actor, "administer")
        run, python = self._of(recipe.name), _python()
        self._log.add(actor, "training.started", recipe.name, {"identity": recipe.identity, "base": recipe.base})
        run.start(recipe, python)
        return run.state()

    def stop(self, actor: Account, name: str) -> None:
        """Have a run stop after its step, with a checkpoint. It comes back at once; the state tells how it goes on.

        Raises NotAllowed but for admins.
        """
        require(actor, "administer")
        run = self._of(name)
        self._log.add(actor, "training.stopped", name, {})
        run.ask_to_stop()
        threading.Thread(target=run.stop, args=(self._patience,), name=f"stop {name}", daemon=True).start()

    def merge(self, actor: Account, name: str) -> RunState:
        """Have the adapter of a run merged into its base, in a process of its own.

        Raises NotAllowed but for admins, TrainingError for a run that is not done, and ProgramError.
        """
        require(actor, "administer")
        run, python = self._of(name), _python()
        self._log.add(actor, "training.merged", name, {})
        run.merge(python)
        return run.state()

    def _state_of(self, name: str) -> RunState:
        try:
            return self.state(name)
        except TrainingError as error:
            return RunState("failed", fault=error.message)

    def _of(self, name: str) -> RunFolder:
        if name in ("", "..") or Path(name).name != name:
            raise TrainingError("there is no run {name}; choose another one", name=name)
        return RunFolder(self._folder / name)


def _python() -> Path:
    return find_training_python(settings().train)
