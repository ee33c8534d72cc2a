#!/usr/bin/env bash
# A wheel may bring a library of its own, libown.so.1, whose symbols have versions, and a module that is linked with it. auditwheel compares the
# versions of symbols that a wheel needs from the system with those that a manylinux platform has.
# Guess: versions of symbols that a library in the wheel itself provides do not count, whatever they are called.
# Seen with auditwheel 6.8.2: they count by their names alone. With the version OWN_1 the wheel fits manylinux_2_5. With GLIBCXX_3.4.30 the same
# library needs manylinux_2_35, and with GLIBCXX_3.4.99, which no libstdc++ has, it fits no manylinux platform. So a wheel that brings a new
# libstdc++, even under another soname, gets a newer tag than it needs, unless the versions of its symbols are renamed.
. "$(dirname "$0")/lib.sh"
install auditwheel==6.8.2
expect 'OWN_1 of libown.so.1 in the wheel: manylinux_2_5_x86_64
GLIBCXX_3.4.29 of libown.so.1 in the wheel: manylinux_2_34_x86_64
GLIBCXX_3.4.30 of libown.so.1 in the wheel: manylinux_2_35_x86_64
GLIBCXX_3.4.99 of libown.so.1 in the wheel: linux_x86_64' <<'PYTHON'
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

for version in ("OWN_1", "GLIBCXX_3.4.29", "GLIBCXX_3.4.30", "GLIBCXX_3.4.99"):
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "own.c").write_text("int getpid(void); int own(void) { return getpid(); }\n")
        (root / "own.map").write_text(f"{version} {{ own; }};\n")
        (root / "module.c").write_text("int own(void); int getpid(void); void *PyInit_module(void) { return own() == getpid() ? 0 : (void *)1; }\n")
        cc = ["cc", "-shared", "-fPIC"]
        subprocess.run([*cc, "-o", root / "libown.so.1", root / "own.c", f"-Wl,--version-script={root}/own.map,-soname,libown.so.1"], check=True)
        subprocess.run([*cc, "-o", root / "module.so", root / "module.c", root / "libown.so.1", "-Wl,-rpath,$ORIGIN"], check=True)
        wheel = root / "own-1-py3-none-linux_x86_64.whl"
        info = "own-1.dist-info/"
        with zipfile.ZipFile(wheel, "w") as made:
            made.write(root / "libown.so.1", "own/libown.so.1")
            made.write(root / "module.so", "own/module.so")
            made.writestr(info + "METADATA", "Metadata-Version: 2.1\nName: own\nVersion: 1\n")
            made.writestr(info + "WHEEL", "Wheel-Version: 1.0\nGenerator: by hand\nRoot-Is-Purelib: false\nTag: py3-none-linux_x86_64\n")
            made.writestr(info + "RECORD", "".join(f"{name},,\n" for name in [*made.namelist(), info + "RECORD"]))
        done = subprocess.run([str(Path(sys.executable).parent / "auditwheel"), "show", wheel], capture_output=True, text=True)
        said = " ".join(done.stdout.split())
        print(f"{version} of libown.so.1 in the wheel:", *re.findall(r'following platform tag: "(\S+)"', said), sep=" ")
PYTHON
