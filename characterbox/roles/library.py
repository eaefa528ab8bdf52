"""The roles that come with the project: eight figures of works that belong to everybody, four in each language."""

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from pydantic import ValidationError

from annotations.i18n.messages import cited
from characterbox.errors import RoleError
from characterbox.roles.role import Role
from characterbox.scenes.import_report import choice_of


@cache
def bundled_roles() -> tuple[Role, ...]:
    """All bundled roles, English before Chinese, then by name."""
    folder = files("characterbox.roles") / "bundled"
    roles = [_role_in(file) for file in folder.iterdir() if file.name.endswith(".json")]
    return tuple(sorted(roles, key=lambda role: (role.language, role.name)))


def bundled_role(id: str) -> Role:
    """The bundled role with this id. Raises RoleError with the ids there are."""
    for role in bundled_roles():
        if role.id == id:
            return role
    choice = choice_of([role.id for role in bundled_roles()])
    raise RoleError("bundled:{name}: there is no bundled role with this id; {choice}", name=cited(id), choice=choice)


def _role_in(file: Traversable) -> Role:
    try:
        return Role.model_validate_json(file.read_bytes())
    except ValidationError as error:
        raise RoleError("{name}: the file does not hold a role; reinstall the package", name=file.name) from error
