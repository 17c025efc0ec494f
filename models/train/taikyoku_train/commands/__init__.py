"""The commands of the program, one to a file: each adds its own arguments."""

from . import bench_onnx, init

#: In the order of `--help`.
ALL = [init.add, bench_onnx.add]
