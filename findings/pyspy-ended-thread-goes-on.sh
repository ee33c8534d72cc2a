#!/usr/bin/env bash
# py-spy writes a Chrome trace of begin and end events from samples of all threads.
# Guess: a thread that has ended has no frames any more, so its last ones end with the first sample that does not find it.
# Seen with py-spy 0.4.3: they stay open to the end of the recording. A thread that ran for 0.3 s, in a program of 1.5 s, has its
# function for more than 1 s, and as its own time: in a flame chart the shortest threads look like the longest.
. "$(dirname "$0")/lib.sh"
install py-spy==0.4.3
cat >program.py <<'PYTHON'
import threading
import time


def spin(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


def short():
    spin(0.3)


thread = threading.Thread(target=short)
thread.start()
thread.join()
spin(1.2)
PYTHON
venv/bin/py-spy record --format chrometrace --rate 100 --output trace.json -- venv/bin/python program.py >log 2>&1 || {
  echo "could not be tried: py-spy may not watch other programs here" >&2
  exit 2
}
expect 'the function of a thread that ran for 0.3 s lasts more than 1 s: True' <<'PYTHON'
import json

events = [event for event in json.load(open("trace.json")) if event["name"] == "short"]
begins = [event["ts"] for event in events if event["ph"] == "B"]
ends = [event["ts"] for event in events if event["ph"] == "E"]
print("the function of a thread that ran for 0.3 s lasts more than 1 s:", max(ends) - min(begins) > 1_000_000)
PYTHON
