#!/usr/bin/env bash
# A PNG of gray or RGB pixels may name one colour that is transparent (the block tRNS); one with a palette may have an alpha value for
# each of its colours. Exporters write both, the first for images with a plain background.
# Guess: a decoder that is asked for an alpha channel gives 0 where the file says transparent, in either kind; one that is asked
# for the file's own channels treats both kinds alike.
# Seen: torchvision 0.29.2 gives alpha 255 everywhere for the transparent colour, and the true alpha for a palette. torchcodec 0.17.0 and
# Pillow 13.0.0 give the true alpha for both. Unchanged, torchcodec gives alpha for a palette and leaves it out for RGB, and torchvision leaves
# out the palette's, too, with its colours. OpenCV 5.0.0 gives alpha for RGB and none for gray.
. "$(dirname "$0")/lib.sh"
install torch==2.15.0 torchvision==0.29.2 torchcodec==0.17.0 opencv-python-headless==5.0.0.93 pillow==13.0.0 numpy==2.4.6
expect 'RGB: Pillow 0 255, torchcodec 0 255, torchvision 255; unchanged: torchcodec 3 channels, torchvision 3, OpenCV 4
gray: Pillow 0 255, torchcodec 0 255, torchvision 255; unchanged: torchcodec 1 channels, torchvision 1, OpenCV 1
palette: Pillow 0 255, torchcodec 0 255, torchvision 0 255; unchanged: torchcodec 4 channels, torchvision 1, OpenCV 4' <<'PYTHON'
import io

import cv2
import numpy as np
import torch
from PIL import Image
from torchcodec.decoders import decode_image as by_torchcodec
from torchvision.io import ImageReadMode, decode_image as by_torchvision

halves = np.zeros((8, 8, 3), np.uint8)
halves[:4], halves[4:] = (255, 0, 0), (0, 0, 255)
rgb = Image.fromarray(halves)
palette = rgb.quantize(2)
red = palette.getpixel((0, 0))
images = {"RGB": (rgb, (255, 0, 0)), "gray": (Image.fromarray(halves[..., 0]), 255),
          "palette": (palette, bytes(0 if index == red else 255 for index in range(2)))}


def values(alpha):
    return " ".join(str(int(value)) for value in np.unique(np.asarray(alpha)))


for kind, (image, transparent) in images.items():
    file = io.BytesIO()
    image.save(file, "PNG", transparency=transparent)
    data = torch.frombuffer(bytearray(file.getvalue()), dtype=torch.uint8)
    alpha = {"Pillow": np.asarray(Image.open(file).convert("RGBA"))[..., 3], "torchcodec": by_torchcodec(data, mode="RGBA")[3],
             "torchvision": by_torchvision(data, mode=ImageReadMode.RGB_ALPHA)[3]}
    opencv = cv2.imdecode(data.numpy(), cv2.IMREAD_UNCHANGED)
    print(f"{kind}: " + ", ".join(f"{name} {values(found)}" for name, found in alpha.items())
          + f"; unchanged: torchcodec {by_torchcodec(data, mode='UNCHANGED').shape[0]} channels, "
          f"torchvision {by_torchvision(data, mode=ImageReadMode.UNCHANGED).shape[0]}, OpenCV {1 if opencv.ndim == 2 else opencv.shape[2]}")
PYTHON
