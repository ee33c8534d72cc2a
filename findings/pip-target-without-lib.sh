#!/usr/bin/env bash
# A wheel may bring files for the environment's own folders, such as bin/, lib/ and share/ (NAME.data/data in the wheel).
# Guess: `pip install --target FOLDER` puts all of them below FOLDER, or says what it leaves out.
# Seen with pip 26.3 and hatchling 1.33.0: bin/ and share/ are there, lib/ is not. Nothing is printed, the exit code is 0, and the
# list of installed files (RECORD) still has it, as ../tool/library.txt. `pip install --prefix` installs it. A program whose libraries lie in lib/ then
# starts only where the system has the same ones, which is so on the machine that built the wheel.
. "$(dirname "$0")/lib.sh"
install pip==26.3 hatchling==1.33.0
expect 'in the wheel: bin/tool lib/tool/library.txt share/tool/data.txt
--prefix: exit 0, bin/tool lib/tool/library.txt share/tool/data.txt
--target: exit 0, bin/tool share/tool/data.txt
stderr of --target: ""
RECORD after --target: ../tool/library.txt' <<'PYTHON'
import subprocess
import sys
import zipfile
from pathlib import Path

root = Path("project")
for name, text in (("tool/__init__.py", ""), ("files/tool", "#!/bin/sh\n"), ("files/library.txt", "library"), ("files/data.txt", "data"),
                   ("pyproject.toml", """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "tool"
version = "1"
[tool.hatch.build.targets.wheel.shared-data]
"files/tool" = "bin/tool"
"files/library.txt" = "lib/tool/library.txt"
"files/data.txt" = "share/tool/data.txt"
""")):
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text)
subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel"], cwd=root, check=True, capture_output=True)
(wheel,) = (root / "dist").glob("*.whl")
mark = "tool-1.data/data/"
names = sorted(name[len(mark):] for name in zipfile.ZipFile(wheel).namelist() if name.startswith(mark))
print("in the wheel:", *names)
for how in ("--prefix", "--target"):
    folder = Path(how.strip("-")).resolve()
    done = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", how, folder, wheel],
                          capture_output=True, text=True)
    print(f"{how}: exit {done.returncode},", *[name for name in names if (folder / name).exists()])
print(f'stderr of --target: "{done.stderr}"')
(record,) = Path("target").glob("tool-1.dist-info/RECORD")
print("RECORD after --target:", *[line.split(",")[0] for line in record.read_text().splitlines() if "library" in line])
PYTHON
