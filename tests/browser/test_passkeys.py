"""Passkeys in a real browser, with an authenticator of its own."""

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.app import App
from tests.browser.test_accounts import PASSWORD, come_in, guarded, invite

__all__ = ["guarded"]

pytestmark = pytest.mark.browser


def test_one_adds_a_passkey_and_signs_in_by_it(guarded: App, browser: Browser) -> None:
    link = invite(guarded, "Root", "--role", "admin").split()[-1].replace("127.0.0.1", "localhost")
    site = guarded.url.replace("127.0.0.1", "localhost")
    with browser.new_context() as context:
        page = context.new_page()
        device = context.new_cdp_session(page)
        device.send("WebAuthn.enable")
        options = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True}
        options |= {"isUserVerified": True, "automaticPresenceSimulation": True}
        device.send("WebAuthn.addVirtualAuthenticator", {"options": options})
        come_in(page, link)
        page.goto(f"{site}/account")
        adding = page.locator("#passkey-add")
        adding.get_by_label("Passkey name").fill("my phone")
        adding.get_by_label("Current password").fill(PASSWORD)
        adding.get_by_role("button", name="Add passkey").click()
        expect(page.get_by_text("my phone, made")).to_be_visible()
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_label("Your name")).to_be_visible()
        page.get_by_role("button", name="Sign in with a passkey").click()
        expect(page).not_to_have_url(f"{site}/sign-in")
        page.goto(f"{site}/account")
        expect(page.get_by_text("You are signed in as Root, admin.")).to_be_visible()
