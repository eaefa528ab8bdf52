"""All kinds of generations, by their ways: whoever adds one adds it here."""

from collections.abc import Mapping

from characterbox.rolebench.answers.answering import Answering
from characterbox.rolebench.benchmark import Building
from characterbox.rolebench.context_instruct import ContextInstruct
from characterbox.rolebench.generation import Generation
from characterbox.rolebench.profiles.role_making import RoleMaking

KINDS: Mapping[str, type[Generation]] = {
    "instruct": ContextInstruct,
    "rolebench": Building,
    "answers": Answering,
    "role": RoleMaking,
}
