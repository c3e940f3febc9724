"""A Python function that returns a mask: labels, areas, and masks that are refused."""
import pathlib
import runpy
import unittest

import echoloop_viewer as el
from method_test import MethodCase, numpy

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "assets" / "examples" / "methods.py"
LABELS = ["vessel", "wall"]


def two_bands(array, frame, out=None):
    """1 from 15 to 20 mm from the apex or surface, 2 beyond that, in the left half."""
    x, z = frame.x_m, frame.z_m
    depth = numpy.hypot(x, z) if x.ndim == 2 else numpy.broadcast_to(z[:, None], frame.shape)
    left = numpy.broadcast_to(x < 0, frame.shape)
    return ((depth > 15e-3) & left).astype("uint8") + ((depth > 20e-3) & left)


@unittest.skipUnless(numpy is not None, "needs numpy")
class Masks(MethodCase):
    def mask_by(self, function, input="image", labels=LABELS, arguments=()):
        return self.image_by(el.method("mine", input=input, labels=labels)(function), arguments=arguments)

    def test_areas(self):
        """Of bands of known area, within the pixels of their edge; the image stays as it is."""
        expected = self.built_in()
        for input in "image", "iq", "channels", "rf":
            with self.subTest(input):
                status, lines, image, about = self.mask_by(two_bands, input)
                self.assertEqual((status, lines), (0, ""))
                self.assert_same(image, expected)
                self.assertEqual([(k["label"], k["name"]) for k in about["mask"]], [(1, "vessel"), (2, "wall")])
                grid = about["grid"]
                width = 1e3 * (grid["x_last_m"] - grid["x_first_m"])
                column, row = width / 47, 1e3 * (grid["z_last_m"] - grid["z_first_m"]) / 63
                area, edge = 5 * width / 2, 5 * column + width / 2 * row
                self.assertAlmostEqual(about["mask"][0]["area_mm2"], area, delta=edge)
                self.assertAlmostEqual(about["mask"][0]["pixels"] * column * row, about["mask"][0]["area_mm2"])

    def test_areas_of_a_sector(self):
        sector = ["--set", "grid_kind=polar", "--set", "sector_min_rad=-0.5", "--set", "sector_max_rad=0.5"]
        status, lines, _, about = self.mask_by(two_bands, arguments=sector)
        self.assertEqual((status, lines), (0, ""))
        self.assertEqual(about["grid"]["kind"], "polar")
        area = 0.5 * 0.5 * (20 ** 2 - 15 ** 2)
        self.assertAlmostEqual(about["mask"][0]["area_mm2"], area, delta=0.12 * area)

    def test_masks_that_are_refused(self):
        """Each: delay-and-sum without a mask, and one line that says why."""
        cases = {
            "label 3 in the mask; expected 0 to 2 (vessel, wall)": lambda db: numpy.full(db.shape, 3, "u1"),
            "expected (64, 48)": lambda db: numpy.zeros((48, 64), "u1"),
            "returned float32; expected a mask in uint8": lambda db: db,
            "returned int64; expected a mask in uint8": lambda db: numpy.ones(db.shape, "i8"),
        }
        for words, function in cases.items():
            with self.subTest(words):
                status, lines, _, about = self.mask_by(function)
                self.assertEqual((status, len(lines.splitlines())), (1, 1), lines)
                self.assertIn(words, lines)
                self.assertNotIn("mask", about)
        status, lines, _, _ = self.mask_by(lambda db: db > 0, labels=())
        self.assertEqual((status, len(lines.splitlines())), (1, 1))
        self.assertIn("labels= for a mask", lines)

    def test_labels(self):
        for labels in [f"k{i}" for i in range(9)], ["a", ""], ["a" * 64], [1]:
            with self.assertRaisesRegex(ValueError, "8 names of 1 to 63 bytes"):
                el.method("x", labels=labels)

    def test_example(self):
        """The phantom has an echo-free cyst of 32 mm2, and one of 5 mm2 that the square of the example leaves out or keeps."""
        segment = runpy.run_path(str(EXAMPLES))["segment"]
        status, lines, _, about = self.image_by(segment, arguments=["--set", "grid_nx=128", "--set", "grid_nz=256"])
        self.assertEqual((status, lines), (0, ""))
        self.assertTrue(20 < about["mask"][0]["area_mm2"] < 42, about["mask"])


if __name__ == "__main__":
    unittest.main()
