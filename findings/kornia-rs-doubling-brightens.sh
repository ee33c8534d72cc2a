#!/usr/bin/env bash
# kornia_rs enlarges uint8 images with bilinear weights and half-pixel centres, as OpenCV does.
# Guess: the result is the exact value rounded, so that the error is at most 0.5 and is 0 on average.
# Seen with kornia_rs 0.2.0: it is so for all sizes but exactly twice the height and the width. There, values are rounded up several
# times on the way: on average they are 0.74 too large, up to 1.5, and never too small. A pyramid that doubles four times is three
# grey levels brighter than one that goes to the same size at once.
. "$(dirname "$0")/lib.sh"
install kornia_rs==0.2.0 opencv-python-headless==5.0.0.93 numpy==2.4.6
expect '95x127: error -0.505 to 0.505, mean 0.00
96x128: error 0.000 to 1.500, mean 0.74
97x129: error -0.505 to 0.503, mean 0.00
144x192: error -0.444 to 0.444, mean 0.00
doubled four times: 2.95 brighter than at once' <<'PYTHON'
import cv2
import kornia_rs
import numpy

image = numpy.random.default_rng(0).integers(0, 256, (48, 64, 3), dtype=numpy.uint8)


def resized(pixels, height, width):
    return kornia_rs.imgproc.resize(pixels, (height, width), "bilinear")


for height, width in ((95, 127), (96, 128), (97, 129), (144, 192)):
    exact = cv2.resize(image.astype(numpy.float32), (width, height), interpolation=cv2.INTER_LINEAR)
    error = resized(image, height, width) - exact
    print(f"{height}x{width}: error {error.min():.3f} to {error.max():.3f}, mean {abs(error.mean()):.2f}")
doubled = image
for _ in range(4):
    doubled = resized(doubled, 2 * doubled.shape[0], 2 * doubled.shape[1])
at_once = resized(image, *doubled.shape[:2])
print(f"doubled four times: {doubled.mean() - at_once.mean():.2f} brighter than at once")
PYTHON
