#!/usr/bin/env bash
# A map of floats (depth, classes) with NaN where nothing was measured is cast to uint32 with NumPy's astype.
# Guess: what NaN becomes is undefined, but it is one value; so a mask `== map[0, 0]` finds all of them.
# Seen with NumPy 2.4.6 on x86-64: it depends on where the value lies. Whole vectors give 2147483648, the values that are left at the
# end of the array give 0, and so does all of a view with a step, of which a copy then gives the other number. Values above 2^32 do the
# same (1e10 is 0 or 1410065408), so do float64, and PyTorch 2.15.0. NaN to uint8, uint16, int32 and int64 is one value.
. "$(dirname "$0")/lib.sh"
install numpy==2.4.6
expect 'NaN to uint32, of 67 in a row: 2147483648 64 times, 0 3 times; every second of 134: 0 67 times; its copy: 2147483648 64 times, 0 3 times
1e10 to uint32, of 67 in a row: 0 64 times, 1410065408 3 times
NaN to uint8, of 67 in a row: 0 67 times' <<'PYTHON'
import collections
import warnings

import numpy as np

warnings.simplefilter("ignore")  # "invalid value encountered in cast", in all of them


def counted(values):
    return ", ".join(f"{value} {times} times" for value, times in collections.Counter(values.tolist()).most_common())


def row(value, count=67):
    return np.full(count, value, np.float32)


stepped = row(np.nan, 134)[::2]
print(f"NaN to uint32, of 67 in a row: {counted(row(np.nan).astype(np.uint32))}; "
      f"every second of 134: {counted(stepped.astype(np.uint32))}; "
      f"its copy: {counted(stepped.copy().astype(np.uint32))}")
print(f"1e10 to uint32, of 67 in a row: {counted(row(1e10).astype(np.uint32))}")
print(f"NaN to uint8, of 67 in a row: {counted(row(np.nan).astype(np.uint8))}")
PYTHON
