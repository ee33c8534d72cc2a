"""Checks the machine code of CUDA kernels against a budget of instructions. A kernel that exceeds its
budget issues instructions for longer than its memory accesses take.

usage: issue_budget.py NVCC TESTS_DIR PLANTED_OBJECT OBJECT...

The script disassembles the objects of the build. It compiles nothing and needs no GPU. No kernel may
use local memory, on any architecture in the objects (scripts/package builds for all architectures).
The budgets are for sm_90. They hold for the compilers of CUDA 12.4, 13.0 and 13.5 (.ci/toolkits). The
planted object has kernels that the script must report.

A row names kernels and the bytes that one of their threads moves on the path of whole, aligned
slots. The script finds this path in the machine code. A candidate path leads from the entry to an
exit. It only jumps forwards and calls nothing. The accesses on it that have no condition load and
store exactly the bytes of the row. The path is the candidate with the fewest instructions. (Longer
candidates move the same bytes slot after slot at the end of a plane, or divide out of range.) Every
instruction on the path counts, even if its condition is false. A path has no loop, so a jump back
that leaves the path is a fault. For a row with `loop`, the path starts at the start of an innermost
loop and ends at its jump back.

Exits with 77 (skipped) if there is no disassembler and none can be installed, or if the objects have
no code for sm_90.
"""

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ARCHITECTURE = "sm_90"


@dataclass
class Row:
    """The budget of kernels. `body` matches their names, `loads` and `stores` are bytes per thread, and
    `most` is the largest number of instructions. All threads share `constants` of the loaded bytes."""

    body: str
    loads: int
    stores: int
    most: int
    constants: int = 0
    loop: bool = False
    registers: int = 32

    @property
    def bytes_a_warp(self):
        return 32 * (self.loads - self.constants + self.stores)


HALF = "(?:__half|__nv_bfloat16)"
ROWS = [
    Row("PlanesToPlanes<unsigned char, float, Affine, (1|3), .*>", 16, 64, 90),
    Row(f"PlanesToPlanes<unsigned char, {HALF}, Affine, (1|3), .*>", 32, 64, 140),
    Row("PlanesToPlanes<float, float, Affine, (1|3), .*>", 64, 64, 75),
    Row(f"PlanesToPlanes<float, {HALF}, Affine, (1|3), .*>", 64, 32, 85),
    Row("PlanesToPlanes<float, unsigned char, Affine, (1|3), .*>", 64, 16, 160),
    Row(f"PlanesToPlanes<{HALF}, unsigned char, Affine, (1|3), .*>", 64, 32, 280),
    Row("PlanesToPixels<float, Affine, .*>", 48, 12, 140),
    Row(f"PlanesToPixels<{HALF}, Affine, .*>", 48, 24, 240),
    Row("PixelsToPlanes<float, Affine, false, .*>", 24, 96, 120),
    Row("PixelsToPlanes<float, Affine, true, .*>", 24, 96, 140),
    Row(f"PixelsToPlanes<{HALF}, Affine, false, .*>", 24, 48, 140),
    Row(f"PixelsToPlanes<{HALF}, Affine, true, .*>", 24, 48, 140),
    # These kernels load their constants from memory.
    Row("PlanesToPlanes<unsigned char, float, Affine, 1, .*>", 24, 64, 90, constants=8),
    Row("PixelsToPlanes<float, Affine, false, .*>", 48, 96, 120, constants=24),
    Row("StreamBody<1, 4, .*>", 16, 64, 35),
    Row("StreamBody<2, 4, .*>", 32, 64, 35),
    Row("StreamBody<4, 4, .*>", 64, 64, 35),
    Row("CopyBody<Vector16>", 64, 64, 35),
    # These bodies process 4 elements per thread, as frameworks do.
    Row("CastBody<unsigned char, float>", 4, 16, 40),
    Row(f"CastBody<unsigned char, {HALF}>", 4, 8, 40),
    Row(f"CastBody<float, {HALF}>", 16, 8, 40),
    Row("PlanesBody<float, Subtract>", 20, 16, 40, constants=4),
    Row("PlanesBody<float, Divide>", 24, 16, 44, constants=8),  # a division takes 8 instructions
    Row("PlanesBody<float, ScaleAndShift>", 20, 16, 40, constants=4),
    Row("PairBody<float, (Add|Multiply)>", 32, 16, 40),
    # One block computes a group. One loop sums and another one normalizes, and each loop has a row
    # here. Accesses to shared memory have a condition, and so have accesses to x, which may be
    # null. The budget counts accesses with a condition as instructions, but not as bytes.
    *[Row(f"Group{body}, true>", loads, stores, most, loop=True, registers=64)
      for body, loads, stores, most in [
          ("Forward<float, 4, (1|4)", 64, 0, 120), ("Forward<float, 4, (1|4)", 0, 64, 130),
          (f"Forward<{HALF}, 8, (1|8)", 64, 0, 220), (f"Forward<{HALF}, 8, (1|8)", 0, 64, 220),
          ("Backward<float, 4, (1|4)", 32, 0, 90), ("Backward<float, 4, (1|4)", 0, 32, 110),
          (f"Backward<{HALF}, 8, 1", 32, 0, 170), (f"Backward<{HALF}, 8, 1", 0, 32, 220)]],
]
# Each entry: a kernel of the planted object, and the fault that must be found.
PLANTED = [
    (Row("Slow", 4, 16, 40), "instructions"),
    (Row("ChoosesStores", 16, 64, 90), "no path"),
    (Row("Waits", 64, 64, 75), "loads of 16 bytes under way"),
    (Row("Loops", 64, 64, 75), "no path"),
    (Row("Loops", 16, 16, 4, loop=True), "instructions"),
    (Row("LoopsBetween", 16, 16, 75), "a loop on the path"),
    (Row("Spills", 16, 16, 90), "bytes of local memory"),
    (Row("Indexes", 0, 16, 90), "bytes of local memory"),
    (Row("TakesRegisters", 192, 192, 200), "registers"),
    (Row("LoadsStrongly", 16, 16, 40), "ordered as atomics"),
    (Row("Fused<float>", 0, 4, 40), "no 16-byte store"),
]


@dataclass
class Instruction:
    address: int
    guard: str
    opcode: str
    operands: str

    def bytes(self):
        """Returns the bytes that a memory access moves."""
        widths = {"64": 8, "128": 16, "U8": 1, "S8": 1, "U16": 2, "S16": 2}
        return next((widths[part] for part in self.opcode.split(".") if part in widths), 4)

    def accesses(self, kind):
        return self.opcode.split(".")[0] == kind and not self.guard

    def registers(self):
        """Returns the registers that a load writes."""
        first = int(re.match(r"R(\d+)", self.operands)[1])
        return {first + i for i in range(max(1, self.bytes() // 4))}

    def uses(self, registers):
        return any(int(number) in registers for number in re.findall(r"\bR(\d+)", self.operands))


@dataclass
class Kernel:
    name: str
    code: list
    registers: int
    local_bytes: int


def run(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def skip(why):
    print(f"SKIPPED: {why}")
    sys.exit(77)


def disassembler(nvcc, tests_dir):
    """Returns a cuobjdump with nvdisasm in its folder, from the toolkit or from Python packages."""
    venv = tests_dir / "disassembler"
    packaged = "lib/python3*/site-packages/nvidia/*/bin/cuobjdump"

    def found():
        beside = [nvcc.resolve().parent / "cuobjdump", Path(shutil.which("cuobjdump") or "/none")]
        for tool in [*beside, *venv.glob(packaged)]:
            if tool.exists() and (tool.parent / "nvdisasm").exists():
                return tool
        return None

    if tool := found():
        return tool
    packages = ["nvidia-cuda-cuobjdump", "nvidia-cuda-nvdisasm"]
    for command in ([sys.executable, "-m", "venv", venv],
                    [venv / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-input", *packages]):
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        if done.returncode != 0:
            skip(f"no nvdisasm beside nvcc, nor {' and '.join(packages)}: {done.stderr.strip().splitlines()[-1]}")
    return found() or skip(f"{' and '.join(packages)} brought no cuobjdump")


CODE = re.compile(r"^\s+/\*([0-9a-f]{4,})\*/\s+(?:@(!?U?P\w+)\s+)?([A-Z][\w.]*)\s*([^;]*?)\s*;", re.MULTILINE)
USAGE = re.compile(r"Function (\S+):\s*REG:(\d+) STACK:(\d+) SHARED:\d+ LOCAL:(\d+)")


def body_of(name):
    """Returns Body<...> for void normbench::cuda::run<normbench::cuda::Body<...> >(...)."""
    name = re.sub(r"normbench::cuda::(?:\(anonymous namespace\)::)?", "", name)
    inner = re.match(r"void run<(.*?)\s?>\(", name)
    return inner[1] if inner else name


def kernels_of(cuobjdump, path):
    """Yields the kernels of an object file for ARCHITECTURE."""
    usage = {name: tuple(map(int, numbers))
             for name, *numbers in USAGE.findall(run([cuobjdump, "-res-usage", "-arch", ARCHITECTURE, path]))}
    sections = run([cuobjdump, "-sass", "-arch", ARCHITECTURE, path]).split("Function : ")[1:]
    mangled = [section.split(None, 1)[0] for section in sections]
    names = run(["c++filt", *mangled]).splitlines() if mangled else []
    for symbol, name, section in zip(mangled, names, sections):
        code = [Instruction(int(address, 16), guard, opcode, operands)
                for address, guard, opcode, operands in CODE.findall(section)]
        registers, stack, local = usage[symbol]
        yield Kernel(body_of(name), code, registers, stack + local)


def spills_of(cuobjdump, path):
    """Returns (architecture, kernel, bytes of local memory) for every kernel of an object file."""
    found = []
    for section in run([cuobjdump, "-res-usage", path]).split("Fatbin elf code:")[1:]:
        architecture = re.search(r"arch = (sm_\w+)", section)[1]
        found += [(architecture, name, int(stack) + int(local)) for name, _, stack, local in USAGE.findall(section)]
    names = run(["c++filt", *(name for _, name, _ in found)]).splitlines() if found else []
    return [(architecture, body_of(name), spilled) for (architecture, _, spilled), name in zip(found, names)]


def faults_of_spills(spills):
    for architecture, name, spilled in spills:
        if spilled:
            yield f"{architecture}: {name}: {spilled} bytes of local memory"


def target(jump):
    return int(re.findall(r"0x([0-9a-f]+)", jump.operands)[-1], 16)


def successors(code, at, index):
    """Returns the indices of the instructions that may follow, without jumps back. None ends a path."""
    one = code[at]
    opcode = one.opcode.split(".")[0]
    if opcode in ("CALL", "RET", "BRX", "JMP", "TRAP", "BPT"):
        return [at + 1] if one.guard else []
    if opcode == "EXIT":
        return [None, at + 1] if one.guard else [None]
    if opcode == "BRA":
        if "DIV" in one.opcode:  # the branch is only for lanes that diverge
            return [at + 1]
        to = index.get(target(one), 0)  # a jump out of a loop ends the path
        forwards = [to] if to > at else []
        return forwards + ([at + 1] if one.guard or "," in one.operands else [])
    return [at + 1]


def whole_path(code, loads, stores):
    """Returns (the instructions of the path of whole slots, []). Without such a path, returns (None, the bytes that
    the other paths load and store)."""
    index = {one.address: i for i, one in enumerate(code)}
    ways = [{} for _ in range(len(code) + 1)]  # per instruction: bytes moved from it on -> (count, next)
    for at in range(len(code) - 1, -1, -1):
        one = code[at]
        here = (one.bytes() if one.accesses("LDG") else 0, one.bytes() if one.accesses("STG") else 0)
        for after in successors(code, at, index):
            for moved, (count, _) in ({(0, 0): (0, None)} if after is None else ways[after]).items():
                total = (moved[0] + here[0], moved[1] + here[1])
                if total not in ways[at] or ways[at][total][0] > count + 1:
                    ways[at][total] = (count + 1, (after, moved))
    if (loads, stores) not in ways[0]:
        return None, sorted(ways[0])
    path, at, moved = [], 0, (loads, stores)
    while at is not None:
        path.append(code[at])
        at, moved = ways[at][moved][1]
    return path, []


def innermost_loops(code):
    """Yields the code of each innermost loop. Its jump back becomes an exit."""
    index = {one.address: i for i, one in enumerate(code)}
    loops = {(index[target(one)], i) for i, one in enumerate(code)
             if one.opcode.split(".")[0] == "BRA" and target(one) <= one.address}
    for first, last in sorted(loops):
        if not any(first <= begin and end <= last for begin, end in loops - {(first, last)}):
            jump = code[last]
            yield [*code[first:last], Instruction(jump.address, "", "EXIT", "")]


def path_of(kernel, row):
    """Returns the path of the row, or None, and the bytes of other paths. Of several loops with 16-byte
    accesses, takes the one with the fewest instructions."""
    def is_wide(path):
        return any(one.opcode.startswith(("LDG", "STG")) and one.bytes() == 16 for one in path)

    found, others = [], []
    for code in innermost_loops(kernel.code) if row.loop else [kernel.code]:
        path, rest = whole_path(code, row.loads, row.stores)
        found += [path] if path and (is_wide(path) or not row.loop) else []
        others += rest
    return min(found, key=len, default=None), others


def bytes_under_way(path):
    """Returns the bytes loaded before the first use of a loaded value, and the bytes of all loads."""
    pending, early, used = set(), 0, False
    for one in path:
        used = used or one.uses(pending)
        if one.accesses("LDG"):
            early += 0 if used else one.bytes()
            pending |= one.registers()
    return early, sum(one.bytes() for one in path if one.accesses("LDG"))


def jumps_back(path):
    return [one for one in path
            if one.opcode == "BRA" and target(one) <= one.address]


def faults_of_code(kernel):
    if kernel.local_bytes or any(one.opcode.split(".")[0] in ("LDL", "STL") for one in kernel.code):
        yield f"{kernel.local_bytes} bytes of local memory"
    if kernel.name.startswith("Fused<") and not any(
            one.opcode.startswith("STG") and one.bytes() == 16 for one in kernel.code):
        yield "no 16-byte store"


def faults_of_path(kernel, row, path, others):
    if kernel.registers > row.registers:
        yield f"{kernel.registers} registers, not {row.registers}"
    if path is None:
        yield (f"no path loads {row.loads} and stores {row.stores} bytes without a condition; "
               f"there are {others}")
        return
    if len(path) > row.most:
        yield f"{len(path)} instructions for {row.bytes_a_warp} bytes, not {row.most}"
    early, all_bytes = bytes_under_way(path)
    if early != all_bytes:
        yield f"loads of {early} bytes under way before the first is used, of {all_bytes}"
    if jumps_back(path):
        yield "a loop on the path"
    if any("STRONG" in one.opcode for one in path):
        yield "accesses that are ordered as atomics are"


def check(kernels, row, show):
    """Yields the faults of the kernels that a row names. A row without kernels is a fault, too."""
    named = [kernel for kernel in kernels if re.fullmatch(row.body, kernel.name)]
    if not named:
        yield f"{row.body}: there is no such kernel"
    for kernel in named:
        path, others = path_of(kernel, row)
        if show and path:
            print(f"{len(path):4} of {row.most:3} instructions, {row.bytes_a_warp:4} bytes a warp{' a turn' * row.loop}, "
                  f"{row.loads - row.constants:2} under way a thread, {kernel.registers:2} registers: {kernel.name}")
        for fault in [*faults_of_code(kernel), *faults_of_path(kernel, row, path, others)]:
            yield f"{kernel.name}: {fault}"


def main():
    nvcc, tests_dir, planted_object, *objects = map(Path, sys.argv[1:])
    cuobjdump = disassembler(nvcc, tests_dir)
    kernels = [kernel for path in objects for kernel in kernels_of(cuobjdump, path)]
    if not kernels:
        skip(f"the objects have no code for {ARCHITECTURE}")
    spills = [spilled for path in objects for spilled in spills_of(cuobjdump, path)]
    architectures = sorted({architecture for architecture, _, _ in spills}, key=lambda name: int(name[3:]))
    print(f"{len(spills)} kernels for {', '.join(architectures)}")
    wrong = [*faults_of_spills(spills)]
    wrong += [fault for row in ROWS for fault in check(kernels, row, show=True)]
    wrong += [f"{kernel.name}: {fault}" for kernel in kernels for fault in faults_of_code(kernel)]
    planted = list(kernels_of(cuobjdump, planted_object))
    for row, expected in PLANTED:
        faults = list(check(planted, row, show=False))
        if not any(expected in fault for fault in faults):
            wrong.append(f'planted {row.body}: "{expected}" was not found, but {faults or "nothing"}')
    planted_spills = {fault.split(": ")[0] for fault in faults_of_spills(spills_of(cuobjdump, planted_object)) if ": Spills:" in fault}
    if len(planted_spills) < 2:
        wrong.append(f"planted Spills: was to be found on both architectures, not on {planted_spills or 'none'}")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
