"""The Python package beside the program: the same pixels, and refusals in one line."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

import echoloop_viewer as el
from echoloop_viewer import _native

try:
    import numpy
except ImportError:
    numpy = None

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(*words):
    done = subprocess.run([_native.program(), *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done


def plane_waves(**more):
    return el.Acquisition.linear(32, 3e-4, [-0.1, 0.0, 0.1], 20e6, 5e6, 512, **more)


def noise(acq, n=None, seed=1):
    shape = ((n,) if n else ()) + acq.shape
    return (1000 * numpy.random.default_rng(seed).standard_normal(shape)).astype(acq.dtype)


class Module(unittest.TestCase):
    def test_sender_is_the_file_beside_a_scanner(self):
        ours = pathlib.Path(el.Sender.__init__.__code__.co_filename).read_bytes()
        self.assertEqual(ours, (ROOT / "src/senders/echoloop.py").read_bytes())

    def test_lists(self):
        keys = {row["key"] for row in el.list_parameters()}
        self.assertLess({"f_number", "sound_speed_m_s", "adaptive", "grid_nx"}, keys)
        self.assertEqual(el.list_devices()[-1]["device"], "cpu")
        self.assertEqual(el.__version__, run("--version").stdout.split()[1])

    def test_without_numpy(self):
        script = ("import sys; sys.modules['numpy'] = None\n"
                  "import echoloop_viewer as el\n"
                  "print(el.Acquisition.linear(8, 3e-4, [0.0], 20e6, 5e6, 64).shape)\n"
                  "try: el.Beamformer\n"
                  "except ImportError: print('no numpy')\n")
        said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        self.assertEqual(said.stdout.split("\n")[:2], ["(1, 8, 64)", "no numpy"], said.stderr)

    def test_description_keeps_every_bit(self):
        acq = plane_waves(t0_s=1.0 / 3e6)
        again = el.Acquisition(acq.to_dict())
        self.assertEqual(again.to_dict(), acq.to_dict())
        self.assertEqual(again.element_x_m, acq.element_x_m)

    def test_refused_descriptions(self):
        for description, word in (({}, "dtype"), ("[1]", "dict"), ({"fs_hz": 1}, "dtype")):
            with self.assertRaisesRegex(ValueError, word):
                el.Acquisition(description)
        with self.assertRaisesRegex(ValueError, "sampling frequency = -1 is out of range"):
            el.Acquisition.linear(8, 3e-4, [0.0], -1.0, 5e6, 64)


@unittest.skipIf(numpy is None, "numpy is not installed")
class Beamforming(unittest.TestCase):
    def test_levels_are_those_of_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            run("sim:cyst", "--headless", "--frames", 3, "--backend", "cpu", "--no-doubts",
                "--record", folder / "r.uff", "--set", "grid_nx=96", "--set", "grid_nz=128")
            recording = el.open(folder / "r.uff")
            self.assertEqual(len(recording), 3)
            for i, extra in enumerate(({}, {"adaptive": "coherence"}, {"median": "3x3"}, {"transmit_every": 2})):
                words = [word for key, value in extra.items() for word in ("--set", f"{key}={value}")]
                run(folder / "r.uff", "--headless", "--frames", 1, "--backend", "cpu", "--no-loop", "--no-doubts",
                    "--image-out", folder / f"image{i}.npy", "--iq-out", folder / f"iq{i}.npy",
                    "--set", "grid_nx=96", "--set", "grid_nz=128", *words)
                settings = dict(grid_nx=96, grid_nz=128, device="cpu", **extra)
                db = el.beamform(recording[0], recording.acquisition, output="db", **settings)
                numpy.testing.assert_array_equal(db, numpy.load(folder / f"image{i}.npy"), str(extra))
                iq = el.beamform(recording[0], recording.acquisition, **settings)
                numpy.testing.assert_array_equal(iq, numpy.load(folder / f"iq{i}.npy")[0], str(extra))
                envelope = el.beamform(recording[0], recording.acquisition, output="envelope", **settings)
                numpy.testing.assert_allclose(envelope, numpy.abs(iq), rtol=1e-5)
            whole = numpy.asarray(recording)
            self.assertEqual(whole.shape, (3,) + recording.acquisition.shape)
            numpy.testing.assert_array_equal(whole[2], recording[-1])
            self.assertFalse(recording[0].flags.writeable)
            with self.assertRaises(IndexError):
                recording[3]

    def test_grid_and_parameters(self):
        acq = plane_waves()
        grid = el.Grid(x_m=(-4e-3, 4e-3, 33), z_m=(2e-3, 15e-3, 50))
        bf = el.Beamformer(acq, grid=grid, device="cpu", f_number=1.2)
        self.assertEqual(bf.shape, (50, 33))
        self.assertEqual(bf.grid["x_m"], [-4e-3, 4e-3, 33])
        first = bf(noise(acq))
        bf.set(f_number=2.0)
        self.assertEqual(bf.parameters["f_number"], 2.0)
        self.assertGreater(numpy.abs(bf(noise(acq)) - first).max(), 0.0)
        with self.assertRaisesRegex(ValueError, r"f_number = 99 is out of range \(0 to 10\)"):
            bf.set(sound_speed_m_s=1500, f_number=99)
        self.assertEqual((bf.parameters["f_number"], bf.parameters["sound_speed_m_s"]), (2.0, 1540.0))
        bf.set(f_number=1.2)
        numpy.testing.assert_array_equal(bf(noise(acq)), first)
        polar = el.Beamformer(acq, grid=el.Grid.polar((-0.3, 0.3, 21), (2e-3, 15e-3, 40)), device="cpu")
        self.assertEqual(polar.grid["kind"], "polar")
        self.assertEqual(polar.shape, (40, 21))

    def test_batches_and_out(self):
        for kind in ("int16", "float32"):
            acq = plane_waves(dtype=kind)
            bf = el.Beamformer(acq, device="cpu", grid_nx=40, grid_nz=50, output="envelope")
            frames = noise(acq, 3)
            alone = [bf(frame) for frame in frames]
            out = numpy.empty((3,) + bf.shape, numpy.float32)
            self.assertIs(bf(frames, out=out), out)
            numpy.testing.assert_array_equal(out, alone)
            self.assertEqual(bf.used["input_copies"], 0)
            self.assertEqual(bf(frames[:1]).shape, (1,) + bf.shape)

    def test_quadrature_samples(self):
        acq = plane_waves(dtype="complex64", demod_hz=5e6)
        frame = noise(plane_waves(dtype="float32")) + 1j * noise(plane_waves(dtype="float32"), seed=2)
        bf = el.Beamformer(acq, device="cpu", grid_nx=40, grid_nz=50)
        pairs = numpy.stack([frame.real, frame.imag], axis=-1)
        numpy.testing.assert_array_equal(bf(frame.astype(numpy.complex64)), bf(pairs.astype(numpy.float32)))

    def test_level_is_held(self):
        acq = plane_waves()
        bf = el.Beamformer(acq, device="cpu", output="db", grid_nx=40, grid_nz=50)
        self.assertIsNone(bf.reference_db)
        frame = noise(acq)
        self.assertAlmostEqual(float(bf(frame).max()), 0.0, 3)
        self.assertAlmostEqual(float(bf((frame // 10).astype("int16")).max()), -20.0, 0)
        bf.set(reference_db=bf.reference_db - 6.0)
        self.assertAlmostEqual(float(bf(frame).max()), 6.0, 3)

    def test_refused_arrays(self):
        acq = plane_waves()
        bf = el.Beamformer(acq, device="cpu", grid_nx=40, grid_nz=50)
        good = noise(acq)
        read_only = numpy.empty(bf.shape, numpy.complex64)
        read_only.setflags(write=False)
        cases = [
            (ValueError, r"frames of shape \(3, 32, 511\); expected \(3, 32, 512\)", lambda: bf(good[:, :, :511])),
            (ValueError, "frames of shape", lambda: bf(numpy.int16(3).reshape(()))),
            (ValueError, "at least one frame", lambda: bf(numpy.empty((0,) + acq.shape, "int16"))),
            (ValueError, "frames of shape", lambda: bf(good[None, None])),
            (ValueError, "numpy.ascontiguousarray", lambda: bf(numpy.asfortranarray(good))),
            (ValueError, "numpy.ascontiguousarray", lambda: bf(good[:, :, ::-1])),
            (ValueError, "numpy.ascontiguousarray", lambda: bf(numpy.broadcast_to(good[:, :1], acq.shape))),
            (TypeError, "frames of type int64; expected int16", lambda: bf(good.astype("int64"))),
            (TypeError, "frames of type float64", lambda: bf(good.astype("float64"))),
            (TypeError, "frames of type bool", lambda: bf(good > 0)),
            (TypeError, "foreign byte order", lambda: bf(good.astype(">i2"))),
            (TypeError, "frames of type list; expected an array", lambda: bf(good.tolist())),
            (TypeError, "frames of type NoneType", lambda: bf(None)),
            (ValueError, "out is read-only", lambda: bf(good, out=read_only)),
            (ValueError, "out of complex128", lambda: bf(good, out=numpy.empty(bf.shape, complex))),
            (ValueError, "out of complex64", lambda: bf(good, out=numpy.empty((1,) + bf.shape, "complex64"))),
            (TypeError, "out of type list", lambda: bf(good, out=[])),
            (ValueError, "unknown parameter 'fnumber'.* f_number", lambda: bf.set(fnumber=1)),
            (ValueError, "adaptive", lambda: bf.set(adaptive="none of these")),
            (ValueError, "persistence_s", lambda: bf.set(persistence_s=0.1)),
            (ValueError, "device", lambda: el.Beamformer(acq, device="tpu")),
            (ValueError, "output = 'rgb'", lambda: el.Beamformer(acq, output="rgb")),
            (ValueError, "threads", lambda: el.Beamformer(acq, device="cpu", threads=-1)),
            (ValueError, "coherences", lambda: el.beamform(good, acq, adaptive="slsc", device="cpu")),
            (FileNotFoundError, "no_such_file", lambda: el.open("/no_such_file.uff")),
        ]
        for kind, line, call in cases:
            with self.assertRaisesRegex(kind, line) as raised:
                call()
            self.assertNotIn("\n", str(raised.exception))
        self.assertTrue(numpy.isfinite(bf(good)).all())
        numpy.testing.assert_array_equal(bf(numpy.asfortranarray(good), copy=True), bf(good))
        bf(numpy.asfortranarray(good), copy=True)
        self.assertEqual(bf.used["input_copies"], 1)

    def test_another_array_of_the_protocol(self):
        acq = plane_waves()
        frame = noise(acq)

        class Other:
            def __dlpack__(self, **arguments):
                return frame.__dlpack__()

            def __dlpack_device__(self):
                return frame.__dlpack_device__()

        bf = el.Beamformer(acq, device="cpu", grid_nx=40, grid_nz=50)
        numpy.testing.assert_array_equal(bf(Other()), bf(frame))

        class Device:
            __cuda_array_interface__ = {"shape": acq.shape, "typestr": "<i2", "data": (16, False), "version": 3}

        with self.assertRaisesRegex(ValueError, "CUDA device"):
            bf(Device())

    def test_several_threads(self):
        acq = plane_waves()
        bf = el.Beamformer(acq, device="cpu", grid_nx=40, grid_nz=50, threads=2)
        frames = noise(acq, 6)
        want = [bf(frame) for frame in frames]
        got = [None] * len(frames)

        def work(i):
            got[i] = bf(frames[i])
        threads = [threading.Thread(target=work, args=(i,)) for i in range(len(frames))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        numpy.testing.assert_array_equal(got, want)

    def test_after_a_fork(self):
        acq = plane_waves()
        bf = el.Beamformer(acq, device="cpu", grid_nx=40, grid_nz=50)
        frame = noise(acq)
        bf(frame)
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                bf(frame)
                said = "no exception"
            except RuntimeError as error:
                said = str(error)
            except BaseException as error:  # noqa: B036: the parent judges
                said = repr(error)
            os.write(write, said.encode())
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as pipe:
            self.assertIn("made before a fork", pipe.read())
        os.waitpid(child, 0)


if __name__ == "__main__":
    unittest.main()
