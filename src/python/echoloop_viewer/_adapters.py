"""Descriptions of acquisitions from objects of other packages, by the names of their attributes: none is imported."""
from typing import Any, Optional

import numpy


def read(holder: Any, name: str, otherwise: Any = None) -> Any:
    """The attribute or item; `otherwise` where it is missing or None."""
    try:
        value = holder[name] if isinstance(holder, dict) else getattr(holder, name)
    except Exception:  # of lazy objects that find nothing in their file
        value = None
    return otherwise if value is None else value


def needed(holder: Any, name: str, what: str) -> Any:
    value = read(holder, name)
    if value is None:
        raise ValueError(f"{what} without {name}")
    return value


def number(holder: Any, name: str, what: str, otherwise: Optional[float] = None) -> float:
    """A finite number, of an array its only one; `otherwise` where it is missing."""
    value = read(holder, name, otherwise) if otherwise is not None else needed(holder, name, what)
    try:
        found = float(numpy.asarray(value, dtype=float).reshape(()))
    except (TypeError, ValueError):
        found = numpy.nan
    if not numpy.isfinite(found):
        raise ValueError(f"{name} of {what} is no finite number")
    return found


def numbers(holder: Any, name: str, what: str, shape: tuple) -> numpy.ndarray:
    """Finite numbers, float64, of this shape; None in it: any length from 1."""
    value = needed(holder, name, what)
    try:
        found = numpy.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"{name} of {what} is no array of numbers") from None
    if len(found.shape) != len(shape) or any(n not in (None, m) for n, m in zip(shape, found.shape)) or not found.size:
        raise ValueError(f"{name} of shape {found.shape}; expected {shape}".replace("None", "any"))
    if not numpy.isfinite(found).all():
        raise ValueError(f"{name} of {what} with NaN or infinity")
    return found


def elements(x_m: numpy.ndarray, y_m: numpy.ndarray, z_m: numpy.ndarray, normal_rad: Any = None) -> dict:
    """Keys of the probe, m. Raises ValueError for a matrix array."""
    if numpy.ptp(y_m) > 1e-4:
        raise ValueError("elements in several rows (y from {:.3g} to {:.3g} mm); expected one row"
                         .format(1e3 * y_m.min(), 1e3 * y_m.max()))
    keys = {"element_x_m": x_m.tolist(), "element_z_m": z_m.tolist()}
    if normal_rad is not None and numpy.ptp(z_m) > 1e-6 and numpy.abs(normal_rad).max() > 1e-6:
        keys["element_normal_rad"] = numpy.asarray(normal_rad, dtype=float).tolist()
    return keys


def iq_keys(iq: bool, demod_hz: float, later_s: numpy.ndarray) -> dict:
    """Keys of IQ samples. later_s: of each transmit, from the zero of the clock of its demodulation to that of its t0_s."""
    keys = {"demod_hz": demod_hz} if iq else {}
    return {**keys, "x_turns": (demod_hz * later_s).tolist()} if iq and later_s.any() else keys


def _uff_wave(wave: Any, k: int) -> dict:
    source = read(wave, "source")
    kind = read(wave, "wavefront")
    kind = read(kind, "value", kind)
    kind = {"plane": 0, "spherical": 1}.get(kind, kind) if isinstance(kind, str) else kind
    whose = f"the source of wave {k}"
    far = read(source, "distance", numpy.inf)
    distance_m = numpy.inf if numpy.isscalar(far) and far in (numpy.inf, -numpy.inf) else number(source, "distance", whose)
    azimuth, elevation = number(source, "azimuth", whose, 0.0), number(source, "elevation", whose, 0.0)
    if kind is not None and not (numpy.isscalar(kind) and kind in (0, 1)):
        raise ValueError(f"wave {k} with wavefront {repr(kind)[:40].split()[0]}; expected plane (0) or spherical (1)")
    if abs(numpy.sin(elevation)) >= 1e-3:
        raise ValueError(f"wave {k} steered by {numpy.degrees(elevation):.3g} degrees in elevation; expected waves in "
                         "the plane y = 0")
    if kind == 0 or not numpy.isfinite(distance_m):
        return {"kind": "plane", "angle_rad": azimuth}
    x_m, z_m = distance_m * numpy.sin(azimuth), distance_m * numpy.cos(azimuth)
    if abs(z_m) < 1e-6:
        z_m = 0.0
    return {"kind": "focused", "focus_m": [x_m, z_m]} if z_m > 0 else {"kind": "diverging", "source_m": [x_m, z_m]}


def _element_waves(tx: list, delays_s: numpy.ndarray, keys: dict, c_m_s: float) -> numpy.ndarray:
    """Excess of the times of waves of single elements over those since the passage of the origin, s.

    USTB counts them from (|p - s| + |s|)/c, UFF defines (|p - s| - |s|)/c: the delays that make all elements fire at one
    time tell which; USTB's rule (a source from -1 mm on) without delays.
    """
    at = numpy.array([t.get("source_m", (numpy.nan, numpy.nan)) for t in tx])
    places = numpy.stack([keys["element_x_m"], keys["element_z_m"]], axis=-1)
    single = [bool((numpy.hypot(*(places - each).T) < 1e-6).any()) for each in at]
    away_s = numpy.where(single, numpy.hypot(*at.T), 0.0) / c_m_s
    if not any(single):
        return away_s
    front, passing = numpy.ptp((delays_s - away_s)[single]), numpy.ptp((delays_s + away_s)[single])
    if passing + 1e-9 < 0.5 * front:
        return 0.0 * away_s
    return 2.0 * (away_s if front + 1e-9 < 0.5 * passing else numpy.where(at[:, 1] >= -1e-3, away_s, 0.0))


def uff(data: Any) -> dict:
    """Description of USTB's channel data, e.g. of pyuff_ustb: frames are data.data.T."""
    what = "channel data"
    samples = needed(data, "data", what)
    if not isinstance(samples, numpy.ndarray) or not 2 <= samples.ndim <= 4 or samples.dtype.kind not in "iufc":
        raise ValueError("data of channel data; expected an array of numbers [time, channel, wave, frame]")
    n_samples, n_elements, n_waves = (tuple(samples.shape) + (1, 1, 1))[:3]
    iq = samples.dtype.kind == "c"
    fs_hz, demod_hz = number(data, "sampling_frequency", what), number(data, "modulation_frequency", what, 0.0)
    fc_hz = number(read(data, "pulse"), "center_frequency", "the pulse", demod_hz or fs_hz / 4)
    c_m_s = number(data, "sound_speed", what, 1540.0)
    probe = needed(data, "probe", what)
    geometry = numbers(probe, "geometry", "probe", (7, None)) if read(probe, "geometry") is not None else \
        numpy.stack([numbers(probe, axis, "probe", (None,)) for axis in "xyz"])
    keys = elements(geometry[0], geometry[1], geometry[2], geometry[3] if len(geometry) > 3 else None)
    waves = needed(data, "sequence", what)
    waves = list(waves) if isinstance(waves, (list, tuple)) else [waves]
    if len(waves) != n_waves or geometry.shape[1] != n_elements:
        raise ValueError(f"data of {n_elements} channels and {n_waves} waves; expected {geometry.shape[1]} and "
                         f"{len(waves)}")
    tx = [_uff_wave(wave, k) for k, wave in enumerate(waves)]
    delays_s = numpy.array([number(wave, "delay", f"wave {k}", 0.0) for k, wave in enumerate(waves)])
    later_s = delays_s - _element_waves(tx, delays_s, keys, c_m_s)
    width_m = geometry[5, 0] if len(geometry) > 5 else 0.0
    fraction = number(read(data, "pulse"), "fractional_bandwidth", "the pulse", 0.0)
    prf_hz = number(data, "PRF", what, 0.0)
    return {"axes": ["transmit", "element", "time"], "shape": [n_waves, n_elements, n_samples],
            "dtype": "complex64" if iq else "int16" if samples.dtype == numpy.int16 else "float32",
            "fs_hz": fs_hz, "fc_hz": fc_hz, "c_m_s": c_m_s, "tx": tx, "t_zero": "origin", **keys,
            "t0_s": (number(data, "initial_time", what, 0.0) + later_s).tolist(), **iq_keys(iq, demod_hz, later_s),
            **({"element_width_m": float(width_m)} if 0 < width_m < numpy.inf else {}),
            **({"bandwidth_hz": fraction * fc_hz} if 0 < fraction <= 2 else {}),
            **({"prf_hz": prf_hz} if prf_hz > 0 else {})}


def ultraspy(info: dict, probe: Any, data_info: Optional[dict] = None) -> dict:
    """Description of ultraspy's acquisition_info, with data_shape, data_type and is_iq of its data_info in either."""
    info = {**(data_info or {}), **info}
    what = "acquisition info"
    shape = [int(n) for n in numbers(info, "data_shape", what + " (and data_info)", (4,))]  # the first: frames
    geometry = numbers(probe, "geometry", "probe", (3, None))
    delays_s = numbers(info, "delays", what, (shape[1], geometry.shape[1]))
    sequence = read(info, "sequence_elements")
    emitted = None if read(sequence, "emitted") is None else numbers(sequence, "emitted", what, (shape[1], None))
    tx = []
    for k, row in enumerate(delays_s):
        fires = range(len(row)) if emitted is None else set(emitted[k].tolist())
        tx.append({"kind": "delays", "delays_s": [float(s) if e in fires else None for e, s in enumerate(row)]})
    iq = bool(read(info, "is_iq", False))
    fc_hz = number(probe, "central_freq", "probe")
    signal_s = number(info, "signal_duration", what, 0.0)  # its beamformers count echoes from the middle of the pulse
    prf_hz = number(info, "prf", what, 0.0)
    integers = str(read(info, "data_type", "")).endswith(("int16", "i2", "int16'>"))
    return {"axes": ["transmit", "element", "time"], "shape": shape[1:],
            "dtype": "complex64" if iq else "int16" if integers else "float32",
            "fs_hz": number(info, "sampling_freq", what), "fc_hz": fc_hz,
            "t0_s": number(info, "t0", what, 0.0) - signal_s / 2, "c_m_s": number(info, "sound_speed", what, 1540.0),
            "tx": tx, **iq_keys(iq, fc_hz, numpy.zeros(1)),
            **elements(*geometry), **({"prf_hz": prf_hz} if prf_hz > 0 else {})}
