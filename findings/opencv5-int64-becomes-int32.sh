#!/usr/bin/env bash
# OpenCV 5 is new to 64-bit and to unsigned 32-bit integers (cv2.CV_64S, cv2.CV_64U, cv2.CV_32U), and its Python binding takes uint32 as it is.
# Guess: a NumPy array of int64 (what np.array of Python's integers gives) stays int64, or is refused.
# Seen with OpenCV 5.0.0.93 and NumPy 2.4.6: the binding copies int64 and uint64 to int32 without a word and keeps the lower 32 bits, even where a
# function only moves values (flip, transpose) or counts them; the result is int32. uint32 stays as it is. An array of indices or of sums above 2**31
# is wrong afterwards, and one below costs a copy at each call.
. "$(dirname "$0")/lib.sh"
install opencv-python-headless==5.0.0.93 numpy==2.4.6
expect 'has CV_64S and CV_64U: True
int64 flip: int32 [7, -2147483648, 5]
int64 transpose: int32 [5, -2147483648, 7]
int64 add: int32 [10, 0, 14]
int64 countNonZero of 2**32: 0
uint64 flip: int32 [7, -2147483648, 5]
uint64 transpose: int32 [5, -2147483648, 7]
uint64 add: int32 [10, 0, 14]
uint64 countNonZero of 2**32: 0
uint32 flip: uint32 [7, 2147483648, 5]' <<'PYTHON'
import cv2
import numpy as np

print("has CV_64S and CV_64U:", hasattr(cv2, "CV_64S") and hasattr(cv2, "CV_64U"))
for dtype in (np.int64, np.uint64):
    values = np.array([[2**32 + 5, 2**31, 7]], dtype=dtype)
    for name, result in (("flip", cv2.flip(values, 1)), ("transpose", cv2.transpose(values)), ("add", cv2.add(values, values))):
        print(f"{dtype.__name__} {name}: {result.dtype} {result.ravel().tolist()}")
    print(f"{dtype.__name__} countNonZero of 2**32:", cv2.countNonZero(np.array([[2**32]], dtype=dtype)))
flipped = cv2.flip(np.array([[5, 2**31, 7]], dtype=np.uint32), 1)
print(f"uint32 flip: {flipped.dtype} {flipped.ravel().tolist()}")
PYTHON
