"""PDFs as sources: lines joined, and heads of pages dropped."""

from characterbox.crafting.sources.source import read_source_bytes
from tests.crafting.files import a_pdf, refusal, titles


def test_a_pdf_has_its_lines_joined_and_its_page_heads_dropped() -> None:
    head = ["The Hotel"]
    pages = [
        [*head, "CHAPTER 1", "The clerk waited behind the desk, and the clock beside the stairs was won-",
         "derfully slow. He had no book.", "Somebody came in from the rain and looked at the open safe, at the", "1"],
        [*head, "clerk, and at the stairs.", "2"],
        [*head, "CHAPTER 2", "Nobody spoke until the clock beside the stairs had struck the full hour.", "3"],
        [*head, "It was midnight.", "4"],
    ]  # fmt: skip
    found = read_source_bytes("hotel.pdf", a_pdf(*pages))
    assert found.text == (
        "CHAPTER 1\n\nThe clerk waited behind the desk, and the clock beside the stairs was wonderfully slow. He had "
        "no book.\n\nSomebody came in from the rain and looked at the open safe, at the clerk, and at the stairs."
        "\n\nCHAPTER 2\n\nNobody spoke until the clock beside the stairs had struck the full hour. It was midnight."
    )
    assert titles(found) == ["CHAPTER 1", "CHAPTER 2"]


def test_the_running_heads_of_chapters_are_no_headings() -> None:
    pages = [["CHAPTER 1", "It rained.", "1"], ["2 CHAPTER 1", "It snowed."], ["The Hotel 3", "It was cold."],
             ["4 CHAPTER 1", "It thawed."], ["The Hotel 5", "It froze."], ["CHAPTER 2", "It hailed."],
             ["The Hotel 7"]]  # fmt: skip
    found = read_source_bytes("hotel.pdf", a_pdf(*pages))
    assert titles(found) == ["CHAPTER 1", "CHAPTER 2"]
    told = "CHAPTER 1 It rained. It snowed. It was cold. It thawed. It froze. CHAPTER 2 It hailed."
    assert " ".join(found.text.split()) == told


def test_a_pdf_of_pictures_and_a_locked_one() -> None:
    assert "scan" in refusal("a.pdf", a_pdf([], []))
    locked = "/Encrypt << /Filter /Standard /V 1 /R 2 /O <00> /U <00> /P -4 >> /ID [<00> <00>]"
    assert "password" in refusal("a.pdf", a_pdf(["Secret"], trailer=locked))
