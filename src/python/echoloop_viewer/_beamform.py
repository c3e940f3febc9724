"""Arrays to pixels in this process, with the viewer's own kernels."""
import collections
import difflib
import functools
import json
import math
import operator
import sys
import time
from typing import Any, Optional, Sequence, Tuple

import numpy

from ._native import Handle, answer, checked, failure, list_parameters, native
from ._acquisition import Acquisition
from .sender import _plain

_OUTPUTS = {"iq": numpy.complex64, "envelope": numpy.float32, "db": numpy.float32}  # in the order of native.cpp
_run = native.echo_run


@functools.lru_cache(maxsize=None)
def _keys() -> frozenset:
    return frozenset(row["key"] for row in list_parameters())


class Grid:
    """Pixels of an image: x_m = (first, last, number) and z_m, m; centres, end points included. None: the default."""

    def __init__(self, x_m: Optional[Sequence] = None, z_m: Optional[Sequence] = None) -> None:
        self.parameters: dict = {"grid_kind": "cartesian"}
        self._put(x_m, "x_m", "lateral_min_m", "lateral_max_m", "grid_nx")
        self._put(z_m, "z_m", "depth_min_m", "depth_max_m", "grid_nz")

    @classmethod
    def polar(cls, sector_rad: Optional[Sequence] = None, radius_m: Optional[Sequence] = None) -> "Grid":
        """Lines and radii of a sector: sector_rad = (first, last, lines), rad from +z towards +x; radius_m = (first,
        last, radii), m from the sector's apex."""
        grid = cls()
        grid.parameters = {"grid_kind": "polar"}
        grid._put(sector_rad, "sector_rad", "sector_min_rad", "sector_max_rad", "grid_nx")
        grid._put(radius_m, "radius_m", "depth_min_m", "depth_max_m", "grid_nz")
        return grid

    def _put(self, axis: Optional[Sequence], name: str, first: str, last: str, number: str) -> None:
        if axis is None:
            return
        if len(axis) != 3:
            raise ValueError(f"{name} of {len(axis)} numbers; expected (first, last, number)")
        self.parameters.update({first: float(axis[0]), last: float(axis[1]), number: int(axis[2])})


class _Given:
    """Frames or results as they were given: where their memory is, shape, type. TypeError for a wrong interface."""

    def __init__(self, memory: Any, array: Optional[numpy.ndarray] = None) -> None:
        self.owner: Any = memory if array is None else array
        self.on_device = array is None
        try:
            interface = memory.__cuda_array_interface__ if array is None else array.__array_interface__
            self.shape = tuple(map(operator.index, interface["shape"]))
            self.dtype = numpy.dtype(interface["typestr"])
            self.address = operator.index(interface["data"][0] or 0)
            self.read_only = bool(interface["data"][1])
            self.stream = operator.index(interface.get("stream") or 0)
            strides = interface.get("strides")
            self.in_order = strides is None or _are_c_strides(tuple(strides), self.shape, self.dtype.itemsize)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            raise TypeError(f"array of type {type(self.owner).__name__} with a wrong __cuda_array_interface__; "
                            "expected shape, typestr and data") from None
        self.nbytes = self.dtype.itemsize * math.prod(self.shape)
        self.aligned = self.address % max(self.dtype.alignment, 1) == 0
        self.copied = False  # converted on the host


def _are_c_strides(strides: tuple, shape: tuple, itemsize: int) -> bool:
    """Axes of length 1 have any stride."""
    expected = itemsize
    for length, stride in zip(reversed(shape), reversed(strides)):
        if length != 1 and stride != expected:
            return False
        expected *= length
    return len(strides) == len(shape)


def _stream_of(frames: Any, given: _Given, stream: Optional[int]) -> int:
    """Handle of the stream on which the frames are made: the caller's, of CuPy or torch the current one."""
    if stream is not None:
        return int(stream)
    library = type(frames).__module__.split(".")[0]
    if library == "cupy":
        return sys.modules["cupy"].cuda.get_current_stream().ptr
    if library == "torch":
        return sys.modules["torch"].cuda.current_stream(frames.device).cuda_stream
    return given.stream


def _seen(frames: Any) -> _Given:
    """The memory of an array of any library, without a copy."""
    if isinstance(frames, numpy.ndarray):
        return _Given(None, frames)
    if hasattr(frames, "__cuda_array_interface__"):
        return _Given(frames)
    try:
        if hasattr(frames, "__dlpack__"):
            return _Given(None, numpy.from_dlpack(frames))
        return _Given(None, numpy.asarray(frames if hasattr(frames, "__array_interface__") else memoryview(frames)))
    except Exception as error:  # of the other library, or of an object that is no array
        if not hasattr(frames, "__dlpack__") and not hasattr(frames, "__array_interface__"):
            raise TypeError(f"frames of type {type(frames).__name__}; expected an array") from None
        why = " ".join(str(error).split())[:120]
        raise TypeError(f"frames of type {type(frames).__name__} give no array: {type(error).__name__}"
                        f"{': ' + why if why else ''}; expected a host array, or one of the Beamformer's GPU") from None


def _given(frames: Any, acq: Acquisition, copy: bool) -> Tuple[_Given, bool]:
    """The frames in the acquisition's order and type, and if they are several. Raises ValueError, TypeError."""
    given = _seen(frames)
    copy = copy and not given.on_device
    complex_pairs = acq.iq and acq.dtype == "float32" and given.dtype.kind == "c"
    wanted = numpy.dtype("complex64" if complex_pairs else acq.dtype)
    shape = acq.shape + ((2,) if acq.iq and not complex_pairs else ())
    if given.dtype != wanted:
        if given.dtype.newbyteorder("=") == wanted and not copy:
            raise TypeError("frames of foreign byte order; copy=True converts them")
        if not copy or given.dtype.kind not in ("c" if complex_pairs else "iuf"):
            raise TypeError(f"frames of type {given.dtype}; expected {_type_words(acq)}" + ("" if copy else
                            f"; {'astype()' if given.on_device else 'copy=True'} converts them"))
        given = _Given(None, given.owner.astype(wanted))
        given.copied = True
    if len(given.shape) not in (len(shape), len(shape) + 1) or given.shape[-len(shape):] != shape:
        raise ValueError(f"frames of shape {given.shape}; expected {shape}, or several of them")
    several = len(given.shape) > len(shape)
    if several and given.shape[0] == 0:
        raise ValueError(f"frames of shape {given.shape}; expected at least one frame")
    if not given.in_order or not given.aligned:
        if not copy:
            library = type(given.owner).__module__.split(".")[0]
            raise ValueError(f"frames not aligned to {given.dtype.alignment} bytes; frames.copy() copies them"
                             if given.in_order else "frames not in C order; " + ("frames.contiguous()"
                             if library == "torch" else f"{library}.ascontiguousarray(frames)") + " copies them")
        given = _Given(None, given.owner.copy(order="C"))
        given.copied = True
    return given, several


def _arranged(frames: Any, acq: Acquisition) -> Tuple[_Given, bool]:
    """Frames in the description's own order and type, copied into the acquisition's. And if they are several."""
    if "strides_bytes" in acq._given or "shape" not in acq._given:
        raise ValueError("a description without shape, or with strides_bytes; expected frames of whole axes")
    shape, dtype = acq.given_shape, numpy.dtype(acq._given["dtype"])
    given = _seen(frames)
    if given.on_device:
        raise ValueError("frames on a CUDA device in an order of their own; expected the order [transmit, element, time]")
    if given.dtype.kind not in "iufc" or (given.dtype.kind == "c") > (dtype.kind == "c"):
        raise TypeError(f"frames of type {given.dtype}; expected {dtype}")
    if given.shape[-len(shape):] != shape or len(given.shape) > len(shape) + 1 or 0 in given.shape:
        raise ValueError(f"frames of shape {given.shape}; expected {shape}, or several of them")
    several = len(given.shape) > len(shape)
    source = numpy.ascontiguousarray(given.owner, dtype=dtype).reshape((-1,) + shape)
    result = numpy.empty((len(source),) + acq.shape + ((2,) if acq.iq else ()), acq.dtype)
    for one, to in zip(source, result):
        checked(native.echo_convert(acq._handle.pointer, one.ctypes.data, one.nbytes, to.ctypes.data, to.nbytes))
    if "x_turns" in acq._given:  # of the clock on which the transmits of IQ are demodulated
        turns = numpy.exp(-2j * numpy.pi * numpy.array(acq._given["x_turns"]))
        result.view(numpy.complex64)[...] *= turns.astype(numpy.complex64)[:, None, None, None]
    given = _Given(None, result if several else result[0])
    given.copied = True
    return given, several


def _empty_beside(frames: Any, on_device: bool, shape: tuple, dtype: Any) -> Any:
    """Memory for results: of the caller's library where the frames are on a device."""
    library = type(frames).__module__.split(".")[0]
    if on_device and library == "cupy":
        return sys.modules["cupy"].empty(shape, dtype)
    if on_device and library == "torch":
        torch = sys.modules["torch"]
        return torch.empty(shape, dtype=getattr(torch, numpy.dtype(dtype).name), device=frames.device)
    return numpy.empty(shape, dtype)


def _type_words(acq: Acquisition) -> str:
    return f"{acq.dtype} pairs (I, Q) on the last axis" + (" or complex64" if acq.dtype == "float32" else "") \
        if acq.iq else acq.dtype


class Beamformer:
    """Frames of an acquisition to pixels.

    acq: Acquisition, or a description. grid: Grid, or None for the program's default. device: "auto", "cpu", "cuda",
    "cuda:N". output: "iq" (complex64), "envelope" (float32 |b|), "db" (float32 against reference_db). threads: of the
    CPU, 0: all. Parameters: any key of list_parameters(). Raises ValueError and TypeError in one line.
    """

    def __init__(self, acq: Any, *, grid: Optional[Grid] = None, device: str = "auto", output: str = "iq",
                 threads: int = 0, **parameters: Any) -> None:
        if output not in _OUTPUTS:
            raise ValueError(f"output = '{output}' is not valid; expected iq, envelope or db")
        self.acquisition = acq if isinstance(acq, Acquisition) else Acquisition(acq)
        self.output = output
        text = self._text(grid, parameters)
        self._handle = Handle(native.echo_beamformer(self.acquisition._handle.pointer, text, str(device).encode(),
                                                     int(threads)))
        self._number = list(_OUTPUTS).index(output)
        self._dtype = numpy.dtype(_OUTPUTS[output])
        self._used: Any = {}
        self._forget()

    def _forget(self) -> None:
        self._state: Any = None
        self._shape: Any = None
        self._known: dict = {}  # shape of the result and bytes by shape, strides and type of frames found right

    @staticmethod
    def _text(grid: Optional[Grid], parameters: dict) -> bytes:
        for key in parameters:
            if key not in _keys():
                near = difflib.get_close_matches(key, _keys(), 1)
                raise ValueError(f"unknown parameter '{key}'; expected a key of list_parameters()" +
                                 (f", such as {near[0]}" if near else ""))
        values = dict(grid.parameters if grid is not None else {}, **parameters)
        return json.dumps(values, default=_plain).encode()

    def set(self, *, grid: Optional[Grid] = None, **parameters: Any) -> None:
        """Changes parameters for the next call. A refused set changes nothing: ValueError."""
        _ = self.used  # of the parameters so far
        checked(native.echo_set(self._handle.pointer, self._text(grid, parameters)))
        self._forget()

    def _now(self) -> Any:
        if self._state is None:
            self._state = answer(native.echo_state(self._handle.pointer))
        return self._state

    @property
    def parameters(self) -> dict:
        """All parameters in use, by key."""
        return dict(self._now()["parameters"])

    @property
    def grid(self) -> dict:
        """Pixels of the result: {"kind", "x_m", "z_m"} as (first, last, number), or of a sector."""
        return dict(self._now()["grid" if self.output == "db" else "beam_grid"])

    @property
    def shape(self) -> Tuple[int, int]:
        """Shape of one result: (nz, nx)."""
        if self._shape is None:
            grid = self.grid
            x, z = ("sector_rad", "radius_m") if grid["kind"] == "polar" else ("x_m", "z_m")
            self._shape = (grid[z][2], grid[x][2])
        return self._shape

    @property
    def device(self) -> str:
        """Backend and device: "CPU: 2 threads"."""
        state = self._now()
        return f"{state['backend']}: {state['device']}"

    @property
    def reference_db(self) -> Optional[float]:
        """Level of 0 dB; None before the first frame with output "db", whose brightest pixel decides."""
        return answer(native.echo_state(self._handle.pointer))["reference_db"]

    @property
    def used(self) -> dict:
        """What the last call used: kernel, precision, why_fp32, input_copies, output_copies, ms; empty before.

        input_copies: of the frames, on their way to where they are read. output_copies: of each result, on its way to
        `out`; 0 if the last stage writes it there.
        """
        if isinstance(self._used, tuple):  # made when it is read
            converted, on_host, output_copies, seconds = self._used
            now = self._now()
            self._used = {"kernel": now["backend"], "precision": now["precision"], "why_fp32": now["why_fp32"],
                          "input_copies": converted + (on_host and now["backend"] != "CPU"),
                          "output_copies": output_copies, "ms": seconds * 1e3}
        return self._used

    def __call__(self, frames: Any, out: Any = None, *, stream: Optional[int] = None, copy: bool = False) -> Any:
        """Pixels [nz, nx], or [batch, nz, nx], of frames [transmit, element, sample] with or without a batch axis.

        frames: of the host, or of the Beamformer's GPU. stream: CUDA stream handle whose work makes them; None: the
        current one of CuPy or torch. out: C-ordered array of the result's shape and type, which is filled and returned.
        copy: converts other types and orders on the host, which otherwise are refused.
        """
        known = key = None
        if type(frames) is numpy.ndarray:
            key = (frames.shape, frames.strides, frames.dtype)
            known = self._known.get(key)
        if known is not None and frames.flags.aligned:
            address, converted, on_device = frames.ctypes.data, 0, False
            shape, nbytes = known
        else:
            acq = self.acquisition
            if not acq._in_place and not copy:
                raise ValueError("the description has an order or type of its own, "
                                 f"{', '.join(acq._given['axes'])} of {acq._given['dtype']}; copy=True converts it")
            given, several = _given(frames, acq, copy) if acq._in_place else _arranged(frames, acq)
            address, nbytes, converted, on_device = given.address, given.nbytes, int(given.copied), given.on_device
            shape = (given.shape[0],) + self.shape if several else self.shape
            if key is not None and given.owner is frames:
                self._known[key] = shape, nbytes
        if out is None:
            out = _empty_beside(frames, on_device, shape, self._dtype)
        if not (type(out) is numpy.ndarray and out.shape == shape and out.dtype == self._dtype and out.flags.carray):
            self._check_out(out, shape)
        result = out.ctypes.data if type(out) is numpy.ndarray else _seen(out).address
        size = self._dtype.itemsize * math.prod(shape)
        if address < result + size and result < address + nbytes:
            raise ValueError("out overlaps frames")
        begin = time.perf_counter()
        copies = _run(self._handle.pointer, address, nbytes, _stream_of(frames, given, stream) if on_device else -1,
                      self._number, result, size, not isinstance(out, numpy.ndarray))
        if copies < 0:
            raise failure()
        self._used = converted, not on_device, copies, time.perf_counter() - begin
        return out

    def _check_out(self, out: Any, shape: tuple) -> None:
        if not hasattr(out, "__cuda_array_interface__") and not isinstance(out, numpy.ndarray):
            raise TypeError(f"out of type {type(out).__name__}; expected a numpy array, or one on the GPU")
        result = _seen(out)
        if result.dtype != self._dtype or result.shape != shape:
            raise ValueError(f"out of {result.dtype} {result.shape}; expected {self._dtype} {shape}")
        if result.read_only:
            raise ValueError("out is read-only")
        if not result.in_order or not result.aligned:
            raise ValueError("out not in C order" if not result.in_order else "out not aligned")
        if result.on_device and self._now()["backend"] == "CPU":
            raise TypeError("out on a CUDA device; expected host memory, as the device is the CPU")


_KEPT = 8
_kept: "collections.OrderedDict[str, Beamformer]" = collections.OrderedDict()


def beamform(frames: Any, acq: Any, **parameters: Any) -> Any:
    """Pixels [nz, nx], or [batch, nz, nx], of frames [transmit, element, sample] in one call.

    acq: Acquisition, or a description. parameters: those of Beamformer, out, copy and stream of its call. The last 8
    Beamformers are kept, by their arguments.
    """
    acq = acq if isinstance(acq, Acquisition) else Acquisition(acq)
    call = {name: parameters.pop(name) for name in ("out", "copy", "stream") if name in parameters}
    grid = parameters.get("grid")
    key = json.dumps([acq._given or acq.to_dict(), grid.parameters if grid is not None else None,
                      {name: value for name, value in parameters.items() if name != "grid"}],
                     default=_plain, sort_keys=True)
    made = _kept.pop(key, None) or Beamformer(acq, **parameters)
    _kept[key] = made
    while len(_kept) > _KEPT:
        _kept.popitem(last=False)
    return made(frames, **call)
