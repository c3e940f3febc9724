"""A method in Python that is defined again during a run without a window, its source beside images, and its limit."""
import hashlib
import json
import pathlib
import threading
import unittest

import echoloop_viewer as el
from method_test import GRID, MethodCase, numpy


@unittest.skipUnless(numpy is not None, "needs numpy")
class Again(MethodCase):
    def define_again(self, redefined):
        """A method whose first frame is answered after it has been defined again as `redefined`."""
        sent = threading.Event()

        def define(iq):
            el.method("mine")(redefined)
            sent.set()

        @el.method("mine")
        def first(iq):
            if not sent.is_set():
                threading.Thread(target=define, args=(iq,)).start()
                sent.wait(60)
            return numpy.abs(iq)

        thread = threading.Thread(target=self.serve, args=(first,))
        thread.start()
        self.addCleanup(thread.join, 60)
        self.addCleanup(first.stop)

    def test_is_taken_over(self):
        taken = threading.Event()

        def doubled(iq):
            taken.set()
            return 2 * numpy.abs(iq)

        self.define_again(doubled)
        file = self.path("image.npy")
        arguments = ["--backend", "cpu", *GRID, "--policy", "block", "--method", "python:mine", "--wait-method", "120"]
        with el.Viewer.start("sim:cyst", *arguments, headless=True, timeout=120) as viewer:
            self.assertTrue(taken.wait(60))
            viewer.call("wait", images=3, timeout_s=60)
            saved = viewer.call("save", what="data", path=file, source=True)
            self.assertIn("def doubled", pathlib.Path(saved["source"]).read_text())
            viewer.set(f_number=2)
            viewer.settled(60)
            second = viewer.get("f_number"), viewer.get()["own_method"]["sha256"]
        about = json.loads(pathlib.Path(self.path("image.json")).read_text())
        source = pathlib.Path(self.path("image.method.py")).read_text()
        sha = hashlib.sha256(source.encode()).hexdigest()
        self.assertEqual(about["parameters"]["own_method"]["sha256"], sha)
        self.assertEqual(second, ({"f_number": 2}, sha))  # a change of parameters keeps the new definition

    def test_a_file_of_all_images_keeps_the_first(self):
        self.define_again(lambda iq: 2 * numpy.abs(iq))
        file = self.path("images.npy")
        status, lines = self.run_headless("--frames", "30", "--policy", "block", "--method", "python:mine",
                                          "--wait-method", "120", "--images-out", file)
        self.assertEqual((status, len(lines.splitlines())), (0, 1), lines)
        self.assertIn("mine was defined again", lines)
        self.assert_same(numpy.load(file)[-1], self.built_in(30))

    def test_limit_and_source(self):
        never = threading.Event()
        self.addCleanup(never.set)
        status, lines, _, _ = self.image_by(lambda iq: never.wait(0.5) and iq, arguments=["--method-limit-ms", "5"])
        self.assertEqual(status, 1)
        self.assertIn("within 0.005 s", lines)
        never.set()
        status, lines, image, _ = self.image_by(lambda iq: iq, arguments=["--method-source"])
        self.assertEqual((status, lines), (0, ""))
        self.assertIn("--method-source", pathlib.Path(self.path("image.method.py")).read_text())
        for limit in ("0", "1e9"):
            status, lines = self.run_headless("--method", "python:mine", "--method-limit-ms", limit)
            self.assertEqual((status, len(lines.splitlines())), (2, 1))
            self.assertIn("1 to 600000 ms", lines)


if __name__ == "__main__":
    unittest.main()
