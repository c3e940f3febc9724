"""The notebooks of the examples run from top to bottom, with NumPy alone, and find what is physically there."""
import contextlib
import importlib.util
import io
import json
import os
import pathlib
import sys
import unittest
import unittest.mock

try:
    import numpy
except ImportError:
    numpy = None

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "assets" / "examples"


def make_notebook(file):
    spec = importlib.util.spec_from_file_location("make_notebooks", ROOT / "src" / "python" / "make_notebooks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return json.loads(json.dumps(module.notebook(file.read_text("utf-8"))))


@unittest.skipIf(numpy is None, "numpy is not installed")
class Notebooks(unittest.TestCase):
    def run_cells(self, name):
        """The variables after the last cell, and what was printed."""
        cells = make_notebook(EXAMPLES / name)["cells"]
        self.assertEqual(cells[0]["cell_type"], "markdown")
        self.assertTrue(cells[0]["source"][0].startswith("# "), cells[0])
        variables, printed = {}, io.StringIO()
        absent = dict.fromkeys(("cupy", "matplotlib"))
        with unittest.mock.patch.dict(sys.modules, absent), unittest.mock.patch.object(sys, "path", [str(EXAMPLES), *sys.path]), \
                contextlib.redirect_stdout(printed), \
                unittest.mock.patch.dict(os.environ, {"PYTHONPATH": os.pathsep.join(sys.path)}):
            for cell in cells:
                if cell["cell_type"] == "code":
                    exec(compile("".join(cell["source"]), name, "exec"), variables)
        return variables, printed.getvalue()

    def test_beamform(self):
        seen, printed = self.run_cells("beamform.py")
        self.assertEqual(printed.count("copies of the frame 0, of the result 0"), 3, printed)
        self.assertIn("Arrays of NumPy, on the CPU", printed)
        self.assertIn("No figure", printed)
        for x, z in seen["places"].values():
            self.assertLess(abs(x) + abs(z - 10e-3), 0.11e-3)
        widths = seen["widths_mm"]
        self.assertGreater(widths[1], widths[3])
        self.assertGreaterEqual(widths[3], widths[9])

    def test_f_number_sweep(self):
        seen, _ = self.run_cells("f_number_sweep.py")
        values = seen["values"]
        best = values.index(max(values))
        self.assertTrue(0 < best < len(values) // 2, values)  # inside the range
        self.assertGreater(values[best] - values[-1], 0.1)
        self.assertGreater(values[best], 0.9)

    def test_strain(self):
        seen, _ = self.run_cells("strain.py")
        self.assertAlmostEqual(seen["upper"] / seen["STRAIN"], 1.0, delta=0.12)
        self.assertAlmostEqual(seen["lower"] / seen["STRAIN"], 0.5, delta=0.08)

    def test_send_simulated(self):
        seen, _ = self.run_cells("send_simulated.py")
        self.assertEqual(set(seen["statuses"]), {"ok"})
        self.assertLess(abs(seen["depths_mm"] - seen["found_mm"]).max(), 0.3)


if __name__ == "__main__":
    unittest.main()
