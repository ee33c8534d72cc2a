"""Reads the parameters of a stage `load`, and images that files hold as plain pixels."""

from __future__ import annotations

import itertools
import json
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .task import BrokenFile, Refused, Stage, Unsupported, np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_MAPPED = 500  # files that stay mapped; each needs a descriptor


@dataclass(frozen=True)
class Load:
    """The parameters of a load. All images are repeated endlessly in order, and each item is the next `batch` of them."""

    files: list[str]
    batch: int
    shape: tuple[int, int, int]  # of an image, in the order of its layout
    size: tuple[int, int]  # height, width
    layout: str
    storage: str  # image, raw or npy
    mapped: bool
    cold: bool

    def images_of(self, item: int, count: int) -> list[int]:
        """Returns the numbers of the images of an item, if there are `count` images in all."""
        return [number % count for number in range(item * self.batch, (item + 1) * self.batch)]


def load_of(stage: Stage) -> Load:
    """Returns the stage as a Load and reads its list of files. Raises Unsupported and Refused."""
    said = stage.parameters
    storage, via = said.get("storage", "image"), said.get("via", "read")
    if said.get("shuffle"):
        raise Unsupported('files are loaded in the order of their names here, not with "shuffle"')
    if storage not in ("image", "raw", "npy"):
        raise Unsupported(f'no files of "storage": "{storage}" (known: image, raw, npy)')
    if storage == "image" and said.get("fit", "resize") != "resize":
        raise Unsupported(f'images are resized whole here, not with "fit": "{said["fit"]}"')
    if storage == "image" and via != "read":
        raise Unsupported(f'encoded images are read here, not with "via": "{via}"')
    tensor = stage.result
    if tensor.shape[1] != 3 or tensor.dtype != "uint8" or tensor.memory != "pageable":
        raise Unsupported("what is loaded is 3 channels of uint8 in pageable memory")
    return Load(files=listed(stage.files), batch=tensor.shape[0], shape=tensor.array_shape[1:], size=tensor.shape[2:],
                layout=tensor.layout, storage=storage, mapped=via == "mmap", cold=said.get("page_cache") == "cold")


def listed(path: str) -> list[str]:
    """Returns the paths in a JSON file with a list of paths. Raises Refused."""
    try:
        with open(path, encoding="utf-8") as file:
            files = json.load(file)
    except (OSError, ValueError) as mistake:
        raise Refused(f"prepare: cannot read the list of files {path}: {mistake}") from None
    if not isinstance(files, list) or not files or not all(isinstance(one, str) for one in files):
        raise Refused(f"prepare: {path} is no list of paths")
    return files


class StoredImages:
    """All images in raw and .npy files, by number, as arrays. In a mapped file an image is a view of the file."""

    def __init__(self, load: Load) -> None:
        self._load = load
        found = [self._look_into(path) for path in load.files]
        self._offsets = [offset for offset, _ in found]  # of each file's first image, in bytes
        self._starts = [0, *itertools.accumulate(count for _, count in found)]  # number of each file's first image
        self._maps: dict[int, NDArray[np.uint8]] = {}

    def __len__(self) -> int:
        return self._starts[-1]

    def __getitem__(self, number: int) -> NDArray[np.uint8]:
        index = bisect_right(self._starts, number) - 1
        at, path = number - self._starts[index], self._load.files[index]
        try:
            return self._map(index, path)[at] if self._load.mapped else self._read(index, path, at)
        except (OSError, ValueError) as mistake:
            raise BrokenFile(f"{path}: {mistake}") from None

    def _images_in(self, index: int) -> int:
        return self._starts[index + 1] - self._starts[index]

    def _map(self, index: int, path: str) -> NDArray[np.uint8]:
        """Returns the images of a file, mapped. A file with several images stays mapped, unless the load is cold."""
        if index in self._maps:
            return self._maps[index]
        images = np.memmap(path, np.uint8, "c", self._offsets[index], (self._images_in(index), *self._load.shape))
        if self._images_in(index) > 1 and not self._load.cold and len(self._maps) < MOST_MAPPED:
            self._maps[index] = images
        return images

    def _read(self, index: int, path: str, at: int) -> NDArray[np.uint8]:
        shape = self._load.shape
        if self._load.storage == "npy" and self._images_in(index) == 1:
            image: NDArray[np.uint8] = np.load(path)
            return image.reshape(shape)
        size = int(np.prod(shape))
        return np.fromfile(path, np.uint8, size, offset=self._offsets[index] + at * size).reshape(shape)

    def _look_into(self, path: str) -> tuple[int, int]:
        """Returns the offset of a file's first image in bytes, and its number of images. Raises BrokenFile."""
        shape, size = self._load.shape, int(np.prod(self._load.shape))
        try:
            pixels = np.load(path, mmap_mode="r") if self._load.storage == "npy" else np.memmap(path, np.uint8, "r")
        except (OSError, ValueError, EOFError) as mistake:
            raise BrokenFile(f"{path}: {mistake}") from None
        if not isinstance(pixels, np.memmap):
            raise BrokenFile(f"{path}: holds several arrays (.npz), not one")
        count = pixels.size // size
        fits = pixels.shape in (shape, (count, *shape)) if self._load.storage == "npy" else pixels.size % size == 0
        if not count or not fits or pixels.dtype != np.uint8 or not pixels.flags.c_contiguous:
            order = "" if pixels.flags.c_contiguous else " in Fortran order"
            raise BrokenFile(f"{path}: holds {pixels.dtype} {list(pixels.shape)}{order}, not images of uint8 {list(shape)}")
        return (pixels.offset if self._load.storage == "npy" else 0), count
