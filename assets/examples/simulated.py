"""Frames of points, and their acquisition, for the notebooks in this folder."""
import numpy as np

import echoloop_viewer as el

C, FS, FC, PITCH = 1540.0, 20e6, 5e6, 3e-4  # m/s, Hz, Hz, m
ELEMENTS, SAMPLES = 64, 1024


def acquisition(angles_rad, **more):
    return el.Acquisition.linear(ELEMENTS, PITCH, angles_rad, FS, FC, SAMPLES, c_m_s=C, **more)


def simulated(points, angles_rad, amplitude=8000.0):
    """Samples [transmit, element, sample], int16, of plane waves: each point (x, z in m) returns a pulse of three periods."""
    x = (np.arange(ELEMENTS) - (ELEMENTS - 1) / 2) * PITCH
    px, pz = np.array(points).T[:, :, None]
    near = np.arange(-20, 21)
    frame = np.zeros((len(angles_rad), ELEMENTS, SAMPLES))
    for k, angle in enumerate(angles_rad):
        at = FS / C * (px * np.sin(angle) + pz * np.cos(angle) + np.hypot(px - x, pz))  # [point, element], in samples
        sample = np.rint(at).astype(int)[..., None] + near
        periods = (sample - at[..., None]) * FC / FS
        pulse = amplitude * np.cos(2 * np.pi * periods) * np.exp(-(periods / 1.5) ** 2)
        inside = (sample >= 0) & (sample < SAMPLES)
        place = sample + SAMPLES * np.arange(ELEMENTS)[:, None]
        frame[k] = np.bincount(place[inside], pulse[inside], ELEMENTS * SAMPLES).reshape(ELEMENTS, SAMPLES)
    return frame.astype("int16")
