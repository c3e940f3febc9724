"""A function of this program as the viewer's method of image formation."""
import dataclasses
import inspect
import json
import math
import mmap
import os
import struct
import sys
import threading
import time
import traceback
import weakref

import numpy

from . import _cuda_memory
from ._acquisition import Acquisition
from ._show import NoViewer
from ._tap import Connection, Frame, _FACTS, _HELLO, _REFUSED, _FRAME, _BYE, _WORD, _text
from .sender import Refused

INPUTS = ("rf", "lines", "channels", "iq", "image")
_DEFINE, _USED, _RESULT, _FAILED, _ROOM = 20, 21, 22, 23, 24
_CALL = struct.Struct("<II4QddIIIIIIQ8dddQ")
_TYPES = ("<i2", "<f4", "<c8")
_KEPT, _KEPT_S = 4, 1.0  # definitions: the newest ones, and for so long those after the last frame's
_MOST_TEXT = {"name": 63, "unit": 15, "help": 255}  # bytes, of a parameter
_MOST_PARAMETERS, _MOST_LABELS, _MOST_DEFINITION = 8, 8, 256 << 10
_KEPT_MEMORY = 8  # of the viewer's GPU: one for each of its lanes


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A parameter of a method: a slider of the viewer, own.NAME in --set, a word of the caption."""
    name: str
    min: float
    max: float
    value: float
    help: str = ""
    unit: str = ""


class MethodFrame(Frame):
    """The frame of a call. sequence, acquired_ns, time_s: of the channel data; grid, parameters: dicts; acquisition: an
    Acquisition; x_m, z_m: positions of columns and rows in m, of a sector of all pixels; shape: (rows, columns) that are
    asked for; first_row: of these in the image. Of lines: line_rate_hz, line_demod_hz, line_valid (samples within the
    record). reference_db: level of 0 dB, of an image.
    """

    def __init__(self, array, word, info, call):
        super().__init__(array, word, info, {}, call[6], call[7])
        self.first_row, self.shape = call[10], tuple(call[11:13])
        self.grid, self.parameters = info["grid"], info["parameters"]
        self.line_rate_hz, self.line_demod_hz, self.line_valid = call[23:26]

    @property
    def acquisition(self):
        made = self.info.get("_acquisition")
        if made is None:
            made = self.info["_acquisition"] = Acquisition(self.info["acquisition"])
        return made

    def _size(self):
        return self.grid.get("nz", self.grid.get("nr")), self.shape[1]

    def _points(self):
        x, z = super()._points()
        rows = slice(self.first_row, self.first_row + self.shape[0])
        return (x if x.ndim == 1 else x[rows]), z[rows]


def _source_of(function):
    """The cell or file, as a function may call others of it; one of a large file alone."""
    try:
        text = "".join(inspect.findsource(inspect.unwrap(function))[0])
        return text if len(text) <= _MOST_DEFINITION // 4 else inspect.getsource(function)
    except (OSError, TypeError):  # no source: the compiled code
        code = getattr(function, "__code__", None)
        return repr(function) if code is None else code.co_code.hex() + repr(code.co_consts)


class Method:
    """A function that computes pixels or a mask, made by el.method(). Calling it calls the function."""

    def __init__(self, function, name, input, parameters, library, labels):  # noqa: A002
        self.function, self.name, self.input, self.parameters = function, name, input, tuple(parameters)
        self.labels = tuple(labels)
        self.error, self._at = "", None  # traceback of the last exception, and its type and place
        try:
            arguments = inspect.signature(function).parameters
        except ValueError:  # compiled
            arguments = {}
        own = {p.name for p in self.parameters} | {"out"}
        self._takes_frame = "frame" in arguments or any(
            p.name not in own and p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
            for p in list(arguments.values())[1:2])
        self._takes_out = "out" in arguments
        if library is None and "cupy" in sys.modules:
            library = "cupy"
        self._library = {"cupy": _cuda_memory.Cupy, "torch": _cuda_memory.Torch}.get(library, lambda: None)()
        on_device = self._library is not None and _cuda_memory.available()
        code = getattr(function, "__code__", None)
        place = f"{code.co_filename}:{code.co_firstlineno}" if code else ""
        self._definition = {"name": name, "input": input, "source": _source_of(function), "place": place[-1024:],
                            "memory": "cuda" if on_device else "host",
                            "parameters": [dataclasses.asdict(p) for p in self.parameters],
                            "labels": self.labels}

    def __call__(self, *arguments, **named):
        return self.function(*arguments, **named)

    def _compute(self, frame, values, out):
        """Calls the function and writes its result; out(dtype): the viewer's memory. Returns the result's type."""
        named = {p.name: v for p, v in zip(self.parameters, values)}
        if self._takes_out:
            named["out"] = out("u1" if self.labels else "<f4")
        array, shape = frame.array, frame.shape
        result = self.function(array, frame, **named) if self._takes_frame else self.function(array, **named)
        return _fit(result, shape, out, self._library, self.labels)

    def run(self, background=False, viewer="default", timeout=None):
        """Offers the method to a viewer, waits for its answer and computes frames until the viewer or stop() ends that.

        background: in a thread; running a cell with a method of the same name again replaces the function at the next
        frame. timeout: of the wait for a viewer, in s; None: without end. Raises NoViewer; Refused: in the viewer.
        """
        with _changing:
            link = _links.get((self.name, viewer))
            if link is not None and link.takes(self):
                return
            waits = (self.name, viewer) in _waiting
            _waiting[self.name, viewer] = self
        if waits:
            return
        if background:
            threading.Thread(target=self._run_quietly, args=(viewer, timeout), name=f"method {self.name}",
                             daemon=True).start()
        else:
            self._run(viewer, timeout)

    def _run(self, viewer, timeout):
        try:
            link = _Link(self.name, viewer, timeout)
        finally:
            with _changing:
                _waiting.pop((self.name, viewer), None)
        link.serve()

    def _run_quietly(self, viewer, timeout):
        try:
            self._run(viewer, timeout)
        except (Refused, ConnectionError) as why:
            print(why, file=sys.stderr)

    def stop(self):
        """Ends the connections of this name."""
        with _changing:
            for name, viewer in list(_waiting):
                if name == self.name:
                    _waiting[name, viewer] = None
        for (name, _), link in list(_links.items()):
            if name == self.name:
                link.end()


def method(name, input="iq", parameters=(), library=None, labels=()):  # noqa: A002
    """Makes a function the viewer's method: @el.method("wiener", input="iq", parameters=[el.Parameter(...)]).

    The function gets (array, frame, one argument for each parameter) and returns float32 amplitudes or complex64 pixels
    of frame.shape; with input="image" float32 levels in dB. With an argument `out` (float32) it may write there and
    return it.
    labels: names of the labels 1, 2, ... of a mask, at most 8: the function then returns uint8 labels of frame.shape, 0 for
    none, which are drawn over the image with their areas; its pixels stay as they are.
    input: rf: samples as acquired, [transmit, element, sample], of I/Q data in int16 with a last axis (I, Q); lines:
    complex64 conditioned lines, the same order; channels: complex64 [rows, nx, element], delayed and turned, summed over
    transmits, some rows of the image at a time, on a GPU all of them; iq: complex64 [nz, nx]; image: float32 dB [nz, nx], before display.
    library: "cupy" or "torch": arrays of this library, where the viewer computes on a GPU in its memory (not lines);
    "numpy"; None: cupy if it is imported, else numpy.
    """
    if input not in INPUTS:
        raise ValueError(f"input {input!r}; expected {', '.join(INPUTS)}")
    if not isinstance(name, str) or not name.isidentifier() or not name.isascii() or len(name) > 63:
        raise ValueError(f"name {name!r}; expected letters, digits and '_', at most 63")
    if library not in (None, "numpy", "cupy", "torch"):
        raise ValueError(f"library {library!r}; expected numpy, cupy or torch")
    parameters = [p if isinstance(p, Parameter) else Parameter(*p) for p in parameters]
    for p in parameters:
        numbers = all(map(math.isfinite, (p.min, p.max, p.value)))
        if not (p.name.isidentifier() and p.name.isascii() and numbers and p.min < p.max and p.min <= p.value <= p.max):
            raise ValueError(f"parameter {p}; expected min <= value <= max, and a name of letters, digits and '_'")
        for key, most in _MOST_TEXT.items():
            if len(getattr(p, key).encode()) > most:
                raise ValueError(f"parameter {p.name}: {key} of more than {most} bytes")
    if len(parameters) > _MOST_PARAMETERS or len({p.name for p in parameters}) < len(parameters):
        names = ", ".join(p.name for p in parameters)
        raise ValueError(f"parameters {names}; expected {_MOST_PARAMETERS} different ones at most")

    labels = [labels] if isinstance(labels, str) else list(labels)
    if len(labels) > _MOST_LABELS or not all(isinstance(k, str) and 0 < len(k.encode()) <= 63 for k in labels):
        raise ValueError(f"labels {labels}; expected {_MOST_LABELS} names of 1 to 63 bytes at most")

    def make(function):
        made = Method(function, name, input, parameters, library, labels)
        with _changing:
            for (other, _), link in list(_links.items()):
                if other == name:
                    link.takes(made)
            for other, viewer in _waiting:
                if other == name:
                    _waiting[other, viewer] = made
        return made
    return make


def _fit(result, shape, out, library, labels):
    """Writes the result to the viewer's memory; returns its type in the message."""
    dtype = getattr(result, "dtype", None)
    words = type(result).__name__ if dtype is None else str(getattr(dtype, "name", dtype)).removeprefix("torch.")
    if labels and words not in ("uint8", "bool"):
        raise TypeError(f"returned {words}; expected a mask in uint8, as the method has labels")
    if not labels and (dtype is None or not words.startswith(("float", "complex"))):
        raise TypeError(f"returned {words}; expected float32 or complex64, or labels= for a mask")
    if tuple(result.shape) != shape:
        raise ValueError(f"returned shape {tuple(result.shape)}; expected {shape}")
    real = words.startswith("float")
    place = out("u1" if labels else "<f4" if real else "<c8")
    if isinstance(place, numpy.ndarray):
        if hasattr(result, "detach"):  # torch
            result = result.detach().cpu().numpy()
        elif hasattr(result, "__cuda_array_interface__"):  # CuPy, Numba
            result = getattr(result, "get", getattr(result, "copy_to_host", lambda: result))()
        result = numpy.asarray(result)  # JAX
        if result.__array_interface__["data"][0] != place.__array_interface__["data"][0]:
            numpy.copyto(place, result, casting="same_kind")
    else:
        library.put(place, result)
    return 3 if labels else 1 if real else 2


class _Link(Connection):
    """The connection of a method to a viewer."""

    def __init__(self, name, viewer, timeout):
        expected = f"a viewer with a window, or one started with --method python:{name}"
        super().__init__(viewer, "method", expected, timeout)
        self.name, self.alive, self._why = name, True, ""
        self._defining = threading.Lock()
        self._definitions, self._last = {}, 0  # number: (Method, time); the newest number
        self._asked = 0  # number of the last frame's definition
        self._info, self._in, self._out, self._shared = {}, {}, {}, {}  # memory: by number
        with _changing:
            of = _waiting.pop((name, viewer), None)
            if of is None:  # stopped meanwhile
                self.alive = False
                return
            _links[name, viewer] = self
            try:
                self._send(_HELLO, struct.pack("<HHIQ", 1, 0, 0x01020304, os.getpid()))
                self._define(of)
            except NoViewer:  # closed at once; serve() reads why
                pass

    def takes(self, of):
        """Replaces the function from the next frame on. Returns False if the connection has ended."""
        try:
            if self.alive and of is not self._newest():
                self._define(of)
        except NoViewer:
            self.alive = False
        return self.alive

    def _newest(self):
        return self._definitions[self._last][0] if self._last else None

    def _define(self, of):
        data = json.dumps(of._definition).encode()
        if len(data) > _MOST_DEFINITION:
            raise ValueError(f"definition of {len(data)} bytes, with the source; expected {_MOST_DEFINITION} at most")
        with self._defining:
            now = time.monotonic()
            self._definitions[self._last + 1] = of, now
            self._last += 1
            for old in list(self._definitions)[:-_KEPT]:
                if old < self._asked or old > self._asked and now - self._definitions[old][1] > _KEPT_S:
                    del self._definitions[old]
            self._send(_DEFINE, data)

    def end(self):
        self.alive = False
        try:
            self._send(_BYE, struct.pack("<Q", 0))
            self._socket.shutdown(2)
        except (NoViewer, OSError):
            pass

    def serve(self):
        try:
            while self.alive:
                self._handle(*self._receive(math.inf))
        except NoViewer:
            if self._why:
                raise Refused(f"method {self.name}: {self._why}") from None
        finally:
            self.alive = False
            self.close()

    def _handle(self, kind, payload):
        if kind == _FRAME:
            self._frame(payload)
        elif kind == _FACTS:
            self._info = json.loads(self._map(struct.unpack("<IIQ", payload)[2]).map[:])
        elif kind == _ROOM:
            role, block, size = struct.unpack_from("<IIQ", payload)
            if role == 2:
                self._shared[struct.unpack_from("<Q", payload, 24)[0]] = payload  # opened when it is used
                for old in list(self._shared)[:-_KEPT_MEMORY]:
                    del self._shared[old]
                return
            memory = self._map(size, mmap.PROT_READ | (mmap.PROT_WRITE if role else 0))
            (self._out if role else self._in)[block] = numpy.frombuffer(memory.map, "u1")
        elif kind == _REFUSED:
            self._why = _text(payload[8:])
        elif kind == _BYE:
            self.alive = False

    def _frame(self, payload):
        word, call = _WORD.unpack_from(payload), _CALL.unpack_from(payload, _WORD.size)
        shape, number = call[2:2 + call[1]], call[14]
        self._asked = call[9]
        of = self._definitions.get(call[9], (None,))[0]
        if of is None:
            return self._answer_failed(number, 0.0, f"definition {call[9]} has been replaced")
        count, begun, done = call[11] * call[12], time.perf_counter(), b""
        try:
            if word[7]:
                memory = self._memory_of(of, word[5])
                array = memory.array(shape, _TYPES[call[8]])
            else:
                array = self._in[call[13]][:word[4]].view(_TYPES[call[8]]).reshape(shape)
                if of._library is not None:
                    array = of._library.from_host(array)
            if word[7] and not of.labels:
                out = lambda dtype: memory.out(call[11:13], dtype)  # noqa: E731
            else:  # a mask is small
                out = lambda dtype: self._out[call[13]].view(dtype)[:count].reshape(call[11:13])  # noqa: E731
            item = of._compute(MethodFrame(array, word, self._info, call), call[15:23], out)
            if word[7]:
                memory.finish()
                done = memory.done
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as why:
            self._fail(of, why, number, time.perf_counter() - begun)
        else:
            self._send(_RESULT, struct.pack("<QdIIQ", number, time.perf_counter() - begun, item, 0, count) + done)

    def _memory_of(self, of, number):
        memory = self._shared[number]
        if isinstance(memory, bytes):
            memory = self._shared[number] = _cuda_memory.Memory(memory, of._library)
        memory.library = of._library
        return memory

    def _fail(self, of, why, number, seconds):
        frames = [f for f in traceback.extract_tb(why.__traceback__) if f.filename != __file__]
        code = getattr(of.function, "__code__", None)
        own = [f for f in frames if code and f.filename == code.co_filename] or frames
        place = (own[-1].filename, own[-1].lineno) if own else (code.co_filename, code.co_firstlineno) if code else None
        try:
            text = str(why).strip()
        except Exception:
            text = ""
        line = f"{type(why).__name__}: {text}".splitlines()[0][:300] if text else type(why).__name__
        if place:
            line += f" ({os.path.basename(place[0])}:{place[1]})"
        if of._at != (type(why), place):  # else: said already
            of._at = type(why), place
            of.error = "".join(traceback.format_exception(why))
            try:
                print(of.error, file=sys.stderr)
            except Exception:  # closed
                pass
        self._answer_failed(number, seconds, line)

    def _answer_failed(self, number, seconds, line):
        data = line.encode(errors="replace")
        self._send(_FAILED, struct.pack("<QdQ", number, seconds, len(data)) + data)


_changing = threading.RLock()
_waiting = {}  # (name, viewer): Method to offer once there is a viewer; None: stopped
_links = weakref.WeakValueDictionary()  # (name, viewer): _Link
