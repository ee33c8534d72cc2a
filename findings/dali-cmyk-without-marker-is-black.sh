#!/usr/bin/env bash
# A CMYK JPEG stores its inks inverted, with or without Adobe's marker, and readers invert them either way.
# Guess: NVIDIA DALI's image decoder, which gives RGB by default, reads both alike, as Pillow and OpenCV do.
# Seen with DALI 2.4.0 (CPU), Pillow 13.0.0, OpenCV 5.0.0.93: without the marker, which some tools drop with other metadata, DALI takes the inks
# as they stand, and a picture without black ink becomes black, without a word.
. "$(dirname "$0")/lib.sh"
install nvidia-dali-cuda130==2.4.0 pillow==13.0.0 opencv-python-headless==5.0.0.93 numpy==2.4.6
expect 'with the marker: Pillow [200, 50, 100], OpenCV [201, 51, 101], DALI [200, 50, 100]
without: Pillow [200, 50, 100], OpenCV [201, 51, 101], DALI [0, 0, 0]' <<'PYTHON'
import io

import cv2
import numpy as np
from nvidia.dali import fn, pipeline_def
from PIL import Image

inks = np.full((16, 16, 4), (55, 205, 155, 0), np.uint8)
stream = io.BytesIO()
Image.fromarray(inks, "CMYK").save(stream, "JPEG", quality=95)
marked = stream.getvalue()
start = marked.index(b"\xff\xee")  # the segment APP14, "Adobe"
plain = marked[:start] + marked[start + 2 + int.from_bytes(marked[start + 2:start + 4], "big"):]


@pipeline_def(batch_size=1, num_threads=1, device_id=None)
def decoded(file):
    source = fn.external_source(source=[[np.frombuffer(file, np.uint8)]], cycle=True)
    return fn.decoders.image(source, device="cpu")


for name, file in (("with the marker", marked), ("without", plain)):
    pipeline = decoded(file)
    pipeline.build()
    dali = np.asarray(pipeline.run()[0].at(0))[8, 8]
    pillow = np.asarray(Image.open(io.BytesIO(file)).convert("RGB"))[8, 8]
    opencv = cv2.imdecode(np.frombuffer(file, np.uint8), cv2.IMREAD_COLOR)[8, 8, ::-1]
    print(f"{name}: Pillow {pillow.tolist()}, OpenCV {opencv.tolist()}, DALI {dali.tolist()}")
PYTHON
