# %% [markdown]
# # Strain from the viewer's pixels
# A viewer beamforms frames of two layers of scatterers while they are compressed, the lower one half as much.
# `Tap("iq")` passes its complex pixels in shared memory. The phase between two frames is the axial displacement; the slope
# of the displacement over depth is the strain.

# %%
import os

import numpy as np

import echoloop_viewer as el
from simulated import C, acquisition, simulated  # beside this notebook

STRAIN, BORDER_M, FRAMES = -1e-3, 15e-3, 4  # of the upper layer in a frame, negative: compressed
angles = np.zeros(1)
random = np.random.default_rng(1)
x, z = random.uniform(-6e-3, 6e-3, 2500), random.uniform(4e-3, 27e-3, 2500)
moved = STRAIN * (np.minimum(z, BORDER_M) + 0.5 * np.maximum(z - BORDER_M, 0))  # m a frame, away from the probe
frames = [simulated(np.stack([x, z + k * moved], 1), angles, 1500.0) for k in range(FRAMES)]

# %%
name = f"strain-{os.getpid()}"
pixels = []
with el.show(frames, acquisition(angles, frame_rate_hz=20.0), headless=True, f_number=1.5,
             arguments=[f"--tap={name}", "--tap-wait", 60, "--no-doubts"]):
    with el.Tap("iq", name, block=True, timeout=60) as tap:  # block: every frame
        for frame in tap:
            pixels.append(frame.copy())
            if len(pixels) == FRAMES:
                break
x_m, z_m, fc_hz = frame.x_m, frame.z_m, el.Acquisition(frame.info["acquisition"]).fc_hz

# %% [markdown]
# Displacements between neighbouring frames, averaged over frames and columns: the phase of the sum of products, weighted
# by the amplitude. A positive phase is a movement towards the probe.

# %%
middle = abs(x_m) < 4e-3
products = sum((b * a.conj())[:, middle].sum(1) for a, b in zip(pixels, pixels[1:]))
window = max(1, round(1e-3 / (z_m[1] - z_m[0])))  # 1 mm
products = np.convolve(products, np.ones(window), "same")
displacement_m = -np.unwrap(np.angle(products)) * C / (4 * np.pi * fc_hz)  # away from the probe


def strain(first_m, last_m):
    rows = (z_m > first_m) & (z_m < last_m)
    return np.polyfit(z_m[rows], displacement_m[rows], 1)[0]


upper, lower = strain(6e-3, 14e-3), strain(16e-3, 25e-3)
print(f"Upper layer {1e3 * upper:.2f} of {1e3 * STRAIN:.2f} per mille a frame, lower layer {1e3 * lower:.2f} of "
      f"{0.5e3 * STRAIN:.2f}")

# %%
try:
    import matplotlib.pyplot as plt
except ImportError as why:
    print("No figure:", why)
else:
    inside = (z_m > 5e-3) & (z_m < 26e-3)
    plt.plot(1e3 * z_m[inside], 1e6 * displacement_m[inside], label="of the pixels")
    order = np.argsort(z)
    plt.plot(1e3 * z[order], 1e6 * moved[order], "--", label="simulated")
    plt.xlabel("z, mm")
    plt.ylabel("displacement in a frame, µm")
    plt.legend()
    plt.show()
