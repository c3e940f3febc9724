"""Facts of channel data: probe, transmits, sampling."""
import json

from ._native import Handle, answer, native
from .sender import _described, _plain


class Acquisition:
    """Facts of frames [transmit, element, sample].

    description: a dict, or JSON, with the keys of the senders' page, or {"like": FILE}. Raises ValueError with what was
    found and what is accepted.
    """

    def __init__(self, description):
        text = json.dumps(_described(description), default=_plain)
        self._handle = Handle(native.echo_acquisition(text.encode()))
        self._take(answer(native.echo_acquisition_facts(self._handle.pointer)))

    def _take(self, facts):
        self._facts = facts
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
    def linear(cls, n_elements, pitch_m, angles_rad, fs_hz, fc_hz, n_samples, *, dtype="int16", t0_s=0.0,
               t_zero="origin", c_m_s=1540.0, **more):
        """Plane waves of a linear array. angles_rad: one a transmit. more: further keys of a description."""
        angles = [float(angle) for angle in angles_rad]
        return cls({"axes": ["transmit", "element", "time"], "shape": [len(angles), n_elements, n_samples],
                    "dtype": _plain(dtype) if not isinstance(dtype, str) else dtype, "fs_hz": fs_hz, "fc_hz": fc_hz,
                    "pitch_m": pitch_m, "c_m_s": c_m_s, "t0_s": t0_s, "t_zero": t_zero,
                    "tx": [{"kind": "plane", "angle_rad": angle} for angle in angles], **more})

    @property
    def shape(self):
        """Shape of a frame: (transmits, elements, samples); of IQ data complex samples."""
        return (self.n_transmits, self.n_elements, self.n_samples)

    def to_dict(self):
        """A description that keeps every bit of the facts."""
        return dict(self._facts["description"])

    def __repr__(self):
        kind = "IQ" if self.iq else "RF"
        return (f"Acquisition({self.n_transmits} transmits, {self.n_elements} elements, {self.n_samples} samples, "
                f"{kind} {self.dtype}, {self.fs_hz / 1e6:g} MHz)")
