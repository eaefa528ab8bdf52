"""All that the log of changes tells of, each thing with its sentence. Names are stored, and stay as they are."""

from collections.abc import Mapping

from annotations.wording import to_say

ACTIONS: Mapping[str, str] = {
    "account.add": to_say("made an account"),
    "account.bind": to_say("signed in elsewhere for the first time"),
    "account.disable": to_say("disabled an account"),
    "account.enable": to_say("enabled an account"),
    "account.password": to_say("changed a password"),
    "account.role": to_say("changed a role"),
    "invitation.make": to_say("made an invitation"),
    "invitation.use": to_say("used an invitation"),
    "session.started": to_say("signed in"),
    "session.ended": to_say("signed out"),
    "sign-in.failed": to_say("failed to sign in"),
    "server.saved": to_say("saved a model server"),
    "server.removed": to_say("removed a model server"),
    "server.started": to_say("started a model server"),
    "server.stopped": to_say("stopped a model server"),
    "server.proposed": to_say("proposed a model server"),
    "key.bound": to_say("bound a key to an address"),
    "campaign.adjudicate": to_say("settled a disputed score"),
    "campaign.assign": to_say("gave out items of a campaign"),
    "campaign.create": to_say("made a campaign"),
    "campaign.draft": to_say("changed the draft of a campaign"),
    "campaign.extend": to_say("extended a campaign"),
    "campaign.move": to_say("moved a campaign on"),
    "campaign.start": to_say("started a campaign"),
    "dataset.add": to_say("brought in ratings"),
    "rubric.add": to_say("added a rubric"),
    "story.deleted": to_say("deleted a story"),
    "scene.deleted": to_say("put a scene away"),
    "scene.restored": to_say("brought a scene back"),
    "crafting.deleted": to_say("deleted a crafting"),
    "story.exported": to_say("took a story along"),
    "scenes.exported": to_say("took scenes along"),
    "ratings.exported": to_say("took ratings along"),
    "figures.exported": to_say("took figures along"),
    "sweep.exported": to_say("took a sweep along"),
    "log.exported": to_say("took the log along"),
    "log.pruned": to_say("let old entries of the log go"),
    "database.saved": to_say("backed up the database"),
    "database.restored": to_say("restored the database"),
}
"""What was done, as `noun.verb`, and how a page says it of the one who did it."""
