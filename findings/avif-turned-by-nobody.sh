#!/usr/bin/env bash
# AVIF turns a picture by a property of its own (irot), a transformation that ISO/IEC 23008-12 counts as part of the picture;
# Exif is only for information there.
# Guess: a reader of AVIF gives the turned picture.
# Seen with OpenCV 5.0.0.93 and Pillow 13.0.0: neither does. Pillow opens it as it is stored and tells the turn as an Exif
# orientation, so that exif_transpose is needed also without any Exif in the file; OpenCV's imread, which turns JPEG, PNG, TIFF
# and WebP by default, gives the stored pixels and does not tell.
. "$(dirname "$0")/lib.sh"
install pillow==13.0.0 opencv-python-headless==5.0.0.93 numpy==2.4.6
expect 'irot True, Exif False: Pillow 6x4, orientation 6, exif_transpose 4x6, OpenCV 6x4' <<'PYTHON'
import io

import cv2
import numpy
from PIL import Image, ImageOps

exif = Image.Exif()
exif[0x0112] = 6  # Pillow writes it as irot, and the Exif only where it says more
written = io.BytesIO()
Image.new("RGB", (6, 4), "white").save(written, "AVIF", exif=exif)
file = written.getvalue()
stored = Image.open(io.BytesIO(file))
turned = ImageOps.exif_transpose(stored)
height, width, _ = cv2.imdecode(numpy.frombuffer(file, numpy.uint8), cv2.IMREAD_COLOR).shape
print(f"irot {b'irot' in file}, Exif {b'Exif' in file}: Pillow {stored.width}x{stored.height}, orientation "
      f"{stored.getexif().get(0x0112)}, exif_transpose {turned.width}x{turned.height}, OpenCV {width}x{height}")
PYTHON
