#!/usr/bin/env python3
"""PyTorch as a peer of normbench: eager ops, torchvision's transforms, torch.compile, one .to(device, dtype), or ONNX."""

import importlib.util
import os
import queue
import shutil
import sys
import sysconfig
import threading
from dataclasses import replace
from pathlib import Path

from normbench.peer import Peer, Unsupported, arguments, chain, installed, serve, wired

NAMES = {"eager": "torch", "torchvision": "torchvision", "compile": "torch.compile", "one-call": "torch.to",
         "onnx": "ONNX Runtime"}


def check_compiler(device):
    """Raises Unsupported without a compiler. torch.compile needs it for a CPU's kernels, and for code that starts
    a GPU's kernels."""
    if device == "cpu":
        compilers, wanted = [os.environ.get("CXX", "g++"), "c++", "clang++"], "C++ compiler (install g++)"
    else:  # as Triton searches for one
        compilers = [os.environ["CC"]] if "CC" in os.environ else ["gcc", "clang"]
        wanted = "C compiler on a GPU, too (install gcc)"
    if not any(shutil.which(program) for program in compilers):
        raise Unsupported(f"torch.compile needs a {wanted}")
    if not (Path(sysconfig.get_paths()["include"]) / "Python.h").exists():
        raise Unsupported("torch.compile needs Python.h (install python3-dev)")


def check_triton():
    """Raises Unsupported without Triton, which compiles a GPU's kernels."""
    if importlib.util.find_spec("triton") is None:
        raise Unsupported("torch.compile needs Triton on a GPU (install triton)")


def check_memory(task):
    """Raises Unsupported for memory that PyTorch lacks. Also for ops other than transfers that change the kind of
    memory, or read or write pinned memory."""
    for stage in task.stages[1:] if task.loads else task.stages:
        for tensor in (*stage.inputs, *stage.results):
            if tensor.memory not in ("pageable", "pinned", "device"):
                raise Unsupported(f"torch has no {tensor.memory} memory")
        moves = stage.op in ("h2d", "d2h", "pin")
        if not moves and stage.input.memory != stage.result.memory:
            raise Unsupported(f'torch\'s "{stage.op}" does not write {stage.result.memory} memory')
        if not moves and "pinned" in (stage.input.memory, stage.result.memory):
            raise Unsupported(f'torch\'s "{stage.op}" neither reads pinned memory on the GPU nor writes it')


def each_image(work, threads):
    """Returns a function that runs `work` on each image of a batch, one after the other or each on its own thread.

    Threads are used as in serving loops: threading.Thread, with a queue.Queue for the result. They are joined in order.
    """
    import torch

    def run(image, results):
        try:
            with torch.inference_mode():  # each thread has a mode of its own
                results.put((work(image), None))
        except Exception as error:
            results.put((None, error))

    def on_threads(batch):
        running = []
        for image in batch.split(1):
            results = queue.Queue()
            thread = threading.Thread(target=run, args=(image, results))
            thread.start()
            running.append((thread, results))
        done = []
        for thread, results in running:
            thread.join()
            done.append(results.get())
        for _, error in done:
            if error:
                raise error
        return torch.cat([result for result, _ in done])

    return on_threads if threads else lambda batch: torch.cat([work(image) for image in batch.split(1)])


def trains(task):
    return any(stage.op == "model" and stage.parameters.get("train") for stage in task.stages)


class TorchPeer(Peer):
    takes_several = takes_files = True

    def __init__(self, form, reuse, blocking, each=None, decoder="torchvision", workers=0, pin_memory=False,
                 narrow=False):
        self.name = NAMES[form]
        self._form, self._reuse, self._non_blocking, self._each = form, reuse, not blocking, each
        self._decoder, self._workers, self._pin_memory, self._narrow = decoder, workers, pin_memory, narrow
        self._torch = self._mode = self._events = self._loader = None
        self._device = "cpu"

    def version(self):
        version = installed("torch", "PyTorch")
        if self._form == "onnx":
            installed("onnx", "onnx")
            return installed("onnxruntime", "onnxruntime")
        if self._form == "torchvision":
            version = installed("torchvision", "torchvision")
        if self._decoder == "torchcodec":
            version += "+" + installed("torchcodec", "TorchCodec", by_name="torchcodec")
        return version

    def prepare(self, task):
        if self._each and (self._reuse or self._form not in ("eager", "torchvision")):
            raise Unsupported("--each runs eager ops and torchvision's on single images")
        if self._narrow and (self._reuse or self._form not in ("eager", "torchvision", "compile")):
            raise Unsupported("--narrow is for eager ops, torchvision's and torch.compile, without --reuse")
        if self._reuse and self._form != "eager":
            raise Unsupported(f"{self.name} allocates its outputs itself (--reuse is for eager ops)")
        self._check_loading(task)
        if trains(task) and (self._form != "eager" or self._each):
            raise Unsupported("a model is trained by eager ops on whole batches (--as eager, without --each)")
        if self._form == "compile":
            check_compiler(task.device)
            os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")  # it then starts no processes
        self._start(task)
        if task.outputs and (self._form not in ("eager", "compile") or self._reuse):
            raise Unsupported(f"{self.name} runs plain chains of stages only")
        if self._form == "compile" and task.device != "cpu":
            check_triton()
        if self._form == "one-call":
            from torch_stages import one_call

            return one_call(task.stages, task.device, self._non_blocking)
        check_memory(task)
        if self._form == "onnx":
            import torch_models

            return torch_models.exported(task)
        stages = [self._stage(stage, task) for stage in task.stages]
        if self._form == "compile":
            whole = wired(stages, task) if task.outputs else chain(stages)
            return self._torch.compile(whole, fullgraph=True, dynamic=False)
        if self._each:
            if task.outputs:
                raise Unsupported("--each runs plain chains of stages only")
            return each_image(chain(stages), self._each == "thread")
        return stages

    def _check_loading(self, task):
        if not task.loads:
            return
        if self._form not in ("eager", "torchvision"):
            raise Unsupported(f"{self.name} loads no files (eager and torchvision do)")
        if self._each or self._reuse:
            raise Unsupported("what is loaded goes through the stages as whole new batches (without --each and --reuse)")
        if self._pin_memory and (task.device == "cpu" or not self._workers):
            raise Unsupported("--pin-memory is for batches of --workers that go to a GPU")
        if self._decoder == "nvimagecodec":
            if self._workers:
                raise Unsupported("nvImageCodec decodes whole batches on threads of its own (without --workers)")
            if task.device != "cpu" and [stage.op for stage in task.stages[1:2]] != ["h2d"]:
                raise Unsupported("nvImageCodec decodes on the GPU, so an h2d comes next: it finds its batch there")

    def _start(self, task):
        """Imports PyTorch and sets the task's number of threads and device. Raises Unsupported."""
        os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = str(task.threads)
        try:
            import torch
        except (ImportError, OSError) as broken:
            raise Unsupported(f"PyTorch cannot be imported: {broken}") from broken
        self._enter_mode(torch, task)
        torch.set_num_threads(task.threads)
        self._torch, self._device = torch, task.device
        if task.device != "cpu":
            if not torch.cuda.is_available():
                raise Unsupported("PyTorch sees no CUDA device (or was installed without CUDA)")
            torch.cuda.set_device(task.device)
            self._events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]

    def _enter_mode(self, torch, task):
        """Enters inference mode until the next task, unless this task trains."""
        if self._mode:
            self._mode.__exit__(None, None, None)
        self._mode = None if trains(task) else torch.inference_mode()
        if self._mode:
            self._mode.__enter__()

    def _load(self, stage, task):
        import torch_load
        from normbench.peer.files import load_of

        load = load_of(stage)
        self._loader = torch_load.loader(load, self._decoder, task.threads, self._workers, self._pin_memory, task.device)
        return torch_load.as_images(self._loader.batches, load.layout)

    def _stage(self, stage, task):
        import torch_stages

        if stage.op == "load":
            return self._load(stage, task)

        stage = replace(stage, narrow=self._narrow)
        device = task.device if stage.place == "cuda" else "cpu"
        if self._reuse and stage.output != "in_place":
            return torch_stages.into_kept(stage, device, task.copies)
        if stage.op in torch_stages.TRANSFERS:
            return torch_stages.transfer(stage, task.device, self._non_blocking)
        if self._form == "torchvision":
            from torchvision_stages import functional_stage

            return functional_stage(stage)
        if stage.op == "model":
            import torch_train  # imports torchvision, which other stages do not need

            return torch_train.model(stage, device)
        return torch_stages.eager(stage, device)

    def take(self, array, tensor):
        if self._form == "onnx":
            return array.copy()
        torch = self._torch
        bits = array.view("<i2") if tensor.dtype == "bfloat16" else array
        x = torch.from_numpy(bits)
        x = x.view(torch.bfloat16) if tensor.dtype == "bfloat16" else x
        x = (x if tensor.layout == "nchw" else x.permute(0, 3, 1, 2)).clone()
        if tensor.memory == "pinned":
            return x.pin_memory()
        return x.to(self._device) if tensor.memory == "device" else x

    def ready(self, kernel, example):
        if self._form == "compile":
            kernel(example)
            self.synchronize()

    def give(self, result, tensor):
        from torch_stages import FORMATS

        if self._form == "onnx":
            return result
        y = result.cpu().view(tensor.shape) if result.dim() != 4 else result.cpu()
        if not y.is_contiguous(memory_format=FORMATS[tensor.layout]):
            raise RuntimeError(f"the result's strides {y.stride()} are not those of {tensor.layout}")
        y = y if tensor.layout == "nchw" else y.permute(0, 2, 3, 1)
        return y.view(self._torch.int16).numpy().view("<u2") if tensor.dtype == "bfloat16" else y.numpy()

    def synchronize(self):
        if self._events:
            self._torch.cuda.synchronize()

    def start_device_clock(self):
        if self._events:
            self._events[0].record()

    def stop_device_clock(self):
        if self._events:
            self._events[1].record()

    def device_ns(self):
        return round(self._events[0].elapsed_time(self._events[1]) * 1e6) if self._events else None

    def psnr(self, task):
        if not task.loads or task.stages[0].parameters.get("storage", "image") != "image":
            return None
        import torch_load

        return torch_load.DECODERS[self._decoder].psnr

    def rounds(self, task):
        held = set()
        for stage in task.stages:
            if self._form == "torchvision" and stage.op == "normalize" and stage.result.dtype == "float32":
                held.update(("input", "constants"))  # to_dtype divides by 255, and mean and std are divided, too
            if stage.op == "load" or stage.result.dtype not in ("float16", "bfloat16"):
                continue
            if stage.op == "group_norm":
                import torch_group_norm

                held.update(torch_group_norm.rounds(replace(stage, narrow=self._narrow)))
            elif self._narrow and stage.op in ("sub", "div", "normalize"):
                held.update(("input", "constants", "difference"))
        return sorted(held)

    def filter(self, task):
        import torch_load

        return torch_load.DECODERS[self._decoder].filter

    def close(self):
        if self._loader:
            self._loader.close()
            self._loader = None


if __name__ == "__main__":
    parser = arguments(__doc__)
    parser.add_argument("--as", dest="form", choices=NAMES, default="eager", help="eager ops one to one (default), "
                        "torchvision.transforms.v2.functional, the whole chain through torch.compile, a cast and a copy "
                        "to the device as one x.to(device, dtype), or a model exported to ONNX and run by ONNX Runtime")
    parser.add_argument("--reuse", action="store_true", help="write into tensors that are kept (out=)")
    parser.add_argument("--blocking", action="store_true", help="transfers wait, as x.cuda() does (default: "
                        "non_blocking=True)")
    parser.add_argument("--each", choices=("turn", "thread"), help="the stages on every image of the batch by itself: "
                        "one after the other, or each on a Python thread of its own")
    parser.add_argument("--decoder", choices=("torchvision", "torchcodec", "opencv", "nvimagecodec"), default="torchvision",
                        help="what decodes and resizes image files that are loaded; nvimagecodec decodes on the GPU where "
                        "the batch goes there. torchcodec and nvimagecodec only decode: torchvision resizes")
    parser.add_argument("--workers", type=int, default=0, metavar="N", help="load by PyTorch's DataLoader with N worker "
                        "processes (default: in this process, on its threads)")
    parser.add_argument("--pin-memory", action="store_true", help="the DataLoader pins its batches, for a GPU")
    parser.add_argument("--narrow", action="store_true", help="compute in the dtype of the result, with constants, "
                        "gamma and beta in it, as models in float16 or bfloat16 do (default: in float32, rounded last)")
    options = parser.parse_args()
    serve(TorchPeer(options.form, options.reuse, options.blocking, options.each, options.decoder, options.workers,
                    options.pin_memory, options.narrow), options)
    sys.stderr.flush()
    os._exit(0)  # PyTorch's own exit takes long and prints much on stderr
