"""ONNX files of networks: fp32, and int8 by calibration on positions."""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import torch

from .files import write_atomically
from .layouts import Layout
from .networks import Network
from .onnx_graph import Graph

#: Positions on which the ranges of int8 are found, at most.
CALIBRATION = 512
#: Dense layers of at least so many weights become int8.
LARGE = 1_000_000


def metadata(layout: Layout, steps: int, recipe: str, precision: str = "fp32") -> dict[str, str]:
    """What a file says of itself."""
    return {
        "taikyoku.layout": layout.name,
        "taikyoku.layout_version": str(layout.version),
        "taikyoku.game": layout.game,
        "taikyoku.value": "share" if layout.shares else "tanh",
        "taikyoku.steps": str(steps),
        "taikyoku.recipe": recipe,
        "taikyoku.precision": precision,
    }


@torch.no_grad()
def to_onnx(network: Network, steps: int = 0, recipe: str = "") -> onnx.ModelProto:
    """The network as an ONNX model, with batch normalisation folded into the convolutions."""
    layout = network.layout
    graph = Graph()
    network.write(graph)
    inputs = {"x": [layout.channels, layout.height, layout.width]}
    if layout.globals:
        inputs["g"] = [layout.globals]
    outputs = {"policy": [layout.policy], "value": [layout.seats]}
    if layout.scores:
        outputs["score"] = [layout.seats]
    return graph.model(layout.name, inputs, outputs, metadata(layout, steps, recipe))


def export(network: Network, path: Path, steps: int = 0, recipe: str = "") -> None:
    """Writes an fp32 file."""
    write_atomically(path, to_onnx(network, steps, recipe).SerializeToString())


def int8_path(path: Path) -> Path:
    """NAME.int8.onnx, beside NAME.onnx."""
    return path.with_name(path.name.removesuffix(".onnx") + ".int8.onnx")


def quantise(source: Path, target: Path, layout: Layout, packed: np.ndarray) -> None:
    """Writes the int8 form of an fp32 file.

    Activations are u8 and weights s8 with a scale for each channel; their ranges come from `packed`, positions as
    uint8 [N, bytes]. Convolutions become int8, and dense layers where they are large, whose outputs stay in fp32. So do
    sums and FiLM, and the last convolution of the policy: they cost little, and with them the likeliest move agrees
    with that of fp32 three times as often.
    """
    from onnxruntime.quantization import CalibrationMethod, QuantFormat, QuantType, quantize_static
    from onnxruntime.quantization.calibrate import CalibrationDataReader

    if len(packed) == 0:
        raise ValueError("no positions to calibrate int8 with")
    chosen = packed[np.linspace(0, len(packed) - 1, min(CALIBRATION, len(packed))).astype(int)]

    class Reader(CalibrationDataReader):
        """Positions in batches of 16."""

        def __init__(self) -> None:
            self.batches = self.read()

        def read(self) -> Iterator[dict[str, np.ndarray]]:
            for i in range(0, len(chosen), 16):
                yield feed(layout, chosen[i : i + 16])

        def get_next(self) -> dict[str, np.ndarray] | None:
            return next(self.batches, None)

    logging.getLogger().setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder, "int8.onnx")
        quantize_static(
            str(source),
            str(work),
            Reader(),
            quant_format=QuantFormat.QDQ,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            per_channel=True,
            nodes_to_quantize=nodes_for_int8(onnx.load(str(source)).graph),
            calibrate_method=CalibrationMethod.MinMax,
            extra_options={"OpTypesToExcludeOutputQuantization": ["Gemm"]},
        )
        model = onnx.load(str(work))
    for entry in model.metadata_props:
        if entry.key == "taikyoku.precision":
            entry.value = "int8"
    write_atomically(target, model.SerializeToString())


def nodes_for_int8(graph: onnx.GraphProto) -> list[str]:
    """The names of the nodes that become int8."""
    sizes = {weight.name: int(np.prod(weight.dims)) for weight in graph.initializer}
    makers = {output: node for node in graph.node for output in node.output}
    last = makers["policy"]
    while last.op_type in ("Flatten", "Reshape"):
        last = makers[last.input[0]]
    chosen = []
    for node in graph.node:
        is_conv = node.op_type == "Conv" and node is not last
        is_large = node.op_type == "Gemm" and sizes.get(node.input[1], 0) >= LARGE
        if is_conv or is_large or node.op_type == "Relu":
            chosen.append(node.name)
    return chosen


def feed(layout: Layout, packed: np.ndarray) -> dict[str, np.ndarray]:
    """The inputs of a session for packed positions, uint8 [N, bytes]."""
    x, g = layout.expand(packed)
    return {"x": x, "g": g} if layout.globals else {"x": x}


def random_positions(layout: Layout, count: int, seed: int) -> np.ndarray:
    """Packed positions of random bits, about one in eight set: for files without a game behind them."""
    rng = np.random.default_rng(seed)
    shape = (count, layout.bytes)
    packed = rng.integers(0, 256, shape, np.uint8)
    for _ in range(2):
        packed &= rng.integers(0, 256, shape, np.uint8)
    if layout.planes % 4 == 1:
        # The last plane of `blokus-fast` is full.
        packed[:, (layout.planes - 1) * layout.squares // 8 : layout.plane_bytes] = 255
    return packed


def session(path: Path, threads: int = 1):
    """A session of ONNX Runtime on the CPU that does not spin."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    if not os.access(path, os.R_OK):
        raise FileNotFoundError(f"no model at {path}")
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
