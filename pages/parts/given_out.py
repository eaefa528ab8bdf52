"""Files that people take along from a page, each told of in the log."""

from collections.abc import Callable

from characterbox.accounts.origin_address import coming_from, origin_address
from characterbox.accounts.rights import may
from characterbox.reasons import in_full
from characterbox.stage.stage import open_stage
from pages.parts.who import who


def given_out(action: str, subject: str, made: Callable[[], bytes], **detail: str) -> Callable[[], bytes]:
    """What makes a file for a download button, and logs it as it is given out; `action` is one of the log's names.

    Streamlit calls it when the button is pressed, in another thread than that which draws the page: what servers said
    is in the file for admins alone, as on the page.
    """
    account, address = who(), origin_address()

    def give() -> bytes:
        with in_full(may(account, "administer")):
            content = made()
        with coming_from(address):
            open_stage().store.audit.add(account, action, subject, detail)
        return content

    return give
