"""What a story took, in words."""

from characterbox.components.figures.tables.text import costs_line as line
from characterbox.store.stories.call_costs import NOTHING, StoryCosts
from pages.story.header import details


def costs(**changes):
    beside = {name: changes.pop(name, none) for name, none in (("troubles", {}), ("degraded", 0), ("unanswered", 0))}
    usual = NOTHING._replace(calls=66, prompt_tokens=41_200, completion_tokens=8_100, price=0.1234)
    return StoryCosts(usual._replace(**changes), **beside)


def test_the_line_tells_what_is_and_leaves_out_what_is_not():
    assert line(costs()) == "66 calls · 41,200 tokens in, 8,100 out · $0.1234"
    assert line(costs(calls=1, price=0.0)) == "1 call · 41,200 tokens in, 8,100 out · $0.00"
    assert line(costs(prompt_tokens=1, completion_tokens=1)) == "66 calls · 1 token in, 1 out · $0.1234"
    assert line(costs(calls=0, prompt_tokens=0, completion_tokens=0, price=0.0)) == "0 calls"


def test_every_fault_is_counted_in_the_line():
    told = line(costs(reused=12, by_people=3, retries=2, unanswered=1, degraded=4, unpriced=66))
    assert told == (
        "66 calls · 12 reused · 3 by people · 41,200 tokens in, 8,100 out · no price known for 66 calls · "
        "2 attempts repeated · 1 call unanswered · 4 degraded steps"
    )


def test_the_details_name_the_faults():
    told = details(costs(retries=3, troubles={"timed out": 1, "HTTP 429": 2}, unanswered=2, uncounted=5))
    assert told["Reasons for retries"] == "HTTP 429 (2), timed out (1)"
    assert told["Calls without a reply"] == "2, which may have been paid for"
    assert told["Prompt tokens"] == "41,200; 5 calls did not tell theirs"


def test_the_share_of_the_cache_is_of_the_prompts():
    assert details(costs(cached_tokens=20_600))["Prompt tokens"] == "41,200, 50% of them served from a cache"
