"""Finds Python files that import one another in circles. Imports inside of functions count, too."""

import ast

FOLDERS = ("scripts/peers", "tests")


def imported(path, modules):
    """Yields the names in `modules` that a file imports."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module]
        else:
            continue
        yield from (name for name in names if name in modules)


def cycles(graph):
    """Returns cycles among the modules of `graph`; at least one if there are any. `graph` has the
    list of imported modules for each module. A cycle is a list of modules that begins and ends with
    the same one."""
    found, done = [], set()

    def visit(module, path):
        if module in path:
            found.append([*path[path.index(module):], module])
        elif module not in done:
            for other in sorted(graph[module]):
                visit(other, [*path, module])
            done.add(module)

    for module in sorted(graph):
        visit(module, [])
    return found


def import_cycles(root):
    """Yields one line per cycle among the Python files of FOLDERS."""
    modules = {path.stem: path for folder in FOLDERS for path in sorted((root / folder).rglob("*.py"))}
    graph = {name: set(imported(path, modules)) for name, path in modules.items()}
    for cycle in cycles(graph):
        yield f"{modules[cycle[0]]}: Python files import one another: {' -> '.join(cycle)}"
