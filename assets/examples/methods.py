# %% [markdown]
# # Methods of image formation
# Each function below forms the image of a viewer that runs. Start `echoloop`, run the first cell and one of the others: the
# panel *Own method* asks whether to use it, and has its parameters. Change a function and run its cell again: the next
# image is made by it. As a script: `python3 methods.py wiener`, for a viewer or for `echoloop SOURCE --headless --method
# python:wiener --image-out F.npy`.

# %%
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
# Delay-and-sum of conditioned lines of plane waves, without apodization: the delays can be changed here. A wrong sign of the
# angle moves every point, differently in each transmit.

# %%
@el.method("delay_and_sum", input="lines", parameters=[el.Parameter("angle_sign", -1, 1, 1, "-1: the wrong sign")])
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
# The kernel of the GPU short course (Lab4US): a filter, the nearest samples of the channels, the envelope along depth.

# %%
def band_filter(fs_hz, low_hz=2.5e6, high_hz=7.5e6, taps=64):
    m = np.arange(taps) - (taps - 1) / 2
    low, high = 2 * low_hz / fs_hz, 2 * high_hz / fs_hz
    h = (high * np.sinc(high * m) - low * np.sinc(low * m)) * np.hamming(taps)
    return h / (h * np.cos(np.pi * m * (low + high) / 2)).sum()


@el.method("course", input="rf")
def course(rf, frame):
    acquisition = frame.acquisition
    c, fs_hz = frame.parameters["sound_speed_m_s"], acquisition.fs_hz
    taps = band_filter(fs_hz)
    x, z = frame.x_m, frame.z_m[:, None]
    image = np.zeros(frame.shape)
    for channels, transmit in zip(rf, acquisition.to_dict()["acquisition"]["transmits"]):
        way_m = z * np.cos(transmit["angle_rad"]) + x * np.sin(transmit["angle_rad"])
        for channel, x_element in zip(channels, acquisition.element_x_m):
            filtered = np.convolve(channel, taps, mode="same")
            place = ((way_m + np.hypot(x - x_element, z)) / c - transmit["t0_s"]) * fs_hz
            inside = (place >= 0) & (place <= filtered.size - 1)
            image += np.where(inside, filtered[np.clip((place + 0.5).astype(int), 0, filtered.size - 1)], 0)
    spectrum = np.fft.fft(image, axis=0)
    n = len(spectrum)
    spectrum[1:(n + 1) // 2] *= 2
    spectrum[n // 2 + 1:] = 0
    return np.abs(np.fft.ifft(spectrum, axis=0))

# %% [markdown]
# A network: PyTorch, on the levels in dB. This one has fixed weights, a smoothing kernel; a trained one takes their place.

# %%
try:
    import torch
except ImportError as why:
    print("No network:", why)
else:
    kernel = torch.outer(torch.tensor([1.0, 2, 4, 2, 1]), torch.tensor([1.0, 2, 4, 2, 1]))
    layer = torch.nn.Conv2d(1, 1, 5, padding=2, padding_mode="replicate", bias=False)
    layer.weight.data[0, 0] = kernel / kernel.sum()

    @el.method("network", input="image", library="torch")
    def network(levels):
        with torch.no_grad():
            return layer.to(levels.device)(levels[None, None])[0, 0]

# %% [markdown]
# In a notebook: `wiener.run(background=True)`.

# %%
if __name__ == "__main__":
    import sys
    if len(sys.argv) == 2 and isinstance(globals().get(sys.argv[1]), el.Method):
        globals()[sys.argv[1]].run()
