"""Draws of scenes: as many as there are, with replacement, and the same ones for the same seed."""

import numpy as np
import pytest

from annotations.resampling import draws as of_product
from annotations.resampling.draws import USUAL_DRAWS, Draws, scene_counts


def test_each_draw_has_as_many_scenes_as_there_are() -> None:
    counts = scene_counts(7, Draws(300, 4))
    assert counts.shape == (7, 300)
    assert (counts.sum(axis=0) == 7).all()
    assert (counts == np.round(counts)).all()
    assert counts.min() == 0
    assert counts.max() > 1


def test_each_scene_comes_once_a_draw_on_average_and_as_seldom_as_by_chance() -> None:
    counts = scene_counts(5, Draws(20_000, 1))
    assert counts.mean(axis=1) == pytest.approx(np.ones(5), abs=0.03)
    assert (counts == 0).mean() == pytest.approx(0.8**5, abs=0.01)


def test_the_seed_decides_them() -> None:
    assert (scene_counts(6, Draws(50, 3)) == scene_counts(6, Draws(50, 3))).all()
    assert (scene_counts(6, Draws(50, 3)) != scene_counts(6, Draws(50, 4))).any()
    assert scene_counts(6, USUAL_DRAWS).shape == (6, 2000)


def test_what_is_kept_for_the_next_ranking_is_what_would_be_drawn_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = scene_counts(6, Draws(40, 9))
    kept[:] = 99  # whoever changes theirs changes nobody else's
    monkeypatch.setattr(of_product, "_KEPT", 0)
    anew = scene_counts(6, Draws(40, 9))
    monkeypatch.undo()
    assert (scene_counts(6, Draws(40, 9)) == anew).all()
