#!/usr/bin/env bash
# Lossless JPEG (SOF3) is what scanners and medical archives keep, mostly in gray. libjpeg-turbo 3 reads it.
# Guess: a library that reads the RGB one in colour also reads the gray one in colour, as it does with every other gray JPEG.
# Seen with OpenCV 5.0.0.93, Pillow 13.0.0, imagecodecs 2026.3.6: OpenCV's IMREAD_COLOR, the default, gives nothing for the gray
# one, without an exception; IMREAD_UNCHANGED reads it, and the RGB one is read either way. libjpeg-turbo does not convert
# colours of lossless files, gray to RGB included. Pillow converts afterwards and reads both.
. "$(dirname "$0")/lib.sh"
install pillow==13.0.0 opencv-python-headless==5.0.0.93 imagecodecs==2026.3.6 numpy==2.4.6
expect 'gray: OpenCV colour None, unchanged (48, 64), Pillow exact
RGB: OpenCV colour (48, 64, 3), unchanged (48, 64, 3), Pillow exact' <<'PYTHON'
import io

import cv2
import imagecodecs
import numpy
from PIL import Image

gray = (numpy.arange(48 * 64) % 251).astype(numpy.uint8).reshape(48, 64)
for name, pixels in (("gray", gray), ("RGB", numpy.stack([gray, 255 - gray, gray // 2], -1))):
    file = imagecodecs.jpeg8_encode(pixels, lossless=True)
    shapes = [None if image is None else image.shape for image in (
        cv2.imdecode(numpy.frombuffer(file, numpy.uint8), flags) for flags in (cv2.IMREAD_COLOR, cv2.IMREAD_UNCHANGED))]
    exact = numpy.array_equal(numpy.asarray(Image.open(io.BytesIO(file))), pixels)
    print(f"{name}: OpenCV colour {shapes[0]}, unchanged {shapes[1]}, Pillow {'exact' if exact else 'unlike'}")
PYTHON
