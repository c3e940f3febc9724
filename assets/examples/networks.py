# %% [markdown]
# # Networks as methods
# Networks of PyTorch and ONNX Runtime form the image of a viewer that runs, as the functions of `methods.py` do. Numbers that
# come from training take the place of those below. As a script: `python3 networks.py aperture`.

# %%
import numpy as np

import echoloop_viewer as el

try:
    import torch
except ImportError as why:
    torch = None
    print("Without PyTorch:", why)
try:
    import onnx
    import onnxruntime
except ImportError as why:
    onnx = None
    print("Without ONNX Runtime:", why)

# %% [markdown]
# PyTorch, on the levels in dB: a convolution, here a smoothing kernel.

# %%
kernel = np.outer([1, 2, 4, 2, 1], [1, 2, 4, 2, 1]).astype("float32")[None, None] / 100

if torch is not None:
    torch.backends.cudnn.allow_tf32 = False  # ten bits are too few for levels in dB
    layer = torch.nn.Conv2d(1, 1, 5, padding=2, padding_mode="replicate", bias=False)
    layer.weight.data = torch.tensor(kernel)

    @el.method("smoothing", input="image", library="torch")
    def smoothing(levels):
        with torch.no_grad():
            return layer.to(levels.device)(levels[None, None])[0, 0]

# %% [markdown]
# ONNX Runtime: the same convolution, as a model. The name of a `.onnx` file can take the place of `model`. The GPU is used where
# the package is onnxruntime-gpu.

# %%
if onnx is not None:
    shape = onnx.TensorProto.FLOAT, [1, 1, None, None]
    ends = [onnx.helper.make_tensor_value_info(name, *shape) for name in ("levels", "smooth")]
    nodes = [onnx.helper.make_node("Pad", ["levels", "margins"], ["larger"], mode="edge"),
             onnx.helper.make_node("Conv", ["larger", "kernel"], ["smooth"])]
    numbers = [onnx.numpy_helper.from_array(np.array([0, 0, 2, 2] * 2, "int64"), "margins"),
               onnx.numpy_helper.from_array(kernel, "kernel")]
    graph = onnx.helper.make_graph(nodes, "smoothing", ends[:1], ends[1:], numbers)
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8).SerializeToString()
    providers = [p for p in onnxruntime.get_available_providers() if p in ("CUDAExecutionProvider", "CPUExecutionProvider")]
    session = onnxruntime.InferenceSession(model, providers=providers)
    print("ONNX Runtime:", session.get_providers()[0])

    @el.method("onnx_smoothing", input="image", library="numpy")
    def onnx_smoothing(levels):
        return session.run(None, {"levels": levels[None, None]})[0][0, 0]

# %% [markdown]
# A weight from the channels of a pixel, in the layout of a network of the CUBDL challenge, task 1 (Rothlübbers et al., IUS
# 2020; Hyun et al., TUFFC 2021): four convolutions over the elements, each with batch normalization and ReLU, 3,059 numbers;
# their sum multiplies the mean of the channels. *random* 0: all numbers are zero but the last one, which makes it
# delay-and-sum; 1: random numbers, as before training. The published network divides the channels by the largest sample of the
# frame, this one by their rms.

# %%
if torch is not None:
    torch.manual_seed(7)
    steps = []
    for n_in, n_out, width in ((2, 8, 65), (8, 8, 15), (8, 8, 15), (8, 1, 3)):
        steps += torch.nn.Conv1d(n_in, n_out, width, padding=width // 2), torch.nn.BatchNorm1d(n_out), torch.nn.ReLU()
    network = torch.nn.Sequential(*steps).eval().requires_grad_(False)
    random_numbers = torch.nn.utils.parameters_to_vector(network.parameters())
    das_numbers = torch.zeros_like(random_numbers)
    das_numbers[-1] = 1  # added by the last normalization: 1 for each element

    def weights(channels):
        """[pixel] of channels [pixel, element]."""
        parts = torch.view_as_real(channels).movedim(2, 1)
        rms = channels.abs().square().mean(1).sqrt().clamp(min=1e-30)
        return network(parts / rms[:, None, None]).sum((1, 2))

    @el.method("aperture", input="channels", library="torch", parameters=[
        el.Parameter("random", 0, 1, 0, "0: delay-and-sum, 1: random numbers")])
    def aperture(channels, frame, random):
        network.to(channels.device)
        numbers = torch.lerp(das_numbers, random_numbers, random).to(channels.device)
        torch.nn.utils.vector_to_parameters(numbers, network.parameters())
        with torch.no_grad():  # 64 rows at a time: memory
            return torch.cat([rows.mean(2) * weights(rows.flatten(0, 1)).view(rows.shape[:2]) for rows in channels.split(64)])

# %% [markdown]
# In a notebook: `aperture.run(background=True)`.

# %%
if __name__ == "__main__":
    import sys
    if len(sys.argv) == 2 and isinstance(globals().get(sys.argv[1]), el.Method):
        globals()[sys.argv[1]].run()
