#!/usr/bin/env python3
"""NVIDIA DALI as a peer of normbench: a pipeline on the CPU reads, decodes, resizes and normalises image files."""

import tempfile

from images_peer import check_chain
from normbench.peer import BrokenFile, Peer, Unavailable, Unsupported, arguments, installed, np, serve
from normbench.peer.files import load_of

try:
    from nvidia.dali import fn, pipeline_def, types
except (ImportError, OSError) as broken:  # reported in the answer to `hello`
    fn, WHY_NOT = None, str(broken)

# DALI repeats the pixels at the border of an image, where the triangle filter of normbench and of Pillow is cut off.
# Photographs resized to 64 x 64 up to 480 x 640 have 40.5 to 68.9 dB, and 58.9 or more against a filter that repeats
# pixels.
PSNR = 35
AHEAD = 2  # batches that the pipeline works on at once: DALI's default


def pipeline(load, stages, threads):
    """Returns a pipeline from paths to batches in the form of the last stage."""
    finish = finisher(stages)

    @pipeline_def(batch_size=load.batch, num_threads=threads, device_id=None, prefetch_queue_depth=AHEAD)
    def steps():
        files = fn.io.file.read(fn.external_source(name="paths", dtype=types.UINT8, ndim=1))
        images = fn.decoders.image(files, device="cpu", output_type=types.RGB)
        return finish(fn.resize(images, size=list(load.size), interp_type=types.INTERP_TRIANGULAR))

    made = steps()
    made.build()
    return made


def finisher(stages):
    """Returns what the pipeline does with resized images, which are rows of pixels of uint8."""
    last = stages[-1]
    order = "HWC" if last.result.layout == "nhwc" else "CHW"
    if last.result.dtype == "uint8":
        return (lambda images: images) if order == "HWC" else lambda images: fn.transpose(images, perm=[2, 0, 1])
    mean, std = last.standard if last.op == "normalize" else ([0.0], [1.0])
    dtype = {"float32": types.FLOAT, "float16": types.FLOAT16}[last.result.dtype]
    return lambda images: fn.crop_mirror_normalize(images, dtype=dtype, mean=mean, std=std, output_layout=order)


class DaliPeer(Peer):
    name = "dali"
    takes_files = True

    def __init__(self):
        self._task = self._load = self._pipeline = None

    def version(self):
        version = installed("nvidia.dali", "DALI", "nvidia-dali-cuda130", by_name="dali")
        if fn is None:
            raise Unavailable(f"DALI cannot be imported: {WHY_NOT}")
        return version

    def prepare(self, task):
        if not task.loads:
            raise Unsupported("DALI loads files and nothing else here")
        check_chain(task, "DALI")
        self._task, self._load = task, load_of(task.stages[0])
        self._build()
        return [self._batches]

    def _build(self):
        """Makes the pipeline and runs it on images of one pixel, because the first schedule_run() begins AHEAD batches."""
        self._pipeline = pipeline(self._load, self._task.stages, self._task.threads)
        with tempfile.NamedTemporaryFile(suffix=".ppm") as pixel:
            pixel.write(b"P6 1 1 255\n\0\0\0")
            pixel.flush()
            for _ in range(AHEAD):
                self._feed([pixel.name] * self._load.batch)
            self._pipeline.schedule_run()
            for _ in range(AHEAD):
                self._pipeline.share_outputs()
                self._pipeline.release_outputs()

    def _batches(self, first, count):
        for item in range(first, first + min(AHEAD, count)):
            self._begin(item)
        for item in range(first, first + count):
            yield self._finished(item)
            if item + AHEAD < first + count:
                self._begin(item + AHEAD)

    def _paths(self, item):
        return [self._load.files[number] for number in self._load.images_of(item, len(self._load.files))]

    def _feed(self, paths):
        self._pipeline.feed_input("paths", [np.frombuffer(path.encode(), np.uint8) for path in paths])

    def _begin(self, item):
        self._feed(self._paths(item))
        self._pipeline.schedule_run()

    def _finished(self, item):
        try:
            (batch,) = self._pipeline.share_outputs()
        except RuntimeError as broken:
            self._build()  # a pipeline that failed cannot be used again
            raise BrokenFile(f"{self._paths(item)[0]} or one behind it: {reason(broken)}") from None
        array = batch.as_array()  # a copy
        self._pipeline.release_outputs()
        return array

    def psnr(self, task):
        return PSNR

    def close(self):
        self._pipeline = None


def reason(broken):
    """Returns the line of an error of DALI that says what is wrong: the one after "encountered:"."""
    lines = [line.strip() for line in str(broken).splitlines() if line.strip()]
    return lines[lines.index("encountered:") + 1 if "encountered:" in lines else 0]


if __name__ == "__main__":
    serve(DaliPeer(), arguments(__doc__).parse_args())
