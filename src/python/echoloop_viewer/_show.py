"""A viewer as a child process that shows frames of this one."""
import itertools
import os
import shutil
import signal
import subprocess
import tempfile
import threading

from ._native import program
from ._acquisition import Acquisition
from .sender import OK, Sender


_numbers = itertools.count(1)


class Viewer:
    """A started viewer. Ends with this object, or close()."""

    def __init__(self, frames, acq, parameters, headless, arguments):
        self._folder = tempfile.mkdtemp(prefix="echoloop-")
        self.address = f"live:python-{os.getpid()}-{next(_numbers)}"
        self.image_file = os.path.join(self._folder, "image.npy")
        words = [program(), self.address, *arguments]
        for key, value in parameters.items():
            words += ["--set", f"{key}={value}"]
        if headless:
            words += ["--headless", "--image-out", self.image_file]
        self._child = subprocess.Popen(words, stdin=subprocess.DEVNULL, preexec_fn=_end_with_parent)
        self._ending = threading.Event()
        self.counts = {}
        self._thread = threading.Thread(target=self._send, args=(frames, acq), daemon=True)
        self._thread.start()

    def _send(self, frames, acq):
        """Sends until the frames, the viewer or this object end."""
        with Sender(acq.to_dict(), self.address) as sender:
            for frame in frames:
                while not self._ending.is_set() and self._child.poll() is None:
                    if sender.send(frame, timeout=0.2) == OK:
                        break
                if self._ending.is_set() or self._child.poll() is not None:
                    break
            self.counts = sender.counts

    def wait(self, timeout=None):
        """Waits until all frames are sent and the program has ended; returns its exit status."""
        self._thread.join(timeout)
        return self._child.wait(timeout)

    def close(self):
        self._ending.set()
        if self._child.poll() is None:
            self._child.terminate()
        self._child.wait()
        self._thread.join()
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def _end_with_parent():
    import ctypes
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


def show(frames, acq=None, *, headless=False, loop=False, arguments=(), **parameters):
    """Starts a viewer and sends frames: an array, a generator or a Recording. Returns the Viewer.

    loop: repeats an array or a Recording until the viewer is closed. Parameters: any key of list_parameters().
    """
    acq = getattr(frames, "acquisition", None) if acq is None else acq
    if acq is None:
        raise ValueError("show() of an array needs its acquisition")
    acq = acq if isinstance(acq, Acquisition) else Acquisition(acq)
    whole = len(acq.shape) + (1 if acq.iq and getattr(frames, "dtype", None) != "complex64" else 0)
    if getattr(frames, "ndim", None) == whole:
        frames = [frames]
    return Viewer(itertools.cycle(frames) if loop else frames, acq, parameters, headless, arguments)
