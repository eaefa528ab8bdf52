"""Stage: launch a scene, and watch the narrator work."""

from characterbox.components.player import show_story
from characterbox.stage.stage import open_stage
from characterbox.stage.view import player_data
from pages.parts.launch import launch_form
from pages.parts.look import as_wide_as_player
from pages.parts.story import casting_line, controls, wanted_story

stage = open_stage()
story = wanted_story(stage, "stage")
if story is None:
    launch_form(stage)
else:
    as_wide_as_player(story)
    controls(stage, story, "stage")
    show_story(player_data(stage.store.stories, story, "stage"), key=f"stage-{story.id}")
    casting_line(story)
