#!/usr/bin/env bash
# OpenCV 5 knows the dtype uint32, and `mean` and `sumElems` answer in double precision.
# Guess: the mean of an image whose pixels are all equal is that value; so it is for every smaller dtype, and with a mask.
# Seen with OpenCV 5.0.0.93: of one channel, four neighbours are added in 32 bits before they become a double. From 2^30 on the mean
# of uint32 is a part of the right one, down to 0, with no error; int32 is so in rows of a few pixels. With three channels, with
# a mask and in meanStdDev it is right, so that two functions for the same number disagree. OpenCV 4.12, without uint32,
# wraps int32 likewise.
. "$(dirname "$0")/lib.sh"
install opencv-python-headless==5.0.0.93 numpy==2.4.6
expect '5.0.0
uint32 of 1073741823: mean 1073741823
uint32 of 1073741824: mean 0, with a mask 1073741824, of three channels 1073741824, meanStdDev 1073741824
uint32 of 3000000000: mean 852516352
int32 of 1073741824, 1 row of 4: mean 0' <<'PYTHON'
import cv2
import numpy


def of(value, shape=(480, 640), dtype=numpy.uint32):
    return numpy.full(shape, value, dtype)


def mean(image, *mask):
    return round(cv2.mean(image, *mask)[0])


print(cv2.__version__)
print("uint32 of 1073741823: mean", mean(of(1073741823)))
image = of(1 << 30)
print(f"uint32 of 1073741824: mean {mean(image)}, with a mask {mean(image, of(255, dtype=numpy.uint8))}, "
      f"of three channels {mean(of(1 << 30, (480, 640, 3)))}, meanStdDev {round(cv2.meanStdDev(image)[0].item())}")
print("uint32 of 3000000000: mean", mean(of(3_000_000_000)))
print("int32 of 1073741824, 1 row of 4: mean", mean(of(1 << 30, (1, 4), numpy.int32)))
PYTHON
