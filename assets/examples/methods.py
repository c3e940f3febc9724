# %% [markdown]
# # Methods of image formation
# Each function below forms the image of a viewer that runs. Start `echoloop`, run the first cell and one of the others: the
# panel *Own method* asks whether to use it, and has its parameters. Change a function and run its cell again: the next
# image is made by it. As a script: `python3 methods.py wiener`, for a viewer or for `echoloop SOURCE --headless --method
# python:wiener --image-out F.npy`. `course_methods.py` has the kernels of the GPU short course, `networks.py` networks.

# %%
import math

import numpy as np

import echoloop_viewer as el

# %% [markdown]
# A weight from the channels of a pixel: signal over signal and noise (Nilsen & Holm, 2010), or the coherence factor.

# %%
@el.method("wiener", input="channels", parameters=[el.Parameter("strength", 0, 1, 0.5, "0: Wiener, 1: coherence factor")])
def wiener(channels, frame, strength):
    coherent = np.abs(channels.sum(axis=2)) ** 2
    energy = (np.abs(channels) ** 2).sum(axis=2)
    n = np.maximum((channels != 0).sum(axis=2), 1)
    signal = coherent / n ** 2
    noise = np.maximum(energy / n - signal, 0) / n
    weight = (1 - strength) * signal / np.maximum(signal + noise, 1e-30) + strength * coherent / np.maximum(n * energy, 1e-30)
    return weight * np.sqrt(coherent)

# %% [markdown]
# The same weight as a loop over the channels, compiled by Numba for all cores of the CPU; the first frame waits for it.

# %%
try:
    import numba
except ImportError as why:
    print("Without Numba:", why)
else:
    @numba.njit(parallel=True)
    def wiener_pixels(channels, strength, out):
        for iz in numba.prange(out.shape[0]):
            for ix in range(out.shape[1]):
                total, energy, n = 0j, 0.0, 0
                for value in channels[iz, ix]:
                    total += value
                    energy += value.real ** 2 + value.imag ** 2
                    n += value != 0
                coherent = total.real ** 2 + total.imag ** 2
                if coherent > 0:
                    signal = coherent / n ** 2
                    noise = max(energy / n - signal, 0) / n
                    weight = (1 - strength) * signal / (signal + noise) + strength * coherent / (n * energy)
                    out[iz, ix] = weight * math.sqrt(coherent)
                else:
                    out[iz, ix] = 0

    @el.method("wiener_numba", input="channels", library="numpy", parameters=wiener.parameters)
    def wiener_numba(channels, frame, strength, out):
        wiener_pixels(channels, strength, out)
        return out

# %% [markdown]
# Delay-and-sum of conditioned lines of plane waves, without apodization: the delays can be changed here. A wrong sign of the
# angle moves every point, differently in each transmit.

# %%
@el.method("delay_and_sum", input="lines", library="numpy", parameters=[
    el.Parameter("angle_sign", -1, 1, 1, "-1: the wrong sign")])
def delay_and_sum(lines, frame, angle_sign):
    acquisition = frame.acquisition
    c = frame.parameters["sound_speed_m_s"]
    x, z = frame.x_m, frame.z_m[:, None]
    pixels = np.zeros(frame.shape, "complex64")
    for line, transmit in zip(lines, acquisition.to_dict()["acquisition"]["transmits"]):
        angle = angle_sign * transmit["angle_rad"]
        arrival_s = (z * np.cos(angle) + x * np.sin(angle)) / c - transmit["t0_s"]
        for samples, x_element in zip(line, acquisition.element_x_m):
            time_s = arrival_s + np.hypot(x - x_element, z) / c
            place = time_s * frame.line_rate_hz
            first = np.clip(place.astype(int), 0, frame.line_valid - 2)
            part = (place - first).astype("float32")
            value = (1 - part) * samples[first] + part * samples[first + 1]
            turned = value * np.exp(2j * np.pi * frame.line_demod_hz * time_s).astype("complex64")
            pixels += np.where((place >= 0) & (place <= frame.line_valid - 1), turned, 0)
    return pixels

# %% [markdown]
# A mask: the image stays as it is, the viewer draws the labels over it and measures their areas. Here cysts and vessels, darker
# than the median of their row, and wide enough for an erosion and a dilation by a square.

# %%
def box_mean(values, n):
    """Mean of the n x n pixels around each, n odd."""
    padded = np.pad(values, ((n // 2 + 1, n // 2), (n // 2 + 1, n // 2)), mode="edge")
    sums = padded.cumsum(axis=0, dtype="float64").cumsum(axis=1)
    return (sums[n:, n:] - sums[:-n, n:] - sums[n:, :-n] + sums[:-n, :-n]) / n ** 2


@el.method("segment", input="image", library="numpy", labels=["cyst"], parameters=[
    el.Parameter("below_db", 3, 30, 9, "below the median of the row", "dB"),
    el.Parameter("side", 1, 31, 9, "of the square, in pixels")])
def segment(levels, below_db, side):
    side = int(side) // 2 * 2 + 1
    smooth = 10 * np.log10(box_mean(10 ** (np.maximum(levels, -120) / 10), 5))
    dark = smooth < np.median(smooth, axis=1, keepdims=True) - below_db
    eroded = box_mean(dark, side) > 1 - 0.5 / side ** 2
    return box_mean(eroded, side) > 0.5 / side ** 2

# %% [markdown]
# In a notebook: `wiener.run(background=True)`.

# %%
if __name__ == "__main__":
    import sys
    if len(sys.argv) == 2 and isinstance(globals().get(sys.argv[1]), el.Method):
        globals()[sys.argv[1]].run()
