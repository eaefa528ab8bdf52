"""The card of a dataset (`README.md`), and its entry for LLaMA-Factory (`dataset_info.json`). Both are in English."""

from collections.abc import Iterator, Mapping
from typing import Any

from annotations.exchange.markdown import escaped
from characterbox.training.datasets.example import WHY, Kind
from characterbox.training.datasets.recipe import WHY_NOT_CHOSEN, DatasetRecipe
from characterbox.training.datasets.report import DatasetReport

_TITLES: Mapping[Kind, str] = {
    "narrator": "decisions of a narrator",
    "judge": "judgements of trajectories",
    "guided": "replies of characters by leading models",
    "reflective": "replies of characters that their own model has rewritten",
    "role": "answers of roles",
}
_LEARNT: Mapping[Kind, str] = {
    "narrator": "Each example is one call of the narrator in a story: whom an action affects, what comes of it, and how"
    " characters and environment are afterwards. The answer is the value that the story has read from the reply, as"
    " JSON in the form that was asked for.",
    "judge": "Each example shows one character's trajectory. The answer is a JSON object with a whole score for each of"
    " the seven metrics.",
    "guided": "Each example is one call of a character in a story. The answer is what the story has read from the"
    " reply, in the form that was asked for.",
    "reflective": "Each example is one call of a character in a story. The answer is the reply as the model rewrote it"
    " after it had read its own trajectory; rewritings that changed form or facts were refused and are not here.",
    "role": "Each example is a question to a role, which the system instruction describes. What stands between them are"
    " earlier rounds of the role. The last answer is to be learnt; one with a `weight` of 0 is shown and not learnt.",
}
_ROLES = {"role_tag": "role", "content_tag": "content"}
_TAGS = {**_ROLES, "user_tag": "user", "assistant_tag": "assistant", "system_tag": "system"}


def llama_factory(report: DatasetReport) -> dict[str, Any]:
    """The splits that hold anything, as LLaMA-Factory registers datasets."""
    shared = {"formatting": "sharegpt", "columns": {"messages": "messages"}, "tags": _TAGS}
    return {
        f"characterbox_{report.recipe.kind}_{split}": {"file_name": f"{split}.jsonl", **shared}
        for split, told in report.splits.items()
        if told.examples
    }


def card(report: DatasetReport, digest: str) -> str:
    """The card of a dataset with this digest."""
    return "\n".join([*_header(report), *_body(report, digest)]) + "\n"


def _header(report: DatasetReport) -> Iterator[str]:
    """What the Hugging Face hub and `datasets` read: which file is which split."""
    languages = sorted({language for split in report.splits.values() for language in split.languages})
    yield from ("---", "configs:", "- config_name: default", "  data_files:")
    for split, told in report.splits.items():
        if told.examples:
            yield from (f"  - split: {split}", f"    path: {split}.jsonl")
    yield "language:"
    yield from (f"- {language}" for language in languages)
    yield from ("tags:", "- characterbox", "- role-play", "---", "")


def _body(report: DatasetReport, digest: str) -> Iterator[str]:
    recipe = report.recipe
    yield from (f"# CharacterBox: {_TITLES[recipe.kind]}", "", _LEARNT[recipe.kind], "")
    if recipe.kind == "judge":
        yield from (_teacher(recipe), "")
    if report.improvised:
        yield from ("**Contains demo output that no language model wrote. Do not report results of it.**", "")
    places = "roles" if recipe.kind == "role" else "scenes"
    yield from (f"| split | examples | tokens (estimated) | {places} |", "| --- | ---: | ---: | --- |")
    for split, told in report.splits.items():
        yield f"| {split} | {told.examples:,} | {told.tokens:,} | {', '.join(report.scenes[split]) or '-'} |"
    yield ""
    yield from _notes(report)
    yield from ("", "## Models", "", *_models(report))
    yield from ("", "## Left out", "", *_left_out(report))
    yield from ("", "## Recipe", "", "```json", recipe.model_dump_json(indent=1), "```")
    yield from ("", "## Files", "", *_files(report, digest))


def _teacher(recipe: DatasetRecipe) -> str:
    if recipe.judge is None:
        return "The scores are means over experts, rounded to whole numbers; halves are rounded up."
    told = " The critique is to be learnt as well." if recipe.critique else ""
    return f"The scores are those of the judge {recipe.judge}.{told}"


def _notes(report: DatasetReport) -> Iterator[str]:
    if report.recipe.kind == "role":
        yield f"- Source: {escaped(report.recipe.source)}"
        yield "- LLaMA-Factory learns all answers unless it is told `mask_history: true`."
    else:
        yield "- All versions and translations of a scene stand in one split, and so do scenes that read nearly alike."
    yield from (
        f"- Kept together: `{one}` and `{other}` (similarity {alike:.2f})" for one, other, alike in report.near_scenes
    )
    for split, told in report.splits.items():
        if told.parts:
            counts = ", ".join(f"{count:,} {part}" for part, count in told.parts.items())
            yield f"- Questions of {split}, by what of a role they are about: {counts}."
        if told.repeated_answers:
            yield f"- Long answers of {split} that also stand in train, word for word: {told.repeated_answers:,}."
        if told.by_people:
            yield f"- Answers of {split} written by people who agreed to training with them: {told.by_people:,}."
        if told.improvised:
            yield f"- Examples of {split} that are demo output: {told.improvised:,}; `provenance` marks them."
    if report.over_cutoff:
        yield (
            f"- Examples estimated at more than {report.recipe.cutoff:,} tokens (`over-cutoff.jsonl`):"
            f" {report.over_cutoff:,}. They are whole: a training run counts with its own tokenizer and leaves out what"
            " is too long."
        )


def _models(report: DatasetReport) -> Iterator[str]:
    counts: dict[str, int] = {}
    for told in report.splits.values():
        for model, count in told.models.items():
            counts[model] = counts.get(model, 0) + count
    yield from ("| model | examples |", "| --- | ---: |")
    yield from (f"| {escaped(model)} | {count:,} |" for model, count in sorted(counts.items()))


def _left_out(report: DatasetReport) -> Iterator[str]:
    rows = [f"| reply or trajectory | {WHY[why]} | {count:,} |" for why, count in report.left_out.items()]
    rows += [f"| story | {WHY_NOT_CHOSEN[why]} | {count:,} |" for why, count in report.not_chosen.items()]
    yield from ["| what | why | count |", "| --- | --- | ---: |", *rows] if rows else ["Nothing."]


def _files(report: DatasetReport, digest: str) -> Iterator[str]:
    yield "- `train.jsonl`, `validation.jsonl`, `test.jsonl`: one example a line, as `messages`."
    of_story = "story, path, take, models, digest of the prompt, and scene"
    told = "role, part, journal, path, take, and models" if report.recipe.kind == "role" else of_story
    yield f"- `provenance/`: for each line of these the {told}."
    yield "- `dataset_info.json`: the entry for LLaMA-Factory."
    yield "- `dataset.json`: recipe and counts. `SHA256SUMS`: all hashes (`sha256sum -c SHA256SUMS`)."
    yield ""
    yield f"Digest of the three files: `{digest}`"
