"""Sends frames of channel data to Echoloop, the viewer for live ultrasound. One file, Python 3.9 or newer, no packages.

    from echoloop import Sender
    with Sender(description) as s:          # description: a dict, as in README.md beside this file
        while True:
            s.send(scanner.read())          # numpy array, bytes, anything with the buffer protocol
or, without a copy:
        with s.block() as b:                # memory of one frame: numpy array, or memoryview without numpy
            scanner.read_into(b)

On Linux and the same machine the samples go through shared memory, elsewhere over TCP. Nothing here raises because the
viewer is away: send() returns a status, and the script runs on. One Sender, one thread. Licence: MIT, as Echoloop.
"""
import collections
import errno
import json
import math
import mmap
import os
import queue
import re
import select
import socket
import struct
import sys
import threading
import time

try:
    import ctypes
    ctypes.pythonapi.PyObject_GetBuffer
except (ImportError, AttributeError):  # one thread copies
    ctypes = None
try:
    import numpy
except ImportError:  # memoryviews do
    numpy = None

OK, NO_VIEWER, NO_ROOM, TIMEOUT, STOPPED = "ok", "no viewer", "no room", "timeout", "stopped"

_MARK = 0x4F4843E1
_HELLO, _WELCOME, _DESCRIBE, _ACCEPTED, _REFUSED, _CREDITS, _FRAMES = range(1, 8)
_STATE, _STOPPED, _RESUME, _PING, _PONG, _BYE = range(8, 14)
_HEADER = struct.Struct("<IIQ")
_WORD_BYTES = 64
_NUMBERS = 1 << 64  # sequence and lost count modulo this
_HEADED_WORD = struct.Struct("<IIQQqQQQIIIIQ")  # header and word at once
_CREDIT = struct.Struct("<IIQ")
_HERE, _INLINE = 1, 2
_MAY_BE_SKIPPED = 0x80000000
_DEFAULT_ADDRESS = "live:default"
_RETRY_S = 0.1
_MOST_JSON = (64 << 20) - 8  # bytes of a description
_CONNECT_S = 3.0  # a host that does not answer is asked again then
_POLICIES = ("block", "error", "drop-oldest", "drop-newest")
_LEAST_SHARED = 1 << 20  # bytes of a frame that several threads copy
_PIECE = 1 << 19         # bytes that one of them takes


class Refused(ValueError):
    """The viewer refused the description or the connection; the message is its line."""


def _text(value):
    raw = value.encode()
    return struct.pack("<Q", len(raw)) + raw


def _read_text(payload, offset):
    (size,) = struct.unpack_from("<Q", payload, offset)
    return bytes(payload[offset + 8:offset + 8 + size]).decode(errors="replace")


def _plain(value):
    """What numpy leaves in a description, for JSON."""
    if numpy is not None and isinstance(value, (type, numpy.dtype)):
        return str(numpy.dtype(value))
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError("a description cannot hold " + type(value).__name__)


def _described(description):
    """A description (dict or JSON) as the viewer gets it."""
    text = description if isinstance(description, (str, bytes)) else json.dumps(description, default=_plain)
    plain = json.loads(text)
    if not isinstance(plain, dict):
        raise ValueError(f"a description of type {type(plain).__name__}; expected a dict, or JSON of an object")
    if "like" in plain:
        plain["like"] = os.path.abspath(plain["like"])
    return plain


def _type_of(view):
    """Of the values of a memoryview, as descriptions name it; its format where they do not."""
    letter = view.format.lstrip("@=<>")
    order = "big-endian " if view.format.startswith(">") else ""
    for letters, name in (("bhilq", "int"), ("BHILQ", "uint"), ("efd", "float")):
        if letter in letters:
            return f"{order}{name}{8 * view.itemsize}"
    return order + {"Zf": "complex64", "Zd": "complex128"}.get(letter, view.format)


def _long_axes(shape, values):
    """Of axes longer than 1."""
    return tuple(value for length, value in zip(shape, values) if length != 1)


def _bytes_of_frame(d):
    """Of the description d; 0 where it has no shape and type of its own."""
    bits = re.search(r"\d+$", str(d.get("dtype", "")))
    if bits is None or "shape" not in d:
        return 0
    value = int(bits.group()) // 8
    if "strides_bytes" in d:
        return sum((n - 1) * stride for n, stride in zip(d["shape"], d["strides_bytes"])) + value
    return math.prod(d["shape"]) * value


def _parse(address):
    """(path, None, None) or (None, (host, port), token file)."""
    address = address or _DEFAULT_ADDRESS
    if not address.startswith("live:"):
        raise ValueError(f"address = '{address}'; expected live:NAME or live:tcp:HOST:PORT[,token=FILE]")
    rest = address[len("live:"):] or "default"
    if rest.startswith("tcp:"):
        place, _, token = rest[len("tcp:"):].partition(",token=")
        host, _, port = place.rpartition(":")
        if not host or not port.isdigit() or not 0 < int(port) < 65536:
            raise ValueError(f"address = '{address}'; expected live:tcp:HOST:PORT[,token=FILE], PORT from 1 to 65535")
        return None, (host, int(port)), token or None
    if not re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,39}", rest):
        raise ValueError(f"address = '{address}'; expected live:NAME, of up to 40 letters, digits, '-', '_' and '.'")
    folder = os.environ.get("XDG_RUNTIME_DIR", "")
    folder = os.path.join(folder, "echoloop") if folder.startswith("/") else f"/tmp/echoloop-{os.geteuid()}"
    return os.path.join(folder, rest + ".sock"), None, None


def _read_token(file):
    with open(file) as text:
        words = text.read(4096).split()
    if not words:
        raise ValueError(f"token file '{file}' without a word; expected the word of the viewer's token file")
    return words[0]


class Sender:
    """A connection to a viewer. `timeout`: seconds to wait for the viewer at the start, and in send() for room.
    `copy_threads`: threads, the caller's included, that copy a frame of 1 MiB or more into shared memory."""

    def __init__(self, description, address=None, *, name=None, timeout=10.0, copy_threads=2):
        if not 1 <= copy_threads <= 16:
            raise ValueError(f"copy_threads = {copy_threads}; expected 1 to 16")
        self._description = _described(description)
        self._checked = None    # format, shape and strides that agree with the description
        self._path, self._place, token_file = _parse(address)
        self._token = _read_token(token_file) if token_file else ""
        self._name = name or os.path.basename(sys.argv[0] or "") or "python3"
        self.timeout = timeout
        self._pid = os.getpid()
        self._copiers = _Copiers(copy_threads - 1) if ctypes is not None and copy_threads > 1 else None
        self._socket = None
        self._map = None
        self._generation = 0
        self._frame_bytes = 0   # of the accepted description
        self._sequence = 0
        self._lost = 0
        self._sent = 0
        self._last_try = float("-inf")
        self._busy = False      # another sender is connected: the message has its name
        self.policy = None      # of the viewer
        self.paused = False     # the viewer asks for a pause
        self.message = f"no viewer at {address or _DEFAULT_ADDRESS}"  # later the last line of the viewer
        self._forget()
        if self._knows_frames():
            self._wait(lambda: self._ready, timeout)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        self._end()

    # What the script calls.

    def send(self, frame, *, sequence=None, acquired_ns=None, device_ticks=0, follows=True, timeout=None):
        """Sends one frame; returns a status. After TIMEOUT the frame was not sent: send it again, or call lost(1)."""
        if not self._knows_frames():
            self._describe_by(frame)
        raw = self._bytes_of(frame)
        status = self._room(timeout)
        if status != OK:
            return self._missed(status)
        if len(raw) != self._frame_bytes:
            raise ValueError(f"a frame of {len(raw)} bytes; expected {self._frame_bytes}")
        if self._map is not None:
            _, offset = self._credits[-1]
            if self._copiers is not None and len(raw) >= _LEAST_SHARED:
                self._copiers.copy(self._map, offset, raw)
            else:
                self._map[offset:offset + len(raw)] = raw
            raw = None
        return self._publish(raw, sequence, acquired_ns, device_ticks, follows)

    def block(self, *, timeout=None, **info):
        """Memory of one frame, published when the with-block ends, dropped when it raises."""
        return _Block(self, timeout, info)

    def lost(self, frames=1):
        """The scanner made so many frames that are not sent."""
        self._sequence = (self._sequence + frames) % _NUMBERS
        self._lost = (self._lost + frames) % _NUMBERS

    def describe(self, description):
        """From now on the frames are others: depth, sequence, probe. After Refused they are as before."""
        before, after = self._description, _described(description)
        try:
            self._change(after)
        except Refused:
            self._change(before)
            raise

    def _change(self, description):
        self._description = description
        self._checked = None
        self._frame_bytes = 0
        self._generation += 1
        self._accepted = self._ready = False
        self._credits.clear()
        if self._knows_frames():
            self._describe()

    def _describe(self):
        if self._socket is not None and self._welcomed:
            self._send_description()
        self._wait(lambda: self._ready, self.timeout)

    @property
    def status(self):
        """OK, NO_VIEWER or STOPPED."""
        self._check_process()
        self._advance()
        return NO_VIEWER if not self._ready else STOPPED if self._stopped else OK

    @property
    def counts(self):
        return {"next": self._sequence, "sent": self._sent, "lost": self._lost}

    def close(self, reason="the script ended"):
        if self._socket is not None and self._welcomed:
            self._send_all([_HEADER.pack(_MARK, _BYE, len(_text(reason))) + _text(reason)])
        if self._socket is not None:  # until the viewer has read all of it
            limit = time.monotonic() + 2.0
            try:
                self._socket.shutdown(socket.SHUT_WR)
                while time.monotonic() < limit:
                    select.select([self._socket], [], [], 0.1)
                    try:
                        if not self._socket.recv(65536):
                            break
                    except BlockingIOError:
                        pass
            except OSError:
                pass
        self._end()

    # The connection.

    def _forget(self):
        self._connecting = False  # the host has not answered yet
        self._welcomed = self._accepted = self._ready = self._stopped = False
        self._blocks = 0
        self._credits = []
        self._incoming = bytearray()
        self._descriptors = []

    def _drop(self, why):
        if getattr(self, "_socket", None) is None:
            return
        self._socket.close()
        self._socket = None
        for descriptor in self._descriptors:
            os.close(descriptor)
        if self._map is not None:
            try:
                self._map.close()
            except BufferError:  # a block is still looked at: its memory stays
                pass
            self._map = None
        self._forget()
        self.message = why or self.message

    def _end(self):
        self._drop("")
        if getattr(self, "_copiers", None) is not None:
            self._copiers.end()

    def _check_process(self):
        if os.getpid() != self._pid:
            raise RuntimeError("this Sender was made before a fork: make one in the new process")

    def _knows_frames(self):
        d = self._description
        return "like" in d or "acquisition" in d or ("shape" in d and "dtype" in d)

    def _describe_by(self, frame):
        if not hasattr(frame, "shape") or not hasattr(frame, "dtype"):
            raise ValueError("the description has no shape and dtype, and the frame is no array")
        self._description["shape"] = list(frame.shape)
        self._description["dtype"] = str(frame.dtype)
        self._describe()

    def _bytes_of(self, frame):
        try:
            view = memoryview(frame)
        except TypeError:
            raise ValueError(f"a frame of type {type(frame).__name__}; expected an array or bytes (a NumPy array, "
                             "array.array, bytearray)") from None
        kind = view.format, view.shape, view.strides
        if kind != self._checked:
            self._check(view)
            self._checked = kind
        if view.c_contiguous:
            return view.cast("B") if view.nbytes else view
        d = self._description
        if "strides_bytes" not in d:
            return view.tobytes()
        if numpy is None or view.shape != tuple(d["shape"]):
            return view.tobytes(order="A")
        raw = bytearray(_bytes_of_frame(d))
        numpy.ndarray(view.shape, d["dtype"], raw, strides=d["strides_bytes"])[...] = frame  # with the gaps
        return raw

    def _check(self, view):
        """An array of another type or order can have as many bytes as the described one, and make another image."""
        d = self._description
        if "shape" not in d or "dtype" not in d or (view.ndim == 1 and view.itemsize == 1):  # bytes
            return
        if _type_of(view) != d["dtype"]:
            raise ValueError(f"a frame of type {_type_of(view)}; expected {d['dtype']}, as described")
        same = _long_axes(view.shape, view.shape) == _long_axes(d["shape"], d["shape"])
        if "strides_bytes" not in d:
            if view.ndim > 1 and not same:
                raise ValueError(f"a frame of shape {view.shape}; expected {tuple(d['shape'])}, as described")
        elif same and _long_axes(view.shape, view.strides) != _long_axes(d["shape"], d["strides_bytes"]):
            raise ValueError(f"a frame with strides {view.strides}; expected {tuple(d['strides_bytes'])}, as described")

    def _connect(self):
        if time.monotonic() - self._last_try < _RETRY_S:
            return
        self._last_try = time.monotonic()
        self._busy = False
        here = self._path is not None
        self._socket = socket.socket(socket.AF_UNIX if here else socket.AF_INET, socket.SOCK_STREAM)
        self._socket.setblocking(False)
        self._connecting = True
        try:
            if not here:
                self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._socket.connect(self._path if here else self._place)
        except BlockingIOError as error:
            if here and error.errno == errno.EAGAIN:  # too many senders wait
                return self._drop("")
        except socket.gaierror as error:
            return self._drop(f"host '{self._place[0]}': {error.strerror}")
        except OSError:
            return self._drop("")
        self._finish_connect(0.0)

    def _finish_connect(self, wait_s):
        _, writable, failed = select.select([], [self._socket], [self._socket], wait_s)
        if not writable and not failed:
            if time.monotonic() - self._last_try > _CONNECT_S:
                self._drop("")
            return
        if self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) != 0:
            return self._drop("")
        self._connecting = False
        transport = _HERE if self._path is not None else _INLINE
        clock = 1 if sys.platform.startswith("linux") else 0
        payload = struct.pack("<HHIQII", 1, 0, 0x01020304, os.getpid(), transport, clock)
        self._message(_HELLO, payload + _text(self._name) + _text(self._token))

    def _send_description(self):
        text = json.dumps(self._description).encode()
        if len(text) > _MOST_JSON:
            raise Refused(f"a description of {len(text)} bytes; expected up to {_MOST_JSON}")
        self._message(_DESCRIBE, struct.pack("<II", self._generation, 0) + text)

    def _message(self, kind, payload):
        return self._send_all([_HEADER.pack(_MARK, kind, len(payload)) + payload])

    def _send_all(self, parts):
        """All of the parts, in order; False when the viewer is gone."""
        parts = [memoryview(part).cast("B") for part in parts]
        limit = None
        while parts:
            try:
                sent = self._socket.sendmsg(parts) if hasattr(self._socket, "sendmsg") else self._socket.send(parts[0])
            except BlockingIOError:
                limit = limit or time.monotonic() + 10.0
                if time.monotonic() > limit:
                    self._drop("the viewer does not read")
                    return False
                select.select([], [self._socket], [], 0.1)
                continue
            except OSError:
                self._receive()  # its last line
                self._handle_all()
                self._drop("the viewer is gone")
                return False
            while parts and sent >= len(parts[0]):
                sent -= len(parts.pop(0))
            if sent:
                parts[0] = parts[0][sent:]
        return True

    def _receive(self):
        """What is there now."""
        while self._socket is not None:
            try:
                if self._path is not None:
                    data, ancillary, _, _ = self._socket.recvmsg(65536, socket.CMSG_SPACE(16 * 4))
                    for level, kind, content in ancillary:
                        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                            self._descriptors += struct.unpack(f"{len(content) // 4}i", content[:len(content) // 4 * 4])
                else:
                    data = self._socket.recv(65536)
            except BlockingIOError:
                return
            except OSError:
                data = b""
            if not data:
                self._handle_all()
                self._drop("" if self._busy else "the viewer is gone")
                return
            self._incoming += data
            if len(data) < 65536:
                return

    def _handle_all(self):
        while len(self._incoming) >= 16:
            mark, kind, size = _HEADER.unpack_from(self._incoming)
            if mark != _MARK:
                raise Refused("the address is not of a viewer")
            if len(self._incoming) < 16 + size:
                return
            payload = bytes(self._incoming[16:16 + size])
            del self._incoming[:16 + size]
            self._handle(kind, payload)

    def _handle(self, kind, payload):
        if kind == _CREDITS:
            for block, generation, offset in _CREDIT.iter_unpack(payload):
                if generation == self._generation and self._accepted:
                    self._credits.append((block, offset))
            self._ready = self._ready or bool(self._credits)
        elif kind == _WELCOME:
            self.policy = _POLICIES[struct.unpack_from("<I", payload, 8)[0]]
            self._welcomed = True
            if self._knows_frames():  # else with the first one
                self._send_description()
        elif kind == _ACCEPTED:
            generation, self._blocks, self._frame_bytes, memory = struct.unpack_from("<IIQQ", payload)
            if memory and self._descriptors:
                descriptor = self._descriptors.pop(0)
                self._map = mmap.mmap(descriptor, memory)
                os.close(descriptor)
            if generation == self._generation:
                self._accepted = True
                self.message = _read_text(payload, 24)
        elif kind == _REFUSED:
            reason, generation = struct.unpack_from("<II", payload)
            self.message = _read_text(payload, 8)
            if reason != 4 or generation == self._generation:
                self._busy = reason == 2  # the other sender may go
                if not self._busy:
                    raise Refused(self.message)
        elif kind == _STATE:
            policy, paused = struct.unpack_from("<II", payload)
            self.policy, self.paused = _POLICIES[policy], bool(paused)
        elif kind == _STOPPED:
            self._stopped, self.message = True, _read_text(payload, 0)
        elif kind == _RESUME:
            self._stopped = False
        elif kind == _PING:
            number, asked, _ = struct.unpack_from("<Qqq", payload)
            self._message(_PONG, struct.pack("<Qqq", number, asked, time.monotonic_ns()))
        elif kind == _BYE:
            self._drop(_read_text(payload, 0))

    def _advance(self, wait_s=0.0):
        """One look at the socket, for so long at most."""
        if self._socket is None:
            self._connect()
        if self._socket is None:
            if wait_s > 0.0:
                time.sleep(min(wait_s, _RETRY_S))
            return
        if self._connecting:
            self._finish_connect(wait_s)
            return
        if wait_s > 0.0:
            select.select([self._socket], [], [], wait_s)
        self._receive()
        self._handle_all()

    def _wait(self, done, timeout):
        self._check_process()
        limit = time.monotonic() + timeout
        while not done():
            left = limit - time.monotonic()
            if left <= 0.0:
                return False
            self._advance(left)
        return True

    # Frames.

    def _room(self, timeout):
        """OK when there is a block to fill."""
        self._check_process()
        if len(self._credits) < 2 or self._sent % 32 == 0:
            self._advance()
        if self._credits and not self._stopped:
            return OK
        if self._stopped:
            return STOPPED
        if self._socket is None or not self._welcomed:
            return NO_VIEWER
        timeout = self.timeout if timeout is None else timeout
        self._wait(lambda: self._credits or self._stopped or self._socket is None, timeout)
        if self._socket is None:
            return NO_VIEWER
        return STOPPED if self._stopped else OK if self._credits else TIMEOUT

    def _missed(self, status):
        if status in (NO_VIEWER, STOPPED):
            self.lost(1)
        return status

    def _publish(self, raw, sequence, acquired_ns, device_ticks, follows):
        block, _ = self._credits.pop()
        if sequence is None:
            sequence = self._sequence
        size = _WORD_BYTES + (len(raw) if raw is not None else 0)
        if acquired_ns is None:
            acquired_ns = time.monotonic_ns()
        word = _HEADED_WORD.pack(_MARK, _FRAMES, size, sequence, acquired_ns, device_ticks, self._lost,
                                 self._frame_bytes, block, self._generation, 0 if follows else 1, 0, 0)
        self._sequence = (sequence + 1) % _NUMBERS
        sent = 0
        if raw is None:  # it nearly always fits at once
            try:
                sent = self._socket.send(word)
            except OSError:
                pass
        if sent != len(word) and not self._send_all([word[sent:]] + ([raw] if raw is not None else [])):
            self._lost = (self._lost + 1) % _NUMBERS
            return NO_VIEWER
        self._sent += 1
        return OK


if ctypes is not None:
    class _Buffer(ctypes.Structure):  # Py_buffer
        _fields_ = [("buf", ctypes.c_void_p), ("obj", ctypes.c_void_p), ("len", ctypes.c_ssize_t),
                    ("itemsize", ctypes.c_ssize_t), ("readonly", ctypes.c_int), ("ndim", ctypes.c_int),
                    ("others", ctypes.c_void_p * 5)]


def _place_of(view):
    """Where a contiguous memoryview lies, also one that is not to be written to."""
    buffer = _Buffer()
    ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(view), ctypes.byref(buffer), 0)
    place = buffer.buf
    ctypes.pythonapi.PyBuffer_Release(ctypes.byref(buffer))
    return place


class _Copiers:
    """Threads beside the caller's that copy pieces of a frame: memmove of ctypes runs without the interpreter's lock.
    They start with the first frame that is large enough. A thread that comes late finds nothing left to do."""

    def __init__(self, n):
        self._n = n
        self._threads = []
        self._frames = queue.SimpleQueue()

    def copy(self, memory, offset, raw):
        while len(self._threads) < self._n:
            self._threads.append(threading.Thread(target=_run_copier, args=(self._frames,), daemon=True))
            self._threads[-1].start()
        views = memoryview(memory), memoryview(raw)  # in every piece: the memory stays while it is copied
        to, source = _place_of(views[0]) + offset, _place_of(views[1])
        pieces = collections.deque((to + at, source + at, min(_PIECE, len(raw) - at), views)
                                   for at in range(0, len(raw), _PIECE))
        n, copied = len(pieces), queue.SimpleQueue()
        for _ in self._threads:
            self._frames.put((pieces, copied))
        try:
            _copy_pieces(pieces, copied)
        finally:
            pieces.clear()  # also when a signal ended it: the block is filled again
        for _ in range(n):
            copied.get()

    def end(self):
        for _ in self._threads:
            self._frames.put(None)
        self._threads = []


def _copy_pieces(pieces, copied):
    while True:
        try:
            to, source, size, views = pieces.popleft()
        except IndexError:
            return
        ctypes.memmove(to, source, size)
        del views
        copied.put(None)


def _run_copier(frames):
    while True:
        frame = frames.get()
        if frame is None:
            return
        _copy_pieces(*frame)


class _Block:
    def __init__(self, sender, timeout, info):
        self._sender, self._timeout, self._info = sender, timeout, info

    def __enter__(self):
        s = self._sender
        if not s._knows_frames():
            raise ValueError("a description without shape and dtype; expected both, for a block of memory")
        self.status = s._room(self._timeout)
        size = s._frame_bytes or _bytes_of_frame(s._description)
        if self.status == OK and s._map is not None:
            offset = s._credits[-1][1]
            self._raw = None
            memory = memoryview(s._map)[offset:offset + size]
        else:  # over TCP, or nowhere: the script fills memory all the same
            self._raw = bytearray(size)
            memory = memoryview(self._raw)
        self._memory = memory
        d = s._description
        if numpy is not None and "shape" in d and "strides_bytes" not in d:
            return numpy.frombuffer(memory, dtype=d["dtype"]).reshape(d["shape"]) if size else memory
        return memory

    def __exit__(self, kind, *_):
        self._memory = None
        if kind is not None:
            return False
        if self.status != OK:
            self._sender._missed(self.status)
            return False
        info = {"sequence": None, "acquired_ns": None, "device_ticks": 0, "follows": True, **self._info}
        self.status = self._sender._publish(self._raw, **info)
        return False
