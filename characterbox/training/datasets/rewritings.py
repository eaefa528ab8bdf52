"""Rewritten replies as examples: what a character was asked, and its reply as its own model would have it be after
reading its trajectory (reflective fine-tuning; paper, section 5)."""

from collections.abc import Iterator

from characterbox.llm.request import ChatMessage
from characterbox.store import Store
from characterbox.training.datasets.calls import Source
from characterbox.training.datasets.example import Example, LeftOut, Provenance
from characterbox.training.reflection.running import RewrittenReply, reflections_of, rewritten


def rewritings(store: Store, source: Source) -> Iterator[Example | LeftOut]:
    """The rewritten replies of a story, those that are good as they are included; what was refused is left out.

    Not to be called where an event loop runs.
    """
    for reflection in reflections_of(store, source.story):
        for step in reflection.steps:
            if step.state == "refused":
                yield "refused"
            elif step.state in ("not asked", "not checked"):
                yield "unrewritten"
    for one in rewritten(store, source.story):
        why = _why_not(source, one)
        yield _example(source, one) if why is None else why


def _why_not(source: Source, one: RewrittenReply) -> LeftOut | None:
    if one.model.model != one.original.endpoint.model:
        return "other_rewriter"
    if any(reply.person not in source.reading.lenders for reply in one.by_people):
        return "written"
    # each rewriting was asked for with the whole trajectory, so with what came later as well
    return None if source.not_lent_since is None else "after_written"


def _example(source: Source, one: RewrittenReply) -> Example:
    script, original = source.story.script, one.original
    provenance = Provenance(
        story=source.story.id,
        path=original.path,
        take=original.take,
        models={
            "narrator": source.story.casting.narrator.model,
            "character": original.endpoint.model,
            "rewriter": one.model.model,
        },
        prompt=original.digest,
        scene=script.scene.id,
        language=script.scene.language,
        improvised=source.improvised or one.model.is_modelless,
        by_person=bool(one.by_people),
    )
    return Example((*original.messages, ChatMessage("assistant", one.text)), provenance)
