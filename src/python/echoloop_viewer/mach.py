"""The function of mach (mach-beamform), with its arguments and its result, by Echoloop's kernels.

    from echoloop_viewer import mach
    pixels = mach.beamform(channel_data, rx_coords_m, scan_coords_m, tx_wave_arrivals_s, rx_start_s=0.0, ...)
"""
from typing import Any, Optional, Tuple

import numpy

from ._acquisition import Acquisition
from ._beamform import Grid, beamform as _beamform

_WINDOWS = {0.0: "boxcar", 0.5: "tukey", 1.0: "hann"}


def _points(array: Any, name: str, n: Optional[int] = None) -> numpy.ndarray:
    points = numpy.asarray(array, dtype=float)
    if points.ndim != 2 or points.shape[1] != 3 or n not in (None, len(points)) or not len(points):
        raise ValueError(f"{name} of shape {points.shape}; expected ({'points' if n is None else n}, 3)")
    return points


def _axis(values: numpy.ndarray, name: str) -> numpy.ndarray:
    """The different values, which must be evenly spaced."""
    close = 1e-7 + 1e-6 * numpy.ptp(values)
    found = numpy.sort(values)
    found = found[numpy.concatenate([[True], numpy.diff(found) > close])]
    even = numpy.linspace(found[0], found[-1], len(found))
    if len(found) < 2 or numpy.abs(found - even).max() > 1e-3 * (even[1] - even[0]) + 1e-8:
        raise ValueError(f"scan_coords_m is no regular x-z grid: {len(found)} values of {name}" +
                         (", unevenly spaced" if len(found) > 1 else "; expected 2 or more"))
    return even


def _grid(points: numpy.ndarray) -> Tuple[numpy.ndarray, numpy.ndarray, bool]:
    """x, z, and if x varies fastest."""
    if numpy.abs(points[:, 1]).max() > 1e-6:
        raise ValueError("scan_coords_m is no regular x-z grid: points off the plane y = 0")
    x, z = _axis(points[:, 0], "x"), _axis(points[:, 2], "z")
    if len(x) * len(z) != len(points):
        raise ValueError(f"scan_coords_m is no regular x-z grid: {len(points)} points of {len(x)} x and {len(z)} z")
    near = 1e-2 * min(x[1] - x[0], z[1] - z[0])
    for x_fast in (True, False):
        zz, xx = numpy.meshgrid(z, x, indexing="ij" if x_fast else "xy")
        if max(numpy.abs(xx.ravel() - points[:, 0]).max(), numpy.abs(zz.ravel() - points[:, 2]).max()) < near:
            return x, z, x_fast
    raise ValueError("scan_coords_m is no regular x-z grid: expected ascending rows or columns, one after another")


def _solved(columns: list, values: numpy.ndarray) -> numpy.ndarray:
    return numpy.linalg.lstsq(numpy.stack(columns, axis=-1), values, rcond=None)[0]


def _wave(points: numpy.ndarray, arrivals_s: numpy.ndarray, c_m_s: float, close_s: float) -> Tuple[dict, float]:
    """The plane or spherical wave of these arrivals, by least squares, and the time at which it passes the origin, s."""
    x, z, path = points[:, 0], points[:, 2], arrivals_s * c_m_s
    *slope, offset = _solved([x, z, numpy.ones_like(x)], path)
    off_s = numpy.abs(path - x * slope[0] - z * slope[1] - offset).max() / c_m_s
    length = float(numpy.hypot(*slope))
    if off_s <= close_s:
        if abs(length - 1.0) > 1e-3:
            raise ValueError(f"tx_wave_arrivals_s of a plane wave at {c_m_s / length:.4g} m/s in the plane y = 0; "
                             f"expected sound_speed_m_s = {c_m_s:g}")
        return {"kind": "plane", "angle_rad": float(numpy.arctan2(*slope))}, offset / c_m_s
    # |p - s| = |path - o|, squared: linear in s, o and o^2 - |s|^2; then Newton's steps of |p - s| itself. Again without
    # the points near the focal plane, where mach's arrivals of a focused wave are those of the focus.
    middle, use = path.mean(), numpy.full(len(x), True)
    for _ in range(2):
        px, pz, path_0 = x[use], z[use], path[use] - middle
        sx, sz, o, _ = _solved([2 * px, 2 * pz, -2 * path_0, numpy.ones_like(px)], px * px + pz * pz - path_0 * path_0)
        use = numpy.abs(z - sz) > 0.1 * numpy.ptp(z)
    for _ in range(20):
        sign = numpy.where(path_0 >= o, 1.0, -1.0)
        away = numpy.maximum(numpy.hypot(px - sx, pz - sz), 1e-9)
        step = _solved([sign * (sx - px) / away, sign * (sz - pz) / away, numpy.ones_like(px)], path_0 - o - sign * away)
        sx, sz, o = sx + step[0], sz + step[1], o + step[2]
    o += middle
    # Beyond the focus along the beam, as in dsp/das.h.
    reached = 1.0 if sz <= 0 else numpy.where(sx * (x - sx) + sz * (z - sz) >= 0, 1.0, -1.0)
    miss_s = numpy.abs(path - o - reached * numpy.hypot(x - sx, z - sz)) / c_m_s
    miss_s[numpy.abs(z - sz) < 1e-6] = 0.0
    if not miss_s.max() <= close_s:
        worst = int(numpy.nanargmax(miss_s)) if numpy.isfinite(miss_s).any() else 0
        raise ValueError("tx_wave_arrivals_s of neither a plane nor a spherical wave: the nearest are off by "
                         f"{1e9 * off_s:.3g} and {1e9 * miss_s[worst]:.3g} ns, the latter at x = {1e3 * x[worst]:.3g}, "
                         f"z = {1e3 * z[worst]:.3g} mm; expected up to {1e9 * close_s:.2g} ns")
    away = float(numpy.hypot(sx, sz))
    if sz > 0:
        return {"kind": "focused", "focus_m": [float(sx), float(sz)]}, (o - away) / c_m_s
    return {"kind": "diverging", "source_m": [float(sx), float(sz)]}, (o + away) / c_m_s


def beamform(channel_data: Any, rx_coords_m: Any, scan_coords_m: Any, tx_wave_arrivals_s: Any, out: Any = None, *,
             rx_start_s: float, sampling_freq_hz: float, f_number: float, sound_speed_m_s: float,
             modulation_freq_hz: Optional[float] = None, tukey_alpha: float = 0.5, interp_type: Any = None,
             **parameters: Any) -> numpy.ndarray:
    """Pixels [n_scan, n_frames] of channel_data [n_rx, n_samples, n_frames], float32 RF or complex64 IQ, in host memory.

    rx_coords_m: [n_rx, 3], m, on the line y = z = 0. scan_coords_m: [n_scan, 3], m, a regular x-z grid, x or z fastest.
    tx_wave_arrivals_s: [n_scan], s, of a plane or spherical wave. tukey_alpha: 0, 0.5 or 1. interp_type: without effect,
    lines are interpolated after the band-pass filter, which here has the whole band. out: filled and returned.
    parameters: those of Beamformer. The samples are copied into Echoloop's order. Raises ValueError that says what does
    not fit, TypeError for other types.
    """
    data = numpy.asarray(channel_data)
    if data.dtype not in (numpy.float32, numpy.complex64):
        raise TypeError(f"channel_data of type {data.dtype}; expected float32 (RF) or complex64 (IQ)")
    elements = _points(rx_coords_m, "rx_coords_m")
    if data.ndim != 3 or data.shape[0] != len(elements) or not data.shape[2]:
        raise ValueError(f"channel_data of shape {data.shape}; expected ({len(elements)}, samples, frames)")
    if numpy.abs(elements[:, 1:]).max() > 1e-6:
        raise ValueError("rx_coords_m off the line y = z = 0; expected a linear array at depth 0")
    if tukey_alpha not in _WINDOWS:
        raise ValueError(f"tukey_alpha = {tukey_alpha:g}; expected 0, 0.5 or 1")
    iq = data.dtype == numpy.complex64
    if iq and modulation_freq_hz is None:
        raise ValueError("modulation_freq_hz of IQ data is missing; expected a frequency, 0 if it was not demodulated")
    points = _points(scan_coords_m, "scan_coords_m")
    arrivals_s = numpy.asarray(tx_wave_arrivals_s, dtype=float)
    if arrivals_s.shape != (len(points),) or not numpy.isfinite(arrivals_s).all():
        raise ValueError(f"tx_wave_arrivals_s of shape {arrivals_s.shape}; expected ({len(points)},), finite")
    demod_hz = float(modulation_freq_hz or 0.0) if iq else 0.0
    x, z, x_fast = _grid(points)
    wave, passage_s = _wave(points, arrivals_s, sound_speed_m_s, 0.02 / max(sampling_freq_hz, 4 * demod_hz))
    half_hz = 0.5 * sampling_freq_hz
    acq = Acquisition({
        "axes": ["transmit", "element", "time"], "shape": [1, data.shape[0], data.shape[1]], "dtype": str(data.dtype),
        "fs_hz": sampling_freq_hz, "fc_hz": demod_hz or 0.5 * half_hz, "c_m_s": sound_speed_m_s, "tx": [wave],
        "element_x_m": elements[:, 0].tolist(), "t0_s": rx_start_s - passage_s, "t_zero": "origin",
        **({"demod_hz": demod_hz} if iq else {})})
    band = {"band_low_hz": max(demod_hz - half_hz, 0.0), "band_high_hz": demod_hz + half_hz}
    frames = numpy.ascontiguousarray(data.transpose(2, 0, 1))[:, None]
    pixels = _beamform(frames, acq, grid=Grid((x[0], x[-1], len(x)), (z[0], z[-1], len(z))), copy=True,
                       **{"compounding": "coherent", "f_number": f_number, "apodization": _WINDOWS[tukey_alpha],
                          **band, **parameters})
    if iq:  # mach's phase counts from its own time zero
        pixels = pixels * numpy.complex64(numpy.exp(2j * numpy.pi * demod_hz * passage_s))
    pixels = (pixels if x_fast else pixels.swapaxes(1, 2)).reshape(data.shape[2], -1).T
    if out is None:
        return numpy.ascontiguousarray(pixels if iq else pixels.real)
    if numpy.shape(out) != pixels.shape or getattr(out, "dtype", None) != data.dtype:
        raise ValueError(f"out of shape {numpy.shape(out)}; expected {pixels.shape} of {data.dtype}")
    out[...] = pixels if iq else pixels.real
    return out
