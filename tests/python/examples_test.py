"""The examples run, and what they print has the expected course."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from echoloop_viewer import _native

try:
    import numpy
except ImportError:
    numpy = None

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "assets" / "examples"


def run(*words, folder=None):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, cwd=folder,
                          env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1",
                               "PYTHONPATH": str(pathlib.Path(_native.__file__).resolve().parents[1])})
    assert done.returncode == 0, done.stderr
    return done.stdout


@unittest.skipIf(numpy is None, "numpy is not installed")
class Examples(unittest.TestCase):
    def test_beamform(self):
        rows = re.findall(r"(\d+) angles: brightest at x = (\S+) mm, z = (\S+) mm, (\S+) mm wide; copies of the result: 0",
                          run(sys.executable, EXAMPLES / "beamform.py"))
        self.assertEqual([row[0] for row in rows], ["1", "3", "9"])
        for _, x, z, _ in rows:
            self.assertLess(abs(float(x)) + abs(float(z) - 10.0), 0.11)
        widths = [float(row[3]) for row in rows]
        self.assertGreaterEqual(widths[1], widths[2])
        self.assertGreater(widths[0], widths[1])

    def test_f_number_sweep(self):
        with tempfile.TemporaryDirectory() as folder:
            run(_native.program(), "sim:cyst", "--headless", "--frames", 1, "--backend", "cpu", "--no-doubts", "--record",
                "cyst.uff", folder=folder)
            table = run(sys.executable, EXAMPLES / "f_number_sweep.py", "cyst.uff", folder=folder)
        f_numbers, values = zip(*(map(float, line.split()) for line in table.splitlines()))
        best = values.index(max(values))
        self.assertEqual((f_numbers[0], f_numbers[-1]), (0.5, 6.0))
        self.assertTrue(0 < best < len(values) // 2, table)  # inside the range
        self.assertGreater(values[best] - values[-1], 0.1)
        self.assertGreater(values[best], 0.9)

    def test_send_simulated(self):
        address = f"live:examples-{os.getpid()}"
        with tempfile.TemporaryDirectory() as folder:
            viewer = subprocess.Popen([_native.program(), address, "--headless", "--frames", "12", "--backend", "cpu",
                                       "--no-doubts", "--images-out", "images.npy", "--duration", "60", "--set",
                                       "reference_db=100"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            sent = run(sys.executable, EXAMPLES / "send_simulated.py", address, 14).splitlines()
            said = viewer.communicate()[0].decode()
            self.assertEqual(viewer.returncode, 0, said)
            images = numpy.load(os.path.join(folder, "images.npy"))
        self.assertGreaterEqual(sent.count("ok"), 12)
        depths = [int(image.max(axis=1).argmax()) for image in images]
        self.assertEqual(len(depths), 12)
        self.assertTrue(all(a < b for a, b in zip(depths, depths[1:])), depths)


if __name__ == "__main__":
    unittest.main()
