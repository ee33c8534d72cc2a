#!/usr/bin/env bash
# One JPEG, turned by 90 degrees as its Exif orientation says. TIFF lets a writer store that number as LONG (4 bytes) as well as
# SHORT (2 bytes), in either byte order, and XMP can hold it instead.
# Guess: libraries that turn pictures upright agree.
# Seen with Pillow 13.0.0 and OpenCV 5.0.0.93: Pillow's exif_transpose turns in all five cases. OpenCV's imread turns for a
# SHORT, for a LONG only where the low half of the number comes first (little-endian), and never for XMP. A loader that is
# swapped for the other one trains on pictures that lie on their side, without a word.
. "$(dirname "$0")/lib.sh"
install pillow==13.0.0 opencv-python-headless==5.0.0.93 numpy==2.4.6
expect 'SHORT, little-endian: Pillow turns, OpenCV turns
SHORT, big-endian: Pillow turns, OpenCV turns
LONG, little-endian: Pillow turns, OpenCV turns
LONG, big-endian: Pillow turns, OpenCV leaves
XMP: Pillow turns, OpenCV leaves' <<'PYTHON'
import io
import struct

import cv2
import numpy
from PIL import Image, ImageOps

plain = io.BytesIO()
Image.new("RGB", (64, 48), (200, 90, 30)).save(plain, "JPEG")
plain = plain.getvalue()


def with_app1(payload):
    return plain[:2] + b"\xff\xe1" + struct.pack(">H", len(payload) + 2) + payload + plain[2:]


def exif(order, kind):
    number = {"SHORT": (3, struct.pack(order + "HH", 6, 0)), "LONG": (4, struct.pack(order + "I", 6))}[kind]
    tiff = (b"II" if order == "<" else b"MM") + struct.pack(order + "HI", 42, 8)
    entry = struct.pack(order + "HHI", 0x0112, number[0], 1) + number[1]
    return b"Exif\0\0" + tiff + struct.pack(order + "H", 1) + entry + struct.pack(order + "I", 0)


xmp = (b"http://ns.adobe.com/xap/1.0/\0<x:xmpmeta xmlns:x='adobe:ns:meta/'>"
       b"<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description rdf:about='' "
       b"xmlns:tiff='http://ns.adobe.com/tiff/1.0/' tiff:Orientation=\"6\"/></rdf:RDF></x:xmpmeta>")
cases = {f"{kind}, {name}": with_app1(exif(order, kind)) for kind in ("SHORT", "LONG")
         for order, name in (("<", "little-endian"), (">", "big-endian"))}
cases["XMP"] = with_app1(xmp)
for name, file in cases.items():
    pillow = ImageOps.exif_transpose(Image.open(io.BytesIO(file))).size == (48, 64)
    opencv = cv2.imdecode(numpy.frombuffer(file, numpy.uint8), cv2.IMREAD_COLOR).shape[:2] == (64, 48)
    print(f"{name}: Pillow {'turns' if pillow else 'leaves'}, OpenCV {'turns' if opencv else 'leaves'}")
PYTHON
