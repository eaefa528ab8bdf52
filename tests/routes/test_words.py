"""What the plain pages say is said in both languages."""

import re

from characterbox.accounts.account import ROLES
from characterbox.accounts.rights import PAGES
from characterbox.routes.words import PAGE_NAMES, ROLE_NAMES, WORDS


def blanks(text):
    return sorted(re.findall(r"\{\w+\}", text))


def test_both_languages_say_the_same_things():
    assert WORDS["en"].keys() == WORDS["zh"].keys()
    for name, english in WORDS["en"].items():
        chinese = WORDS["zh"][name]
        assert blanks(english) == blanks(chinese), name
        assert re.search("[\u4e00-\u9fff]", chinese), name


def test_each_role_and_page_has_a_name():
    for language in ("en", "zh"):
        assert ROLE_NAMES[language].keys() == set(ROLES)
        assert PAGE_NAMES[language].keys() == PAGES.keys()
