"""Checks the layers of src/: python3 tests/layering.py SOURCE_DIR

A folder may include itself and the folders before it in LAYERS. Platforms differ by files, and not
by #if.
In a folder of ONE_WAY, parts (a header and its source) do not include one another in circles.
analysis/ gives facts: it formats nothing, has no literal with a blank in it, and compares nothing
with a literal.
report/ starts no analysis: it takes an Analysed.
measure/ writes sentences only about failures: in what is thrown, in fail(…) and complain(…), and in
the files of FAILURES.
Python files do not import one another in circles.
Exits with 1 and prints one line per violation.
"""

import pathlib
import re
import sys

from python_cycles import cycles, import_cycles

LAYERS = ["core", "record", "machine", "ops", "backend", "dataset", "plan", "document", "trace", "measure", "analysis", "report", "app"]
ONE_WAY = {"core", "record", "dataset", "plan", "document", "measure", "trace", "app"}
INCLUDE = re.compile(r'\s*#\s*include\s+"([^"]+)"')
CONDITIONAL = re.compile(r"\s*#\s*(?:if|ifdef|ifndef|elif)\b(.*)")
COMMENT = re.compile(r"//.*")
COMMENT_LINE = re.compile(r"//[^\n]*")
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
CHARACTER = re.compile(r"'(?:[^'\\]|\\.)'")
COMPARED = re.compile(
    r'(?:[=!]=\s*|\b(?:starts_with|ends_with|contains|find|compare)\(\s*|\bfind\([^()"]*,\s*)"|"\s*[=!]='
)
ANALYSIS = re.compile(r"(?<![\w.>])(?:analyse|experiments)\(")
WORDS = re.compile(r"[a-z]{2,}[,:]? \(?[a-z]{2,}")
FAILING = re.compile(r"\bthrow\b|\bfail\(|\bcomplain(?:_at)?\(")
# Files of measure/ whose string literals may be sentences, because they explain why an output, a
# kernel row, a peer or a tracer is wrong.
FAILURES = ("check.cpp", "device_tracing.cpp", "contender.cpp", "saved_files.cpp", "peer/", "selftest/")
# Files that name threads. Their string literals may be sentences, because the error message about a
# thread that cannot start quotes the thread's name.
THREADS = ("lanes.cpp", "watchdog.cpp")
# Files whose string literals may be sentences, because they still write the notes of a profile as
# text and not as facts (document/note.h).
NOTES = ("profile_pass.cpp",)
DEVICE_ONLY = {f"backend/cuda/{name}.cuh" for name in ("access", "block", "clock", "launch")}
SOURCES = {".h", ".cpp", ".cu", ".cuh"}


def allowed_conditional(path, condition):
    """Returns True if the file may have the conditional. Files of backend/cpu/ may have Highway's
    conditionals, because Highway compiles them once per target. Files of DEVICE_ONLY may ask for
    __CUDA_ARCH__, because only the device's compiler knows the architecture of a kernel."""
    name = path.as_posix()
    if name.startswith("backend/cpu/"):
        return re.search(r"HWY_ONCE|HWY_TARGET|_INL_H_\b", condition) is not None
    return name in DEVICE_ONLY and "__CUDA_ARCH__" in condition


def violations(root):
    for path in sorted((root / "src").rglob("*")):
        if path.suffix not in SOURCES:
            continue
        relative = path.relative_to(root / "src")
        own = relative.parts[0]
        if own not in LAYERS:
            yield f"{path}: folder {own}/ is no layer (known: {', '.join(LAYERS)})"
            continue
        text = path.read_text()
        if own == "analysis":
            yield from wordy_facts(path, text)
        if own == "measure" and not path.relative_to(root / "src" / "measure").as_posix().startswith(FAILURES + THREADS + NOTES):
            yield from sentences(path, text)
        for number, line in enumerate(text.splitlines(), 1):
            if own == "report" and ANALYSIS.search(COMMENT.sub("", line)):
                yield f"{path}:{number}: {line.strip()} (report/ begins no analysis: it takes an Analysed)"
            include = INCLUDE.match(line)
            if include:
                folder = include[1].split("/")[0]
                if folder not in LAYERS or "/" not in include[1]:
                    yield f'{path}:{number}: "{include[1]}" does not start with a layer\'s folder'
                elif LAYERS.index(folder) > LAYERS.index(own):
                    yield f'{path}:{number}: {own}/ includes "{include[1]}" of a later layer'
            condition = CONDITIONAL.match(line)
            if condition and not allowed_conditional(relative, condition[1]):
                yield f"{path}:{number}: {line.strip()} (a platform is a file, never an #if)"


def include_cycles(root):
    """Yields one line per cycle among the parts of a folder of ONE_WAY."""
    for folder in sorted(ONE_WAY):
        graph = {}
        for path in sorted((root / "src" / folder).rglob("*")):
            if path.suffix in SOURCES:
                part = path.relative_to(root / "src").with_suffix("").as_posix()
                found = (INCLUDE.match(line) for line in path.read_text().splitlines())
                included = {include[1].rsplit(".", 1)[0] for include in found if include}
                graph.setdefault(part, set()).update(other for other in included - {part} if other.startswith(folder + "/"))
        for cycle in cycles(graph):
            yield f"{root / 'src' / folder}: parts include one another: {' -> '.join(cycle)}"


def wordy_facts(path, text):
    """Yields one line for each place that formats text, has a literal with a blank in it, or
    compares with a literal. JSON keys are allowed: they have no blank."""
    for number, line in enumerate(text.splitlines(), 1):
        if INCLUDE.match(line):
            continue
        code = CHARACTER.sub("0", COMMENT.sub("", LITERAL.sub(lambda l: l[0].replace("//", "/"), line)))
        if "fmt::" in code or "fmt/" in code:
            yield f"{path}:{number}: analysis/ formats nothing (sentences are made in report/)"
        if any(re.search(r"\s|\\[nt]", literal[1]) for literal in LITERAL.finditer(code)):
            yield f"{path}:{number}: a literal with a blank in it (sentences are made in report/)"
    joined = COMMENT_LINE.sub("", text)
    for comparison in COMPARED.finditer(joined):
        number = joined.count("\n", 0, comparison.start()) + 1
        yield f"{path}:{number}: comparison with a literal (a fact is an enum or a number)"


def sentences(path, text):
    """Yields one line for each literal that has words in it and is not part of an error message."""

    def masked(match):
        return re.sub(r"[^\n]", "x", match[0])

    code = COMMENT_LINE.sub(masked, CHARACTER.sub(masked, LITERAL.sub(masked, text)))
    messages = [(failing.start(), code.find(";", failing.start())) for failing in FAILING.finditer(code)]
    for number, literal in literals(text):
        at = literal.start()
        if WORDS.search(literal[1]) and not any(first <= at < last for first, last in messages):
            yield f"{path}:{number}: {literal[0]} has words in it (sentences are made in report/, notes in document/note.cpp)"


def literals(text):
    """Yields the literals outside of comments, each with its line number."""
    start = 0
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        for match in LITERAL.finditer(text, start, start + len(line)):
            if "//" not in LITERAL.sub("", text[start : match.start()]):
                yield number, match
        start += len(line)


def main():
    root = pathlib.Path(sys.argv[1])
    found = [*violations(root), *include_cycles(root), *import_cycles(root)]
    for violation in found:
        print(violation)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
