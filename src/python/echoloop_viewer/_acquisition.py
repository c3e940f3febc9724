"""Facts of channel data: probe, transmits, sampling."""
import json
from typing import Any, Optional, Sequence, Tuple

from ._native import Handle, answer, native
from .sender import _described, _plain


class Acquisition:
    """Facts of frames [transmit, element, sample].

    description: a dict, or JSON, with the keys of the senders' page, or {"like": FILE}. n_transmits, n_elements,
    n_samples; iq; dtype of the samples in place: "int16" or "float32"; fs_hz, fc_hz, sound_speed_m_s; frame_rate_hz, 0:
    unknown; element_x_m, element_z_m; assumptions: texts. Raises ValueError with what was found and what is accepted.
    """

    def __init__(self, description: Any) -> None:
        self._given: dict
        text = json.dumps(_described(description), default=_plain)
        self._handle = Handle(native.echo_acquisition(text.encode()))
        self._take(answer(native.echo_acquisition_facts(self._handle.pointer)))
        self._given = _described(text)
        self._in_place = self._facts["in_place"] and "x_turns" not in self._given

    def _take(self, facts: dict) -> None:
        self._facts = facts
        self._given = {}
        self._in_place = True  # frames have the order and type of the acquisition
        self.n_transmits = facts["n_transmits"]
        self.n_elements = facts["n_elements"]
        self.n_samples = facts["n_samples"]
        self.iq = facts["iq"]
        self.dtype = facts["dtype"]
        self.fs_hz = facts["fs_hz"]
        self.fc_hz = facts["fc_hz"]
        self.sound_speed_m_s = facts["c_m_s"]
        self.frame_rate_hz = facts["frame_rate_hz"]
        self.element_x_m = facts["element_x_m"]
        self.element_z_m = facts["element_z_m"]
        self.assumptions = facts["assumptions"]

    @classmethod
    def linear(cls, n_elements: int, pitch_m: float, angles_rad: Sequence[float], fs_hz: float, fc_hz: float,
               n_samples: int, *, dtype: Any = "int16", t0_s: float = 0.0, t_zero: str = "origin", c_m_s: float = 1540.0,
               **more: Any) -> "Acquisition":
        """Plane waves of a linear array. angles_rad: one a transmit. more: further keys of a description."""
        angles = [float(angle) for angle in angles_rad]
        return cls({"axes": ["transmit", "element", "time"], "shape": [len(angles), n_elements, n_samples],
                    "dtype": _plain(dtype) if not isinstance(dtype, str) else dtype, "fs_hz": fs_hz, "fc_hz": fc_hz,
                    "pitch_m": pitch_m, "c_m_s": c_m_s, "t0_s": t0_s, "t_zero": t_zero,
                    "tx": [{"kind": "plane", "angle_rad": angle} for angle in angles], **more})

    @classmethod
    def from_uff(cls, channel_data: Any) -> "Acquisition":
        """Of USTB's channel data, as pyuff_ustb reads them; frames are channel_data.data.T.

        Read by name: data [time, channel, wave, frame], sampling_frequency, initial_time, modulation_frequency (of IQ),
        sound_speed, pulse, PRF; probe with geometry [7, elements] or x, y, z; sequence of waves with wavefront, source
        and delay. Raises ValueError.
        """
        from ._adapters import uff
        return cls(uff(channel_data))

    @classmethod
    def from_ultraspy(cls, info: dict, probe: Any, data_info: Optional[dict] = None) -> "Acquisition":
        """Of ultraspy: reader.acquisition_info, reader.probe, reader.data_info; frames are reader.data.

        Read by name: sampling_freq, t0, signal_duration, delays [transmit, element], sound_speed, sequence_elements, prf;
        data_shape, data_type and is_iq in either dict; geometry [3, elements] and central_freq of the probe. IQ needs
        copy=True. Raises ValueError.
        """
        from ._adapters import ultraspy
        return cls(ultraspy(info, probe, data_info))

    @property
    def shape(self) -> Tuple[int, int, int]:
        """Shape of a frame: (transmits, elements, samples); of IQ data complex samples."""
        return (self.n_transmits, self.n_elements, self.n_samples)

    @property
    def given_shape(self) -> Tuple[int, ...]:
        """Shape of a frame in the description's own order."""
        return tuple(self._given.get("shape", self.shape))

    def converted(self, frames: Any) -> Any:
        """A copy of frames in the description's own order and type, one or several, in the order of shape and of dtype;
        of IQ with pairs on a last axis. As copy=True of a Beamformer. Raises ValueError, TypeError."""
        from ._beamform import _arranged
        return _arranged(frames, self)[0].owner

    def validate(self) -> None:
        """Checks the facts again, as after a file was replaced that the description names. Raises ValueError."""
        Acquisition(self._given or self.to_dict())

    def to_dict(self) -> dict:
        """A description that keeps every bit of the facts; of frames in the order of shape."""
        return dict(self._facts["description"])

    def __repr__(self) -> str:
        kind = "IQ" if self.iq else "RF"
        return (f"Acquisition({self.n_transmits} transmits, {self.n_elements} elements, {self.n_samples} samples, "
                f"{kind} {self.dtype}, {self.fs_hz / 1e6:g} MHz)")
