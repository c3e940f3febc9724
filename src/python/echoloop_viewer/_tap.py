"""Images, complex pixels and results of analyses of a running viewer, in shared memory."""
import collections
import json
import math
import mmap
import os
import select
import socket
import struct
import threading
import time

import numpy

from ._show import NoViewer, _folder

KINDS = {"image": "<f4", "screen": "u1", "iq": "<c8", "flow": "<f4", "spectrum": "<f4", "objects": "<i4"}
_MARK = 0x4F4843E1
_HELLO, _WELCOME, _FACTS, _MEMORY, _REFUSED, _GIVE_BACK, _FRAME, _WHY, _BYE, _NEXT = 1, 2, 3, 4, 5, 6, 7, 9, 13, 14
_WORD = struct.Struct("<QqQQQIIIIQ")
_SHAPE = struct.Struct("<II3QddQ")
_RETRY_S = 0.05


class _Memory:
    """Blocks that the viewer shares."""

    def __init__(self, file, size, access=mmap.PROT_READ):
        self.map = mmap.mmap(file, size, mmap.MAP_SHARED, access)
        self.address = numpy.frombuffer(self.map, "u1").ctypes.data


class _Block:
    """The samples of a frame; the viewer may use the block again when no array refers to it any more."""

    def __init__(self, memory, unused, at, shape, dtype, place):
        self._memory, self._unused, self._at = memory, unused, at
        self.__array_interface__ = {"version": 3, "shape": shape, "typestr": numpy.dtype(dtype).str,
                                    "data": (memory.address + place, True)}

    def __del__(self):
        self._unused.append(self._at)


class Frame:
    """A frame of a Tap. array: a read-only view, valid as long as an array refers to it; copy() keeps it.

    x_m, z_m: positions of columns and rows in m; of a sector of all pixels [nz, nx]. sequence, acquired_ns, time_s: of
    the frame of channel data; lost: frames of this kind that this reader has not got so far; revision: changes with
    info; info: dict with grid, parameters, acquisition; more: dict of the frame (objects, columns).
    """

    def __init__(self, array, word, info, more, time_s, reference_db):
        self.array = array
        self.sequence, self.acquired_ns, self.lost = word[0], word[1], word[3]
        self.info, self.more = info, more
        self.revision = info.get("revision", 0)
        self.time_s, self.reference_db = time_s, reference_db

    def _size(self):
        return self.array.shape[-2:]

    def _points(self):
        grid, (rows, columns) = self.info["grid"], self._size()
        if self.info["kind"] == "screen":
            rows, columns = self.array.shape[:2]
            step = self.more["step_m"]
            return self.more["x0_m"] + step * numpy.arange(columns), self.more["z0_m"] + step * numpy.arange(rows)
        if self.info["kind"] == "spectrum":
            raise AttributeError("a spectrum has no x_m and z_m; more has time_s and aliasing_m_s")
        if grid.get("kind") != "polar":
            return (numpy.linspace(grid["x_first_m"], grid["x_last_m"], columns),
                    numpy.linspace(grid["z_first_m"], grid["z_last_m"], rows))
        angle = numpy.linspace(grid["angle_first_rad"], grid["angle_last_rad"], columns)
        radius = numpy.linspace(grid["r_first_m"], grid["r_last_m"], rows)[:, None]
        return radius * numpy.sin(angle), grid["apex_z_m"] + radius * numpy.cos(angle)

    @property
    def x_m(self):
        return self._points()[0]

    @property
    def z_m(self):
        return self._points()[1]

    def copy(self):
        """The array in memory of its own."""
        return self.array.copy()

    def __array__(self, dtype=None, copy=None):
        return numpy.array(self.array, dtype) if copy or dtype not in (None, self.array.dtype) else self.array


class Connection:
    """A socket NAME.ENDING of a viewer, with messages and the files that come with them."""

    def __init__(self, viewer, ending, expected, timeout):
        self._viewer, self.timeout = viewer, timeout
        self._buffer, self._files = b"", []
        self._sending = threading.Lock()
        self._socket = self._connect(ending, expected, timeout)
        self._poll = select.poll()
        self._poll.register(self._socket, select.POLLIN)

    def _connect(self, ending, expected, timeout):
        path = os.path.join(_folder(), f"{self._viewer}.{ending}")
        end = math.inf if timeout is None else time.monotonic() + timeout
        while True:
            connection = socket.socket(socket.AF_UNIX)
            try:
                connection.connect(path)
                return connection
            except OSError as error:
                connection.close()
                if time.monotonic() > end:
                    raise NoViewer(f"no {ending} at {path} ({error.strerror}); expected {expected}") from None
                time.sleep(_RETRY_S)

    def _send(self, kind, payload):
        try:
            with self._sending:
                self._socket.sendall(struct.pack("<IIQ", _MARK, kind, len(payload)) + payload)
        except OSError:
            raise NoViewer(f"the viewer {self._viewer} has ended") from None

    def _fill(self, size, end):
        while len(self._buffer) < size:
            left = end - time.monotonic()
            if left <= 0:
                raise TimeoutError
            try:
                if left < math.inf and not self._poll.poll(1e3 * left):
                    raise TimeoutError
                data, files, _, _ = socket.recv_fds(self._socket, 65536, 8)
            except TimeoutError:
                raise
            except (OSError, ValueError):  # also closed by another thread
                data, files = b"", []
            self._files += files
            if not data:
                raise NoViewer(f"the viewer {self._viewer} has ended")
            self._buffer += data

    def _receive(self, end):
        self._fill(16, end)
        mark, kind, size = struct.unpack("<IIQ", self._buffer[:16])
        if mark != _MARK or size > 65536:
            raise ConnectionError("bytes that are no message of a viewer")
        self._fill(16 + size, end)
        payload, self._buffer = self._buffer[16:16 + size], self._buffer[16 + size:]
        return kind, payload

    def _map(self, size, access=mmap.PROT_READ):
        file = self._files.pop(0)
        try:
            return _Memory(file, size, access)
        finally:
            os.close(file)

    def close(self):
        """Ends the connection. Arrays stay valid."""
        self._socket.close()
        for file in self._files:
            os.close(file)
        self._files = []


class Tap(Connection):
    """Frames of one kind of a viewer started with --tap, the newest each time: for frame in Tap("iq").

    kind: image (float32 [nz, nx], dB), screen (uint8 [nz, nx] or [nz, nx, 3]), iq (complex64 [nz, nx]), flow (float32
    [2, nz, nx]: dB, m/s; low_rank: [3, ...]), spectrum (float32 [n, n_v], dB), objects (int32 [nz, nx]).
    viewer: its name. block: every frame; only where the viewer has no window. timeout: in s, for each frame.
    Raises NoViewer, ValueError (kind), TimeoutError with the reason for no frames.
    """

    def __init__(self, kind, viewer="default", *, block=False, timeout=10.0):
        if kind not in KINDS:
            raise ValueError(f"kind {kind!r}; expected {', '.join(KINDS)}")
        self.kind = kind
        self._lock = threading.Lock()
        self._unused = collections.deque()  # blocks to give back; filled by any thread
        self._asked = False
        self._memory, self._info, self._why = None, {}, ""
        super().__init__(viewer, "tap", f"a viewer started with --tap={viewer}", timeout)
        name = kind.encode()
        self._send(_HELLO, struct.pack("<HHIQIQ", 1, 0, 0x01020304, os.getpid(), int(block), len(name)) + name)
        kind_of, payload = self._receive(time.monotonic() + timeout)
        if kind_of == _REFUSED:
            self.close()
            raise ValueError(_text(payload[8:]))

    def read(self, timeout=None):
        """The newest frame that this reader has not got; waits for it."""
        end = time.monotonic() + (self.timeout if timeout is None else timeout)
        with self._lock:
            return self._read(end)

    def _read(self, end):
        while self._unused:
            self._send(_GIVE_BACK, struct.pack("<II", *self._unused.popleft()))
        if not self._asked:
            self._send(_NEXT, b"")
        self._asked = True
        try:
            while True:
                kind, payload = self._receive(end)
                if kind == _FRAME:
                    self._asked = False
                    return self._frame(payload)
                if kind == _FACTS:
                    self._info = json.loads(self._map(struct.unpack("<IIQ", payload)[2]).map[:])
                elif kind == _MEMORY:
                    self._memory = self._map(struct.unpack("<IIQQ", payload)[3])
                    self._block_bytes = struct.unpack("<IIQQ", payload)[2]
                elif kind == _WHY:
                    self._why = _text(payload)
                elif kind == _BYE:
                    raise NoViewer(f"the viewer {self._viewer} has ended")
                elif kind == _REFUSED:
                    raise ConnectionError(_text(payload[8:]))
        except TimeoutError:
            why = self._why or "the stream has no new ones"
            raise TimeoutError(f"no {self.kind} of the viewer {self._viewer} in time: {why}") from None

    def _frame(self, payload):
        word = _WORD.unpack_from(payload)
        _, dims, *shape, time_s, reference_db, more_bytes = _SHAPE.unpack_from(payload, _WORD.size)
        place = word[5] * self._block_bytes
        block = _Block(self._memory, self._unused, word[5:7], tuple(shape[:dims]), KINDS[self.kind], place)
        more = self._memory.map[place + word[4]:place + word[4] + more_bytes]
        return Frame(numpy.asarray(block), word, self._info, json.loads(more) if more else {}, time_s, reference_db)

    def __iter__(self):
        return self

    def __next__(self):
        try:
            return self.read()
        except NoViewer:
            raise StopIteration from None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def _text(payload):
    return payload[8:8 + struct.unpack("<Q", payload[:8])[0]].decode("utf-8", "replace")
