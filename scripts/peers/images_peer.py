#!/usr/bin/env python3
"""Libraries that decode and resize images as a peer of normbench: one decodes files, one resizes what it decoded, and
NumPy or OpenCV normalises. Without a decoder, a library resizes images of uint8."""

import importlib
import itertools

from image_batches import Threads, batches_of, outputs
from image_decoders import DECODERS, check_files
from image_normalizers import NORMALIZERS, finisher
from image_resizers import RESIZERS
from jpeg_header import upright_extent
from normbench.peer import BrokenFile, Peer, Unavailable, Unsupported, arguments, installed, np, serve
from normbench.peer.files import load_of

CHAINS = (["load"], ["load", "cast"], ["load", "normalize"])


def check_chain(task, name):
    """Raises Unsupported if the task is not a load of encoded images that at most a cast or a normalize follows."""
    last = task.stages[-1]
    if task.device != "cpu" or last.result.memory != "pageable":
        raise Unsupported(f"{name} makes batches on the CPU, in pageable memory")
    if [stage.op for stage in task.stages] not in CHAINS:
        raise Unsupported(f"{name} does a load and at most one cast or normalize behind it")
    if task.stages[0].parameters.get("storage", "image") != "image":
        raise Unsupported(f"{name} loads encoded images only")
    if last.window or last.flipped:
        raise Unsupported(f"{name} normalises whole images as they are")
    if last.result.dtype == "bfloat16":
        raise Unsupported("NumPy has no bfloat16")


def all_have(size, files):
    """Returns whether all files are JPEGs that are shown in this (height, width)."""
    return all(upright_extent(path) == tuple(size) for path in files)


def extent(image):
    """Returns (height, width) of an array [h, w, 3] or of an image of Pillow."""
    return image.shape[:2] if isinstance(image, np.ndarray) else image.size[::-1]


def fused(resizer, stages):
    """Returns the resizer's function of an image and a size that also normalises, as these stages do.

    Returns None if the resizer has no such function.
    """
    last = stages[-1]
    if last.op != "normalize" or (last.result.dtype, last.result.layout) != ("float32", "nchw"):
        return None
    function = getattr(resizer, "fused", None)
    mean, std = ([value / 255 for value in values] for values in last.standard)
    return function and (lambda image, size: function(image, size, mean, std))


class ImagesPeer(Peer):
    takes_files = True

    def __init__(self, decoder, resizer, normalizer, reuse):
        by_opencv = "opencv" if normalizer == "opencv" else None
        self.name = "+".join(dict.fromkeys(name for name in (decoder, resizer, by_opencv) if name))
        self._decoder, self._resizer, self._reuse = DECODERS.get(decoder), RESIZERS.get(resizer), reuse
        self._normalizer = normalizer
        self._decode = self._resizing = self._threads = None

    def version(self):
        normalizing = RESIZERS["opencv"] if self._normalizer == "opencv" else None
        libraries = {one.module: one for one in (self._decoder, self._resizer, normalizing) if one}
        versions = [installed(module, one.title, one.package, one.by_name) for module, one in libraries.items()]
        try:
            for module in libraries:
                importlib.import_module(module)
            self._decode = self._decoder and self._decoder.decoder()
        except (ImportError, OSError, RuntimeError) as broken:
            raise Unavailable(f"{self.name} cannot be imported: {broken}") from None
        return "+".join(versions)

    def prepare(self, task):
        if not task.loads:
            return self._resizes(task)
        if not self._decode:
            raise Unsupported(f"{self.name} decodes no files (--decoder names who does)")
        check_chain(task, self.name)
        load = load_of(task.stages[0])
        check_files(self._decoder, load.files)
        self._threads = Threads(task.threads, load.batch)
        fill = self._fill(load, task.stages)
        return [batches_of(load, fill, outputs(task.stages[-1], self._reuse, task.copies), self._threads.map)]

    def _fill(self, load, stages):
        """Returns a function of a path and the place of its image in the batch."""
        size, finish = load.size, finisher(self._normalizer, stages, self._threads.of_library)
        if not self._resizer:
            image_of = self._decoder.resized(size)
            return lambda path, out: finish(self._named(path, image_of), out)
        if self._decoder.fills and stages[-1].op == "load" and stages[-1].result.layout == "nhwc" and all_have(size, load.files):
            return lambda path, out: self._named(path, lambda path: self._decode(path, out))
        resizer = self._resizing = self._resizer(self._threads.of_library)
        at_once = fused(resizer, stages)

        def fill(path, out):
            image = self._named(path, self._decode)
            if at_once:
                out[...] = at_once(resizer.own(image), size)
            elif extent(image) == tuple(size):
                finish(np.asarray(image), out)
            else:
                finish(resizer.array(resizer.resized(resizer.own(image), size)), out)

        return fill

    def _named(self, path, decode):
        """Returns the image of a file. Raises BrokenFile, whose text begins with the path."""
        try:
            return decode(path)
        except BrokenFile:
            raise
        except Exception as broken:  # kornia-rs raises Exception itself for some files
            raise BrokenFile(f"{path}: {self._decoder.title} cannot decode it: {' '.join(str(broken).split())}") from None

    def _resizes(self, task):
        """Returns a function that resizes a list of the library's own images."""
        self._check_resize(task)
        stage = task.stages[0]
        images, size = stage.input.shape[0], stage.result.shape[2:]
        self._threads = Threads(task.threads, images)
        resizer = self._resizing = self._resizer(self._threads.of_library)
        blanks = itertools.repeat(itertools.repeat(None))
        if self._reuse:
            blanks = itertools.cycle([[resizer.blank(size) for _ in range(images)] for _ in range(task.copies)])
        resize, map_images = resizer.resized, self._threads.map
        return lambda batch: list(map_images(resize, batch, itertools.repeat(size), next(blanks)))

    def _check_resize(self, task):
        if self._decoder:
            raise Unsupported(f"{self.name} starts with a load (without --decoder, a library resizes images that are "
                              "there)")
        stage = task.stages[0]
        if [one.op for one in task.stages] != ["resize"] or task.device != "cpu":
            raise Unsupported(f"{self.name} does one resize and nothing else, on the CPU")
        if stage.input.dtype != "uint8" or stage.input.layout != "nhwc" or stage.input.shape[1] != 3:
            raise Unsupported(f"{self.name} resizes rows of pixels: nhwc, 3 channels of uint8")
        if "pageable" != stage.input.memory or "pageable" != stage.result.memory:
            raise Unsupported("these libraries' images are in pageable memory")
        if self._reuse and self._resizer.blank is None:
            raise Unsupported(f"{self._resizer.title} allocates its output itself (without --reuse)")

    def take(self, array, tensor):
        return [self._resizing.own(image) for image in array.copy()]

    def give(self, result, tensor):
        return result if isinstance(result, np.ndarray) else np.stack([self._resizing.array(image) for image in result])

    def psnr(self, task):
        return min(one.psnr for one in (self._decoder, self._resizing) if one)

    def filter(self, task):
        return self._resizing.filter if self._resizing else "triangle"

    def close(self):
        if self._threads:
            self._threads.close()
        self._threads = self._resizing = None


if __name__ == "__main__":
    parser = arguments(__doc__)
    parser.add_argument("--decoder", choices=DECODERS, help="the library that decodes files")
    parser.add_argument("--resizer", choices=RESIZERS, help="the library that resizes; by default the one that decodes, or "
                        "Pillow if that resizes nothing. cykooz-3 and cykooz-4 have three and four bytes a pixel")
    parser.add_argument("--normalizer", choices=NORMALIZERS, default="numpy", help="the library that normalises (default: "
                        "%(default)s)")
    parser.add_argument("--reuse", action="store_true", help="write into batches or images that are kept")
    options = parser.parse_args()
    if not options.decoder and not options.resizer:
        parser.error("--decoder, --resizer or both")
    if options.normalizer == "opencv" and not options.decoder:
        parser.error("--normalizer is for images that a --decoder loads")
    if not options.resizer and not DECODERS[options.decoder].resized:
        options.resizer = options.decoder if options.decoder in RESIZERS else "pillow"
    serve(ImagesPeer(options.decoder, options.resizer, options.normalizer, options.reuse), options)
