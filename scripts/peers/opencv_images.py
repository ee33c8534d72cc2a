"""Decodes image files with OpenCV, converts them to RGB and resizes them."""

import cv2
from jpeg_header import upright_extent
from normbench.peer import BrokenFile

REDUCED = {8: cv2.IMREAD_REDUCED_COLOR_8, 4: cv2.IMREAD_REDUCED_COLOR_4, 2: cv2.IMREAD_REDUCED_COLOR_2}
# The smallest PSNR in dB with which a decoded image counts as correct, without and with
# IMREAD_REDUCED. The PSNR is computed against a reference in double precision, in which an output
# pixel is the mean of the input pixels that it covers. For 1,594 JPEG, PNG and WebP pictures,
# resized to 64 x 64 up to 480 x 640, the PSNR was at least 55.9 dB without and 20.8 dB with
# IMREAD_REDUCED.
PSNR_AREA, PSNR_REDUCED = 40, 20


def load(path, size, reduced=False, into=None):
    """Returns the image [h, w, 3] in RGB. Writes it to `into` if that is given. Raises BrokenFile."""
    flag = REDUCED.get(reduction(path, size), cv2.IMREAD_COLOR) if reduced else cv2.IMREAD_COLOR
    return resized(decoded(path, flag), size, into)


def decoded(path, flag=cv2.IMREAD_COLOR):
    """Returns the image [h, w, 3] in RGB, as large as the flag of imread makes it. Raises BrokenFile."""
    image = cv2.imread(path, flag)
    if image is None:
        raise BrokenFile(f"{path}: OpenCV cannot decode it")
    return cv2.cvtColor(image, cv2.COLOR_BGR2RGB)


def resized(image, size, into=None):
    """Shrinks an image with INTER_AREA, then enlarges it with INTER_LINEAR.

    For an image with one side to shrink and one to enlarge, a single INTER_AREA call would use INTER_LINEAR for both.
    """
    size = tuple(size)
    smaller = min(image.shape[0], size[0]), min(image.shape[1], size[1])
    if smaller != image.shape[:2]:
        image = cv2.resize(image, smaller[::-1], dst=into if smaller == size else None, interpolation=cv2.INTER_AREA)
        if smaller == size:
            return image
    return cv2.resize(image, size[::-1], dst=into, interpolation=cv2.INTER_LINEAR)


def reduction(path, size):
    """Returns the factor 8, 4, 2 or 1: the largest by which a JPEG can be reduced without becoming smaller than `size`.

    Returns 1 for other files, because OpenCV decodes them whole before it reduces them.
    """
    extent = upright_extent(path)
    enough = lambda by: all(-(-there // by) >= wanted for there, wanted in zip(extent, size))
    return next((by for by in REDUCED if extent and enough(by)), 1)
