#!/usr/bin/env python3
"""OpenCV as a peer of normbench: normalises uint8 images by a table, by its DNN module or by arithmetic,
or loads image files."""

from image_batches import Threads, batches_of, outputs
from normbench.peer import Peer, Unavailable, Unsupported, arguments, installed, np, serve
from normbench.peer.files import load_of

try:
    import cv2
    import opencv_images
except ImportError as broken:  # reported in the answer to `hello`
    cv2, WHY_NOT = None, str(broken)


def lut(stage, new_output):
    """Returns normalize by a table of 256 values for each channel, applied image by image."""
    mean, std = stage.standard
    values = np.arange(256, dtype=np.float64)[:, None]
    table = ((values - mean) / std).astype(np.float32)[None]  # 1 x 256 x channels

    def run(images):
        batch = new_output()
        for image, out in zip(images, batch):
            cv2.LUT(image, table, out)
        return batch

    return run


def convert(stage, new_output):
    """Returns normalize by cv2.subtract to float32 and cv2.divide in the same array."""
    mean, std = stage.standard
    mean, std = (tuple(mean) + (0.0,) * 4)[:4], (tuple(std) + (1.0,) * 4)[:4]

    def run(images):
        batch = new_output()
        for image, out in zip(images, batch):
            cv2.subtract(image, mean, out, None, cv2.CV_32F)
            cv2.divide(out, std, out)
        return batch

    return run


def blob(stage):
    """Returns normalize by blobFromImages, which has only one scale factor. If the stds differ, a division
    in place follows, as in OpenCV's own samples."""
    mean, std = stage.standard
    factor = 1 / std[0] if len(set(std)) == 1 else 1.0
    divisors = None if factor != 1 or set(std) == {1.0} else np.array(std, np.float32).reshape(1, -1, 1, 1)

    def run(images):
        made = cv2.dnn.blobFromImages(images, factor, mean=mean, swapRB=False, crop=False, ddepth=cv2.CV_32F)
        return made if divisors is None else np.divide(made, divisors, out=made)

    return run


def blob_params(stage):
    """Returns normalize by blobFromImagesWithParams, which has a scale factor for each channel."""
    if not hasattr(cv2.dnn, "Image2BlobParams"):
        raise Unsupported(f"OpenCV {cv2.__version__} has no blobFromImagesWithParams (4.8 has)")
    mean, std = stage.standard
    params = cv2.dnn.Image2BlobParams()  # nchw by default
    params.scalefactor, params.mean = tuple(1 / s for s in std), tuple(mean)
    params.size, params.swapRB, params.ddepth = stage.input.shape[:1:-1], False, cv2.CV_32F
    return lambda images: cv2.dnn.blobFromImagesWithParams(images, params)


def imread(load, reduced, new_output, map_images):
    """Returns a function of (first item, count) that returns an iterator over the batches."""

    def fill(path, out):
        if load.layout == "nhwc":
            opencv_images.load(path, load.size, reduced, into=out)
        else:
            out[:] = opencv_images.load(path, load.size, reduced).transpose(2, 0, 1)

    return batches_of(load, fill, new_output, map_images)


class OpencvPeer(Peer):
    takes_files = True

    def __init__(self, form, reuse, reduced=False):
        self.name = f"opencv-{form}"
        self._form, self._reuse, self._reduced, self._threads = form, reuse, reduced, None

    def version(self):
        installed("cv2", "OpenCV", "opencv-python-headless")
        if cv2 is None:
            raise Unavailable(f"OpenCV cannot be imported: {WHY_NOT}")
        return cv2.__version__

    def prepare(self, task):
        if task.loads or self._form == "imread":
            return [self._loading(task)]
        self._check(task)
        cv2.setNumThreads(task.threads)
        stage = task.stages[0]
        if self._form == "blob":
            return blob(stage)
        if self._form == "blob-params":
            return blob_params(stage)
        make = lut if self._form == "lut" else convert
        return make(stage, outputs(stage, self._reuse, task.copies))

    def _loading(self, task):
        """Returns a function for batches of decoded files. A pool of threads decodes several images at once."""
        if self._form != "imread" or [stage.op for stage in task.stages] != ["load"] or task.device != "cpu":
            raise Unsupported("opencv-imread does one load and nothing else, and only that form does")
        load = load_of(task.stages[0])
        if load.storage != "image":
            raise Unsupported("opencv-imread loads encoded images only")
        self._threads = Threads(task.threads, load.batch)
        cv2.setNumThreads(self._threads.of_library)
        return imread(load, self._reduced, outputs(task.stages[0], self._reuse, task.copies), self._threads.map)

    def _check(self, task):
        if task.device != "cpu":
            raise Unsupported("OpenCV's Python package runs on the CPU only")
        if [stage.op for stage in task.stages] != ["normalize"]:
            raise Unsupported(f"{self.name} does one normalize and nothing else")
        stage = task.stages[0]
        layouts = ("nhwc", "nchw" if self._form.startswith("blob") else "nhwc")
        if stage.window or stage.flipped or (stage.input.layout, stage.result.layout) != layouts:
            raise Unsupported(f"{self.name} turns {layouts[0]} into {layouts[1]}, whole images only")
        if (stage.input.dtype, stage.result.dtype) != ("uint8", "float32"):
            raise Unsupported(f"{self.name} turns uint8 into float32")
        if stage.input.shape[1] not in (1, 3, 4):
            raise Unsupported(f"{self.name} takes 1, 3 or 4 channels, not {stage.input.shape[1]}")
        if "pageable" != stage.input.memory or "pageable" != stage.result.memory:
            raise Unsupported("OpenCV's arrays are in pageable memory")
        if self._reuse and self._form.startswith("blob"):
            raise Unsupported(f"{self.name} allocates its output itself (--reuse is for lut and convert)")

    def take(self, array, tensor):
        return list(array.copy())  # a batch is a list of images, as cv2.imread returns them

    def psnr(self, task):
        if not task.loads:
            return None
        return opencv_images.PSNR_REDUCED if self._reduced else opencv_images.PSNR_AREA

    def filter(self, task):
        return "box"

    def close(self):
        if self._threads:
            self._threads.close()
            self._threads = None


if __name__ == "__main__":
    parser = arguments(__doc__)
    parser.add_argument("--as", dest="form", choices=("lut", "blob", "blob-params", "convert", "imread"),
                        default="lut", help="cv2.LUT (default), dnn.blobFromImages, dnn.blobFromImagesWithParams, "
                        "cv2.subtract and cv2.divide, or cv2.imread, cvtColor and resize of files that are loaded")
    parser.add_argument("--reuse", action="store_true", help="write into arrays that are kept (dst=)")
    parser.add_argument("--reduced", action="store_true", help="imread decodes JPEGs by 2, 4 or 8 smaller where that "
                        "leaves the size that is asked for")
    options = parser.parse_args()
    serve(OpencvPeer(options.form, options.reuse, options.reduced), options)
