"""The stage `load` in PyTorch: makes batches from files, in this process or in a DataLoader's workers."""

import importlib
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from threading import Barrier

import torch
from normbench.peer import BrokenFile, Unsupported
from normbench.peer.files import StoredImages
from torch.utils.data import DataLoader, Dataset


def decode_by_torchvision(path, size):
    """Decodes a file and resizes the image. Raises BrokenFile.

    torchvision rounds to uint8 between the two passes of its resize, which is off by at most 1. Photographs resized to
    224 x 224 up to 960 x 1280 have a PSNR of 55.5 to 72.4 dB. If all pixels were off by 1, it would be 48 dB.
    """
    from torchvision import io
    from torchvision.transforms.v2 import functional

    try:
        x = io.decode_image(io.read_file(path), io.ImageReadMode.RGB, apply_exif_orientation=True)
    except RuntimeError as broken:
        raise BrokenFile(f"{path}: {broken}") from None
    if x.dtype != torch.uint8:
        x = functional.to_dtype(x, torch.uint8, scale=True)
    return functional.resize(x, list(size), antialias=True)


def decode_by_torchcodec(path, size):
    """Decodes a file by TorchCodec, which torchvision 0.29 names as its successor. torchvision resizes the image."""
    from torchcodec.decoders import decode_image
    from torchvision.transforms.v2 import functional

    try:
        x = decode_image(path, mode="RGB")
    except (OSError, RuntimeError, ValueError) as broken:
        raise BrokenFile(f"{path}: {broken}") from None
    return functional.resize(x, list(size), antialias=True)


def decode_by_opencv(path, size):
    import opencv_images

    return torch.from_numpy(opencv_images.load(path, size)).permute(2, 0, 1)


@dataclass(frozen=True)
class Decoder:
    module: str
    decode: Callable  # takes a path and (height, width), returns a tensor [3, h, w]; None: it decodes whole batches
    psnr: int
    filter: str


DECODERS = {"torchvision": Decoder("torchvision", decode_by_torchvision, 40, "triangle"),
            "torchcodec": Decoder("torchcodec", decode_by_torchcodec, 40, "triangle"),
            "opencv": Decoder("cv2", decode_by_opencv, 40, "box"),
            "nvimagecodec": Decoder("nvidia.nvimgcodec", None, 30, "triangle")}


def check_decoder(name):
    """Raises Unsupported if the decoder's library cannot be imported."""
    try:
        importlib.import_module(DECODERS[name].module)
    except (ImportError, OSError, RuntimeError) as broken:
        module = DECODERS[name].module
        raise Unsupported(f"decoding by {name} needs {module}, which cannot be imported: {broken}") from None


def use_opencv_threads(count):
    if "cv2" in sys.modules:
        sys.modules["cv2"].setNumThreads(count)


class Images(Dataset):
    """All images by number, as tensors of the shape that an image has in a batch."""

    def __init__(self, load, decoder):
        self._load, self._decode = load, DECODERS[decoder].decode
        self._stored = StoredImages(load) if load.storage != "image" else None

    def __len__(self):
        return len(self._load.files if self._stored is None else self._stored)

    def __getitem__(self, number):
        if self._stored is not None:
            return torch.from_numpy(self._stored[number])
        x = self._decode(self._load.files[number], self._load.size)
        return x if self._load.layout == "nchw" else x.permute(1, 2, 0)


class Items:
    """A DataLoader's batch sampler: yields the images of each item of the next pass."""

    def __init__(self, load, count):
        self.items, self._load, self._count = range(0), load, count

    def __iter__(self):
        return (self._load.images_of(item, self._count) for item in self.items)


class InProcess:
    """Makes batches in this process. A pool of threads decodes several images at once."""

    def __init__(self, load, images, threads):
        self._load, self._images = load, images
        at_work = min(threads, load.batch)
        decodes = at_work > 1 and not load.mapped  # torch.stack copies mapped images, on PyTorch's threads
        self._pool = single_threaded_pool(at_work) if decodes else None
        self._map = self._pool.map if decodes else map
        use_opencv_threads(1 if decodes else threads)

    def batches(self, first, count):
        for item in range(first, first + count):
            yield self._batch(self._load.images_of(item, len(self._images)))

    def _batch(self, numbers):
        out = torch.empty((len(numbers), *self._load.shape), dtype=torch.uint8)
        return torch.stack(list(self._map(self._images.__getitem__, numbers)), out=out)

    def close(self):
        if self._pool:
            self._pool.shutdown()


def single_threaded_pool(threads):
    """Returns a pool of started threads that use no PyTorch threads. Does not change the caller's
    number of PyTorch threads."""
    all_there, own = Barrier(threads), torch.get_num_threads()

    def begin():
        torch.set_num_threads(1)
        torch.get_num_threads()  # a thread's first call adopts the number that was set last

    pool = ThreadPoolExecutor(threads, initializer=begin)
    list(pool.map(lambda _: all_there.wait(), range(threads)))
    torch.set_num_threads(own)
    return pool


class ByWorkers:
    """Makes batches with a DataLoader, whose workers live from one pass to the next."""

    def __init__(self, load, images, workers, pin_memory):
        self._items = Items(load, len(images))
        self._loader = DataLoader(images, batch_sampler=self._items, num_workers=workers, persistent_workers=True,
                                  prefetch_factor=2, pin_memory=pin_memory, worker_init_fn=single_threaded)
        next(iter(self._loader), None)  # an empty pass, which starts the workers

    def batches(self, first, count):
        self._items.items = range(first, first + count)
        batches = iter(self._loader)
        try:
            for _ in range(count):
                yield next(batches)
        except BrokenFile as broken:  # PyTorch puts the worker's traceback before the text
            raise BrokenFile(str(broken).rpartition("BrokenFile: ")[2].strip()) from None

    def close(self):
        iterator, self._loader._iterator = self._loader._iterator, None
        if iterator is not None:
            iterator._shutdown_workers()  # at once, and not when the last reference is gone


def single_threaded(_):
    """Sets a new worker's number of OpenCV threads. PyTorch sets the number of its threads itself."""
    use_opencv_threads(1)


def loader(load, decoder, threads, workers, pin_memory, device="cpu"):
    """Returns an object with `batches(first item, count)` and `close()`.

    `batches` returns an iterator over tensors in the layout of the load. `device` is where whole batches are decoded.
    """
    if load.storage == "image":
        check_decoder(decoder)
        if DECODERS[decoder].decode is None:
            from torch_nvimagecodec import Batches

            return Batches(load, threads, device)
    images = Images(load, decoder)
    return ByWorkers(load, images, workers, pin_memory) if workers else InProcess(load, images, threads)


def as_images(batches, layout):
    """Returns `batches` with logical NCHW tensors. `layout` is the layout of the tensors that `batches` makes."""
    if layout == "nchw":
        return batches
    return lambda first, count: map(partial(torch.permute, dims=(0, 3, 1, 2)), batches(first, count))
