#!/usr/bin/env bash
# kornia_rs has a fused preprocessor for camera frames: resize, scale, normalise and planes in one pass. It is told the order of
# the frame's bytes: format "rgb", "bgr", "rgba" or "bgra".
# Guess: the planes come in the same order, red first, whatever the format; else a mean for each channel could not be given.
# Seen with kornia_rs 0.2.0 on the CPU: all four formats give the planes as they lie in the frame. A mean and a standard deviation
# for red meet blue in a frame of OpenCV's, and nothing says so.
. "$(dirname "$0")/lib.sh"
install kornia_rs==0.2.0 numpy==2.4.6
expect 'rgb: planes 10 20 30, less the mean of red 10 0 0: 0 20 30
bgr: planes 10 20 30, less the mean of red 10 0 0: 0 20 30
rgba: planes 10 20 30, less the mean of red 10 0 0: 0 20 30
bgra: planes 10 20 30, less the mean of red 10 0 0: 0 20 30' <<'PYTHON'
import kornia_rs
import numpy


def planes(form, mean):
    """Returns the three planes of a frame whose pixels all have the bytes 10, 20, 30 (and 40)."""
    frame = numpy.tile(numpy.array([10, 20, 30, 40], numpy.uint8)[: len(form)], 16)
    made = kornia_rs.Preprocessor(mode="stretch", format=form, mean=mean, std=(1, 1, 1)).run(frame, 4, 4, 4, 4)
    return " ".join(str(round(255 * float(plane.mean()))) for plane in made.numpy()[0])


for form in ("rgb", "bgr", "rgba", "bgra"):
    print(f"{form}: planes {planes(form, (0, 0, 0))}, less the mean of red 10 0 0: {planes(form, (10 / 255, 0, 0))}")
PYTHON
