"""The rehearsal speaks as a role: by its catchphrases and lines that fit anybody, in its language, and again alike."""

import pytest

from characterbox.llm.rehearsal.brief import Turn
from characterbox.llm.rehearsal.improvise import improvise
from characterbox.roles.library import bundled_roles
from characterbox.roles.prompting import Said, messages_of
from characterbox.roles.retrieval import examples_of


def turns(role, strategy, said):
    examples = examples_of(role).nearest(said[-1].text)
    return [Turn(one.role, one.content) for one in messages_of(role, "Anna", said, strategy, examples)]


@pytest.mark.parametrize("role", bundled_roles(), ids=lambda role: role.id)
@pytest.mark.parametrize("strategy", ["zsp", "fsp", "fsd"])
def test_each_role_answers_whatever_the_strategy_and_does_not_repeat_itself(role, strategy):
    said, lines = [Said("Anna", "Good evening." if role.language == "en" else "晚上好。")], []
    for _ in range(4):
        asked = turns(role, strategy, said)
        line = improvise("rehearsal", asked, 1, None)
        assert line == improvise("rehearsal", asked, 1, None)
        assert "rehearsal" not in line
        assert "内置演练" not in line
        lines.append(line)
        said += [Said(role.name, line), Said("Anna", "And then?" if role.language == "en" else "然后呢？")]
    assert len({*lines}) == 4


@pytest.mark.parametrize("role", bundled_roles(), ids=lambda role: role.id)
def test_catchphrases_are_among_what_is_said(role):
    phrases = {one.text for one in role.catchphrases}
    asked = turns(role, "zsp", [Said("Anna", "?")])
    assert phrases & {improvise("rehearsal", asked, seed, None) for seed in range(60)}
