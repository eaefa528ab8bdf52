"""The types of the specifications of character cards, copied out field by field, as strictly as they stand there.

V1 and V2: github.com/malfoyslastname/character-card-spec-v2 (spec_v1.md, spec_v2.md). V3:
github.com/kwaroran/character-card-spec-v3 (SPEC_V3.md). `name?: string` is NotRequired, and never null.
"""

from typing import Annotated, Any, Literal, NotRequired

from pydantic import ConfigDict, Field, TypeAdapter, with_config
from typing_extensions import TypedDict

STRICT = with_config(ConfigDict(strict=True, extra="forbid"))
Number = int | float


@STRICT
class TavernCardV1(TypedDict):
    name: str
    description: str
    personality: str
    scenario: str
    first_mes: str
    mes_example: str


@STRICT
class EntryV2(TypedDict):
    keys: list[str]
    content: str
    extensions: dict[str, Any]
    enabled: bool
    insertion_order: Number
    case_sensitive: NotRequired[bool]
    name: NotRequired[str]
    priority: NotRequired[Number]
    id: NotRequired[Number]
    comment: NotRequired[str]
    selective: NotRequired[bool]
    secondary_keys: NotRequired[list[str]]
    constant: NotRequired[bool]
    position: NotRequired[Literal["before_char", "after_char"]]


@STRICT
class CharacterBook(TypedDict):
    name: NotRequired[str]
    description: NotRequired[str]
    scan_depth: NotRequired[Number]
    token_budget: NotRequired[Number]
    recursive_scanning: NotRequired[bool]
    extensions: dict[str, Any]
    entries: list[EntryV2]


class DataV2(TavernCardV1):
    creator_notes: str
    system_prompt: str
    post_history_instructions: str
    alternate_greetings: list[str]
    character_book: NotRequired[CharacterBook]
    tags: list[str]
    creator: str
    character_version: str
    extensions: dict[str, Any]


@STRICT
class TavernCardV2(TypedDict):
    spec: Literal["chara_card_v2"]
    spec_version: Literal["2.0"]
    data: DataV2


@STRICT
class EntryV3(TypedDict):
    keys: list[str]
    content: str
    extensions: dict[str, Any]
    enabled: bool
    insertion_order: Number
    case_sensitive: NotRequired[bool]
    use_regex: bool
    constant: NotRequired[bool]
    name: NotRequired[str]
    priority: NotRequired[Number]
    id: NotRequired[Number | str]
    comment: NotRequired[str]
    selective: NotRequired[bool]
    secondary_keys: NotRequired[list[str]]
    position: NotRequired[Literal["before_char", "after_char"]]


@STRICT
class Lorebook(TypedDict):
    name: NotRequired[str]
    description: NotRequired[str]
    scan_depth: NotRequired[Number]
    token_budget: NotRequired[Number]
    recursive_scanning: NotRequired[bool]
    extensions: dict[str, Any]
    entries: list[EntryV3]


@STRICT
class Asset(TypedDict):
    type: str
    uri: Annotated[str, Field(pattern=r"^(https?://|data:|embeded://|ccdefault:)")]
    name: str
    ext: Annotated[str, Field(pattern=r"^[a-z0-9]+$")]


@STRICT
class DataV3(TypedDict):
    name: str
    description: str
    tags: list[str]
    creator: str
    character_version: str
    mes_example: str
    extensions: dict[str, Any]
    system_prompt: str
    post_history_instructions: str
    first_mes: str
    alternate_greetings: list[str]
    personality: str
    scenario: str
    creator_notes: str
    character_book: NotRequired[Lorebook]
    assets: NotRequired[list[Asset]]
    nickname: NotRequired[str]
    creator_notes_multilingual: NotRequired[dict[str, str]]
    source: NotRequired[list[str]]
    group_only_greetings: list[str]
    creation_date: NotRequired[Number]
    modification_date: NotRequired[Number]


@STRICT
class CharacterCardV3(TypedDict):
    spec: Literal["chara_card_v3"]
    spec_version: Literal["3.0"]
    data: DataV3


V1 = TypeAdapter(TavernCardV1)
V2 = TypeAdapter(TavernCardV2)
V3 = TypeAdapter(CharacterCardV3)
