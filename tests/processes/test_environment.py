"""What a server that the app starts sees of its environment."""

from hypothesis import given
from hypothesis import strategies as st

from characterbox.processes.detached import environment_of_program

KEPT = {
    "PATH": "/usr/bin:/bin",
    "HF_TOKEN": "hf_1",
    "HF_TOKEN_PATH": "/home/me/token",
    "HUGGING_FACE_HUB_TOKEN": "hf_1",
    "HF_ENDPOINT": "https://mirror.example.org:443",
    "TOKENIZERS_PARALLELISM": "false",
    "VLLM_MAX_TOKENS_PER_EXPERT_FP4_MOE": "163840",
    "HTTPS_PROXY": "http://me:pw@proxy:3128",
    "KEYBOARD": "us",
    "LS_KEYMAP": "1",
    "MAIL": "me@example.org",
}
WITHHELD = {
    "OPENAI_API_KEY": "1",
    "OPENAI_API_KEYS": "1",
    "AWS_ACCESS_KEY_ID": "1",
    "AWS_SECRET_ACCESS_KEY": "1",
    "aws_session_token": "1",
    "GITHUB_TOKEN": "1",
    "GH_TOKENS": "1",
    "PGPASSWORD": "1",
    "DB_PASSWORD_FILE": "1",
    "GOOGLE_APPLICATION_CREDENTIALS": "/home/me/key.json",
    "DATABASE_URL": "postgresql://me:pw@db/app",
    "CELERY_BROKER": "redis://:pw@cache:6379/0",
    "CHARACTERBOX_DB": "sqlite:///box.db",
}


def test_what_a_server_needs_is_kept_and_what_looks_like_a_secret_is_not():
    assert environment_of_program(KEPT | WITHHELD) == {**KEPT, "PYTHONUNBUFFERED": "1"}


@given(st.dictionaries(st.text(), st.text()))
def test_nothing_is_changed_or_added_but_that_output_comes_at_once(environment):
    seen = environment_of_program(environment)
    assert seen.pop("PYTHONUNBUFFERED") == "1"
    assert seen.items() <= environment.items()
