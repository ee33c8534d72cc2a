"""A peer for tests, without numpy. It converts uint8 to float32, computes logits of its own for a model, or misbehaves.

usage: tiny_peer.py HOW

HOW is "right" or a misbehaviour. Most misbehaviours are followed by the type of the request at
which they happen, like "hang run" or "die prepare".
Every request is appended to the file in TINY_PEER_LOG, and the process id to the file in TINY_PEER_PIDS.
"""

import array
import json
import os
import subprocess
import sys
import time

how, _, where = sys.argv[1].partition(" ")
turns = 0
if pids := os.environ.get("TINY_PEER_PIDS"):
    with open(pids, "a") as file:
        file.write(f"{os.getpid()}\n")


def say(kind, **members):
    print(json.dumps({"type": kind, **members}), flush=True)


def misbehave():
    """Does what `how` says. Returns True if the request needs no other answer."""
    if how == "hang":
        time.sleep(600)
    if how == "die":
        sys.stderr.write("first\n\nthe last words\n")
        sys.stderr.flush()
        os._exit(3)
    if how == "kill":
        os.kill(os.getpid(), 9)
    if how == "garbage":
        print("Traceback (most recent call last):", flush=True)
        return True
    if how == "error":
        say("error", why="out of luck")
        return True
    if how == "huge":
        print("x" * 2_000_000, flush=True)
        return True
    if how == "twice":
        print("{}\n{}", flush=True)
        return True
    if how == "mute":
        os.close(1)
        time.sleep(600)
    if how == "orphan":
        subprocess.Popen(["sleep", "600"])
        os._exit(4)
    if how == "late":
        time.sleep(0.2)
    if how == "chatty":
        sys.stderr.write("chatter\n" * 100_000)
    return False


def read(path):
    with open(path, "rb") as file:
        head = file.read(10)
        file.read(head[8] + 256 * head[9])
        return file.read()


def write(path, values, shape):
    head = str({"descr": "<f4", "fortran_order": False, "shape": tuple(shape)}).encode()
    head += b" " * (-(len(head) + 11) % 64) + b"\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head)
        file.write(array.array("f", values).tobytes())


def pixels_of(files):
    """Returns the bytes of raw files, one file after another."""
    joined = b""
    for path in files:
        with open(path, "rb") as file:
            joined += file.read()
    return joined


def item_of(pixels, item, shape):
    """Returns the bytes of the batch with the number `item`. The batches follow one another in an
    endless repetition of `pixels`."""
    size = shape[0] * shape[1] * shape[2] * shape[3]
    return bytes(pixels[(item * size + i) % len(pixels)] for i in range(size))


def compute(stage, data, loads):
    if stage["op"] != "model":
        return [float(byte) for byte in data]
    values, images = data if loads else array.array("f", data), stage["out"][0]["shape"][0]
    size = len(values) // images
    return [values[n * size + i % size] / 255 for n in range(images) for i in range(1000)]


for line in sys.stdin:
    request = json.loads(line)
    kind = request["type"]
    if log := os.environ.get("TINY_PEER_LOG"):
        with open(log, "a") as file:
            file.write(line)
    if kind == where and misbehave():
        continue
    if kind == "hello":
        if how == "unavailable":
            say("unavailable", why="it is not installed (run setup)")
        else:
            say("hello", protocol=2 if how == "newer" else 1, name="tiny", version="1.5")
    elif kind == "prepare":
        if how == "unsupported":
            say("unsupported", why='tiny has no op "cast"')
            continue
        stage, first = request["stages"][-1], request["stages"][0]
        pixels = None
        if first["op"] == "load":
            with open(first["files"]) as file:
                pixels = pixels_of(json.load(file))
            data = item_of(pixels, 0, first["out"][0]["shape"])
        elif first["op"] == "batches":
            data = bytes(8)
        else:
            data = read(request["inputs"][0]["path"])
        shape = stage["out"][0]["shape"]
        if request["stages"][-1]["out"][0]["layout"] == "nhwc":
            shape = [shape[i] for i in (0, 2, 3, 1)]
        members = {"psnr": float(where)} if how == "psnr" else {}
        if how == "first":
            members["takes_first"] = True
        if how == "epochs":
            members["epoch"] = int(where)
        say("ready", **members)
    elif kind == "run":
        warm = time.perf_counter_ns() + request["warmup_ns"]
        while request["warmup_ns"] and time.perf_counter_ns() < warm:
            list(data)
        start = time.perf_counter_ns()
        for item in range(request["iterations"]):
            if pixels is not None:
                data = item_of(pixels, request.get("first", 0) + item, first["out"][0]["shape"])
            values = compute(stage, data, pixels is not None)
        wall = time.perf_counter_ns() - start
        turns += 1
        if how == "wrong" and (where != "later" or turns > 1):
            values[7] += 1
        if how == "boast":
            wall += 10**9
        if how == "nothing":
            wall = 0
        members = {"wall_ns": wall, "minor_faults": 12, "major_faults": 1, "cpu_ns": wall // 2}
        if how == "spans":
            members["spans"] = [[i, wall // 4] for i in range(int(where))]
        if how == "longspans":
            members["spans"] = [[0, wall + 1]]
        say("ran", **members)
    elif kind == "output" and first["op"] in ("batches", "transform"):
        shape = [int(where), *shape[1:]] if how == "gives" else shape
        say("given", dtype="float32", shape=shape, bytes=4 * shape[0] * shape[1] * shape[2] * shape[3],
            **({"workers": 2} if first["op"] == "batches" else {}))
    elif kind == "output":
        write(request["path"], values, shape[:-1] + [1] if how == "shape" else shape)
        say("written")
    elif kind == "close":
        if how == "ignore":
            time.sleep(600)
        break
    else:
        say("error", why=f"unknown request {kind}")
