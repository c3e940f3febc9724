"""Images out of a running viewer: every frame once, the newest to slow readers, readers that misbehave."""
import itertools
import os
import pathlib
import socket
import subprocess
import tempfile
import threading
import unittest

import echoloop_viewer as el
from echoloop_viewer._native import program
from echoloop_viewer._show import _folder

try:
    import numpy
except ImportError:
    numpy = None

READERS = int(os.environ.get("ECHOLOOP_READERS", 30))  # that come and go
GRID = ["--set", "grid_nx=48", "--set", "grid_nz=64"]
_numbers = itertools.count()


@unittest.skipUnless(numpy is not None, "needs numpy")
class Taps(unittest.TestCase):
    def run_viewer(self, *arguments):
        name = f"test-{os.getpid()}-{next(_numbers)}"
        words = [program(), *arguments, "--headless", "--backend", "cpu", "--history-mb", "0", f"--tap={name}", "--tap-wait", "60"]
        child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(child.stderr.close)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        return name, child

    def endless(self, *arguments):
        """A viewer that goes on, and that frames come from."""
        return self.run_viewer("sim:cyst", *GRID, "--duration", "600", "--rate", "200", *arguments)

    def test_every_frame_once_as_image_out(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "last.npy")
            name, child = self.run_viewer("sim:cyst", *GRID, "--frames", "20", "--set", "reference_db=60",
                                          "--image-out", str(file))
            with el.Tap("image", name, block=True, timeout=60) as tap, el.Tap("iq", name, block=True, timeout=60) as pixels:
                frames, pixel = [], None
                for frame in tap:
                    frames.append((frame.sequence, frame.lost, frame.copy()))
                    if pixel is None or pixel.sequence < frame.sequence:  # the second reader may come after a frame
                        pixel = next(pixels)
                    if pixel.sequence == frame.sequence:
                        level = 20 * numpy.log10(numpy.abs(pixel.array) + 1e-30) - pixel.reference_db
                        self.assertLess(numpy.abs(level - frame.array)[frame.array > -60].max(), 1e-3)
            self.assertEqual([f[0] for f in frames], list(range(20)))
            self.assertEqual((frames[-1][1], pixel.sequence), (0, 19))
            self.assertEqual(child.wait(60), 0)
            self.assertTrue((numpy.load(file) == frames[-1][2]).all())
            self.assertEqual(frame.x_m.shape, (48,))
            self.assertEqual(frame.info["parameters"]["reference_db"], 60)
            self.assertEqual(el.Acquisition(frame.info["acquisition"]).n_elements, 64)

    def test_all_kinds(self):
        name, _ = self.endless("--set", "flow=power", "--set", "structure=bright", "--set", "gate=on")
        with el.Tap("screen", name, timeout=60) as tap:
            screen = next(tap)
        self.assertIn(screen.array.ndim, (2, 3))
        self.assertEqual(screen.array.dtype, numpy.uint8)
        self.assertGreater(screen.array.max(), 100)
        self.assertEqual((screen.z_m.size, screen.x_m.size), screen.array.shape[:2])
        with el.Tap("flow", name, timeout=60) as tap:
            flow = next(tap)
        self.assertEqual(flow.array.shape, (2, 64, 48))
        self.assertTrue(numpy.isfinite(flow.array).all())
        with el.Tap("objects", name, timeout=60) as tap:
            objects = next(tap)
        self.assertEqual(objects.array.dtype, numpy.int32)
        self.assertEqual(objects.array.max(), len(objects.more["objects"]))
        with el.Tap("spectrum", name, timeout=60) as tap:
            first, second = next(tap), next(tap)
        self.assertEqual(first.more["first"] + len(first.array), second.more["first"])
        self.assertEqual(first.array.shape, (len(first.more["time_s"]), first.array.shape[1]))

    def test_who_holds_all_blocks_loses_frames_and_keeps_values(self):
        name, _ = self.endless()
        with el.Tap("image", name, timeout=60) as tap:
            held = [next(tap) for _ in range(4)]
            values = [frame.copy() for frame in held]
            with self.assertRaises(TimeoutError):
                tap.read(timeout=0.3)
            for frame, value in zip(held, values):
                self.assertTrue((frame.array == value).all())
                self.assertFalse(frame.array.flags.writeable)
            lost, last = held[-1].lost, held[-1].sequence
            array = held[0].array
            del held, frame
            after = next(tap)
            self.assertGreater(after.lost, lost)
            self.assertGreater(after.sequence, last + 1)
            self.assertTrue((array == values[0]).all())

    def test_reasons_in_one_line(self):
        with self.assertRaisesRegex(ValueError, "kind 'picture'; expected image, screen"):
            el.Tap("picture")
        with self.assertRaisesRegex(el.NoViewer, "no tap at .*--tap=nobody"):
            el.Tap("image", "nobody", timeout=0.1)
        name, _ = self.endless()
        with el.Tap("image", name, timeout=60) as tap:
            next(tap)
        for kind, why in (("flow", "flow is off"), ("spectrum", "spectral Doppler is off"), ("objects", "objects are off")):
            with el.Tap(kind, name, timeout=60) as tap, self.assertRaisesRegex(TimeoutError, f"no {kind} .*{why}"):
                tap.read(timeout=0.5)

    def test_readers_come_and_go(self):
        name, child = self.endless()
        descriptors = pathlib.Path(f"/proc/{child.pid}/fd")
        with el.Tap("image", name, timeout=60) as tap:
            next(tap)
            many = [el.Tap("image", name, timeout=60) for _ in range(15)]
            with self.assertRaisesRegex(ValueError, "16 readers are connected"):
                el.Tap("image", name, timeout=60)
            for reader in many:
                next(reader)
                reader.close()
            next(tap)
            before = None
            for k in range(READERS):
                with el.Tap(("image", "iq", "screen")[k % 3], name, timeout=60) as reader:
                    next(reader)
                next(tap)
                if k == READERS // 2:
                    before = len(list(descriptors.iterdir()))
            for _ in range(1000):  # the last ones have left
                next(tap)
                if len(list(descriptors.iterdir())) <= before:
                    break
            self.assertLessEqual(len(list(descriptors.iterdir())), before)

    def test_bytes_that_are_no_message(self):
        name, child = self.endless()
        with el.Tap("image", name, timeout=60) as tap:
            next(tap)
            path = os.path.join(_folder(), f"{name}.tap")
            for text in (b"", b"\0", b"GET / HTTP/1.1\r\n\r\n" * 10, b"\xe1\x43\x48\x4f" + b"\xff" * 12,
                         b"\xe1\x43\x48\x4f\x0e\0\0\0" + b"\0" * 8, b"\xe1\x43\x48\x4f\x01\0\0\0\x04" + b"\0" * 7 + b"abcd"):
                with socket.socket(socket.AF_UNIX) as other:
                    other.connect(path)
                    other.sendall(text)
                    other.shutdown(socket.SHUT_WR)
                    while other.recv(4096):
                        pass
                next(tap)
        self.assertIsNone(child.poll())

    def test_a_reader_that_is_killed(self):
        name, child = self.endless()
        script = ("import sys, echoloop_viewer as el\n"
                  f"tap = el.Tap('image', {name!r}, timeout=60); held = [next(tap) for _ in range(4)]\n"
                  "print('held', flush=True); sys.stdin.read()")
        reader = subprocess.Popen([os.sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.assertEqual(reader.stdout.readline(), b"held\n")
        reader.kill()
        reader.communicate()
        with el.Tap("image", name, timeout=60) as tap:
            first = next(tap).sequence
            self.assertGreater(next(tap).sequence, first)
        self.assertIsNone(child.poll())

    def test_the_viewer_ends(self):
        name, child = self.endless()
        with el.Tap("image", name, timeout=60) as tap:
            kept = next(tap)
            value = kept.copy()
            threading.Timer(0.1, child.terminate).start()
            for _ in tap:
                pass
            child.wait(60)
            with self.assertRaises(el.NoViewer):
                tap.read()
            self.assertTrue((kept.array == value).all())


if __name__ == "__main__":
    unittest.main()
