# %% [markdown]
# # Beamform arrays
# Plane waves of point scatterers, made with NumPy, become images: the more angles, the narrower the points. With CuPy and
# a GPU frames and pixels stay in the GPU's memory; without, NumPy's arrays are read where they are.

# %%
import numpy as np

import echoloop_viewer as el
from simulated import acquisition, simulated  # beside this notebook

try:
    import cupy as arrays
    arrays.zeros(1)
    device = "cuda"
except Exception as why:  # not installed, or no GPU
    print(f"Arrays of NumPy, on the CPU. CuPy: {why}")
    arrays, device = np, "cpu"

# %%
points = [(0.0, 10e-3), (-4e-3, 18e-3), (4e-3, 26e-3)]  # x, z in m
x, z = np.linspace(-8e-3, 8e-3, 321), np.linspace(5e-3, 30e-3, 501)
grid = el.Grid(x_m=(x[0], x[-1], x.size), z_m=(z[0], z[-1], z.size))
images, widths_mm, places = {}, {}, {}
for n in (1, 3, 9):
    angles = np.radians(np.linspace(-12, 12, n)) if n > 1 else np.zeros(1)
    bf = el.Beamformer(acquisition(angles), grid=grid, device=device, output="envelope", f_number=1.5)
    frame = arrays.asarray(simulated(points, angles))
    pixels = bf(frame, out=arrays.empty(bf.shape, "float32"))
    images[n] = image = pixels if arrays is np else pixels.get()
    row, column = np.unravel_index(image[:150].argmax(), image[:150].shape)
    places[n] = x[column], z[row]
    widths_mm[n] = 1e3 * (x[1] - x[0]) * (image[row] > image[row].max() / 2).sum()
    print(f"{n} angles: first point at x = {1e3 * x[column]:.2f} mm, z = {1e3 * z[row]:.2f} mm, {widths_mm[n]:.2f} mm wide; "
          f"copies of the frame {bf.used['input_copies']}, of the result {bf.used['output_copies']}")

# %%
try:
    import matplotlib.pyplot as plt
except ImportError as why:
    print("No figure:", why)
else:
    figure, axes = plt.subplots(1, len(images), sharey=True)
    for at, (n, image) in zip(axes, images.items()):
        at.imshow(20 * np.log10(image / image.max() + 1e-9), vmin=-50, cmap="gray", extent=(-8, 8, 30, 5))
        at.set(title=f"{n} angles", xlabel="x, mm")
    axes[0].set_ylabel("z, mm")
    plt.show()
