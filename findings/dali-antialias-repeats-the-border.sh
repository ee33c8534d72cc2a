#!/usr/bin/env bash
# Pillow's BILINEAR and NVIDIA DALI's INTERP_TRIANGULAR with antialias=True shrink an image by the same filter, a triangle as wide as the scale.
# Guess: they differ by a rounding at most, so that a model trained behind one can be served behind the other.
# Seen with DALI 2.4.0 (CPU) and Pillow 13.0.0: inside the image they agree. At the border Pillow cuts the filter off and gives its weight to the
# rest, while DALI repeats the pixel at the border. A white line in the outermost column, as frames and scans have it, shrunk 8 times, is 20 of
# 255 in Pillow and 50 in DALI.
. "$(dirname "$0")/lib.sh"
install nvidia-dali-cuda130==2.4.0 pillow==13.0.0 numpy==2.4.6
expect 'line at the border: DALI [50, 0, 0, 0], Pillow [20, 0, 0, 0]
line inside: DALI [0, 14, 18, 0], Pillow [0, 14, 18, 0]' <<'PYTHON'
import numpy as np
from nvidia.dali import fn, pipeline_def, types
from PIL import Image


@pipeline_def(batch_size=1, num_threads=1, device_id=None)
def shrink(pixels):
    return fn.resize(types.Constant(pixels, device="cpu"), size=(4, 4), interp_type=types.INTERP_TRIANGULAR, antialias=True)


for name, column in (("line at the border", 0), ("line inside", 16)):
    image = np.zeros((32, 32, 1), np.uint8)
    image[:, column] = 255
    pipeline = shrink(image)
    pipeline.build()
    dali = np.asarray(pipeline.run()[0].at(0))[2, :, 0]
    pillow = np.asarray(Image.fromarray(image[..., 0]).resize((4, 4), Image.Resampling.BILINEAR))[2]
    print(f"{name}: DALI {dali.tolist()}, Pillow {pillow.tolist()}")
PYTHON
