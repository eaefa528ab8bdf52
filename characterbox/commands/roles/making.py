"""`characterbox role make`: a role of what there is; a model may be asked for what it lacks.

What a model writes is told, and put into the role where `--accept` says so: by then somebody has read it.
"""

import argparse
from collections.abc import Callable, Mapping

from pydantic import ValidationError

from annotations.i18n.messages import wrong_with
from annotations.i18n.translation import translate
from characterbox.atomic_file import check_new, new_file
from characterbox.commands.exits import say
from characterbox.commands.roles.generating import go_on, tell_generated
from characterbox.commands.roles.role import role_named
from characterbox.crafting.request import Piece
from characterbox.crafting.sources.source import read_source
from characterbox.errors import RoleError, StoryError
from characterbox.llm.endpoint import Endpoint, named
from characterbox.rolebench.generation import Unread
from characterbox.rolebench.profiles.excerpts import REFUSALS
from characterbox.rolebench.profiles.role_making import Proposal, RoleMaking, passages_of
from characterbox.rolebench.running import begin, look, wish_of
from characterbox.rolebench.script_files import read_script
from characterbox.roles.making import profile_in, role_id, role_of_card, role_of_profile, role_of_script, role_of_story
from characterbox.roles.role import FEWEST_TURNS, LEVELS, Role
from characterbox.roles.role_files import as_json
from characterbox.scenes.cards.profile import read_card
from characterbox.scenes.file_reading import read_bytes
from characterbox.scenes.library import open_scene
from characterbox.scenes.repairs import language_by_letters
from characterbox.store import Store
from characterbox.values import Language

_SAMPLE = 20_000
"""Characters by which the language of a novel is told."""


def make(options: argparse.Namespace, store: Store) -> int:
    """Make the role, have a model asked where one is named, tell what it proposes, and write the file."""
    if options.out is not None:
        check_new(options.out)  # before anything is paid
    if options.resume is None and options.model is None:
        _refuse_without_model(options)
        return _write(options, _MAKERS[_way(options)](options, store))
    id = options.resume if options.resume is not None else _begun(options, store)
    if not isinstance(wish_of(store, id), RoleMaking):
        raise StoryError(f"generation {id}: it is of another kind; go on with it by the command that began it")
    say(f"generation {id}: if it is broken off, go on with: characterbox role make --resume {id}")
    status = go_on(store, options, id)
    generated = look(store, id)
    proposal: Proposal = generated.result
    _tell(proposal)
    tell_generated(generated)
    if status:
        return status
    return _write(options, proposal.accepted(options.accept))


def _way(options: argparse.Namespace) -> str:
    return next(name for name in _MAKERS if getattr(options, name) is not None)


def _refuse_without_model(options: argparse.Namespace) -> None:
    if options.novel is not None:
        raise RoleError("--novel: a model has to read it; name one by --model")
    if options.accept:
        raise RoleError("--accept: nothing is proposed without a model; name one by --model, or leave it out")
    if options.out is None:
        raise RoleError("--out: name a new file for the role")


def _begun(options: argparse.Namespace, store: Store) -> str:
    """The id of a new generation."""
    passages: tuple[Piece, ...] = ()
    if options.novel is not None:
        role, passages = _of_novel(options)
    else:
        role = _MAKERS[_way(options)](options, store)
    about = {"language": role.language, "model": Endpoint.parse(options.model)}
    try:
        wish = RoleMaking(role=role, passages=passages, budget=options.budget, seed=options.seed, **about)
    except ValidationError as error:
        fault = error.errors()[0]
        field = f"{fault['loc'][0]}: " if fault["loc"] else ""
        raise RoleError(f"{field}{wrong_with(fault)}") from None
    return begin(store, wish)


def _of_novel(options: argparse.Namespace) -> tuple[Role, tuple[Piece, ...]]:
    name, work = _named(options), _work(options)
    source = read_source(options.novel, options.encoding)
    language = _language(options, source.text[:_SAMPLE])
    passages, others = passages_of(source, language)
    say(f"{source.name}: {len(passages):,} passages are read; {others:,} others have no speech")
    about = {"other_names": tuple(options.other_name), "author": options.author}
    return Role(id=role_id(language, name), name=name, language=language, work=work, **about), passages


def _of_script(options: argparse.Namespace, store: Store) -> Role:
    name, work = _named(options), _work(options)
    script = read_script(options.script.name, read_bytes(options.script), encoding=options.encoding)
    language = _language(options, "\n".join(one.turn.text for one in script.turns))
    return role_of_script(script, (name, *options.other_name), language, work, options.author)


def _of_card(options: argparse.Namespace, store: Store) -> Role:
    work, card = _work(options), read_card(options.card.name, read_bytes(options.card))
    return role_of_card(card, _language(options, card.description), work)


def _of_scene(options: argparse.Namespace, store: Store) -> Role:
    name, scene = _named(options), open_scene(options.scene, options.scene_id, options.encoding)
    return role_of_profile(scene, profile_in(scene, name))


def _of_story(options: argparse.Namespace, store: Store) -> Role:
    name, story = _named(options), store.stories.story(options.story)
    model = None if name in story.people else story.casting.characters.get(name)
    scene, events = story.script.scene, store.stories.events(story.id)
    return role_of_story(scene, events, name, story.id, None if model is None else named(model))


def _of_role(options: argparse.Namespace, store: Store) -> Role:
    return role_named(store, options.known)


_MAKERS: Mapping[str, Callable[[argparse.Namespace, Store], Role]] = {
    "script": _of_script,
    "card": _of_card,
    "scene": _of_scene,
    "story": _of_story,
    "known": _of_role,
}


def _named(options: argparse.Namespace) -> str:
    if options.role is None:
        raise RoleError("--role: name the character that the role is")
    return str(options.role)


def _work(options: argparse.Namespace) -> str:
    if not (options.work or "").strip():
        raise RoleError("--work: name the work that the role belongs to")
    return str(options.work).strip()


def _language(options: argparse.Namespace, sample: str) -> Language:
    found: Language | None = options.language or language_by_letters(sample)[0]
    if found is None:
        raise RoleError("--language: the letters do not tell the language; name it: en or zh")
    return found


def _tell(proposal: Proposal) -> None:
    """What the model proposes, to be read by a person: to standard output."""
    print(f"Audit: does the model know {proposal.role.name}? Check its answers.")
    for one in proposal.audit:
        print(f"- {one.question}\n  {_answer(one.answer)}")
    if proposal.description is not None:
        print(f"\nProposed description\n{proposal.description.text}")
    if proposal.catchphrases is not None:
        print("\nProposed catchphrases" if proposal.catchphrases else "\nThe model knows of no catchphrases")
        for each in proposal.catchphrases:
            print(f"- {each.phrase.text} ({f'in {each.times:,} rounds' if each.times else 'in none of the rounds'})")
    for basis, judged in proposal.distinctiveness.items():
        by = "by name and work" if basis == "named" else "by what it says"
        print(f"\nDistinctiveness of its speech, {by}: {judged.level} of {LEVELS[-1]}: {judged.reason}")
    if proposal.distinct is not None:
        print("The paper would choose this role." if proposal.distinct else "The paper would not choose this role.")
    for reason, text in REFUSALS.items():
        if count := proposal.reasons[reason]:
            say(f"{count:,} rounds of the novel are rejected: {text}")
    for name, unread in proposal.unread.items():
        say(f"{name} could not be read: {translate(unread.problem)}")


def _answer(answer: str | Unread | None) -> str:
    if answer is None:
        return "(not asked yet)"
    return f"(could not be read: {translate(answer.problem)})" if isinstance(answer, Unread) else answer


def _write(options: argparse.Namespace, role: Role) -> int:
    if role.turns < FEWEST_TURNS:
        few = f"only {role.turns} turns are known; models hardly learn how it speaks with fewer than {FEWEST_TURNS}"
        say(f"{role.id}: {few}")
    if options.out is not None:
        with new_file(options.out) as out:
            out.write(as_json([role]))
        print(f"{options.out}: {role.name}, {role.turns:,} turns")
    return 0
