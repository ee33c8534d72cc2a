"""Tests that normbench makes the same NVTX calls when it is built with headers that have payloads (CUDA 13) and
with headers that do not (CUDA 12). Only payloads differ.

usage: nvtx_headers_test.py INJECTION WITH_PAYLOADS WITHOUT_PAYLOADS

WITH_PAYLOADS and WITHOUT_PAYLOADS are programs made from tests/nvtx/calls.cpp.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

INJECTION, WITH, WITHOUT = (Path(p).resolve() for p in sys.argv[1:4])
KINDS = 11
BYTES = [None, 1, 1 << 40]  # bytes of the three ranges of each kind


def calls_of(program):
    """Returns the calls of a program, in order. Handles are replaced by names, because a handle
    depends on the number of handles before it."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "calls.jsonl"
        environment = {**os.environ, "NVTX_INJECTION64_PATH": str(INJECTION), "NVTX_INJECTION_LOG": str(log)}
        subprocess.run([program], check=True, env=environment)
        lines = [json.loads(line) for line in log.read_text().splitlines()]
    ranges, names = [], {line.get("string"): line["text"] for line in lines if line["call"] == "register_string"}
    for line in lines:
        for changing in ("pid", "tid", "thread", "domain"):
            line.pop(changing, None)
        if line["call"] == "register_string":
            line["string"] = line["text"]
        if line.get("message"):
            line["message"] = names[line["message"]["string"]]
        if "range" in line:
            ranges += [line["range"]] * (line["call"] == "start")
            line["range"] = ranges.index(line["range"])
    return lines


class HeadersTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.seen, cls.seen_without = calls_of(WITH), calls_of(WITHOUT)

    def payloads(self, seen):
        return [line["payload"] for line in seen if line["call"] == "push"][1:]  # skips the range `capture`, which is the first

    def test_payloads_have_a_schema_or_are_plain_numbers(self):
        [schema] = [line["schema"] for line in self.seen if line["call"] == "register_schema"]
        self.assertEqual([line for line in self.seen_without if line["call"] == "register_schema"], [])
        plain = [b if b is None else {"value": b} for b in BYTES]
        self.assertEqual(self.payloads(self.seen_without), plain * KINDS)
        of_schema = [b if b is None else {"schema": schema, "size": 8, "count": 1, "value": b} for b in BYTES]
        self.assertEqual(self.payloads(self.seen), of_schema * KINDS)

    def test_all_else_is_the_same(self):
        def but_payloads(seen):  # NVTX is initialised before the headers look for payloads
            return [{key: value for key, value in line.items() if key != "payload"}
                    for line in seen if line["call"] not in ("initialize", "register_schema")]

        self.assertEqual(but_payloads(self.seen), but_payloads(self.seen_without))

    def test_every_call_is_seen(self):
        calls = {line["call"] for line in self.seen}
        self.assertEqual(calls, {"attach", "initialize", "create_domain", "register_schema", "name_category", "name_thread",
                                 "name_device", "name_stream", "register_string", "push", "pop", "start", "end"})


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
