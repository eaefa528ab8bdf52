"""An adapter merged into its base: a model that any server can load by itself."""

import shutil

from peft import PeftModel

from characterbox.training.worker.base import load_model, load_tokenizer
from characterbox.training.worker.progress import ProgressFile
from characterbox.training.worker.run import Run


def run(run: Run, progress: ProgressFile) -> None:
    """Write the merged weights and the tokenizer into `merged` of the run's folder. Raises WorkerError."""
    tokenizer = load_tokenizer(run)
    model = PeftModel.from_pretrained(load_model(run, {"dtype": "auto"}), str(run.adapter)).merge_and_unload()
    part, merged = run.folder / "merged.part", run.folder / "merged"
    shutil.rmtree(part, ignore_errors=True)
    model.save_pretrained(part)
    tokenizer.save_pretrained(part)
    shutil.copy(run.adapter / "README.md", part)
    shutil.rmtree(merged, ignore_errors=True)
    part.replace(merged)
    progress.write("merged")
