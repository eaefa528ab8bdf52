"""A dialogue with a role, or of two roles, as what is played: how models are asked, and the scene that it stands in."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from characterbox.prompts import fill, words
from characterbox.roles.prompting import Strategy, profile_of
from characterbox.roles.role import Role
from characterbox.scenes.scene import Environment, Profile, Scene, Text
from characterbox.values import Value

DIALOGUE = "dialogue-"
"""What the ids of scenes of dialogues begin with."""


class Conversation(Value):
    """What makes a story a dialogue: whose words come from which role, and how models are asked for them."""

    strategy: Strategy = "fsd"
    roles: Annotated[tuple[Role, ...], Field(min_length=1, max_length=2)]
    """Those that speak as a role; the other one, where there is one role, is a person."""
    persona: Text | None = None
    """Who the person is, as the role is told it."""

    def role(self, name: str) -> Role | None:
        """The role of this name; None for a person."""
        return next((one for one in self.roles if one.name == name), None)


def scene_id(roles: Sequence[Role]) -> str:
    """The id of the scene of a dialogue with these roles."""
    return f"{DIALOGUE}{'-'.join(one.id for one in roles)}"


def dialogue_scene(roles: Sequence[Role], person: str | None = None, persona: str | None = None) -> Scene:
    """The scene of a dialogue: of a person with a role, or of two roles, of which the first begins."""
    last = roles[-1]
    phrases = words(last.language).role
    who = person or roles[0].name
    cast = [_profile(one, last) for one in roles]
    if person is not None:
        told = persona or fill(phrases.person, role=last.name)
        cast = [Profile(name=person, description=told, position=phrases.stands, state=phrases.ready), *cast]
    return Scene(
        id=scene_id(roles),
        title=fill(phrases.title, name=who, role=last.name),
        work=last.work,
        language=last.language,
        origin="original",
        author=last.author,
        environment=Environment(time=phrases.time, location=phrases.location, description=phrases.description),
        cast=tuple(cast),
    )


def _profile(role: Role, last: Role) -> Profile:
    phrases = words(last.language).role
    return Profile(
        name=role.name,
        description="\n".join([profile_of(role), *(one.text for one in role.catchphrases)]),
        position=phrases.stands,
        state=phrases.ready,
        other_names=tuple(name for name in role.other_names if name != role.name),
    )
