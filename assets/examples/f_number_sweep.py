"""python f_number_sweep.py FILE [X Z RADIUS] [PLOT.png]: gCNR of a round cyst, and speckle beside it, over the F-number.

X Z RADIUS: of the cyst, mm. Try it: echoloop sim:cyst --headless --frames 1 --record cyst.uff
"""
import sys

import numpy as np

import echoloop_viewer as el


def gcnr(inside, outside, bins=100):
    """1 minus the overlap of the histograms (Rodriguez-Molares et al., 2020)."""
    most = max(inside.max(), outside.max())
    share = [np.histogram(values.clip(most - 60), bins, (most - 60, most))[0] / values.size for values in (inside, outside)]
    return 1.0 - np.minimum(*share).sum()


def sweep(file, x_mm=-3.0, z_mm=17.0, radius_mm=3.2, device="auto"):
    """Rows (F-number, gCNR)."""
    recording = el.open(file)
    reach = 1.8 * radius_mm
    x = np.linspace(x_mm - reach, x_mm + reach, 200)
    z = np.linspace(z_mm - reach, z_mm + reach, 300)
    bf = el.Beamformer(recording.acquisition, output="db", device=device, reference_db=0.0,
                       grid=el.Grid((x[0] / 1e3, x[-1] / 1e3, 200), (z[0] / 1e3, z[-1] / 1e3, 300)))
    away = np.hypot(x[None, :] - x_mm, z[:, None] - z_mm)
    rows = []
    for f_number in np.arange(0.5, 6.01, 0.5):
        bf.set(f_number=f_number)
        levels = bf(recording[0])
        rows.append((f_number, gcnr(levels[away < 0.8 * radius_mm], levels[(away > 1.3 * radius_mm) & (away < reach)])))
    return rows


if __name__ == "__main__":
    words = sys.argv[1:]
    plot = words.pop() if words[-1].endswith(".png") else None
    table = sweep(words[0], *map(float, words[1:4]))
    for f_number, value in table:
        print(f"{f_number:.1f}  {value:.3f}")
    if plot:
        import matplotlib.pyplot as plt
        plt.plot(*np.array(table).T)
        plt.xlabel("F-number")
        plt.ylabel("gCNR")
        plt.savefig(plot)
