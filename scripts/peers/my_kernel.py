#!/usr/bin/env python3
"""Lets normbench measure your own kernel: copy this file and change the two places that are numbered.

Config:   "peers": {"mine": ["../scripts/peers/run", "my_kernel.py"]},
          "variants": {"mine": {"peer": "mine", "stages": ["normalize"]}, "normbench": ["normalize"]}
Run:      normbench run --config my.json --allow-peers
"""

from normbench.peer import Peer, Unsupported, np, serve


class MyKernel(Peer):
    name = "my-kernel"  # 1. its name in reports

    def prepare(self, task):
        """Checks the task and returns the function to measure. Called once before the measurement."""
        if [stage.op for stage in task.stages] != ["normalize"] or not task.stages[0].is_plain:
            raise Unsupported("my-kernel does normalize only, without crop, flip or another layout")
        stage = task.stages[0]
        if stage.result.dtype != "float32" or stage.input.dtype == "bfloat16":
            raise Unsupported(f"my-kernel does not make {stage.result.dtype} of {stage.input.dtype}")
        shape = (1, -1, 1, 1) if stage.input.layout == "nchw" else (1, 1, 1, -1)
        scale = stage.parameters.get("scale", 1)
        mean = np.array([m / scale for m in stage.channels("mean")], np.float32).reshape(shape)
        std = np.array([s / scale for s in stage.channels("std")], np.float32).reshape(shape)

        def kernel(x):  # 2. your kernel: from one numpy array to another
            return (x.astype(np.float32) - mean) / std

        return kernel


if __name__ == "__main__":
    serve(MyKernel())
