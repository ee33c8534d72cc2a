"""Resizes RGB images of 8 bits by the libraries that people use for it.

A resizer has its own form of an image, which `own` makes of an array [h, w, 3] or of an image of Pillow. `resized`
takes that form and returns it, and `array` makes an array of the result. `blank` makes a result to be written into; it
is None if the library allocates its results itself.

PSNRs are those of five photographs as JPEGs of 4:2:0 and quality 90, from 240 rows to 4198, resized to 64 x 64, 224 x 224
and 480 x 640, against the filter that is named, in double precision.
"""

import os
import threading

from normbench.peer import np


def pillows(image):
    """Returns the image as one of Pillow, which has four bytes a pixel."""
    from PIL import Image

    return Image.fromarray(image) if isinstance(image, np.ndarray) else image


class Pillow:
    """Image.resize by the triangle filter. It rounds to 8 bits between its two passes: 56.6 to 68.6 dB."""

    title, module, package, by_name = "Pillow", "PIL", "pillow", ""
    psnr, filter = 40, "triangle"
    blank = None

    def __init__(self, threads):
        from PIL.Image import Resampling

        self._how = Resampling.BILINEAR

    def own(self, image):
        return pillows(image)

    def resized(self, image, size, into=None):
        return image.resize(size[::-1], self._how)

    def array(self, image):
        return np.asarray(image)


class OpenCV:
    """cv2.resize with INTER_AREA where the image shrinks, and INTER_LINEAR where it grows."""

    title, module, package, by_name = "OpenCV", "cv2", "opencv-python-headless", ""
    filter = "box"

    def __init__(self, threads):
        import cv2
        import opencv_images

        cv2.setNumThreads(threads)
        self._resized, self.psnr = opencv_images.resized, opencv_images.PSNR_AREA

    def own(self, image):
        return np.asarray(image)

    def blank(self, size):
        return np.empty((*size, 3), np.uint8)

    def resized(self, image, size, into=None):
        return self._resized(image, size, into)

    def array(self, image):
        return image


class Cykooz:
    """A Resizer of cykooz-resizer by the triangle filter. It rounds between its two passes, as Pillow does."""

    title, module = "cykooz-resizer", "cykooz_resizer"
    package = by_name = "cykooz-resizer"
    psnr, filter = 40, "triangle"  # 56.5 to 68.6 dB

    def __init__(self, threads):
        import cykooz_resizer

        self._library = cykooz_resizer
        self._of_thread = threading.local()  # a Resizer refuses a second thread while it works
        how = cykooz_resizer.ResizeAlg.convolution(cykooz_resizer.FilterType.bilinear)
        pool = cykooz_resizer.ResizerThreadPool(threads) if threads > 1 else None
        self._options = cykooz_resizer.ResizeOptions(how, use_alpha=False, thread_pool=pool)

    def _resizer(self):
        if not hasattr(self._of_thread, "resizer"):
            self._of_thread.resizer = self._library.Resizer()
        return self._of_thread.resizer


class CykoozBytes(Cykooz):
    """Three bytes a pixel, in the library's ImageData, which copies its pixels from bytes and to bytes."""

    def own(self, image):
        pixels = np.asarray(image)
        height, width = pixels.shape[:2]
        return self._library.ImageData(width, height, self._library.PixelType.U8x3, pixels.tobytes())

    def blank(self, size):
        return self._library.ImageData(*size[::-1], self._library.PixelType.U8x3)

    def resized(self, image, size, into=None):
        result = into or self.blank(size)
        self._resizer().resize(image, result, self._options)
        return result

    def array(self, image):
        return np.frombuffer(image.get_buffer(), np.uint8).reshape(image.height, image.width, 3)


class CykoozPillow(Cykooz):
    """Four bytes a pixel, in images of Pillow."""

    def own(self, image):
        return pillows(image)

    def blank(self, size):
        from PIL import Image

        return Image.new("RGB", size[::-1])

    def resized(self, image, size, into=None):
        result = into or self.blank(size)
        self._resizer().resize_pil(image, result, self._options)
        return result

    def array(self, image):
        return np.asarray(image)


class KorniaRs:
    """kornia_rs.imgproc.resize, which mixes the four pixels around a point, also where an image shrinks.

    It has 58.9 to 70.8 dB. Against the triangle filter, which takes in all pixels that a new one covers, it has 16.9 dB at
    worst.
    """

    title, module, package, by_name = "kornia-rs", "kornia_rs", "kornia-rs", "kornia-rs"
    psnr, filter = 40, "linear"
    blank = None

    def __init__(self, threads):
        os.environ["RAYON_NUM_THREADS"] = str(threads)  # read when the library starts its threads, in the first resize
        from kornia_rs import imgproc, pipeline

        self._resize, self.fused = imgproc.resize, pipeline.resize_normalize_to_tensor

    def own(self, image):
        return np.asarray(image)

    def resized(self, image, size, into=None):
        return self._resize(image, tuple(size), "bilinear")

    def array(self, image):
        return image


RESIZERS = {"pillow": Pillow, "opencv": OpenCV, "cykooz-3": CykoozBytes, "cykooz-4": CykoozPillow, "kornia-rs": KorniaRs}
