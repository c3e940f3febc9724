"""Arrays that are wrong: each is refused in one line and changes nothing. Copies that a call makes, and what it costs."""
import array
import json
import os
import timeit
import unittest

import echoloop_viewer as el

try:
    import numpy
except ImportError:
    numpy = None


def small(**more):
    return el.Acquisition.linear(4, 3e-4, [0.0], 20e6, 5e6, 64, **more)


class Dlpack:
    """An object of another library."""

    def __init__(self, capsule, device=(1, 0)):
        self.capsule, self.device = capsule, device

    def __dlpack__(self, **_):
        return self.capsule() if callable(self.capsule) else self.capsule

    def __dlpack_device__(self):
        return self.device


def failing(error):
    def fail():
        raise error
    return fail


class Cuda:
    def __init__(self, **changes):
        whole = {"shape": (1, 4, 64), "typestr": "<i2", "data": (4096, False), "version": 3, **changes}
        self.__cuda_array_interface__ = {key: value for key, value in whole.items() if value is not None}


@unittest.skipIf(numpy is None, "numpy is not installed")
class Arrays(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.acq = small()
        cls.bf = el.Beamformer(cls.acq, device="cpu", grid_nx=8, grid_nz=12, output="envelope")
        cls.good = (100 * numpy.random.default_rng(1).standard_normal((1, 4, 64))).astype("int16")

    def test_frames_refused(self):
        good = self.good
        bytes_ = numpy.zeros(good.nbytes + 1, "u1")
        capsule = good.__dlpack__()
        numpy.from_dlpack(Dlpack(capsule))  # used once
        order = r"^frames not in C order; numpy.ascontiguousarray\(frames\) copies them$"
        shape = r"expected \(1, 4, 64\)"
        cases = {
            "0-d": (good[0, 0, 0].reshape(()), ValueError, shape),
            "a scalar": (good[0, 0, 0], ValueError, shape),
            "empty": (good[:, :0], ValueError, shape),
            "no frames": (numpy.empty((0, 1, 4, 64), "int16"), ValueError, "at least one frame"),
            "5-d": (good[None, None], ValueError, shape),
            "short": (good[:, :, :-1], ValueError, r"^frames of shape \(1, 4, 63\); expected \(1, 4, 64\)"),
            "negative stride": (good[:, ::-1], ValueError, order),
            "zero stride": (numpy.broadcast_to(good[:, :1], good.shape), ValueError, order),
            "step": (numpy.repeat(good, 2, axis=2)[:, :, ::2], ValueError, order),
            "Fortran": (numpy.asfortranarray(numpy.stack([good, good])), ValueError, order),
            "unaligned": (bytes_[1:].view("int16").reshape(good.shape), ValueError,
                          r"^frames not aligned to 2 bytes; frames.copy\(\) copies them$"),
            "big-endian": (good.astype(">i2"), TypeError, "^frames of foreign byte order"),
            "a structure": (good.view([("re", "i2")]), TypeError, "^frames of type .*; expected int16"),
            "objects": (good.astype(object), TypeError, "^frames of type object; expected int16"),
            "a list": (good.tolist(), TypeError, "^frames of type list; expected an array$"),
            "nothing": (None, TypeError, "^frames of type NoneType; expected an array$"),
            "text": ("frames", TypeError, "^frames of type str; expected an array$"),
            "bytes": (good.tobytes(), TypeError, "^frames of type uint8; expected int16"),
            "array.array": (array.array("h", good.ravel().tolist()), ValueError, shape),
            "a capsule": (good.__dlpack__(), TypeError, "^frames of type PyCapsule; expected an array$"),
            "a capsule used twice": (Dlpack(capsule), TypeError, "^frames of type Dlpack give no array: "),
            "no capsule": (Dlpack(7), TypeError, "give no array"),
            "__dlpack__ raises": (Dlpack(failing(KeyError("of\nthe other\nlibrary"))), TypeError, "give no array: KeyError"),
            "another device": (Dlpack(good.__dlpack__, (99, 0)), None, None),
            "a GPU": (Cuda(), ValueError, "^frames: memory of a CUDA device; expected host memory"),
            "a GPU without data": (Cuda(data=None), TypeError, "wrong __cuda_array_interface__"),
            "a GPU of no type": (Cuda(typestr="none"), TypeError, "wrong __cuda_array_interface__"),
            "a GPU of broken shape": (Cuda(shape=(1.0, 4, 64)), TypeError, "wrong __cuda_array_interface__"),
            "a GPU with strides": (Cuda(strides=(2, 2, 2)), ValueError, "not in C order"),
        }
        for name in ("float16", "float64", "int32", "int64", "uint8", "bool", "complex64"):
            cases[name] = (good.astype(name), TypeError, f"^frames of type {name}; expected int16")
        for name, (frames, kind, line) in cases.items():
            with self.subTest(name):
                if kind is None:  # what numpy makes of it is its own: no crash
                    try:
                        self.bf(frames)
                    except (TypeError, ValueError):
                        pass
                    continue
                with self.assertRaisesRegex(kind, line) as raised:
                    self.bf(frames)
                self.assertNotIn("\n", str(raised.exception))
                self.assertLess(len(str(raised.exception)), 250)

    def test_results_refused(self):
        shape = self.bf.shape
        read_only = numpy.empty(shape, "float32")
        read_only.setflags(write=False)
        unaligned = numpy.zeros(4 * shape[0] * shape[1] + 1, "u1")[1:].view("float32").reshape(shape)
        memory = numpy.zeros(4096, "u1")
        frames = memory[:512].view("int16").reshape(1, 4, 64)
        overlapping = memory[256:256 + 384].view("float32").reshape(shape)
        for name, given, out, kind, line in (
                ("read-only", self.good, read_only, ValueError, "^out is read-only$"),
                ("type", self.good, numpy.empty(shape), ValueError, r"^out of float64 \(12, 8\); expected float32 \(12, 8\)$"),
                ("shape", self.good, numpy.empty(shape[::-1], "float32"), ValueError, r"expected float32 \(12, 8\)"),
                ("order", self.good, numpy.empty(shape, "float32", "F"), ValueError, "^out not in C order$"),
                ("unaligned", self.good, unaligned, ValueError, "^out not aligned$"),
                ("overlapping", frames, overlapping, ValueError, "^out overlaps frames$"),
                ("list", self.good, [], TypeError, "^out of type list; expected a numpy array"),
                ("GPU", self.good, Cuda(shape=shape, typestr="<f4"), TypeError, "^out on a CUDA device")):
            with self.subTest(name), self.assertRaisesRegex(kind, line):
                self.bf(given, out=out)

    def test_settings_refused(self):
        for change, line in (({"f_number": 99}, r"^f_number = 99 is out of range \(0 to 10\)"),
                             ({"fnumber": 1}, "unknown parameter 'fnumber'.* f_number"),
                             ({"f_number": None}, "f_number"), ({"f_number": float("nan")}, "f_number|JSON")):
            before = self.bf.parameters
            with self.subTest(change), self.assertRaisesRegex(ValueError, line):
                self.bf.set(**change)
            self.assertEqual(self.bf.parameters, before)

    def test_what_passes(self):
        want = self.bf(self.good)
        loose = numpy.empty((3, 4, 64), "int16")[::2][:1]  # an axis of length 1 has any stride
        loose[:] = self.good
        swapped = self.good.astype(">i2")
        for frames, more in ((loose, {}), (memoryview(self.good), {}), (Dlpack(self.good.__dlpack__), {}),
                             (swapped, {"copy": True}), (self.good.astype("float64"), {"copy": True}),
                             (numpy.asfortranarray(self.good[0])[None], {"copy": True})):
            numpy.testing.assert_array_equal(self.bf(frames, **more), want)
        for dtype in ("float32",):
            acq = small(dtype=dtype)
            bf = el.Beamformer(acq, device="cpu", grid_nx=8, grid_nz=12)
            broken = self.good.astype(dtype)
            broken[0, 1, 7:9] = numpy.nan, numpy.inf
            self.assertEqual(bf(broken).shape, (12, 8))  # as in the viewer
        acq = small(dtype="complex64", demod_hz=5e6)
        bf = el.Beamformer(acq, device="cpu", grid_nx=8, grid_nz=12)
        iq = (self.good + 1j * self.good[:, ::-1]).astype("complex64")
        pixels = bf(iq)
        numpy.testing.assert_array_equal(bf(iq.astype("complex128"), copy=True), pixels)
        with self.assertRaisesRegex(ValueError, "not in C order"):
            bf(numpy.asfortranarray(iq[0])[None])
        with self.assertRaisesRegex(TypeError, "frames of type complex128; expected float32 pairs .* or complex64"):
            bf(iq.astype("complex128"))

    def test_own_order(self):
        turned = el.Acquisition({**small().to_dict(), "axes": ["transmit", "time", "element"], "shape": [1, 64, 4],
                                 "dtype": "int16"})
        self.assertEqual((turned.shape, turned.given_shape), ((1, 4, 64), (1, 64, 4)))
        turned.validate()
        bf = el.Beamformer(turned, device="cpu", grid_nx=8, grid_nz=12, output="envelope")
        frames = numpy.ascontiguousarray(self.good.swapaxes(1, 2))
        with self.assertRaisesRegex(ValueError, "order or type of its own, transmit, time, element of int16; copy=True"):
            bf(frames)
        numpy.testing.assert_array_equal(bf(frames, copy=True), self.bf(self.good))
        numpy.testing.assert_array_equal(turned.converted(numpy.stack([frames, frames])), [self.good] * 2)
        for wrong, kind in ((frames[:, :-1], ValueError), (frames > 0, TypeError), (frames.tolist(), TypeError)):
            with self.assertRaises(kind):
                bf(wrong, copy=True)

    def test_copies_are_counted(self):
        for output, copies in (("iq", 1), ("envelope", 0), ("db", 0)):
            bf = el.Beamformer(self.acq, device="cpu", grid_nx=8, grid_nz=12, output=output)
            self.assertEqual(bf.used, {})
            out = numpy.full((2,) + bf.shape, 7, "complex64" if output == "iq" else "float32")
            kept = out.ctypes.data
            bf(numpy.stack([self.good, self.good]), out=out)
            self.assertEqual((out.ctypes.data, bf.used["output_copies"], bf.used["input_copies"]), (kept, copies, 0), output)
            numpy.testing.assert_array_equal(out[0], out[1])
            numpy.testing.assert_array_equal(out[0], bf(self.good))
            untouched = out.copy()
            bf((self.good // 3).astype("int16"))  # results already given are the caller's
            numpy.testing.assert_array_equal(out, untouched)
            bf(self.good.astype("float32"), copy=True)
            self.assertEqual(bf.used["input_copies"], 1)
            before = dict(bf.used)
            bf.set(f_number=2.2)
            self.assertEqual(bf.used, before)  # of the last call, not of the new parameters

    def test_calls_after_a_fork(self):
        recording = el.Acquisition(self.acq.to_dict())
        calls = (lambda: self.bf(self.good), lambda: self.bf.set(f_number=1), lambda: self.bf.reference_db,
                 lambda: el.Beamformer(recording, device="cpu"))
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            said = []
            for call in calls:
                try:
                    call()
                    said.append("no exception")
                except BaseException as error:  # noqa: B036: the parent judges
                    said.append(f"{type(error).__name__}: {error}")
            os.write(write, json.dumps(said).encode())
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as pipe:
            for line in json.load(pipe):
                self.assertRegex(line, "^RuntimeError: .*made before a fork")
        os.waitpid(child, 0)

    def test_a_small_frame_wakes_no_thread(self):
        """Waking the threads of the five stages takes four times as long as all that one thread does."""
        out = numpy.empty((8, 8), "complex64")
        grid = el.Grid((-1e-3, 1e-3, 8), (1e-3, 2e-3, 8))
        one, all_ = (el.Beamformer(self.acq, device="cpu", grid=grid, threads=threads) for threads in (1, 4))
        least_s = {}
        for _ in range(40):
            for bf in (one, all_):
                taken_s = timeit.timeit(lambda: bf(self.good, out=out), number=50)
                least_s[bf] = min(taken_s, least_s.get(bf, taken_s))
        self.assertLess(least_s[all_], 2 * least_s[one])


if __name__ == "__main__":
    unittest.main()
