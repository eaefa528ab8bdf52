"""The roles that come with the project: eight figures of works that belong to everybody, four in each language."""

from functools import cache
from importlib.resources import files
from pathlib import Path

from annotations.i18n.messages import cited
from characterbox.errors import RoleError
from characterbox.roles.role import Role
from characterbox.roles.role_files import read_roles
from characterbox.scenes.import_report import choice_of


@cache
def bundled_roles() -> tuple[Role, ...]:
    """All bundled roles, English before Chinese, then by name."""
    folder = files("characterbox.roles") / "bundled"
    found = [file for file in folder.iterdir() if file.name.endswith(".json")]
    roles = [role for file in found for role in read_roles(file.name, file.read_bytes())]
    return tuple(sorted(roles, key=lambda role: (role.language, role.name)))


def bundled_role(id: str) -> Role:
    """The bundled role with this id. Raises RoleError with the ids there are."""
    for role in bundled_roles():
        if role.id == id:
            return role
    choice = choice_of([role.id for role in bundled_roles()])
    raise RoleError("bundled:{name}: there is no bundled role with this id; {choice}", name=cited(id), choice=choice)


def open_roles(text: str) -> tuple[Role, ...]:
    """The roles that people name: `bundled:ID`, or the path of a JSON file of one or several.

    Raises RoleError where there is no such role, or the file can't be read, and SceneError where it is no JSON.
    """
    scheme, mark, id = text.partition(":")
    if mark and scheme == "bundled":
        return (bundled_role(id),)
    file = Path(text)
    try:
        raw = file.read_bytes()
    except OSError as error:
        raise RoleError(
            "{file}: it cannot be read ({error}); give a JSON file of roles, or bundled:ID",
            file=text,
            error=error.strerror,
        ) from None
    return read_roles(file.name, raw)
