"""Decodes batches of image files with nvImageCodec, on a GPU or without one on the CPU. torchvision resizes the images."""

import torch
from normbench.peer import BrokenFile, Unsupported, np
from nvidia import nvimgcodec
from torchvision.transforms.v2 import functional

ON_THE_CPU = {"device_id": nvimgcodec.NVIMGCODEC_DEVICE_CPU_ONLY,
              "backends": [nvimgcodec.Backend(nvimgcodec.BackendKind.CPU_ONLY)]}


class Batches:
    """Makes batches. `batches(first item, count)` returns an iterator over tensors in the layout of the load."""

    def __init__(self, load, threads, device):
        self._load, self._device, self._on_gpu = load, device, device != "cpu"
        where = {"device_id": torch.device(device).index or 0} if self._on_gpu else ON_THE_CPU
        try:
            self._decoder = nvimgcodec.Decoder(max_num_cpu_threads=threads, **where)
        except RuntimeError as broken:
            raise Unsupported(f"no device: nvImageCodec cannot begin ({broken})") from None
        self._how = nvimgcodec.DecodeParams(apply_exif_orientation=True, color_spec=nvimgcodec.ColorSpec.SRGB)

    def batches(self, first, count):
        for item in range(first, first + count):
            paths = [self._load.files[number] for number in self._load.images_of(item, len(self._load.files))]
            yield torch.stack([self._resized(*one) for one in zip(paths, self._decoded(paths))])

    def _decoded(self, paths):
        stream = torch.cuda.current_stream().cuda_stream if self._on_gpu else 0
        try:
            return self._decoder.read(paths, params=self._how, cuda_stream=stream)
        except RuntimeError as broken:
            raise BrokenFile(f"{paths[0]} or one behind it: {broken}") from None

    def _resized(self, path, image):
        """Returns the image resized, in the layout of the load."""
        if image is None:
            raise BrokenFile(f"{path}: nvImageCodec cannot decode it")
        pixels = torch.as_tensor(image, device=self._device) if self._on_gpu else torch.from_numpy(np.asarray(image))
        x = functional.resize(pixels.permute(2, 0, 1), list(self._load.size), antialias=True)
        return x if self._load.layout == "nchw" else x.permute(1, 2, 0)

    def close(self):
        self._decoder = None
