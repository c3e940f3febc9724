# %% [markdown]
# # Contrast over the F-number
# The generalized contrast-to-noise ratio (gCNR) of a round cyst and the speckle around it: with small F-numbers side lobes
# fill the cyst, with large ones the point spread function does.

# %%
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import echoloop_viewer as el

file = None                                  # of a recording; None: of the cyst phantom
x_mm, z_mm, radius_mm = -3.0, 17.0, 3.2      # of the cyst

with tempfile.TemporaryDirectory() as folder:
    if file is None:
        file = pathlib.Path(folder, "cyst.uff")
        subprocess.run([sys.executable, "-m", "echoloop_viewer", "sim:cyst", "--headless", "--no-doubts", "--frames", "1",
                        "--record", file], check=True, stdout=subprocess.DEVNULL)
    recording = el.open(file)
    frame = recording[0]
print(recording)


# %% [markdown]
# gCNR is 1 minus the overlap of the two histograms of levels (Rodriguez-Molares et al., 2020).

# %%
def gcnr(inside, outside, bins=100):
    top = max(inside.max(), outside.max())
    shares = [np.histogram(levels.clip(top - 60), bins, (top - 60, top))[0] / levels.size for levels in (inside, outside)]
    return 1.0 - np.minimum(*shares).sum()


reach = 1.8 * radius_mm
x, z = np.linspace(x_mm - reach, x_mm + reach, 200), np.linspace(z_mm - reach, z_mm + reach, 300)
bf = el.Beamformer(recording.acquisition, output="db", reference_db=0.0,
                   grid=el.Grid((x[0] / 1e3, x[-1] / 1e3, x.size), (z[0] / 1e3, z[-1] / 1e3, z.size)))
away = np.hypot(x[None, :] - x_mm, z[:, None] - z_mm)
f_numbers, values = np.arange(0.5, 6.01, 0.5), []
for f_number in f_numbers:
    bf.set(f_number=f_number)
    levels = bf(frame)
    values.append(gcnr(levels[away < 0.8 * radius_mm], levels[(away > 1.3 * radius_mm) & (away < reach)]))
    print(f"F-number {f_number:.1f}: gCNR {values[-1]:.3f}")

# %%
try:
    import matplotlib.pyplot as plt
except ImportError as why:
    print("No figure:", why)
else:
    plt.plot(f_numbers, values)
    plt.xlabel("F-number")
    plt.ylabel("gCNR")
    plt.show()
