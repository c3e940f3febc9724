"""Frames between machines: the sender's side without ADIOS2; where the package is, one sender and two viewers by SST."""
import array
import contextlib
import importlib.util
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import types
import unittest
import unittest.mock

import echoloop_viewer as el
from echoloop_viewer._native import program

try:
    from echoloop_viewer import sst
except ImportError:  # numpy
    sst = None

HAS_ADIOS2 = importlib.util.find_spec("adios2") is not None
ACQ = {"axes": ["transmit", "element", "time"], "shape": [1, 16, 256], "dtype": "int16", "fs_hz": 20e6, "fc_hz": 5e6,
       "pitch_m": 3e-4, "t0_s": 0, "t_zero": "origin", "tx": [{"kind": "plane", "angle_rad": 0}]}


def frame(k, samples=256):
    return array.array("h", [k]) * (16 * samples)


class Kept:
    """In place of the steps of ADIOS2."""

    def __init__(self, _):
        self.attributes, self.steps, self.last = {}, [], None
        Kept.newest = self

    def attribute(self, name, value):
        self.attributes[name] = value

    def put(self, word, samples):
        self.steps.append((sst._WORD.unpack(word), samples.view("i2").copy()))

    def end(self, *last):
        self.last = last


@unittest.skipIf(sst is None, "numpy is not installed")
class Serve(unittest.TestCase):
    def test_every_frame_with_its_description(self):
        address = f"live:sst-{os.getpid()}"
        options = types.SimpleNamespace(address=address, name="kept")
        with unittest.mock.patch.object(sst, "_Steps", Kept), contextlib.redirect_stdout(io.StringIO()) as printed:
            serving = threading.Thread(target=sst.serve, args=(options,))
            serving.start()
            with el.Sender(ACQ, address, name="probe", timeout=60) as sender:
                for k in range(9):
                    self.assertEqual(sender.send(frame(k), acquired_ns=1000 + k), "ok")
                sender.lost(2)
                with self.assertRaisesRegex(el.Refused, "pitch"):
                    sender.describe({**ACQ, "pitch_m": -1})
                sender.describe({**ACQ, "shape": [1, 16, 300]})
                self.assertEqual(sender.send(frame(9, 300), follows=False, device_ticks=7), "ok")
            serving.join()
        kept = Kept.newest
        self.assertEqual([word[0] for word, _ in kept.steps], [*range(9), 11])
        self.assertEqual([word[1] for word, _ in kept.steps[:9]], list(range(1000, 1009)))
        word, samples = kept.steps[-1]
        self.assertEqual((word[2], word[3], word[4], word[7]), (7, 2, 9600, 1))
        for k, (_, samples) in enumerate(kept.steps):
            self.assertTrue((samples == k).all() and samples.size == (4096 if k < 9 else 4800), k)
        described = [json.loads(kept.attributes[f"description_{word[6]}"])["shape"] for word, _ in kept.steps]
        self.assertEqual(described, 9 * [[1, 16, 256]] + [[1, 16, 300]])
        self.assertEqual(kept.last[:2], (12, 2))
        self.assertIn("10 frames of probe, 2 lost at the sender", printed.getvalue())

    def test_bad_arguments_are_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(folder + "/open")
            os.chmod(folder + "/open", 0o777)
            for words, expected in (([], "required"), (["serve", "x", "--readers", "0"], "1 or more"),
                                    (["tap", "x", "sound"], "expected image"),
                                    (["serve", "x", "--address", "live:tcp:a:1"], "live:NAME"),
                                    (["feed", folder + "/open/x"], "folder of this user"),
                                    (["feed", folder + "/x", "--interface", "none0"], "expected lo")):
                with contextlib.redirect_stderr(io.StringIO()) as said, contextlib.redirect_stdout(io.StringIO()):
                    with unittest.mock.patch.object(sst, "_adios2", unittest.mock.MagicMock()):
                        self.assertEqual(sst.main(words), 2, words)
                self.assertIn(expected, said.getvalue())
                self.assertEqual(said.getvalue().count("\n"), 1, said.getvalue())
        with unittest.mock.patch.dict(sys.modules, adios2=None), contextlib.redirect_stderr(io.StringIO()) as said:
            self.assertEqual(sst.main(["feed", "x"]), 2)
        self.assertIn("pip install adios2", said.getvalue())


@unittest.skipUnless(sst is not None and HAS_ADIOS2, "adios2 is not installed")
class OverSst(unittest.TestCase):
    FRAMES = 60

    def start(self, *words):
        child = subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                 cwd=self.folder, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
        self.addCleanup(child.stdout.close)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        return child

    def stream(self, policy, *of_viewers):
        """The reports of two feeds, and the numbers of frames that their viewers got."""
        with tempfile.TemporaryDirectory() as self.folder:
            name = f"sst-{os.getpid()}-{policy}"
            module = [sys.executable, "-m", "echoloop_viewer.sst"]
            serving = self.start(*module, "serve", "s", "--address", f"live:{name}", "--readers", 2, "--policy", policy)
            viewers, feeds = [], []
            for i in range(2):
                viewers.append(self.start(program(), f"live:{name}-{i}", "--headless", "--backend", "cpu", "--no-doubts",
                                          "--set", "grid_nx=16", "--report", f"viewer{i}.json", *of_viewers))
                feeds.append(self.start(*module, "feed", "s", "--to", f"live:{name}-{i}", "--report", f"feed{i}.json"))
            with el.Sender(ACQ, f"live:{name}", timeout=60) as sender:
                for k in range(self.FRAMES):
                    self.assertEqual(sender.send(frame(k), timeout=60), "ok")
            for child in (serving, *feeds):
                self.assertEqual(child.wait(60), 0, child.stdout.read())
            for child in viewers:
                child.terminate()
                child.wait(60)
            read = lambda file: json.loads(pathlib.Path(self.folder, file).read_text())
            return ([read(f"feed{i}.json") for i in range(2)],
                    [read(f"viewer{i}.json")["frames"]["produced"] for i in range(2)])

    def test_block_loses_nothing(self):
        reports, produced = self.stream("Block")
        self.assertEqual(produced, 2 * [self.FRAMES])
        for report in reports:
            self.assertEqual((report["frames"], report["lost"], report["complete"]), (self.FRAMES, 0, True))

    def test_discard_counts_what_is_lost(self):
        reports, produced = self.stream("Discard", "--pace", 20)
        for report, got in zip(reports, produced):
            self.assertEqual((report["frames"] + report["lost"], report["complete"]), (self.FRAMES, True))
            self.assertEqual(report["frames"], got)
        self.assertGreater(reports[0]["lost"], 0)


if __name__ == "__main__":
    unittest.main()
