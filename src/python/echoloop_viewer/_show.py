"""A viewer from a script, with or without a window: started or found, controlled, sent frames."""
import itertools
import json
import os
import signal
import socket
import subprocess
import tempfile
import threading
import time
import traceback

from ._acquisition import Acquisition
from ._native import program
from .sender import OK, Refused, Sender

_numbers = itertools.count(1)
_RETRY_S = 0.05


class NoViewer(ConnectionError):
    """No viewer is there, or it has ended."""


def _folder():
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    return os.path.join(runtime, "echoloop") if runtime else f"/tmp/echoloop-{os.geteuid()}"


def _end_with_parent():
    import ctypes
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


class Viewer:
    """A viewer that this script controls. Viewer(): the one started with --control; Viewer.start(): a new one.

    Raises NoViewer where there is none, Refused with the program's line for requests that it refuses.
    """

    def __init__(self, name="default", *, timeout=10.0, _child=None):
        self.name = name
        self._child = _child
        self._sending = None
        self._ending = threading.Event()
        self._ids = itertools.count(1)
        self._lock = threading.Lock()
        self._folder = None
        self._listeners = []
        self.counts_sent = {}
        self._socket = self._connect(timeout)
        self._lines = self._socket.makefile("rb")

    def _connect(self, timeout):
        path = os.path.join(_folder(), f"{self.name}.control")
        end = time.monotonic() + timeout
        while True:
            connection = socket.socket(socket.AF_UNIX)
            try:
                connection.connect(path)
                return connection
            except OSError as error:
                connection.close()
                ended = self._child is not None and self._child.poll() is not None
                if ended or time.monotonic() > end or self._child is None:
                    raise NoViewer(f"no viewer at {path} ({error.strerror}); expected one started with "
                                   f"--control={self.name}") from None
                time.sleep(_RETRY_S)

    @classmethod
    def start(cls, source=None, *arguments, headless=False, keep=False, timeout=60.0, **parameters):
        """Starts a viewer. source: a recording, sim:cyst ..., live:NAME. headless: without a window. arguments: of the
        command line. keep: it goes on after this script."""
        name = f"python-{os.getpid()}-{next(_numbers)}"
        words = [program(), *([source] if source else []), *map(str, arguments), f"--control={name}"]
        words += ["--headless"] if headless else []
        for key, value in parameters.items():
            words += ["--set", f"{key}={value}"]
        child = subprocess.Popen(words, stdin=subprocess.DEVNULL, start_new_session=keep,
                                 preexec_fn=None if keep else _end_with_parent)
        try:
            return cls(name, timeout=timeout, _child=None if keep else child)
        except BaseException:
            child.terminate()
            child.wait()
            raise

    def call(self, method, **params):
        """The result of a request: describe lists all."""
        with self._lock:
            reply = self._request(self._socket, self._lines, method, params)
        if "error" in reply:
            error = Refused(reply["error"]["message"])
            error.code = reply["error"]["code"]
            raise error
        return reply["result"]

    def _request(self, connection, lines, method, params):
        number = next(self._ids)
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        try:
            connection.sendall(json.dumps(request).encode() + b"\n")
            while True:
                line = lines.readline()
                if not line:
                    raise NoViewer(f"the viewer {self.name} has ended")
                reply = json.loads(line)
                if reply.get("id") == number:
                    return reply
        except (BrokenPipeError, ConnectionResetError):
            raise NoViewer(f"the viewer {self.name} has ended") from None

    def on(self, kind, function):
        """Calls function(event) for each event of this kind (describe lists them), in a thread with a connection of its
        own. Returns a function that ends it."""
        connection = self._connect(10.0)
        lines = connection.makefile("rb")
        reply = self._request(connection, lines, "subscribe", {"events": [kind]})
        if "error" in reply:
            connection.close()
            raise Refused(reply["error"]["message"])

        def listen():
            with lines:
                try:
                    for line in lines:
                        try:
                            function(json.loads(line)["params"])
                        except Exception:  # the next event comes nevertheless
                            traceback.print_exc()
                except OSError:
                    pass

        thread = threading.Thread(target=listen, daemon=True)

        def end():
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            if threading.current_thread() is not thread:
                thread.join()
            connection.close()

        thread.start()
        self._listeners.append(end)
        return end

    def set(self, *, label=None, **values):
        """Changes parameters: all, or none if one is refused. label: name of the step of undo."""
        return self.call("set", values=values, **({"label": label} if label else {}))["revision"]

    def undo(self, steps=1):
        """Undoes changes of parameters and marks; returns them in words."""
        return self.call("undo", steps=steps)["text"]

    def redo(self, steps=1):
        """Redoes what was undone."""
        return self.call("redo", steps=steps)["text"]

    def save(self, what, path, overwrite=False):
        """Writes a file: image, levels, data, measurements, session, timings, spans."""
        return self.call("save", what=what, path=os.path.abspath(path), overwrite=overwrite)

    def get(self, *keys):
        """Values of these parameters by name; without names of all."""
        return self.call("get", **({"keys": list(keys)} if keys else {}))["values"]

    @property
    def parameters(self):
        return self.get()

    def settled(self, timeout=10.0):
        """Waits for the first image made with the present parameters."""
        return self.call("wait", timeout_s=timeout)

    def measurements(self, timeout=10.0):
        """Numbers of the Measure panel on the first image made with the present parameters."""
        at_least = self.settled(timeout)["sequence"]
        end = time.monotonic() + timeout
        while True:
            try:
                values = self.call("measurements")
                if values["sequence"] >= at_least or time.monotonic() > end:
                    return values
            except Refused:
                if time.monotonic() > end:
                    raise
            time.sleep(_RETRY_S)

    def image(self, timeout=10.0):
        """Levels [nz, nx] in dB of the first image made with the present parameters."""
        import numpy
        self.settled(timeout)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "image.npy")
            self.call("image", path=path)
            return numpy.load(path)

    def _repr_png_(self):
        """The present image in a notebook."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "image.png")
            self.call("png", path=path)
            with open(path, "rb") as file:
                return file.read()

    def counts(self):
        """Frames produced, processed, dropped, shown; rates."""
        return self.call("counts")

    def send(self, frames, acq, address):
        """Sends frames to the address in the background."""
        self._sending = threading.Thread(target=self._send, args=(frames, acq, address), daemon=True)
        self._sending.start()

    def _send(self, frames, acq, address):
        with Sender(acq.to_dict(), address) as sender:
            for frame in frames:
                samples = frame if acq._in_place else acq.converted(frame)
                while not self._ending.is_set():
                    if sender.send(samples, timeout=0.2) == OK:
                        break
                if self._ending.is_set():
                    break
            self.counts_sent = sender.counts

    def close(self):
        """Ends what this object started: sending, and the viewer."""
        self._ending.set()
        if self._sending is not None:
            self._sending.join()
        while self._listeners:
            self._listeners.pop()()
        if self._child is not None:
            try:
                self.call("quit")
            except (NoViewer, Refused):
                self._child.terminate()
            self._child.wait()
            self._child = None
        self._lines.close()
        self._socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def show(frames, acq=None, *, loop=False, arguments=(), **parameters):
    """Starts a viewer and sends frames: an array, a generator or a Recording. Returns the Viewer.

    loop: repeats an array or a Recording until the viewer is closed. arguments: of the command line. Parameters: any key
    of list_parameters().
    """
    acq = getattr(frames, "acquisition", None) if acq is None else acq
    if acq is None:
        raise ValueError("show() of an array needs its acquisition")
    acq = acq if isinstance(acq, Acquisition) else Acquisition(acq)
    whole = len(acq.shape) + (1 if acq.iq and getattr(frames, "dtype", None) != "complex64" else 0)
    if getattr(frames, "ndim", None) == whole:
        frames = [frames]
    address = f"live:python-{os.getpid()}-{next(_numbers)}"
    viewer = Viewer.start(address, *arguments, **parameters)
    viewer.send(itertools.cycle(frames) if loop else frames, acq, address)
    return viewer
