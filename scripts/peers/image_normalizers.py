"""Writes RGB images of 8 bits to their places in a batch: as they are, cast or normalised.

A channel has at most 256 values, so a table of its normalised values is looked up. For an image of 224 x 224, NumPy
took 0.15 ms that way and OpenCV 0.08 ms, and (image - mean) / std into planes took NumPy 0.9 ms.
"""

from normbench.peer import np


def by_numpy(tables, threads):
    """Returns a function of an image and its place [h, w, 3], which looks values up with np.take."""

    def fill(image, rows):
        for channel, table in enumerate(tables):
            np.take(table, image[..., channel], out=rows[..., channel], mode="clip")

    return fill


def by_opencv(tables, threads):
    """Returns a function of an image and its place [h, w, 3], which looks values up with cv2.LUT."""
    import cv2

    cv2.setNumThreads(threads)
    if tables[0].dtype == np.float16:  # only moved, so any type of 16 bits will do
        tables = [table.view(np.uint16) for table in tables]
    of_pixels = np.stack(tables, axis=-1)[None]

    def fill(image, rows):
        rows = rows.view(of_pixels.dtype)
        if rows.flags.c_contiguous:
            cv2.LUT(image, of_pixels, dst=rows)
            return
        for channel, (plane, table) in enumerate(zip(cv2.split(image), tables)):
            cv2.LUT(plane, table, dst=rows[..., channel])

    return fill


NORMALIZERS = {"numpy": by_numpy, "opencv": by_opencv}


def finisher(normalizer, stages, threads):
    """Returns a function that writes an image [h, w, 3] of uint8 to its place in a batch, in the form of the last stage.

    `threads` is how many the library may use for an image.
    """
    last = stages[-1]
    in_rows = (lambda out: out) if last.result.layout == "nhwc" else lambda out: out.transpose(1, 2, 0)
    if last.op != "normalize":
        return lambda image, out: np.copyto(in_rows(out), image)
    tables = [((np.arange(256) - mean) / std).astype(last.result.dtype) for mean, std in zip(*last.standard)]
    fill = NORMALIZERS[normalizer](tables, threads)
    return lambda image, out: fill(image, in_rows(out))
