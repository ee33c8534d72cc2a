"""Checks the machine code of the fused CUDA kernels: python3 ptx_check.py NVCC SOURCE_DIR

Every kernel of the files in FUSED must store 16 bytes at a time, spill no register and keep nothing
in local memory. The planted files beside this script must be found wrong. Needs no GPU. Exits 1 with
one line per kernel that is not as it should be.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

ARCHITECTURE = "sm_90"
FUSED = [
    "normalize_float32.cu",
    "normalize_float16.cu",
    "normalize_bfloat16.cu",
    "move.cu",
]
PLANTED = {
    "planted_narrow_store.cu": "no 16-byte store",
    "planted_local_array.cu": "local memory",
    "planted_spill.cu": "spills",
}

WIDE_STORE = re.compile(r"\bst\.global(?:\.\w+)*\.(?:v4\.[bfu]32|v2\.[bfu]64)\b")
ENTRY = re.compile(r"^\s*(?:\.visible|\.weak)?\s*\.entry\s+(\w+)", re.MULTILINE)
USAGE = re.compile(
    r"Function properties for (\w+)\s+"
    r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads"
)


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def compiled(nvcc, source_dir, source, folder):
    """The PTX of a file, and what ptxas says of it."""
    ptx = folder / (source.stem + ".ptx")
    options = [f"-arch={ARCHITECTURE}", "-std=c++20", f"-I{source_dir / 'src'}"]
    run([nvcc, "-ptx", *options, source, "-o", ptx])
    ptxas = [nvcc, "-cubin", f"-arch={ARCHITECTURE}", "-Xptxas=-v", ptx, "-o", folder / "cubin"]
    return ptx.read_text(), run(ptxas)


def entries(ptx):
    """Name and text of every kernel."""
    starts = list(ENTRY.finditer(ptx))
    ends = [start.start() for start in starts[1:]] + [len(ptx)]
    return {start[1]: ptx[start.start() : end] for start, end in zip(starts, ends)}


def faults_of(text, usage):
    """What is wrong with a kernel."""
    if not WIDE_STORE.search(text):
        yield "no 16-byte store"
    if usage is None:
        yield "ptxas says nothing of it"
        return
    stack, spill_stores, spill_loads = map(int, usage)
    if spill_stores or spill_loads:
        yield f"spills: {spill_stores} bytes stored, {spill_loads} bytes loaded"
    elif stack:
        yield f"{stack} bytes of local memory"


def check(nvcc, source_dir, source, folder):
    """Yields (kernel, fault) for every fault of a file; a file without kernels is one."""
    ptx, said = compiled(nvcc, source_dir, source, folder)
    usages = {name: numbers for name, *numbers in USAGE.findall(said)}
    kernels = entries(ptx)
    if not kernels:
        yield source.name, "has no kernel"
    for name, text in kernels.items():
        for fault in faults_of(text, usages.get(name)):
            yield name, fault


def main():
    nvcc, source_dir = sys.argv[1], pathlib.Path(sys.argv[2])
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file in FUSED:
            for kernel, fault in check(nvcc, source_dir, source_dir / "src/backend/cuda" / file, folder):
                print(f"{file}: {kernel}: {fault}")
                wrong += 1
        for file, expected in PLANTED.items():
            faults = list(check(nvcc, source_dir, source_dir / "tests/backend" / file, folder))
            if not any(expected in fault for _, fault in faults):
                print(f"{file}: \"{expected}\" was not found, but {faults or 'nothing'}")
                wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
