"""Acquisitions and an operation for zea, whose raw_data are [transmit, sample, element, channel].

    with zea.File("acquisition.hdf5") as file:
        acq = el.zea.acquisition(file.load_parameters())
        pixels = el.beamform(file.data.raw_data[0], acq, copy=True)
"""
from typing import Any, Optional

import numpy

from ._acquisition import Acquisition
from ._adapters import elements, iq_keys, number, numbers, read

_WAVEFORM_HZ = 250e6  # of zea's waveforms
_WHAT = "zea's parameters"


def _of_each(parameters: Any, name: str, n_tx: int) -> numpy.ndarray:
    """One number a transmit, or one for all; 0 where it is missing."""
    if numpy.size(read(parameters, name, 0.0)) == 1:
        return numpy.full(n_tx, number(parameters, name, _WHAT, 0.0))
    return numbers(parameters, name, _WHAT, (n_tx,))


def _peaks_s(parameters: Any, n_tx: int) -> numpy.ndarray:
    """Time from the firing to the envelope's peak of each pulse, s."""
    peaks_s = read(parameters, "t_peak")
    if peaks_s is not None:
        return _of_each(parameters, "t_peak", n_tx)
    if read(parameters, "waveforms_two_way") is None:
        return numpy.zeros(n_tx)
    spectra = numpy.fft.fft(numbers(parameters, "waveforms_two_way", _WHAT, (n_tx, None)), axis=-1)
    spectra[:, numpy.fft.fftfreq(spectra.shape[1], 1 / _WAVEFORM_HZ) <= 0] = 0  # analytic
    return numpy.abs(numpy.fft.ifft(spectra, axis=-1)).argmax(axis=-1) / _WAVEFORM_HZ


def acquisition(parameters: Any, n_ch: Optional[int] = None) -> Acquisition:
    """The Acquisition of frames raw_data[i], [n_tx, n_ax, n_el, n_ch], float32; beamform them with copy=True.

    n_ch: 1 (RF) or 2 (IQ); None: that of the parameters, which zea's files lack, else 1.

    parameters: zea's Parameters (file.load_parameters()), or a dict or object with these names: probe_geometry
    [n_el, 3], t0_delays [n_tx, n_el], initial_times [n_tx], n_ax, sampling_frequency, center_frequency, and where they
    are there tx_apodizations, n_ch, element_width, demodulation_frequency, sound_speed, t_peak or waveforms_two_way.
    Raises ValueError for coded transmits, matrix arrays and lens correction, which el.open() of the file handles. A gain
    over time is not undone.
    """
    what = _WHAT
    geometry = numbers(parameters, "probe_geometry", what, (None, 3))
    delays_s = numbers(parameters, "t0_delays", what, (None, len(geometry)))
    n_tx, n_el = delays_s.shape
    weights = read(parameters, "tx_apodizations")
    weights = numpy.ones_like(delays_s) if weights is None else \
        numbers(parameters, "tx_apodizations", what, (n_tx, n_el))
    for k, row in enumerate(weights):
        if row.max() > 0 > row.min() or not row.any():
            raise ValueError(f"tx_apodizations of transmit {k} " + ("without a firing element" if not row.any() else
                             "of both signs (a coded transmit)") + "; expected a plane or spherical wave; el.open() of the "
                             "file handles it")
    if read(parameters, "apply_lens_correction", False):
        raise ValueError("apply_lens_correction = True is not supported here; el.open() of the file refracts the paths")
    frequencies = {name: _of_each(parameters, name, n_tx) for name in ("center_frequency", "demodulation_frequency")}
    for name, values in frequencies.items():
        if numpy.ptp(values) > 0:
            raise ValueError(f"{name} of {len(numpy.unique(values))} values; expected one")
    center_hz = frequencies["center_frequency"][0]
    iq = (n_ch or number(parameters, "n_ch", what, 1)) == 2
    demod_hz = float(frequencies["demodulation_frequency"][0] or center_hz)
    t0_s = _of_each(parameters, "initial_times", n_tx) - _peaks_s(parameters, n_tx)
    n_samples, width_m = int(number(parameters, "n_ax", what)), number(parameters, "element_width", what, 0.0)
    return Acquisition({
        "axes": ["transmit", "time", "element", "iq" if iq else "one"], "shape": [n_tx, n_samples, n_el, 2 if iq else 1],
        "dtype": "float32", "fs_hz": number(parameters, "sampling_frequency", what), "fc_hz": float(center_hz),
        "c_m_s": number(parameters, "sound_speed", what, 1540.0), "t0_s": t0_s.tolist(), **iq_keys(iq, demod_hz, t0_s),
        **({"element_width_m": width_m} if width_m > 0 else {}),
        **elements(*geometry.T), "tx": [{"kind": "delays", "delays_s": [
            float(s) if w else None for s, w in zip(row, row_weights)]} for row, row_weights in zip(delays_s, weights)]})


def _make_operation() -> type:
    try:
        from zea.internal.core import DataTypes
        from zea.ops import Operation
    except ImportError as error:
        raise ImportError(f"zea is not installed ({error}); pip install echoloop-viewer[zea]") from None
    from ._beamform import Beamformer, Grid

    class Beamform(Operation):
        """Operation of a zea pipeline: raw data [batch, n_tx, n_ax, n_el, n_ch] to pixels [batch, nz, nx, 2] (I, Q).

        x_m, z_m: (first, last, number) of the grid, m; without them that of zea's parameters. settings: those of
        Beamformer.
        """

        def __init__(self, x_m: Any = None, z_m: Any = None, settings: Any = None, **kwargs: Any) -> None:
            super().__init__(input_data_type=DataTypes.RAW_DATA, output_data_type=DataTypes.BEAMFORMED_DATA,
                             **{"jittable": False, "jit_compile": False, **kwargs})
            self._grid = (x_m, z_m)
            self._settings = dict(settings or {})
            self._made: Any = None

        def _former(self, shape: tuple, facts: dict) -> Any:
            same = self._made is not None and self._made[0].keys() == facts.keys() and \
                all(numpy.array_equal(value, facts[name]) for name, value in self._made[0].items())
            if not same:
                x_m, z_m = self._grid
                points = facts.get("grid")
                if points is not None and points.ndim == 3:
                    x_m = x_m or (points[0, 0, 0], points[0, -1, 0], points.shape[1])
                    z_m = z_m or (points[0, 0, 2], points[-1, 0, 2], points.shape[0])
                acq = acquisition({**facts, "n_ax": shape[2], "n_ch": shape[4]})
                self._made = facts, Beamformer(acq, **{"grid": Grid(x_m, z_m), **self._settings})
            return self._made[1]

        # The pipeline passes the parameters that are named here.
        def call(self, probe_geometry: Any = None, t0_delays: Any = None, initial_times: Any = None,
                 sampling_frequency: Any = None, center_frequency: Any = None, tx_apodizations: Any = None,
                 demodulation_frequency: Any = None, sound_speed: Any = None, t_peak: Any = None, grid: Any = None,
                 **kwargs: Any) -> dict:
            named = {name: value for name, value in locals().items() if name not in ("self", "kwargs", "__class__")}
            facts = {name: numpy.asarray(value) for name, value in named.items() if value is not None}
            data = numpy.asarray(kwargs[self.key], dtype=numpy.float32)
            data = data if data.ndim == 5 else data[None]
            pixels = self._former(data.shape, facts)(data, copy=True)
            return {self.output_key: numpy.stack([pixels.real, pixels.imag], axis=-1)}

    return Beamform


def __getattr__(name: str) -> Any:
    if name != "Beamform":
        raise AttributeError(f"module 'echoloop_viewer.zea' has no attribute '{name}'")
    globals()[name] = _make_operation()
    return globals()[name]
