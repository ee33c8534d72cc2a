#!/usr/bin/env python3
"""CV-CUDA as a peer of normbench: normalises on a GPU in one kernel, or op by op with calls like torchvision's."""

import importlib.metadata
import importlib.util

from normbench.peer import Peer, Unavailable, Unsupported, arguments, installed, np, serve

# The argument flip_code of cvcuda.crop_flip_normalize_reformat for each value of Stage.flipped.
# Here 2 means no flip.
FLIP_CODES = {"": 2, "h": 0, "w": 1, "hw": -1}
FORMATS = {("uint8", 1): "U8", ("uint8", 3): "RGB8", ("uint8", 4): "RGBA8",
           ("float32", 1): "F32", ("float32", 3): "RGBf32", ("float32", 4): "RGBAf32"}


def installed_version():
    """Returns CV-CUDA's version without importing it, since an import needs a driver. Raises Unavailable."""
    if importlib.util.find_spec("cvcuda") is None:
        raise Unavailable("CV-CUDA is not installed (scripts/peers/setup does that where there is an NVIDIA GPU)")
    for distribution in ("cvcuda-cu12", "cvcuda-cu13"):
        try:
            return importlib.metadata.version(distribution)
        except importlib.metadata.PackageNotFoundError:
            pass
    raise Unavailable("CV-CUDA is there, but neither cvcuda-cu12 nor cvcuda-cu13 is installed (run scripts/peers/setup)")


def constants(stage):
    """Returns the mean and std of each channel, in the units of the input."""
    scale = stage.parameters.get("scale", 1)
    return [m / scale for m in stage.channels("mean")], [s / scale for s in stage.channels("std")]


class CvCudaPeer(Peer):
    def __init__(self, form):
        self.name = "CV-CUDA" if form == "fused" else "cvcuda.tv"
        self._fused = form == "fused"
        self._cv = self._torch = self._device = self._stream = self._events = None

    def version(self):
        installed("torch", "PyTorch")
        return installed_version()

    def prepare(self, task):
        self._check(task)
        self._start(task.device)
        return self._whole(task.stages[0]) if self._fused else [self._step(stage) for stage in task.stages]

    def _check(self, task):
        """Raises Unsupported if the task is not for CV-CUDA. Needs no device."""
        if task.device == "cpu":
            raise Unsupported("CV-CUDA works on a GPU")
        for stage in task.stages:
            if stage.input.memory != "device" or stage.result.memory != "device":
                raise Unsupported("CV-CUDA's tensors are in device memory")
            if "bfloat16" in (stage.input.dtype, stage.result.dtype):
                raise Unsupported("CV-CUDA has no bfloat16")
            if stage.output == "in_place":
                raise Unsupported(f'{self.name} does not do this "{stage.op}" in place')
            if stage.parameters.get("constants") == "per_call":
                raise Unsupported(f"{self.name} has its constants made once here")
        if self._fused:
            self._check_whole(task.stages)

    def _check_whole(self, stages):
        if [stage.op for stage in stages] != ["normalize"]:
            raise Unsupported("CV-CUDA's fused kernel does one normalize and nothing else (--as tv does ops one by one)")
        before, after = stages[0].input, stages[0].result
        if before.layout != "nhwc" or (before.dtype, before.shape[1]) not in FORMATS or after.dtype != "float32":
            raise Unsupported("CV-CUDA's fused kernel turns images of 1, 3 or 4 channels in nhwc, uint8 or float32, into "
                              "float32")

    def _start(self, device):
        """Imports the libraries. CV-CUDA copies no arrays to a device and has no clock, so PyTorch does both."""
        try:
            import cvcuda
            import torch
        except (ImportError, OSError) as broken:
            raise Unsupported(f"no device: CV-CUDA or PyTorch cannot be imported ({broken})") from broken
        if not torch.cuda.is_available():
            raise Unsupported("no device: PyTorch sees none (or was installed without CUDA)")
        torch.cuda.set_device(device)
        self._cv, self._torch, self._device = cvcuda, torch, device
        self._stream = cvcuda.as_stream(torch.cuda.current_stream().cuda_stream)
        self._events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]

    def _sent(self, values, dtype, layout):
        """Returns a small tensor with these values on the device."""
        return self._cv.as_tensor(self._torch.from_numpy(np.array(values, dtype)).to(self._device), layout)

    def _layout(self, tensor):
        return self._cv.TensorLayout(tensor.layout.upper())

    def _whole(self, stage):
        """Returns a function that crops, flips, normalises and lays out a batch of images in one kernel."""
        n, _, rows, columns = stage.input.shape
        top, left, height, width = stage.window or (0, 0, rows, columns)
        mean, std = constants(stage)
        how = {"out_shape": stage.result.array_shape, "out_dtype": np.float32, "out_layout": self._layout(stage.result),
               "rect": self._sent([[[[left, top, width, height]]]] * n, np.int32, "NHWC"),
               "flip_code": self._sent([[FLIP_CODES[stage.flipped]]] * n, np.int32, "NC"),
               "base": self._sent([[[mean]]], np.float32, "NHWC"),
               "scale": self._sent([[[[1 / s for s in std]]]], np.float32, "NHWC"),
               "flags": 0, "stream": self._stream}
        kernel = self._cv.crop_flip_normalize_reformat
        return lambda images: kernel(images, **how)

    def _step(self, stage):
        """Returns the stage as a function that calls cvcuda.tv, whose functions are called like torchvision's."""
        ops = {"crop": self._moves, "flip": self._moves, "cast": self._cast, "normalize": self._normalize,
               "layout": self._laid}
        if stage.op not in ops:
            raise Unsupported(f'cvcuda.tv has no op "{stage.op}" here')
        steps = ops[stage.op](stage)

        def run(x):
            for step in steps:
                x = step(x)
            return x

        return run

    def _to(self, dtype):
        return lambda x: self._cv.tv.to_dtype(x, np.dtype(dtype), stream=self._stream)

    def _cast(self, stage):
        if stage.result.dtype == "uint8" and stage.input.dtype != "uint8":
            raise Unsupported("cvcuda.tv.to_dtype truncates floating point to uint8")
        return [self._to(stage.result.dtype)]

    def _moves(self, stage):
        tv, window, steps = self._cv.tv, stage.window, []
        if window:
            steps.append(lambda x: tv.crop(x, *window, stream=self._stream))
        if "w" in stage.flipped:
            steps.append(lambda x: tv.horizontal_flip(x, stream=self._stream))
        if "h" in stage.flipped:
            steps.append(lambda x: tv.vertical_flip(x, stream=self._stream))
        return steps

    def _laid(self, stage):
        if stage.input.layout == stage.result.layout:
            return []
        layout = self._layout(stage.result)
        return [lambda x: self._cv.reformat(x, layout, stream=self._stream)]

    def _normalize(self, stage):
        if stage.result.dtype == "uint8":
            raise Unsupported("cvcuda.tv.normalize gives floating point")
        mean, std = constants(stage)
        steps = self._moves(stage) if stage.window or stage.flipped else []
        if stage.input.dtype != "float32":
            steps.append(self._to("float32"))
        steps.append(lambda x: self._cv.tv.normalize(x, mean, std, stream=self._stream))
        steps += self._laid(stage)
        return steps if stage.result.dtype == "float32" else [*steps, self._to(stage.result.dtype)]

    def take(self, array, tensor):
        x = self._torch.from_numpy(array).to(self._device)
        if not self._fused:
            return self._cv.as_tensor(x, tensor.layout.upper())
        images = self._cv.ImageBatchVarShape(len(x))
        image_format = getattr(self._cv.Format, FORMATS[tensor.dtype, tensor.shape[1]])
        images.pushback([self._cv.as_image(image, image_format) for image in x])
        return images

    def give(self, result, tensor):
        return self._torch.as_tensor(result.cuda()).cpu().numpy()

    def synchronize(self):
        self._torch.cuda.synchronize()

    def start_device_clock(self):
        self._events[0].record()

    def stop_device_clock(self):
        self._events[1].record()

    def device_ns(self):
        return round(self._events[0].elapsed_time(self._events[1]) * 1e6)


if __name__ == "__main__":
    parser = arguments(__doc__)
    parser.add_argument("--as", dest="form", choices=("fused", "tv"), default="fused", help="crop_flip_normalize_reformat, "
                        "one kernel (default), or functions of cvcuda.tv, one after the other")
    options = parser.parse_args()
    serve(CvCudaPeer(options.form), options)
