#!/usr/bin/env bash
# A WebP file holds its Exif in a chunk of that name. Some writers keep the six bytes "Exif\0\0" there that a JPEG has before it;
# Pillow's own test pictures are such files.
# Guess: who turns a WebP picture by its Exif turns both.
# Seen with OpenCV 5.0.0.93 and Pillow 13.0.0: Pillow's exif_transpose turns both, OpenCV's imread only the one without the
# prefix, and says nothing. A dataset of both kinds trains on some pictures that lie on their side.
. "$(dirname "$0")/lib.sh"
install pillow==13.0.0 opencv-python-headless==5.0.0.93 numpy==2.4.6
expect 'without prefix: stored 6x4, Pillow 4x6, OpenCV 4x6
with prefix: stored 6x4, Pillow 4x6, OpenCV 6x4' <<'PYTHON'
import io
import struct

import cv2
import numpy
from PIL import Image, ImageOps

exif = Image.Exif()
exif[0x0112] = 6  # a quarter turn
tiff = exif.tobytes().removeprefix(b"Exif\0\0")
plain = io.BytesIO()
Image.new("RGB", (6, 4), "white").save(plain, "WEBP", lossless=True)
pixels = plain.getvalue()[12:]  # one VP8L chunk


def chunk(name, data):
    return name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)


header = chunk(b"VP8X", bytes([0x08, 0, 0, 0]) + (6 - 1).to_bytes(3, "little") + (4 - 1).to_bytes(3, "little"))
for name, prefix in (("without prefix", b""), ("with prefix", b"Exif\0\0")):
    body = b"WEBP" + header + pixels + chunk(b"EXIF", prefix + tiff)
    file = b"RIFF" + struct.pack("<I", len(body)) + body
    stored = Image.open(io.BytesIO(file))
    turned = ImageOps.exif_transpose(stored)
    height, width, _ = cv2.imdecode(numpy.frombuffer(file, numpy.uint8), cv2.IMREAD_COLOR).shape
    print(f"{name}: stored {stored.width}x{stored.height}, Pillow {turned.width}x{turned.height}, OpenCV {width}x{height}")
PYTHON
