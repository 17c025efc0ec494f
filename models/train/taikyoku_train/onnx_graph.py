"""A small writer of ONNX graphs."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

#: The version of ONNX's operators.
OPSET = 17
#: The version of the file format that came with it; older engines refuse newer ones.
IR_VERSION = 8


class Graph:
    """Nodes and weights of an ONNX graph, in the order in which they are added."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self.count = 0

    def name(self, kind: str) -> str:
        """A name that is still free."""
        self.count += 1
        return f"{kind.lower()}_{self.count}"

    def weight(self, value: torch.Tensor | np.ndarray, kind: str = "weight") -> str:
        """Adds numbers that do not change."""
        if isinstance(value, torch.Tensor):
            value = value.detach().cpu().float().contiguous().numpy()
        name = self.name(kind)
        self.weights.append(numpy_helper.from_array(value, name))
        return name

    def node(self, kind: str, inputs: list[str], out: str | None = None, **attributes: Any) -> str:
        """Adds a node of one output, whose name it returns."""
        out = out or self.name(kind)
        self.nodes.append(helper.make_node(kind, inputs, [out], name=f"{out}_node", **attributes))
        return out

    def conv(self, x: str, weight: torch.Tensor, bias: torch.Tensor) -> str:
        """A convolution that keeps the size of the board."""
        side = weight.shape[-1]
        inputs = [x, self.weight(weight), self.weight(bias, "bias")]
        return self.node("Conv", inputs, kernel_shape=[side, side], pads=[side // 2] * 4)

    def linear(self, x: str, layer: nn.Linear, out: str | None = None) -> str:
        """A dense layer."""
        return self.dense(x, layer.weight, layer.bias, out)

    def dense(self, x: str, weight: torch.Tensor, bias: torch.Tensor, out: str | None = None) -> str:
        """A dense layer of these weights, [outputs, inputs]."""
        return self.node("Gemm", [x, self.weight(weight), self.weight(bias, "bias")], out, transB=1)

    def relu(self, x: str) -> str:
        """The larger of a number and 0."""
        return self.node("Relu", [x])

    def flatten(self, x: str, out: str | None = None) -> str:
        """[N, ...] to [N, all]."""
        return self.node("Flatten", [x], out, axis=1)

    def reshape(self, x: str, shape: list[int]) -> str:
        """Another shape; -1 is the batch."""
        return self.node("Reshape", [x, self.weight(np.array(shape, np.int64), "shape")])

    def split(self, x: str, sizes: list[int]) -> list[str]:
        """Parts of the second axis."""
        outputs = [self.name("part") for _ in sizes]
        inputs = [x, self.weight(np.array(sizes, np.int64), "sizes")]
        self.nodes.append(helper.make_node("Split", inputs, outputs, name=f"{outputs[0]}_node", axis=1))
        return outputs

    def top(self, x: str, count: int) -> tuple[str, str]:
        """The largest numbers of the second axis, and where they are."""
        values, at = self.name("top"), self.name("at")
        inputs = [x, self.weight(np.array([count]), "count")]
        self.nodes.append(helper.make_node("TopK", inputs, [values, at], name=f"{values}_node", axis=1))
        return values, at

    def pool(self, x: str) -> str:
        """Mean and maximum over the board: [N, C, H, W] to [N, 2 C]."""
        mean = self.node("ReduceMean", [x], axes=[2, 3], keepdims=0)
        top = self.node("ReduceMax", [x], axes=[2, 3], keepdims=0)
        return self.node("Concat", [mean, top], axis=1)

    def model(
        self, name: str, inputs: dict[str, list[int]], outputs: dict[str, list[int]], metadata: dict[str, str]
    ) -> onnx.ModelProto:
        """The finished model; shapes are those of one position, the batch is called N."""

        def infos(shapes: dict[str, list[int]]) -> list[onnx.ValueInfoProto]:
            return [helper.make_tensor_value_info(k, TensorProto.FLOAT, ["N", *s]) for k, s in shapes.items()]

        graph = helper.make_graph(self.nodes, name, infos(inputs), infos(outputs), self.weights)
        model = helper.make_model(
            graph, producer_name="taikyoku_train", opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION
        )
        helper.set_model_props(model, metadata)
        onnx.checker.check_model(model, full_check=True)
        return model
