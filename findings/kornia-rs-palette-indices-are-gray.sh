#!/usr/bin/env bash
# PNGs with a palette are common in scraped and exported datasets. Their bytes are indices; the colours stand in the palette.
# Guess: a reader of images gives the colours, as Pillow's convert("RGB") and OpenCV's default do, or refuses the file.
# Seen with kornia-rs 0.2.0, Pillow 13.0.0 and OpenCV 5.0.0.93: read_image() gives the indices as an image with one channel, without a word. A
# picture in 256 colours becomes gray noise of the right size. For a palette with fewer colours the indices are packed, and the file is refused.
. "$(dirname "$0")/lib.sh"
install kornia-rs==0.2.0 pillow==13.0.0 opencv-python-headless==5.0.0.93 numpy==2.4.6
expect 'Pillow: [[[255, 0, 0], [0, 255, 0], [0, 0, 255], [10, 20, 30]]]
OpenCV: [[[255, 0, 0], [0, 255, 0], [0, 0, 255], [10, 20, 30]]]
kornia-rs, 256 colours: [[[0], [1], [2], [3]]]
kornia-rs, 4 colours: Unsupported bit depth' <<'PYTHON'
import cv2
import kornia_rs
import numpy as np
from PIL import Image

colours = [255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 20, 30]
for name, palette in (("256", colours * 64), ("4", colours)):
    image = Image.new("P", (4, 1))
    image.putpalette(palette)
    image.putdata([0, 1, 2, 3])
    image.save(f"{name}.png")
print("Pillow:", np.asarray(Image.open("256.png").convert("RGB")).tolist())
print("OpenCV:", cv2.imread("256.png")[..., ::-1].tolist())
for name in ("256", "4"):
    try:
        print(f"kornia-rs, {name} colours: {np.asarray(kornia_rs.read_image(f'{name}.png')).tolist()}")
    except Exception as refusal:
        print(f"kornia-rs, {name} colours: {'Unsupported bit depth' if 'Unsupported bit depth' in str(refusal) else refusal}")
PYTHON
