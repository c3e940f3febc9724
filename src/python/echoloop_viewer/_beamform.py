"""Arrays to pixels in this process, with the viewer's own kernels."""
import collections
import ctypes
import difflib
import functools
import json
import math
import sys
import time

import numpy

from ._native import Frames, Handle, answer, checked, list_parameters, native
from ._acquisition import Acquisition
from .sender import _plain

_OUTPUTS = {"iq": numpy.complex64, "envelope": numpy.float32, "db": numpy.float32}


@functools.lru_cache(maxsize=None)
def _keys():
    return frozenset(row["key"] for row in list_parameters())


class Grid:
    """Pixels of an image: x_m = (first, last, number) and z_m; centres, end points included."""

    def __init__(self, x_m=None, z_m=None):
        self.parameters = {"grid_kind": "cartesian"}
        self._put(x_m, "x_m", "lateral_min_m", "lateral_max_m", "grid_nx")
        self._put(z_m, "z_m", "depth_min_m", "depth_max_m", "grid_nz")

    @classmethod
    def polar(cls, sector_rad=None, radius_m=None):
        """Lines and radii of a sector: sector_rad = (first, last, lines), radius_m = (first, last, radii)."""
        grid = cls()
        grid.parameters = {"grid_kind": "polar"}
        grid._put(sector_rad, "sector_rad", "sector_min_rad", "sector_max_rad", "grid_nx")
        grid._put(radius_m, "radius_m", "depth_min_m", "depth_max_m", "grid_nz")
        return grid

    def _put(self, axis, name, first, last, number):
        if axis is None:
            return
        if len(axis) != 3:
            raise ValueError(f"{name} of {len(axis)} numbers; expected (first, last, number)")
        self.parameters.update({first: float(axis[0]), last: float(axis[1]), number: int(axis[2])})


class _Given:
    """Frames as they were given: where their memory is, shape, type."""

    def __init__(self, memory, array=None):
        interface = memory.__cuda_array_interface__ if array is None else array.__array_interface__
        self.owner, self.on_device = (memory, True) if array is None else (array, False)
        self.shape = tuple(interface["shape"])
        self.dtype = numpy.dtype(interface["typestr"])
        self.address = interface["data"][0] or 0
        self.nbytes = self.dtype.itemsize * math.prod(self.shape)
        strides = interface.get("strides")
        self.in_order = strides is None or tuple(strides) == _c_strides(self.shape, self.dtype.itemsize)
        self.stream = interface.get("stream") or 0
        self.copied = False  # converted on the host


def _c_strides(shape, itemsize):
    strides = [itemsize]
    for length in reversed(shape[1:]):
        strides.insert(0, strides[0] * length)
    return tuple(strides[:len(shape)])


def _stream_of(frames, given, stream):
    """Handle of the stream on which the frames are made: the caller's, of CuPy or torch the current one."""
    if stream is not None:
        return int(stream)
    library = type(frames).__module__.split(".")[0]
    if library == "cupy":
        return sys.modules["cupy"].cuda.get_current_stream().ptr
    if library == "torch":
        return sys.modules["torch"].cuda.current_stream(frames.device).cuda_stream
    return given.stream


def _given(frames, acq, copy):
    """The frames in the acquisition's order and type, without a copy; or ValueError, TypeError. And if they are several."""
    if hasattr(frames, "__cuda_array_interface__"):
        given = _Given(frames)
    elif isinstance(frames, numpy.ndarray):
        given = _Given(None, frames)
    elif hasattr(frames, "__dlpack__"):
        given = _Given(None, numpy.from_dlpack(frames))
    elif hasattr(frames, "__array_interface__") or isinstance(frames, (bytes, bytearray, memoryview)):
        given = _Given(None, numpy.asarray(frames))
    else:
        raise TypeError(f"frames of type {type(frames).__name__}; expected an array")
    copy = copy and not given.on_device
    wanted = numpy.dtype(acq.dtype)
    shape = acq.shape + ((2,) if acq.iq else ())
    if acq.iq and given.dtype == numpy.complex64 and wanted == numpy.float32 and given.in_order:
        given.dtype, given.shape = wanted, given.shape + (2,)
    if given.dtype != wanted:
        if given.dtype.newbyteorder("=") == wanted:
            raise TypeError("frames of foreign byte order")
        if not copy:
            raise TypeError(f"frames of type {given.dtype}; expected {_type_words(acq)}; "
                            f"{'astype()' if given.on_device else 'copy=True'} converts them")
        given = _Given(None, given.owner.astype(wanted))
        given.copied = True
    if len(given.shape) not in (len(shape), len(shape) + 1) or given.shape[-len(shape):] != shape:
        raise ValueError(f"frames of shape {given.shape}; expected {shape}, or several of them")
    several = len(given.shape) > len(shape)
    if several and given.shape[0] == 0:
        raise ValueError(f"frames of shape {given.shape}; expected at least one frame")
    if not given.in_order or given.address % given.dtype.itemsize:
        library = type(given.owner).__module__.split(".")[0]
        if not copy:
            raise ValueError("frames not in C order; " + ("frames.contiguous()" if library == "torch" else
                             f"{library}.ascontiguousarray(frames)") + " copies them")
        given = _Given(None, numpy.ascontiguousarray(given.owner))
        given.copied = True
    return given, several


def _empty_beside(frames, on_device, shape, dtype):
    """Memory for results: of the caller's library where the frames are on a device."""
    library = type(frames).__module__.split(".")[0]
    if on_device and library == "cupy":
        return sys.modules["cupy"].empty(shape, dtype)
    if on_device and library == "torch":
        torch = sys.modules["torch"]
        return torch.empty(shape, dtype=getattr(torch, numpy.dtype(dtype).name), device=frames.device)
    return numpy.empty(shape, dtype)


def _type_words(acq):
    return f"{acq.dtype} pairs (I, Q) on the last axis" + (" or complex64" if acq.dtype == "float32" else "") \
        if acq.iq else acq.dtype


class Beamformer:
    """Frames of an acquisition to pixels.

    acq: Acquisition, or a description. grid: Grid, or None for the program's default. device: "auto", "cpu", "cuda",
    "cuda:N". output: "iq" (complex64), "envelope" (float32 |b|), "db" (float32 against reference_db). threads: of the
    CPU, 0: all. Parameters: any key of list_parameters(). Raises ValueError and TypeError in one line.
    """

    def __init__(self, acq, *, grid=None, device="auto", output="iq", threads=0, **parameters):
        if output not in _OUTPUTS:
            raise ValueError(f"output = '{output}' is not valid; expected iq, envelope or db")
        self.acquisition = acq if isinstance(acq, Acquisition) else Acquisition(acq)
        self.output = output
        text = self._text(grid, parameters)
        self._handle = Handle(native.echo_beamformer(self.acquisition._handle.pointer, text, str(device).encode(),
                                                     int(threads)))
        self._state = None
        self._shape = None
        self.used = {}

    @staticmethod
    def _text(grid, parameters):
        for key in parameters:
            if key not in _keys():
                near = difflib.get_close_matches(key, _keys(), 1)
                raise ValueError(f"unknown parameter '{key}'; expected a key of list_parameters()" +
                                 (f", such as {near[0]}" if near else ""))
        values = dict(grid.parameters if grid is not None else {}, **parameters)
        return json.dumps(values, default=_plain).encode()

    def set(self, *, grid=None, **parameters):
        """Changes parameters for the next call. A refused set changes nothing."""
        checked(native.echo_set(self._handle.pointer, self._text(grid, parameters)))
        self._state = self._shape = None

    def _now(self):
        if self._state is None:
            self._state = answer(native.echo_state(self._handle.pointer))
        return self._state

    @property
    def parameters(self):
        """All parameters in use, by key."""
        return dict(self._now()["parameters"])

    @property
    def grid(self):
        """Pixels of the result: {"kind", "x_m", "z_m"} as (first, last, number), or of a sector."""
        return dict(self._now()["grid" if self.output == "db" else "beam_grid"])

    @property
    def shape(self):
        """Shape of one result: (nz, nx)."""
        if self._shape is None:
            grid = self.grid
            x, z = ("sector_rad", "radius_m") if grid["kind"] == "polar" else ("x_m", "z_m")
            self._shape = (grid[z][2], grid[x][2])
        return self._shape

    @property
    def device(self):
        """Backend and device: "CPU: 2 threads"."""
        state = self._now()
        return f"{state['backend']}: {state['device']}"

    @property
    def reference_db(self):
        """Level of 0 dB; None before the first frame with output "db", whose brightest pixel decides."""
        return answer(native.echo_state(self._handle.pointer))["reference_db"]

    def __call__(self, frames, out=None, *, stream=None, copy=False):
        """Pixels [nz, nx], or [batch, nz, nx], of frames [transmit, element, sample] with or without a batch axis.

        frames: of the host, or of the Beamformer's GPU. stream: CUDA stream handle whose work makes them; None: the
        current one of CuPy or torch. out: C-ordered array of the result's shape and type, which is filled and returned.
        copy: converts other types and orders on the host, which otherwise are refused.
        """
        given, several = _given(frames, self.acquisition, copy)
        if not self.acquisition._facts["in_place"]:
            raise ValueError("the description has an order or type of its own; expected shape [transmit, element, time] "
                             f"of {self.acquisition.dtype}")
        shape = (given.shape[0],) + self.shape if several else self.shape
        wanted = numpy.dtype(_OUTPUTS[self.output])
        if out is None:
            out = _empty_beside(frames, given.on_device, shape, wanted)
        result = _Given(out) if hasattr(out, "__cuda_array_interface__") else None
        if result is None and not isinstance(out, numpy.ndarray):
            raise TypeError(f"out of type {type(out).__name__}; expected a numpy array, or one on the GPU")
        result = result or _Given(None, out)
        if result.dtype != wanted or result.shape != shape:
            raise ValueError(f"out of {result.dtype} {result.shape}; expected {wanted} {shape}")
        if not result.on_device and not out.flags.writeable:
            raise ValueError("out is read-only")
        if not result.in_order:
            raise ValueError("out not in C order")
        if given.address < result.address + result.nbytes and result.address < given.address + given.nbytes:
            raise ValueError("out overlaps frames")
        if result.on_device and self._now()["backend"] == "CPU":
            raise TypeError("out on a CUDA device; expected host memory, as the device is the CPU")
        where = Frames(given.address, given.nbytes, _stream_of(frames, given, stream), given.on_device)
        begin = time.perf_counter()
        checked(native.echo_run(self._handle.pointer, ctypes.byref(where), self.output.encode(), result.address,
                                result.nbytes))
        now = self._now()
        self.used = {"kernel": now["backend"], "precision": now["precision"], "why_fp32": now["why_fp32"],
                     "input_copies": int(given.copied), "output_copies": 1,
                     "ms": (time.perf_counter() - begin) * 1e3}
        return out


_KEPT = 8
_kept = collections.OrderedDict()


def beamform(frames, acq, **parameters):
    """Pixels of frames; the last 8 Beamformers are kept, by their arguments."""
    acq = acq if isinstance(acq, Acquisition) else Acquisition(acq)
    call = {name: parameters.pop(name) for name in ("out", "copy", "stream") if name in parameters}
    grid = parameters.get("grid")
    key = json.dumps([acq.to_dict(), grid.parameters if grid is not None else None,
                      {name: value for name, value in parameters.items() if name != "grid"}],
                     default=_plain, sort_keys=True)
    made = _kept.pop(key, None) or Beamformer(acq, **parameters)
    _kept[key] = made
    while len(_kept) > _KEPT:
        _kept.popitem(last=False)
    return made(frames, **call)
