"""A Python function as the method of image formation: pixels, parameters, redefinition, and functions that fail."""
import contextlib
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import threading
import unittest

import echoloop_viewer as el
from echoloop_viewer._native import program
from echoloop_viewer._tap import Connection

try:
    import numpy
except ImportError:
    numpy = None

GRID = ["--set", "grid_nx=48", "--set", "grid_nz=64", "--set", "reference_db=60", "--set", "precision=fp32"]
SOURCE = "sim:cyst"
BACKEND = os.environ.get("ECHOLOOP_METHOD_BACKEND", "cpu")


@unittest.skipUnless(numpy is not None, "needs numpy")
class MethodCase(unittest.TestCase):
    """Runs of the program with a function."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        # The socket has a fixed name: a folder of this test keeps it apart from other programs.
        before = os.environ.get("XDG_RUNTIME_DIR")
        os.environ["XDG_RUNTIME_DIR"] = self.folder.name
        self.addCleanup(lambda: os.environ.pop("XDG_RUNTIME_DIR") if before is None
                        else os.environ.update(XDG_RUNTIME_DIR=before))

    def path(self, name):
        return str(pathlib.Path(self.folder.name, name))

    def run_headless(self, *arguments, source=SOURCE):
        words = [program(), source, "--headless", "--backend", BACKEND, "--history-mb", "0", *GRID, *arguments]
        child = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=240)
        return child.returncode, child.stderr

    def image_by(self, function, input="iq", parameters=(), arguments=(), name="mine", library=None):
        """Status, lines on stderr, last image and its JSON of a run with the function, or with a Method."""
        of = el.method(name, input=input, parameters=parameters, library=library)
        made = function if isinstance(function, el.Method) else of(function)
        errors, sys.stderr = sys.stderr, open(os.devnull, "w")  # tracebacks of functions that fail on purpose
        self.addCleanup(made.stop)
        try:
            thread = threading.Thread(target=self.serve, args=(made,))
            thread.start()
            file = self.path("image.npy")
            status, lines = self.run_headless("--frames", "2", "--policy", "block", "--method", f"python:{made.name}",
                                              "--wait-method", "120", "--image-out", file, *arguments)
            made.stop()
            thread.join(60)
        finally:
            sys.stderr.close()
            sys.stderr = errors
        self.assertFalse(thread.is_alive())
        if not os.path.exists(file):
            return status, lines, None, {}
        return status, lines, numpy.load(file), json.loads(pathlib.Path(self.path("image.json")).read_text())

    @staticmethod
    def serve(made):
        try:
            made.run(timeout=120)
        except (el.NoViewer, el.Refused):
            pass

    def built_in(self, frames=2, *arguments):
        file = self.path("built_in.npy")
        self.assertEqual(self.run_headless("--frames", str(frames), "--image-out", file, *arguments)[0], 0)
        return numpy.load(file)

    def assert_same(self, image, expected, tolerance=1e-4, above=-80):
        self.assertLess(numpy.abs(image - expected)[expected > above].max(), tolerance)


class Methods(MethodCase):
    def test_inputs(self):
        expected = self.built_in()
        seen = {}

        def absolute(iq, frame):
            seen["frame"] = frame
            return numpy.abs(iq)

        status, lines, image, about = self.image_by(absolute)
        self.assertEqual((status, lines), (0, ""))
        self.assert_same(image, expected)
        self.assertEqual(about["parameters"]["own_method"]["name"], "mine")
        self.assertIn("--method python:mine", about["command"])
        frame = seen["frame"]
        self.assertEqual((frame.shape, frame.x_m.shape, frame.z_m.shape), ((64, 48), (48,), (64,)))
        self.assertEqual(frame.acquisition.n_elements, 64)

        self.assert_same(self.image_by(lambda iq: iq)[2], expected)
        shifted = self.image_by(lambda iq: numpy.roll(iq, 1, axis=0))[2]
        self.assert_same(shifted[1:], expected[:-1])
        self.assert_same(self.image_by(lambda channels: channels.sum(axis=2), "channels")[2], expected, 0.1, above=0)
        self.assert_same(self.image_by(lambda db: db - 3, "image")[2], expected - 3)

        def from_rf(rf, frame):
            seen["rf"] = rf.copy()
            return numpy.ones(frame.shape, "f4")

        image = self.image_by(from_rf, "rf")[2]
        self.assertLess(numpy.ptp(image), 1e-3)
        rf = self.path("rf.npy")
        self.assertEqual(self.run_headless("--frames", "2", "--raw-out", rf)[0], 0)
        self.assertTrue((seen["rf"] == numpy.load(rf)[1]).all())

        def from_lines(lines, frame):
            seen["lines"] = lines.shape, frame.line_rate_hz, frame.line_valid
            return numpy.ones(frame.shape, "f4")

        self.assertEqual(self.image_by(from_lines, "lines")[0], 0)
        (transmits, elements, samples), rate_hz, valid = seen["lines"]
        self.assertEqual((transmits, elements), seen["rf"].shape[:2])
        self.assertTrue(0 < valid <= samples and rate_hz > 1e6)

    def test_parameters_and_out(self):
        expected = self.built_in()

        def scaled(iq, frame, gain_db, out):
            return numpy.multiply(numpy.abs(iq), 10 ** (gain_db / 20), out=out)

        parameters = [el.Parameter("gain_db", -20, 20, 6, "of the amplitudes", "dB")]
        self.assert_same(self.image_by(scaled, parameters=parameters)[2], expected + 6)
        status, _, image, about = self.image_by(scaled, parameters=parameters, arguments=["--set", "own.gain_db=-4"])
        self.assert_same(image, expected - 4)
        self.assertEqual((status, about["parameters"]["own.gain_db"]), (0, -4))
        status, lines, _, _ = self.image_by(scaled, parameters=parameters, arguments=["--set", "own.gain_db=99"])
        self.assertEqual(status, 2)
        self.assertIn("own.gain_db", lines)

    def test_functions_that_fail(self):
        """Each: the image is delay-and-sum, one line says why, the status is 1."""
        expected = self.built_in()

        class Odd(BaseException):
            def __str__(self):
                raise RuntimeError("no text")

        def breaks(iq, why=None):
            if why is not None:
                raise why
            return iq[9999]

        cases = {
            "IndexError": breaks,
            "expected (64, 48)": lambda iq: iq[1:],
            "expected float32 or complex64": lambda iq: numpy.ones((64, 48), int),
            "no finite numbers": lambda iq: iq * numpy.nan,
            "returned NoneType": lambda iq: None,
            "returned float;": lambda iq: 1.0,
            "Odd (method_test.py:": lambda iq: breaks(iq, Odd()),
            "ValueError: a? b (method_test.py:": lambda iq: breaks(iq, ValueError("\na\udcff b\nc")),
        }
        for words, function in cases.items():
            with self.subTest(words):
                status, lines, image, about = self.image_by(function)
                self.assertEqual(status, 1)
                self.assertEqual(len(lines.splitlines()), 1, lines)
                self.assertIn(words, lines)
                self.assertIn("2 of 2 frames", lines)
                self.assert_same(image, expected)
                self.assertEqual(about["parameters"]["adaptive"], "off")

    def test_a_program_that_ends_or_hangs(self):
        code = ("import echoloop_viewer as el, numpy, os, signal, sys, threading\n"
                "n = [0]\n"
                "@el.method('mine')\n"
                "def mine(iq):\n"
                "    n[0] += 1\n"
                "    if n[0] == 3: {}\n"
                "    return numpy.abs(iq)\n"
                "mine.run(timeout=120)\n")
        for act, words in (("os.kill(os.getpid(), signal.SIGKILL)", "has ended"), ("threading.Event().wait()", "no answer")):
            with self.subTest(act):
                child = subprocess.Popen([sys.executable, "-c", code.format(act)], stderr=subprocess.DEVNULL)
                self.addCleanup(child.wait)
                self.addCleanup(child.kill)
                report = self.path("report.json")
                status, lines = self.run_headless("--frames", "40", "--policy", "drop-oldest", "--rate", "100",
                                                  "--method", "python:mine", "--wait-method", "120", "--report", report)
                self.assertEqual(status, 1)
                self.assertIn(words, lines)
                self.assertGreater(json.loads(pathlib.Path(report).read_text())["frames"]["processed"], 3)

    def test_defined_again(self):
        second = threading.Event()

        def define(factor):
            @el.method("mine", input="iq" if factor == 1 else "channels")
            def mine(iq):
                if factor == 1:
                    threading.Thread(target=redefine).start()
                    second.wait(60)  # the definition comes while a frame is in work
                return factor * numpy.abs(iq)
            return mine

        def redefine():
            define(2)
            second.set()

        made = define(1)
        thread = threading.Thread(target=self.serve, args=(made,))
        thread.start()
        file = self.path("image.npy")
        status, _ = self.run_headless("--frames", "7", "--policy", "block", "--method", "python:mine",
                                      "--wait-method", "120", "--image-out", file, "--images-out", self.path("all.npy"))
        made.stop()
        thread.join(60)
        self.assertEqual(status, 0)
        self.assert_same(numpy.load(file), self.built_in(7))  # the definition of the frames, not the newest

    def test_images_are_of_their_own_frames(self):
        def numbered(iq, frame):
            if frame.sequence % 5 == 3:
                raise ValueError("none of this frame")
            return numpy.full(frame.shape, frame.sequence + 1, "float32")

        made = el.method("mine", library="numpy")(numbered)
        file = self.path("images.npy")
        with open(os.devnull, "w") as quiet, contextlib.redirect_stderr(quiet):
            thread = threading.Thread(target=self.serve, args=(made,))
            thread.start()
            status, lines = self.run_headless("--frames", "24", "--policy", "block", "--rate", "max", "--method",
                                              "python:mine", "--wait-method", "120", "--images-out", file)
            made.stop()
            thread.join(60)
        self.assertEqual(status, 1)  # 5 of delay-and-sum
        self.assertIn("none of this frame", lines)
        images = numpy.load(file)
        self.assertEqual(len(images), 24)
        for k, image in enumerate(images):
            if k % 5 != 3:
                expected = 20 * numpy.log10(k + 1) - 60  # reference_db
                numpy.testing.assert_allclose(image[[0, -1], [0, -1]], expected, atol=0.01)

    def test_defined_again_before_there_is_a_viewer(self):
        stopped = el.method("mine")(lambda iq: iq)
        stopped.run(background=True)
        stopped.stop()
        for factor in (10, 3, 1):
            made = el.method("mine")(lambda iq, factor=factor: factor * numpy.abs(iq))
            made.run(background=True)
        self.addCleanup(made.stop)
        file = self.path("image.npy")
        status, lines = self.run_headless("--frames", "2", "--policy", "block", "--method", "python:mine",
                                          "--wait-method", "120", "--image-out", file)
        self.assertEqual((status, lines), (0, ""))
        self.assert_same(numpy.load(file), self.built_in())

    def test_programs_that_send_wrong_messages(self):
        """Each is told why; the viewer goes on."""
        def message(kind, payload, size=None):
            return struct.pack("<IIQ", 0x4F4843E1, kind, len(payload) if size is None else size) + payload

        def define(**other):
            text = json.dumps({"name": "other", "input": "iq", "source": "", "place": "", **other})
            return message(20, text.encode())

        hello = message(1, struct.pack("<HHIQ", 1, 0, 0x01020304, 0))
        cases = {
            "no message": b"\x01" * 99,
            "above the limit": message(20, b"", 1 << 60),
            "before HELLO": define(),
            "JSON": hello + message(20, b"[" * 9999),
            "'name'": hello + define(name=5),
            "is offered by": hello + define(memory=5),
            "to no array": hello + message(22, struct.pack("<QdIIQ", 1, 0, 1, 0, 0)),
        }
        words = [program(), SOURCE, "--headless", "--backend", BACKEND, *GRID, "--frames", "2",
                 "--method", "python:mine", "--wait-method", "120"]
        viewer = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                  text=True)
        self.addCleanup(viewer.kill)

        def connect():
            connection = Connection("default", "method", "a viewer", 60)
            self.addCleanup(connection.close)
            connection._socket.settimeout(60)
            return connection._socket

        other = connect()
        other.sendall(hello + define(memory={}))
        self.assertGreater(len(other.recv(4096)), 16)  # WELCOME
        for words, data in cases.items():
            with self.subTest(words):
                peer = connect()
                peer.sendall(data)
                said = b""
                while words.encode() not in said:
                    got = peer.recv(4096)
                    self.assertTrue(got, said)
                    said += got
        made = el.method("mine")(lambda iq: iq)
        made.run(background=True)
        self.addCleanup(made.stop)
        self.assertEqual((viewer.communicate(timeout=60)[1], viewer.returncode), ("", 0))

    def test_refusals(self):
        for arguments, words in ((("no name",), "letters"), (("x", "pixels"), "rf, lines")):
            with self.assertRaisesRegex(ValueError, words):
                el.method(*arguments)
        with self.assertRaisesRegex(ValueError, "min <= value <= max"):
            el.method("x", parameters=[("a", 0, 1, 2)])
        for parameters in ([(f"p{k}", 0, 1, 0) for k in range(9)], [("a", 0, 1, 0)] * 2):
            with self.assertRaisesRegex(ValueError, "8 different ones"):
                el.method("x", parameters=parameters)
        with self.assertRaisesRegex(ValueError, "help of more than 255 bytes"):
            el.method("x", parameters=[el.Parameter("a", 0, 1, 0, "h" * 256)])
        with self.assertRaisesRegex(el.NoViewer, "no method at"):
            el.method("x")(lambda iq: iq).run(timeout=0)
        status, lines = self.run_headless("--method", "python:none", "--wait-method", "0.1", "--frames", "1")
        self.assertEqual((status, len(lines.splitlines())), (2, 1))
        self.assertIn("el.method", lines)


if __name__ == "__main__":
    unittest.main()
