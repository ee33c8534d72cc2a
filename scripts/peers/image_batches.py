"""Makes batches of images from files, image by image, on one thread or on a pool of threads."""

import itertools
from concurrent.futures import ThreadPoolExecutor

from normbench.peer import np


def outputs(stage, keep, copies):
    """Returns a function that returns a batch to write into: a new one each time, or kept ones in turn."""
    shape, dtype = stage.result.array_shape, stage.result.dtype
    if not keep:
        return lambda: np.empty(shape, dtype)
    return itertools.cycle([np.empty(shape, dtype) for _ in range(copies)]).__next__


def batches_of(load, fill, new_output, map_images):
    """Returns a function of (first item, count) that returns an iterator over the batches.

    `fill(path, out)` makes the image of a file in `out`, its place in the batch.
    """

    def fill_numbered(number, out):
        fill(load.files[number], out)

    def batches(first, count):
        for item in range(first, first + count):
            batch = new_output()
            for _ in map_images(fill_numbered, load.images_of(item, len(load.files)), batch):
                pass
            yield batch
            del batch

    return batches


class Threads:
    """Maps a function over the images of a batch: on a pool if several threads and images are there, else in turn."""

    def __init__(self, threads, images):
        at_work = min(threads, images)
        self._pool = ThreadPoolExecutor(at_work) if at_work > 1 else None
        self.map = self._pool.map if self._pool else map
        self.of_library = 1 if self._pool else threads  # the number of threads that a library may use for an image

    def close(self):
        if self._pool:
            self._pool.shutdown()
