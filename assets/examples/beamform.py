"""python beamform.py [--cupy]: plane waves of point scatterers, made with numpy, become an image; more angles, sharper points.

With --cupy frames and pixels stay on the GPU.
"""
import sys

import numpy as np

import echoloop_viewer as el

C, FS, FC = 1540.0, 20e6, 5e6
POINTS = [(0.0, 10e-3), (-4e-3, 18e-3), (4e-3, 26e-3)]  # x, z, m


def simulated(acq, angles_rad, points=POINTS):
    """Samples [transmit, element, sample], int16: each point returns a pulse of about three periods."""
    x = np.array(acq.element_x_m)
    t = np.arange(acq.n_samples) / FS
    frame = np.zeros(acq.shape)
    for k, angle in enumerate(angles_rad):
        for px, pz in points:
            at = (px * np.sin(angle) + pz * np.cos(angle) + np.hypot(px - x, pz)) / C
            away = t - at[:, None]
            frame[k] += 8000 * np.cos(2 * np.pi * FC * away) * np.exp(-(away * FC / 1.5) ** 2)
    return frame.astype("int16")


def width_mm(envelope, x_m, row):
    """Full width of the brightest point of a row at half of its amplitude."""
    line = envelope[row]
    return 1e3 * (x_m[1] - x_m[0]) * (line > line.max() / 2).sum()


def main(arrays=np, device="cpu"):
    grid = el.Grid(x_m=(-8e-3, 8e-3, 321), z_m=(5e-3, 30e-3, 501))
    x, z = np.linspace(-8e-3, 8e-3, 321), np.linspace(5e-3, 30e-3, 501)
    for n in (1, 3, 9):
        angles = np.radians(np.linspace(-12, 12, n)) if n > 1 else np.zeros(1)
        acq = el.Acquisition.linear(64, 3e-4, angles, FS, FC, 1024)
        bf = el.Beamformer(acq, grid=grid, device=device, output="envelope", f_number=1.5)
        frames = arrays.asarray(simulated(acq, angles))
        pixels = bf(frames, out=arrays.empty(bf.shape, "float32"))
        envelope = pixels.get() if hasattr(pixels, "get") else pixels
        row, column = np.unravel_index(envelope[:150].argmax(), envelope[:150].shape)
        print(f"{n} angles: brightest at x = {1e3 * x[column]:.2f} mm, z = {1e3 * z[row]:.2f} mm, "
              f"{width_mm(envelope, x, row):.2f} mm wide; copies of the result: {bf.used['output_copies']}")


if __name__ == "__main__":
    if "--cupy" in sys.argv:
        import cupy
        main(cupy, "cuda")
    else:
        main()
