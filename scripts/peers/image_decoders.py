"""Decodes image files to RGB of 8 bits by the libraries that people use for it. Calls are those of their documentation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import jpeg_header
from normbench.peer import Unavailable, Unsupported

# The PSNR in dB of JPEGs that are decoded as libjpeg-turbo does it, bit by bit. Those of CMYK are off by up to 2.
EXACT_DB = 100


def pillow():
    from PIL import Image, ImageOps

    def decode(path):
        with Image.open(path) as image:
            return ImageOps.exif_transpose(image).convert("RGB")

    return decode


def opencv():
    from opencv_images import decoded

    return decoded


def torchcodec():
    from torchcodec.decoders import decode_image

    # The tensor is a view of rows of pixels, so that contiguous() copies nothing.
    return lambda path: decode_image(path, mode="RGB").permute(1, 2, 0).contiguous().numpy()


def simplejpeg():
    from simplejpeg import decode_jpeg

    return lambda path, out=None: decode_jpeg(read(path), buffer=out)


def kornia_rs():
    from kornia_rs.image import Image

    return lambda path: Image.decode(read(path), "RGB").numpy()


def spdl():
    io = spdl_io()
    return lambda path: io.to_numpy(io.load_image(path))


def spdl_resized(size):
    """Returns a function that decodes a file and resizes the image, both by FFmpeg's filters."""
    io = spdl_io()
    height, width = size
    # By default spdl.io keeps the proportions, fills the rest with black and resizes by cubics. By default FFmpeg halves
    # the width of the colours when it resizes to RGB.
    filters = io.get_video_filter_desc(scale_height=height, scale_width=width, scale_mode=None,
                                       scale_algo="bilinear+full_chroma_int")
    return lambda path: io.to_numpy(io.load_image(path, filter_desc=filters))


def spdl_io():
    from spdl import io
    from spdl.io import utils

    try:
        utils.get_ffmpeg_versions()  # spdl.io can be imported without FFmpeg, but not used
    except RuntimeError:
        raise Unavailable("spdl needs FFmpeg's shared libraries, of a version from 4 to 9 (on Debian: apt-get install "
                          "ffmpeg)") from None
    return io


def read(path):
    with open(path, "rb") as file:
        return file.read()


@dataclass(frozen=True)
class Decoder:
    title: str
    module: str
    package: str  # the package whose version is told
    by_name: str  # what scripts/peers/setup calls the library; "" if it installs the library unasked
    decoder: Callable  # imports the library; returns a function from a path to an array [h, w, 3] or an image of Pillow
    psnr: int = EXACT_DB  # the least PSNR of a decoded image, in dB
    turns: bool = True  # whether the library shows images upright by their Exif
    only_jpeg: bool = False
    fills: bool = False  # whether the function that `decoder` returns decodes to a buffer, its second argument
    resized: Callable | None = None  # takes (height, width); returns a function that decodes a file and resizes the image


DECODERS = {
    "pillow": Decoder("Pillow", "PIL", "pillow", "", pillow),
    "opencv": Decoder("OpenCV", "cv2", "opencv-python-headless", "", opencv),
    "torchcodec": Decoder("TorchCodec", "torchcodec", "torchcodec", "torchcodec", torchcodec),
    "simplejpeg": Decoder("simplejpeg", "simplejpeg", "simplejpeg", "simplejpeg", simplejpeg, turns=False, only_jpeg=True,
                          fills=True),
    "kornia-rs": Decoder("kornia-rs", "kornia_rs", "kornia-rs", "kornia-rs", kornia_rs, turns=False),
    # FFmpeg makes RGB of a JPEG in its own way. Photographs have 39.3 to 47.0 dB, and 40.4 to 61.0 dB if it resizes them.
    "spdl": Decoder("spdl", "spdl", "spdl", "spdl", spdl, psnr=30, turns=False, resized=spdl_resized),
}


def check_files(decoder, files):
    """Raises Unsupported if the decoder cannot make upright RGB of a file, as far as the file's header tells."""
    for path in files:
        if decoder.only_jpeg and jpeg_header.is_other(path):
            raise Unsupported(f"{decoder.title} decodes JPEGs only, and {path} is none")
        if not decoder.turns:
            found = jpeg_header.header(path)
            if found is not None and found[2] != 1:
                raise Unsupported(f"{decoder.title} does not turn images by their Exif, as {path} asks for")
