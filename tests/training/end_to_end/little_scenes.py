"""Short scenes, each in a place of its own: what tiny models are trained and tested with."""

from characterbox.scenes.scene import Environment, Profile, Scene

_SCENES = """
harbour | Before dawn | A fish market on the quay | Wet boards, a brass scale and a crate of ice.
  Ada: A fishmonger who weighs everything twice. Behind the scale. Sleepless and brisk.
  Bruno: A cook who wants the only turbot. Beside the crate, counting coins. Hungry for a bargain.
attic | A winter night | An attic under a leaking roof | A trunk, two candles and a bucket half full of rain.
  Clara: The heiress of a house she never liked. On the trunk with her coat on. Cold and suspicious.
  Denis: A lawyer who reads wills aloud. Under the dry half of the roof. Solemn, with a head cold.
orchard | Noon in September | An orchard behind the mill | A ladder, a basket and wasps in the fallen pears.
  Edda: The miller's daughter, fast on any ladder. Halfway up the ladder. Sunburnt and merry.
  Felix: A pedlar accused of stealing fruit. Below, both pockets bulging. Guilty and talkative.
  Ada: A widow who owns the next field. Leaning on the fence. Bored by honest people.
station | Ten minutes to midnight | A country railway station | A bench, a cold stove and a clock that is slow.
  Bruno: The stationmaster of a line nobody uses. At the ticket window. Proud of his uniform.
  Clara: A violinist who missed the connection. On the bench with her case. Tired, and short of money.
chapel | Sunday evening | A chapel that is being repaired | Scaffolding, a covered organ and a box for coins.
  Denis: An organist forbidden to play. Feeling for the keys under the sheet. Itching to begin.
  Edda: A mason paid by the day. High on the planks. Dusty and in a hurry.
kitchen | The hour before dinner | The kitchen of an inn | A kettle, a knife block and a burnt pie on the sill.
  Felix: An innkeeper with twelve guests upstairs. In the doorway, apron undone. Close to despair.
  Ada: A cook who gave notice this morning. Sitting on the flour bin. Perfectly calm.
  Bruno: A guest who smelled smoke. Peering round the dresser. Amused and peckish.
library | A rainy afternoon | The reading room of a library | Green lamps, a globe and one drawer that is locked.
  Clara: A librarian who whispers even at home. Guarding the catalogue. Stern, with inky fingers.
  Denis: A scholar looking for his own lost letters. Under the farthest lamp. Feverish with hope.
garden | After the thaw | A walled garden with a pond | A rake, a broken pot and thin ice on the water.
  Edda: A gardener who talks to moles. Kneeling in the mud. Content and deaf in one ear.
  Felix: A retired general who misses orders. On the gravel with a cane. Stiff with rheumatism.
theatre | During the interval | The wings of a small theatre | Ropes, a paper moon and a trapdoor that sticks.
  Ada: An actress who forgot the second act. Behind the moon. Pale under the paint.
  Bruno: A prompter who was asleep. Inside his box. Ashamed and very awake.
  Clara: The director, who bet on this play. Pacing over the trapdoor. Furious in a whisper.
bridge | Early morning fog | A stone bridge over the river | A lantern, a coil of rope and a rowing boat below.
  Denis: A toll keeper who lets friends pass. Leaning on the parapet. Chilled to the bone.
  Edda: A smuggler with an honest face. One foot on the steps. Alert as a cat.
surgery | A quiet Thursday | The waiting room of a doctor | Four chairs, a bell and a jar of peppermint drops.
  Felix: A hypochondriac with a list. In the chair by the stove. Delighted to be ill.
  Ada: A nurse who believes in fresh air. At the open window. Patient to a point.
lighthouse | A stormy dusk | The lamp room of a lighthouse | A telescope, oil cans and a window that rattles.
  Bruno: A keeper alone since spring. Polishing the lens. Out of practice with company.
  Clara: A castaway wrapped in sailcloth. Close to the lamp. Shivering and grateful.
  Denis: An inspector who came by the last boat. Ticking off oil cans. Seasick on dry land.
tailor | Shortly after closing | The workshop of a tailor | A mirror, a dummy in half a coat and spilt pins.
  Edda: A seamstress paid per button. Gathering pins. Quick, with sore eyes.
  Felix: A groom whose wedding is tomorrow. Before the mirror in one sleeve. Rigid with fright.
vineyard | The last day of harvest | A hut among the vines | A press, wooden tubs and a dog asleep on a sack.
  Ada: A grower with one eye on the clouds. Treading the grapes. Flushed and impatient.
  Bruno: A tax collector with a thirst. On an upturned tub. Friendly for now.
observatory | A clear night in May | The dome of an observatory | A crank, a star chart and tea gone cold in a flask.
  Clara: An astronomer who found a comet. Glued to the eyepiece. Trembling with joy.
  Denis: A rival invited by mistake. Turning the crank too fast. Jealous and polite.
ferry | A windy forenoon | The deck of a river ferry | A rail, a sleeping goat and a basket of eggs.
  Edda: A farmer's wife bound for market. Holding the basket with her knees. Windblown and wary.
  Felix: A gambler leaving town. Against the rail, hat pulled down. Restless about the shore.
  Ada: The captain's niece, in charge today. At the tiller. Stubborn and sixteen.
classroom | The first day of term | A classroom with tall windows | A blackboard, a map of the sea and a cane.
  Bruno: A teacher who fears children. Behind the desk. Damp with nerves.
  Clara: A pupil who can read already. In the front row. Merciless and neat.
stable | Just before a race | A stable at the edge of town | Straw, a saddle on a peg and a horse that kicks.
  Denis: A jockey too heavy by a pound. On the scales in his socks. Starved and gloomy.
  Edda: An owner who pawned her rings. Stroking the horse. Reckless with luck.
printshop | Late on Friday | A printing shop in a cellar | A press, wet sheets on a line and a tray of type.
  Felix: A printer who misspelt the mayor. Bent over the tray. Black to the elbows.
  Ada: A poet waiting for her first book. Reading the wet sheets. Wild with impatience.
greenhouse | A hot morning | A greenhouse full of lemons | A watering can, panes of glass and a snoring uncle.
  Bruno: A botanist who names plants after aunts. Among the lemon tubs. Sweating in tweed.
  Clara: A photographer with one plate left. Under the black cloth. Holding her breath.
  Denis: A glazier who broke what he came to mend. On his knees with putty. Red to the ears.
"""


def _scene(name: str, time: str, location: str, description: str, people: list[str]) -> Scene:
    cast = []
    for line in people:
        who, _, told = line.partition(": ")
        profile, position, state = told.removesuffix(".").split(". ")
        cast.append(Profile(name=who.strip(), description=f"{profile}.", position=position, state=state))
    return Scene(
        id=f"little-{name}",
        title=f"What was found in the {name}",
        work="Little Scenes",
        language="en",
        origin="original",
        environment=Environment(time=time, location=location, description=description),
        cast=tuple(cast),
    )


def _scenes() -> list[Scene]:
    found: list[Scene] = []
    lines = _SCENES.strip().splitlines()
    heads = [number for number, line in enumerate(lines) if not line.startswith(" ")]
    for number, end in zip(heads, [*heads[1:], len(lines)], strict=True):
        name, time, location, description = lines[number].split(" | ")
        found.append(_scene(name, time, location, description, lines[number + 1 : end]))
    return found


SCENES = tuple(_scenes())
LEARNT, HELD_OUT = SCENES[:10], SCENES[10:]
