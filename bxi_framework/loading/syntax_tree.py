"""Looks for ``module:name`` in the files of a Mod without running them."""

from __future__ import annotations

import ast
import os
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bxi_framework.diagnostics import did_you_mean
from bxi_framework.diagnostics.guard import describe_error


@dataclass(frozen=True, slots=True)
class EntryProblem:
    """Why an entrypoint leads nowhere; ``file`` and ``line`` are set where the code itself is at fault."""

    code: str
    message: str
    hint: str
    subject: str
    file: str | None = None
    line: int = 1


def find_entry(root: str, entrypoint: str) -> EntryProblem | None:
    """None if the Mod at ``root`` has the module, and the module defines the name as something callable."""
    module, _, name = entrypoint.partition(":")
    file = _module_file(root, module)
    if file is None:
        return EntryProblem(
            "module-not-found",
            f"The Mod has no module '{module}'.",
            did_you_mean(module, _modules_beside(root, module)),
            module,
        )
    try:
        tree = _parse(file)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OSError) as error:
        return EntryProblem(
            "import-failed",
            f"The module '{module}' cannot be read: {describe_error(error)}.",
            "Mend the Mod's code at that line.",
            module,
            file,
            getattr(error, "lineno", None) or 1,
        )
    names = dict(_bound(tree.body))
    if name not in names and "*" not in names:
        return EntryProblem(
            "entry-not-found",
            f"The module '{module}' has no '{name}'.",
            did_you_mean(name, [known for known in names if not known.startswith("_")]),
            name,
        )
    if isinstance(names.get(name), ast.Constant):
        return EntryProblem(
            "entrypoint-not-callable",
            f"'{entrypoint}' cannot be called.",
            "Name a function that takes the context.",
            entrypoint,
        )
    return None


def _module_file(root: str, module: str) -> str | None:
    path = os.path.join(root, *module.split("."))
    return next(
        (file for file in (f"{path}.py", os.path.join(path, "__init__.py")) if os.path.isfile(file)), None
    )


def _modules_beside(root: str, module: str) -> list[str]:
    """The modules in the folder where ``module`` should be."""
    package = module.rpartition(".")[0]
    folder = os.path.join(root, *package.split(".")) if package else root
    prefix = f"{package}." if package else ""
    try:
        entries = os.listdir(folder)
    except OSError:
        return []
    return [prefix + entry.removesuffix(".py") for entry in entries if entry.endswith(".py")]


def _parse(file: str) -> ast.Module:
    with open(file, "rb") as source, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(source.read(), file)


def _bound(body: Iterable[ast.stmt]) -> Iterator[tuple[str, ast.AST]]:
    """The names that statements bind at their own level, with what they are bound to; ``*`` for a star
    import.
    """
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield statement.name, statement
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            for alias in statement.names:
                yield alias.asname or alias.name.partition(".")[0], statement
        elif isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            for part in (part for target in targets for part in ast.walk(target)):
                if isinstance(part, ast.Name):
                    yield part.id, statement.value if part in targets else statement
        else:
            for _, inner in ast.iter_fields(statement):
                for child in inner if isinstance(inner, list) else ():
                    if isinstance(child, ast.stmt):
                        yield from _bound([child])
                    elif isinstance(child, ast.ExceptHandler):
                        yield from _bound(child.body)
