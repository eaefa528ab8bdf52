"""The price of a judge against that of an expert, trajectory by trajectory."""

import math
from dataclasses import dataclass

from characterbox.judging.cost_table import JudgeRow

HUNDRED = 100
"""Trajectories that prices are told for, besides a single one."""


@dataclass(frozen=True)
class Expert:
    """What an expert takes: minutes for a trajectory, US dollars for an hour."""

    minutes: float
    wage: float

    @property
    def dollars(self) -> float:
        """What the rating of one trajectory costs."""
        return self.minutes / 60 * self.wage

    @property
    def an_hour(self) -> float:
        """Trajectories in an hour."""
        return 60 / self.minutes


def for_the_wage(judge: JudgeRow, wage: float) -> float | None:
    """How many trajectories a judge does for this wage.

    None where its price is not known of any; infinitely many where it costs nothing.
    """
    dollars = judge.of_trajectory.dollars.mean
    if dollars is None:
        return None
    return wage / dollars if dollars else math.inf
