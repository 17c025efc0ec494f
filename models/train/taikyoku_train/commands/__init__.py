"""The commands of the program, one to a file: each adds its own arguments."""

from . import bench_onnx, export, init, run

#: In the order of `--help`.
ALL = [run.add, export.add, init.add, bench_onnx.add]
