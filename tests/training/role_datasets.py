"""Datasets of roles, written on the spot."""

from pathlib import Path

from characterbox.training.datasets.example import RoleProvenance, role_example
from characterbox.training.datasets.recipe import RoleRecipe
from characterbox.training.datasets.report import DatasetReport
from characterbox.training.datasets.writing import write_role_dataset


def write_roles(folder: Path) -> DatasetReport:
    """Two questions to learn from, to Holmes and Watson, and one to Holmes for the test; each after a round before."""
    examples = [
        (
            split,
            role_example(
                f"You are {role}.",
                [("Good evening.", "Good evening, and do sit down.")],
                question,
                f"{role} answers.",
                RoleProvenance(role.lower(), "specific", "en", "sample", f"line {number}", models={"answer": "gpt-4"}),
            ),
        )
        for number, (split, role, question) in enumerate(
            (
                ("train", "Holmes", "Where do you live?"),
                ("train", "Watson", "Where did you serve?"),
                ("test", "Holmes", "Who keeps your house?"),
            )
        )
    ]
    return write_role_dataset(folder, examples, RoleRecipe(source="a sample of tests"))
