#!/usr/bin/env bash
# ml_dtypes gives NumPy bfloat16 and the 8-bit floats that JAX and PyTorch train with; numpy.save takes their arrays without a word.
# Guess: numpy.load gives back what was saved, or saving fails.
# Seen with numpy 2.4.6 and ml_dtypes 0.6.0: bfloat16 and float8_e4m3fn come back as plain bytes (V2, V1), the latter like four
# other types of its size, so the file no longer says which it was. float8_e5m2 is saved as "<f1", which numpy.load refuses: the
# array is in the file, but cannot be loaded. What does keep them: saving a.view(numpy.uint8) and the name of the dtype beside it.
. "$(dirname "$0")/lib.sh"
install numpy==2.4.6 ml_dtypes==0.6.0
expect 'bfloat16: saved as <V2, loaded as |V2
float8_e4m3fn: saved as <V1, loaded as |V1
float8_e4m3b11fnuz: saved as <V1, loaded as |V1
int4: saved as <V1, loaded as |V1
float8_e5m2: saved as <f1, refused: descr is not a valid dtype descriptor: '"'<f1'" <<'PYTHON'
import io
import re

import ml_dtypes
import numpy

for name in ("bfloat16", "float8_e4m3fn", "float8_e4m3b11fnuz", "int4", "float8_e5m2"):
    file = io.BytesIO()
    numpy.save(file, numpy.ones(3, getattr(ml_dtypes, name)))
    saved = re.search(rb"'descr': '([^']*)'", file.getvalue())[1].decode()
    file.seek(0)
    try:
        print(f"{name}: saved as {saved}, loaded as {numpy.load(file).dtype.str}")
    except ValueError as error:
        print(f"{name}: saved as {saved}, refused: {error}")
PYTHON
