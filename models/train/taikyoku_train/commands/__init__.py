"""The commands of the program, one to a file: each adds its own arguments."""

from . import bench_onnx, curves, evaluate, export, init, run, smoke

#: In the order of `--help`.
ALL = [smoke.add, run.add, export.add, evaluate.add, curves.add, init.add, bench_onnx.add]
