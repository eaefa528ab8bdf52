"""The sample study: the ratings of HANNA (Chhun et al., 2022), as a dataset.

1,056 stories of 96 prompts by ten models and a person, each scored on six criteria three times by people and by five
language models, from 1 to 5 (https://github.com/dig-team/hanna-benchmark-asg, MIT license). The three people of a story
are not those of another one. Scores only: the stories are not here.
"""

from importlib.resources import files

from annotations.rubrics.rubric import STUDY_RUBRIC, bundled_text, parse_rubric
from characterbox.accounts.account import THE_APP
from characterbox.store import Store

STUDY = "samplehanna"
"""The id of the dataset."""
STORIES = 1056
TITLE = "HANNA (Chhun et al., 2022)"
SOURCE = "https://aclanthology.org/2022.coling-1.509/"
_FOLDER = files(__name__.rpartition(".")[0]) / "hanna"


def make_study(store: Store) -> None:
    """Store the study with its rubric. Scores outside the scale, which judges gave where they failed, are left out."""
    from annotations.exchange.intake import dry_run  # noqa: PLC0415 - half a second, of which most starts need nothing

    text = bundled_text(STUDY_RUBRIC)
    store.rubrics.add(text, "rubric.toml", THE_APP)
    trial = dry_run((_FOLDER / "ratings.parquet").read_bytes(), parse_rubric(text, file="rubric.toml"))
    store.datasets.add(TITLE, trial, THE_APP, STUDY)
