"""Tests peers in C++, `normbench peer` and the template for a kernel of one's own: through pipes and in rounds.

usage: peer_test.py NORMBENCH MY_KERNEL [unittest arguments]
"""

import array
import json
import os
import pty
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

NORMBENCH, MY_KERNEL = (Path(p).resolve() for p in sys.argv[1:3])

SHAPE = [2, 3, 4, 5]
ELEMENTS = 2 * 3 * 4 * 5
MEAN, STD = [1, 2, 3], [2, 4, 8]
# These values are exact in float32, in any order of computation.
EXPECTED = [(x - MEAN[x // 20 % 3]) / STD[x // 20 % 3] for x in range(ELEMENTS)]


def npy(descr, shape, data):
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    text += " " * (-(10 + len(text) + 1) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + data


def read_npy(path):
    """Returns descr, shape and bytes of a .npy file."""
    content = Path(path).read_bytes()
    assert content[:8] == b"\x93NUMPY\x01\x00", content[:8]
    start = 10 + struct.unpack("<H", content[8:10])[0]
    assert start % 64 == 0
    header = eval(content[10:start], {})
    assert header["fortran_order"] is False
    return header["descr"], header["shape"], content[start:]


def tensor(dtype, layout="nchw", shape=SHAPE):
    return {"dtype": dtype, "shape": shape, "layout": layout, "memory": "pageable"}


def stage(op="normalize", parameters=None, out="float32", **more):
    return {"op": op, "parameters": parameters or {"mean": MEAN, "std": STD}, "place": "cpu", "output": "reuse",
            "in": [tensor("uint8")], "out": [tensor(out)], **more}


class Talk:
    """A peer process and the pipes to it."""

    def __init__(self, *command):
        self.process = subprocess.Popen(
            list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def send(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, kind, **members):
        return self.ask_line(json.dumps({"type": kind, **members}))

    def ask_line(self, line):
        self.send(line)
        return json.loads(self.process.stdout.readline())

    def end(self):
        """Ends the input. Returns the exit code, and the rest of stdout and stderr."""
        out, err = self.process.communicate(timeout=20)
        return self.process.returncode, out, err


class PeerCase(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.dir = Path(self.folder.name)

    def talk(self, *command):
        talk = Talk(*command)
        self.addCleanup(talk.process.wait)
        self.addCleanup(talk.process.kill)
        for pipe in (talk.process.stdin, talk.process.stdout, talk.process.stderr):
            self.addCleanup(pipe.close)
        return talk

    def prepare(self, *stages, **more):
        """Returns the members of a `prepare` request whose input is 0, 1, 2, …"""
        path = self.dir / "in.npy"
        path.write_bytes(npy("|u1", SHAPE, bytes(range(ELEMENTS))))
        return {"threads": 1, "device": "cpu", "copies": 1, "inputs": [{"path": str(path), **tensor("uint8")}],
                "stages": list(stages) or [stage()], **more}


class Conversations:
    """The tests that are the same for both peers."""

    COMMAND = NAME = None

    def test_takes_turns_and_writes_its_result(self):
        for output in ("reuse", "fresh"):
            for copies, threads in ((1, 1), (7, 2)):
                peer = self.talk(*self.COMMAND)
                hello = peer.ask("hello", protocol=1, tool="a test")
                self.assertEqual((hello["type"], hello["protocol"], hello["name"]), ("hello", 1, self.NAME))
                ready = peer.ask("prepare", **self.prepare(stage(output=output), copies=copies, threads=threads))
                self.assertEqual(ready, {"type": "ready"})
                out = self.dir / "out.npy"
                for iterations, warmup_ns in ((1, 0), (3, 2_000_000)):
                    start = time.monotonic_ns()
                    ran = peer.ask("run", iterations=iterations, warmup_ns=warmup_ns)
                    took = time.monotonic_ns() - start
                    self.assertEqual(ran["type"], "ran")
                    self.assertGreater(ran["wall_ns"], 0)
                    self.assertLess(ran["wall_ns"], took)
                    self.assertGreaterEqual(took, warmup_ns)
                    self.assertEqual(peer.ask("output", path=str(out)), {"type": "written"})
                    descr, shape, data = read_npy(out)
                    self.assertEqual((descr, shape), ("<f4", tuple(SHAPE)))
                    self.assertEqual(list(array.array("f", data)), EXPECTED)
                    out.unlink()
                self.assertEqual(ran["major_faults"], 0)
                self.assertGreater(ran["cpu_ns"], 0)
                peer.send('{"type": "close"}')
                self.assertEqual(peer.end(), (0, b"", b""))

    def test_ends_with_its_input(self):
        peer = self.talk(*self.COMMAND)
        self.assertEqual(peer.ask("prepare", **self.prepare()), {"type": "ready"})
        self.assertEqual(peer.end(), (0, b"", b""))

    def test_sigterm_ends_it(self):
        peer = self.talk(*self.COMMAND)
        peer.ask("hello", protocol=1)
        peer.process.send_signal(signal.SIGTERM)
        self.assertEqual(peer.end(), (-signal.SIGTERM, b"", b""))

    def test_a_reader_that_is_gone_does_not_kill_it(self):
        peer = self.talk(*self.COMMAND)
        peer.process.stdout.close()
        for _ in range(3):
            peer.send('{"type": "hello", "protocol": 1}')
        peer.process.stdin.close()
        self.assertIn(peer.process.wait(timeout=20), (0, -signal.SIGPIPE))

    def test_garbage_is_answered_and_changes_nothing(self):
        peer = self.talk(*self.COMMAND)
        good = json.dumps({"type": "prepare", **self.prepare()})
        lines = ["", "x", "[]", "{}", "null", '{"type": 1}', '{"type": "dance"}', '{"type": "run"}', good[:-1],
                 '{"type": "run", "iterations": 1, "warmup_ns": 0}', '{"type": "output", "path": "/absent/x"}',
                 "[" * 100_000, "x" * 3_000_000, '{"type": "' + "x" * 500_000 + '"}', "\x01\x7f", "{" * 500]
        for line in lines:
            reply = peer.ask_line(line)
            self.assertEqual(reply["type"], "error", line[:80])
            self.assertTrue(0 < len(reply["why"]) < 20_000)
        self.assertEqual(peer.ask_line(good), {"type": "ready"})
        self.assertEqual(peer.ask("run", iterations=1, warmup_ns=0)["type"], "ran")
        self.assertEqual(peer.end(), (0, b"", b""))

    def test_no_member_of_another_type_is_a_crash(self):
        whole = {"type": "prepare", **self.prepare()}

        def places(value, at=()):
            if at:
                yield at
            items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
            for key, member in items:
                yield from places(member, at + (key,))

        peer = self.talk(*self.COMMAND)
        for place in places(whole):
            for value in (None, -1, 1e300, 0.5, "", "x", [], {}, [[]], True):
                changed = json.loads(json.dumps(whole))
                holder = changed
                for key in place[:-1]:
                    holder = holder[key]
                holder[place[-1]] = value
                reply = peer.ask_line(json.dumps(changed))
                self.assertIn(reply["type"], ("ready", "unsupported", "error"), (place, value))
                if reply["type"] == "ready":
                    peer.send('{"type": "close"}')
                    self.assertEqual(peer.end(), (0, b"", b""))
                    peer = self.talk(*self.COMMAND)
        self.assertEqual(peer.end(), (0, b"", b""))


class NormbenchPeer(Conversations, PeerCase):
    COMMAND, NAME = (NORMBENCH, "peer"), "normbench"

    def test_is_this_version(self):
        version = subprocess.run([NORMBENCH, "--version"], capture_output=True, text=True).stdout.strip()
        hello = self.talk(*self.COMMAND).ask("hello", protocol=1)
        self.assertEqual(f'{hello["name"]} {hello["version"]}', version)

    def test_mistakes_are_told_as_the_planner_finds_them(self):
        peer = self.talk(*self.COMMAND)
        self.assertEqual(
            peer.ask("prepare", **self.prepare(stage("normalise"))),
            {"type": "error",
             "why": 'prepare: /stages/0/op: unknown op "normalise" (did you mean "normalize"?)'})

    def test_a_chain_in_other_dtypes(self):
        half = [{"op": "cast", "parameters": {"to": "bfloat16"}, "in": [tensor("uint8")], "out": [tensor("bfloat16")]},
                {"op": "layout", "parameters": {"to": "nhwc"}, "kernel": "reference", "in": [tensor("bfloat16")],
                 "out": [tensor("bfloat16", "nhwc")]}]
        peer = self.talk(*self.COMMAND)
        self.assertEqual(peer.ask("prepare", **self.prepare(*half)), {"type": "ready"})
        peer.ask("run", iterations=1, warmup_ns=0)
        peer.ask("output", path=str(self.dir / "out.npy"))
        descr, shape, data = read_npy(self.dir / "out.npy")
        self.assertEqual((descr, shape), ("<u2", (2, 4, 5, 3)))
        bits = [struct.unpack("<I", struct.pack("<f", x))[0] >> 16 for x in range(ELEMENTS)]
        n, c, h, w = SHAPE
        self.assertEqual(
            list(array.array("H", data)),
            [bits[((i * c + k) * h + y) * w + x] for i in range(n) for y in range(h) for x in range(w)
             for k in range(c)])

    def test_says_on_a_terminal_what_it_is_for(self):
        master, terminal = pty.openpty()
        self.addCleanup(os.close, master)
        done = subprocess.run([NORMBENCH, "peer"], stdin=terminal, capture_output=True, text=True, timeout=20)
        os.close(terminal)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(
            done.stderr,
            'normbench: peer is started by another normbench, whose config names it: "peers": {"old": '
            '["/path/to/this/normbench", "peer"]}\n')

    def test_has_help_with_an_example(self):
        self.assertIn("  peer ", subprocess.run([NORMBENCH, "--help"], capture_output=True, text=True).stdout)
        done = subprocess.run([NORMBENCH, "peer", "--help"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0)
        self.assertIn("Example:\n  normbench peer", done.stdout)


class MyKernel(Conversations, PeerCase):
    COMMAND, NAME = (MY_KERNEL,), "my_kernel"

    def test_says_what_it_does_not_do(self):
        peer = self.talk(*self.COMMAND)
        floats = [tensor("float32")]
        for stages, why in (
            ([stage("cast", {"to": "float32"})], "anything but one normalize"),
            ([stage(), stage(**{"in": floats})], "anything but one normalize"),
            ([stage(out="float16")], "other than uint8 nchw to float32 nchw"),
            ([stage(parameters={"mean": 0, "std": 1, "flip": "both"})], '"flip" of normalize'),
            ([stage(kernel="lut")], "the kernel lut"),
            ([stage(output="in_place")], "output in_place"),
        ):
            self.assertEqual(
                peer.ask("prepare", **self.prepare(*stages)),
                {"type": "unsupported", "why": f"my_kernel does not do {why}"})
        self.assertEqual(
            peer.ask("prepare", **self.prepare(device="cuda:0")),
            {"type": "unsupported", "why": 'my_kernel does not do device "cuda:0"'})
        self.assertEqual(peer.ask("prepare", **self.prepare()), {"type": "ready"})

    def test_other_arrays_than_were_said_are_mistakes(self):
        peer = self.talk(*self.COMMAND)
        path = self.dir / "other.npy"
        request = self.prepare()
        request["inputs"][0]["path"] = str(path)
        data = bytes(range(ELEMENTS))
        for content in (None, b"", b"PNG", npy("<f4", SHAPE, data), npy("|u1", SHAPE, data[:-1]),
                        npy("|u1", SHAPE, data + b"x")):
            if content is not None:
                path.write_bytes(content)
            reply = peer.ask("prepare", **request)
            self.assertEqual(reply["type"], "error", content)
            self.assertIn(str(path), reply["why"])


class InRounds(PeerCase):
    """Tests normbench with itself and with the kernel as peers."""

    def config(self):
        return {
            "schema": 1,
            "name": "circle",
            "measure": {"max_seconds_per_group": 1, "precision": 0.2, "cache": "hot"},
            "peers": {"self": [str(NORMBENCH), "peer"], "mine": [str(MY_KERNEL)]},
            "defaults": {"normalize": {"mean": [123.675, 116.28, 103.53], "std": [58.395, 57.12, 57.375]}},
            "experiments": [
                {
                    "name": "e",
                    "source": {"batch": 1, "size": [256, 256]},
                    "baseline": "here",
                    "variants": {
                        "here": ["normalize"],
                        "peer": {"peer": "self", "stages": ["normalize"]},
                        "eager peer": {"peer": "self", "stages": [{"op": "cast", "to": "float32"}, "sub", "div"]},
                        "half peer": {"peer": "self", "stages": [
                            {"op": "normalize", "dtype": "bfloat16", "layout": "nhwc"}]},
                        "my kernel": {"peer": "mine", "stages": ["normalize"]},
                        "not mine": {"peer": "mine", "stages": [{"op": "normalize", "dtype": "float16"}]},
                    },
                }
            ],
        }

    def test_peers_are_measured_checked_and_ranked(self):
        path, out = self.dir / "circle.json", self.dir / "out"
        path.write_text(json.dumps(self.config()))
        done = subprocess.run(
            [NORMBENCH, "run", "--config", path, "--allow-peers", "--no-profile", "--out", out],
            capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        document = json.loads((out / "results.json").read_text())
        cases = {case["variant"]: case for case in document["groups"][0]["cases"]}
        for name in ("here", "peer", "eager peer", "half peer", "my kernel"):
            case = cases[name]
            self.assertEqual(case["status"], "ok", case.get("reason"))
            self.assertTrue(case["check"]["ok"], name)
            self.assertGreaterEqual(len(case["rounds"]["wall_ns"]), 12)
        self.assertEqual((cases["not mine"]["status"], cases["not mine"]["reason"].partition("my_kernel")[2]),
                         ("skipped", " does not do other than uint8 nchw to float32 nchw"))
        self.assertIn("my_kernel 1", cases["my kernel"]["peer_version"])
        # The bounds are wide, because this test also runs on busy machines.
        if "busy" in document["groups"][0]:
            self.assertIn("Busy: other programs had the processors", done.stdout)
        else:
            self.assertTrue(0.2 < cases["peer"]["ratio"]["value"] < 5, cases["peer"]["ratio"])
            self.assertRegex(done.stdout, r"(?m)^  peer .* [\d.]+x")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
