"""A viewer controlled by a script, with and without a window: sweeps without sleeps, undo, events, refusals in one
line, programs that misbehave."""
import contextlib
import io
import json
import os
import pathlib
import random
import socket
import tempfile
import threading
import unittest

import echoloop_viewer as el

try:
    import numpy
except ImportError:
    numpy = None

CPU = ["--backend", "cpu", "--width", "1024", "--height", "640", "--no-motion"]
PAIR = [{"number": 1, "kind": "ellipse", "points_mm": [[0, 25], [3, 25], [0, 28]], "role": "target", "pair": 1},
        {"number": 2, "kind": "ellipse", "points_mm": [[9, 25], [12, 25], [9, 28]], "role": "background", "pair": 1}]


class WithoutAViewer(unittest.TestCase):
    def test_is_one_line(self):
        with self.assertRaisesRegex(el.NoViewer, "no viewer at .*--control=nobody"):
            el.Viewer("nobody")
        with self.assertRaises(el.NoViewer):
            el.Viewer.start("sim:points", "--no-such-option")


@unittest.skipUnless(os.environ.get("DISPLAY") and numpy is not None, "needs a display and numpy")
class Control(unittest.TestCase):
    def setUp(self):
        self.viewer = el.Viewer.start("sim:cyst", *CPU, grid_nx=96, grid_nz=128)
        self.addCleanup(self.viewer.close)

    def test_a_sweep_needs_no_sleep(self):
        v = self.viewer
        v.settled(60)
        images = []
        for f_number in (0.8, 1.6, 3.0):
            revision = v.set(f_number=f_number)
            images.append(v.image(60))
            self.assertEqual(v.get("f_number"), {"f_number": f_number})
            self.assertGreaterEqual(v.call("get")["revision"], revision)
        self.assertEqual(images[0].shape, (128, 96))
        self.assertGreater(numpy.abs(images[0] - images[2]).max(), 1.0)
        self.assertGreater(v.counts()["processed"], 0)

    def test_measurements_of_marks(self):
        v = self.viewer
        v.settled(60)
        v.call("marks_set", marks=PAIR)
        self.assertEqual(len(v.call("marks_get")), 2)
        for _ in range(100):
            values = v.measurements(60)
            if values["pairs"]:
                break
        self.assertIn("gcnr", values["pairs"][0])

    def test_refusals_change_nothing(self):
        v = self.viewer
        v.settled(60)
        before = v.parameters
        cases = [
            (lambda: v.set(f_number=99), "f_number = 99 is out of range", -32602),
            (lambda: v.set(sound_speed_m_s=1500, no_such=1), "unknown parameter", -32602),
            (lambda: v.call("set", values=3), "values", -32602),
            (lambda: v.call("set", values={"f_number": 1}, if_revision=10**9), "if_revision", -32002),
            (lambda: v.call("no_such_method"), "unknown method", -32601),
            (lambda: v.call("open", path="relative.uff"), "an absolute path", -32602),
            (lambda: v.call("open"), "path: missing", -32602),
            (lambda: v.call("save", what="everything"), "image, levels", -32602),
            (lambda: v.call("preset_apply", name="no such preset"), "preset_list", -32602),
            (lambda: v.call("wait", timeout_s=-1), "timeout_s", -32602),
            (lambda: v.call("marks_set", marks=[{"kind": "circle"}]), "marks", -32602),
            (lambda: v.call("stream_set", values={"no_such": 1}), "no_such", -32602),
        ]
        for call, line, code in cases:
            with self.assertRaisesRegex(el.Refused, line) as raised:
                call()
            self.assertEqual(raised.exception.code, code)
            self.assertNotIn("\n", str(raised.exception))
        self.assertEqual(v.parameters, before)

    def test_files_are_not_overwritten(self):
        v = self.viewer
        v.settled(60)
        with tempfile.TemporaryDirectory() as folder:
            path = str(pathlib.Path(folder) / "image.npy")
            v.call("image", path=path)
            self.assertEqual(numpy.load(path).shape, (128, 96))
            with self.assertRaisesRegex(el.Refused, "existing file"):
                v.call("image", path=path)
            v.call("image", path=path, overwrite=True)
        self.assertEqual(v._repr_png_()[:8], b"\x89PNG\r\n\x1a\n")

    def test_stream_and_source(self):
        v = self.viewer
        v.settled(60)
        v.call("stream_set", values={"slots": 5})
        self.assertEqual(v.call("stream_get")["slots"], 5)
        v.call("open", source="sim:points")
        for _ in range(1000):
            if v.call("hello")["source"] == "sim:points":
                break
            v.settled(60)
        self.assertEqual(v.call("hello")["source"], "sim:points")

    def test_programs_that_misbehave(self):
        v = self.viewer
        v.settled(60)
        seed = random.Random(5)
        path = v._socket.getpeername()
        names = [row["name"] for row in v.call("describe")["methods"]
                 if row["name"] not in ("quit", "find_sound_speed") and "files" not in row["needs"]]
        for _ in range(8):
            other = socket.socket(socket.AF_UNIX)
            other.connect(path)
            sent = []
            for _ in range(60):
                kind = seed.randrange(5)
                if kind == 0:
                    sent.append(bytes(seed.randrange(32, 127) for _ in range(seed.randrange(200))))
                elif kind == 1:
                    sent.append(b"[" * seed.randrange(1000))
                elif kind == 2:
                    sent.append(json.dumps({"jsonrpc": "2.0", "id": seed.choice([1, "x", None, [], 2.5]),
                                            "method": seed.choice(names), "params": seed.choice([[], 3, {"a": 1}])}).encode())
                else:
                    sent.append(json.dumps({"jsonrpc": "2.0", "id": 7, "method": seed.choice(names), "params":
                                            {"values": seed.choice([{}, {"f_number": 1.5}, {"f_number": "x"}]),
                                             "timeout_s": 0.01, "do": "close", "text": "t", "index": 3}}).encode())
            other.sendall(b"\n".join(sent) + b"\n")
            if seed.random() < 0.5:
                other.shutdown(socket.SHUT_WR)
            other.close()
        big = socket.socket(socket.AF_UNIX)
        big.connect(path)
        try:
            big.sendall(b"x" * (3 << 20))
        except (BrokenPipeError, ConnectionResetError):
            pass
        big.close()
        self.assertEqual(v.call("hello")["protocol"], 1)
        v.set(f_number=1.5)
        self.assertEqual(v.image(60).shape[0] > 0, True)

    def test_at_most_sixteen_programs(self):
        path = self.viewer._socket.getpeername()
        others = [el.Viewer(self.viewer.name) for _ in range(15)]
        one_more = socket.socket(socket.AF_UNIX)
        one_more.connect(path)
        self.assertIn("16 programs", one_more.makefile().readline())
        one_more.close()
        for other in others:
            other.close()
        self.assertEqual(self.viewer.call("hello")["mode"], "window")


@unittest.skipUnless(numpy is not None, "needs numpy")
class Headless(unittest.TestCase):
    def start(self, *arguments, **parameters):
        viewer = el.Viewer.start("sim:cyst", "--backend", "cpu", *arguments, headless=True,
                                 **{"grid_nx": 96, "grid_nz": 128, **parameters})
        self.addCleanup(viewer.close)
        return viewer

    def test_a_sweep_of_the_f_number(self):
        v = self.start()
        self.assertEqual(v.call("hello")["mode"], "headless")
        v.call("marks_set", marks=PAIR)
        rows = []
        for f_number in numpy.arange(0.8, 3.01, 0.2):
            v.set(f_number=f_number)
            rows.append(v.measurements(60)["pairs"][0]["gcnr"])
        self.assertEqual(len(rows), 12)
        self.assertTrue(all(0 < value <= 1 for value in rows), rows)
        self.assertGreater(len(set(rows)), 6)
        v.set(f_number=0.8)
        first = v.image(60)
        v.set(f_number=3.0)
        self.assertGreater(numpy.abs(first - v.image(60)).max(), 1.0)
        self.assertEqual(first.shape, (128, 96))

    def test_undo_and_events(self):
        v = self.start()
        seen, came = [], threading.Condition()

        def note(event):
            with came:
                seen.append(event)
                came.notify()
            raise RuntimeError("a fault of the function ends nothing")

        with contextlib.redirect_stderr(io.StringIO()):
            end = v.on("params", note)
            v.call("hello", client="test")
            v.set(f_number=1.2, label="first")
            v.set(sound_speed_m_s=1500)
            with came:
                self.assertTrue(came.wait_for(lambda: any("sound_speed_m_s" in e["changed"] for e in seen), 60))
            end()
        self.assertTrue(all(event["by"] == "test" for event in seen))
        self.assertRegex(v.undo(), "^remote: Speed of sound 1.?500 → 1.?540 m/s$")
        self.assertEqual(v.undo(), "first")
        with self.assertRaisesRegex(el.Refused, "no step"):
            v.undo()
        self.assertIn("first", v.redo(2))
        self.assertEqual(v.get("f_number", "sound_speed_m_s"), {"f_number": 1.2, "sound_speed_m_s": 1500})
        with self.assertRaisesRegex(el.Refused, "params, source"):
            v.on("no such event", print)

    def test_what_needs_a_window_is_refused_with_a_reason(self):
        v = self.start()
        v.settled(60)
        window = [row["name"] for row in v.call("describe")["methods"] if "window" in row["needs"]]
        self.assertIn("freeze", window)
        for name in window:
            with self.assertRaisesRegex(el.Refused, "a run in a window") as raised:
                v.call(name)
            self.assertEqual(raised.exception.code, -32000)

    def test_files_of_the_newest_image(self):
        v = self.start()
        v.call("marks_set", marks=PAIR)
        v.settled(60)
        with tempfile.TemporaryDirectory() as folder:
            for what, name in (("image", "a.png"), ("levels", "b.png"), ("data", "c.npy"), ("measurements", "d.csv"),
                               ("session", "e.echoloop.json"), ("timings", "f.csv"), ("spans", "g.json")):
                path = os.path.join(folder, name)
                self.assertEqual(v.save(what, path)["path"], path)
                self.assertGreater(os.path.getsize(path), 0, what)
                with self.assertRaisesRegex(el.Refused, "existing file"):
                    v.save(what, path)
            with self.assertRaisesRegex(el.Refused, "no path"):
                v.save("video", os.path.join(folder, "h.mp4"))
            try:
                v.save("dicom", os.path.join(folder, "i.dcm"))
            except el.Refused as refused:
                self.assertIn("built without DCMTK", str(refused))
            else:
                self.assertEqual(pathlib.Path(folder, "i.dcm").read_bytes()[128:132], b"DICM")

    def test_another_source_keeps_what_was_set(self):
        v = self.start()
        v.set(f_number=1.3)
        v.call("open", source="sim:points")
        for _ in range(1000):
            if v.call("hello")["source"] == "sim:points":
                break
            v.settled(60)
        self.assertEqual(v.call("hello")["source"], "sim:points")
        self.assertEqual(v.get("f_number"), {"f_number": 1.3})
        self.assertEqual(v.image(60).shape, (128, 96))
        v.call("restart")
        v.settled(60)
        self.assertEqual(v.get("f_number"), {"f_number": 1.3})
        v.call("stream_set", values={"slots": 6})
        v.settled(60)
        self.assertEqual(v.call("stream_get")["slots"], 6)
        self.assertIn("produced", v.call("report")["frames"])

    def test_a_run_with_files_keeps_its_source(self):
        with tempfile.TemporaryDirectory() as folder:
            v = self.start("--png", os.path.join(folder, "last.png"))
            with self.assertRaisesRegex(el.Refused, "of one source"):
                v.call("open", source="sim:points")
            v.settled(60)
            v.close()
            self.assertTrue(os.path.exists(os.path.join(folder, "last.png")))

    def test_two_programs(self):
        v = self.start()
        other = el.Viewer(v.name)
        before = v.set(f_number=1.1)
        other.set(f_number=1.4)
        with self.assertRaisesRegex(el.Refused, "if_revision"):
            v.call("set", values={"f_number": 2}, if_revision=before)
        self.assertEqual(v.get("f_number"), {"f_number": 1.4})
        other.close()
        self.assertEqual(v.get("f_number"), {"f_number": 1.4})


@unittest.skipUnless(os.environ.get("DISPLAY") and numpy is not None, "needs a display and numpy")
class Showing(unittest.TestCase):
    def test_shown_frames_are_those_of_the_array(self):
        acq = el.Acquisition.linear(32, 3e-4, [-0.1, 0.0, 0.1], 20e6, 5e6, 512)
        frame = (1000 * numpy.random.default_rng(1).standard_normal(acq.shape)).astype("int16")
        with el.show([frame], acq, arguments=CPU, loop=True, grid_nx=40, grid_nz=50, reference_db=60) as viewer:
            for _ in range(1000):
                if viewer.counts()["processed"] > 0:
                    break
            image = viewer.image(60)
        self.assertGreater(viewer.counts_sent["sent"] if "sent" in viewer.counts_sent else 1, 0)
        bf = el.Beamformer(acq, device="cpu", output="db", grid_nx=40, grid_nz=50, reference_db=60)
        numpy.testing.assert_array_equal(image, bf(frame))


if __name__ == "__main__":
    unittest.main()
