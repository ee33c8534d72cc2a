#!/usr/bin/env bash
# Pillow hands its pixels to Arrow without a copy (`__arrow_c_array__`), which is a way into a tensor that costs nothing.
# Guess: an RGB image has three values a pixel, whatever was done to it, and a photograph is handed over like an icon.
# Seen with Pillow 13.0.0 and nanoarrow 0.9.0: an RGB image has four, as Pillow stores it. The fourth means nothing, and its value
# tells what was last done: 255 decoded, 0 resized, both rotated, 127 with half the brightness. Who takes the four for RGBA sees
# decoded images and not the resized ones. From 16 MiB on, 4.2 megapixels in colour, Pillow keeps an image in several blocks,
# and there is no array at all: an error tells of rows that are not contiguous, for gray ones only from 16.8 megapixels on.
. "$(dirname "$0")/lib.sh"
install pillow==13.0.0 nanoarrow==0.9.0
expect 'RGB of one pixel: [[10, 20, 30, 255]]
decoded: fourth value 255
resized, nearest: fourth value 255
resized, bilinear: fourth value 0
cropped beyond the edge: fourth value 0 255
rotated: fourth value 0 255
half as bright: fourth value 127
RGB 2048x2048: 4194304 pixels
RGB 2048x2049: TypeError, Image rows are not contiguous in memory.
L 4096x4096: 16777216 pixels
L 4096x4097: TypeError, Image rows are not contiguous in memory.' <<'PYTHON'
import io

import nanoarrow
from PIL import Image, ImageEnhance


def fourth(image):
    return " ".join(str(value) for value in sorted({pixel[3] for pixel in nanoarrow.Array(image).to_pylist()}))


print("RGB of one pixel:", nanoarrow.Array(Image.new("RGB", (1, 1), (10, 20, 30))).to_pylist())
file = io.BytesIO()
Image.radial_gradient("L").convert("RGB").save(file, "JPEG")
decoded = Image.open(file)
for name, image in (
    ("decoded", decoded),
    ("resized, nearest", decoded.resize((64, 48), Image.Resampling.NEAREST)),
    ("resized, bilinear", decoded.resize((64, 48), Image.Resampling.BILINEAR)),
    ("cropped beyond the edge", decoded.crop((-8, -8, 64, 64))),
    ("rotated", decoded.rotate(30)),
    ("half as bright", ImageEnhance.Brightness(decoded).enhance(0.5)),
):
    print(f"{name}: fourth value {fourth(image)}")
for mode, size in (("RGB", (2048, 2048)), ("RGB", (2048, 2049)), ("L", (4096, 4096)), ("L", (4096, 4097))):
    try:
        print(f"{mode} {size[0]}x{size[1]}: {len(nanoarrow.Array(Image.new(mode, size)))} pixels")
    except TypeError as error:
        print(f"{mode} {size[0]}x{size[1]}: TypeError, {str(error).splitlines()[-1].strip()}")
PYTHON
