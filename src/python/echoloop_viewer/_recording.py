"""Recordings of any format, read by the sandboxed reader process."""
import ctypes
import json
import os
from typing import Any, Optional

import numpy

from ._native import Handle, answer, native, use_reader
from ._acquisition import Acquisition
from .sender import _plain


class _Frame:
    """Keeps the memory of a frame for the arrays that view it."""

    def __init__(self, recording: "Recording", index: int) -> None:
        samples = ctypes.c_void_p()
        self._recording = recording
        self._handle = Handle(native.echo_frame(recording._handle.pointer, index, ctypes.byref(samples)))
        acq = recording.acquisition
        self.__array_interface__ = {"version": 3, "shape": acq.shape + ((2,) if acq.iq else ()),
                                    "typestr": numpy.dtype(acq.dtype).str, "data": (samples.value, True)}


class _OfRecording(Acquisition):
    def __init__(self, facts: dict) -> None:
        self._take(facts)
        self._handle = Handle(native.echo_acquisition(json.dumps(facts["description"]).encode()))


class Recording:
    """Frames of a file: len(), [index] as a read-only array, numpy.asarray() of all, [frame, ...], which is a copy.

    A frame: [transmit, element, sample] of acquisition.dtype, of IQ with (I, Q) on a last axis. acquisition; format;
    assumptions: texts. Raises FileNotFoundError, ValueError with the reader's line, IndexError.
    """

    def __init__(self, path: Any, description: Optional[dict] = None) -> None:
        use_reader()
        text = None if description is None else json.dumps(description, default=_plain).encode()
        self._handle = Handle(native.echo_open(os.fsencode(path), text))
        facts = answer(native.echo_recording_facts(self._handle.pointer))
        self.acquisition = _OfRecording(facts)
        self.format = facts["format"]
        self.assumptions = facts["assumptions"]
        self._frames = facts["frames"]

    def __len__(self) -> int:
        return self._frames

    def __getitem__(self, index: Any) -> numpy.ndarray:
        index = index.__index__()
        place = index + self._frames if index < 0 else index
        if not 0 <= place < self._frames:
            raise IndexError(f"frame {index} of {self._frames}")
        return numpy.asarray(_Frame(self, place))

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> numpy.ndarray:
        if copy is False:
            raise ValueError("all frames as one array are a copy")
        return numpy.stack([self[i] for i in range(self._frames)]).astype(dtype or self.acquisition.dtype, copy=False)

    @property
    def times_s(self) -> numpy.ndarray:
        """Time of each frame from the first, s; empty without a frame rate."""
        rate = self.acquisition.frame_rate_hz
        return numpy.arange(self._frames) / rate if rate > 0 else numpy.empty(0)

    def __repr__(self) -> str:
        return f"Recording({self._frames} frames, {self.format}, {self.acquisition!r})"


def open(path: Any, description: Optional[dict] = None) -> Recording:  # noqa: A001: as in the manual
    """Opens a recording of any format. description: a dict used in place of any beside the file."""
    return Recording(path, description)
