"""What the wheel carries, and the systems that its tag names."""
import importlib.util
import pathlib
import unittest

_place = pathlib.Path(__file__).resolve().parents[2] / "src/python/make_wheel.py"
_spec = importlib.util.spec_from_file_location("make_wheel", _place)  # not on sys.path: its folder holds the package, too
make_wheel = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(make_wheel)


class Wheel(unittest.TestCase):
    def test_the_tag_is_that_of_the_newest_symbol(self):
        for glibc, versions in ((17, []), (17, ["GLIBC_2.2.5", "GLIBC_2.3.4", "GLIBC_PRIVATE"]), (34, ["GLIBC_2.34", "GLIBC_2.4"]),
                                (31, ["GLIBC_2.30", "GLIBCXX_3.4.26"]), (34, ["GLIBCXX_3.4.29"]), (36, ["GLIBC_2.36", "GLIBCXX_3.4.30"]),
                                (36, ["GLIBC_2.34", "GLIBC_ABI_DT_RELR"]), (39, ["GLIBC_2.38", "GLIBCXX_3.4.32"])):
            self.assertEqual(make_wheel.lowest_glibc(versions), glibc, versions)
        with self.assertRaisesRegex(SystemExit, "GLIBCXX_3.4.99 is newer than the newest known"):
            make_wheel.lowest_glibc(["GLIBCXX_3.4.99"])

    def test_libraries_of_the_runtime_and_of_gpu_drivers_stay_out(self):
        for name in ("ld-linux-x86-64.so.2", "libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6", "libGL.so.1", "libEGL.so.1",
                     "libcuda.so.1", "libcudart.so.12", "libcufft.so.11", "libcusolver.so.11", "libnvidia-ml.so.1", "libxml2.so.2"):
            self.assertIsNone(make_wheel.place(name), name)
        for name in ("libX11.so.6", "libxcb-shm.so.0", "libexpat.so.1", "libmd.so.0"):
            self.assertEqual(make_wheel.place(name), make_wheel.FALLBACK, name)
        for name in ("libcairo.so.2", "libcom_err.so.2", "libfmt.so.9", "libglfw.so.3", "libz.so.1"):
            self.assertEqual(make_wheel.place(name), ".", name)


if __name__ == "__main__":
    unittest.main()
