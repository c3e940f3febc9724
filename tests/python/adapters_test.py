"""Words of other packages: mach's function, zea, USTB's UFF, ultraspy. Their own objects where they are installed."""
import os
import pathlib
import types
import unittest

import echoloop_viewer as el

try:
    import numpy
except ImportError:
    numpy = None

DATA = pathlib.Path(os.environ.get("ECHOLOOP_DATA") or pathlib.Path(__file__).resolve().parents[3] / "shared" / "data")
C, FS, F0, N_EL, PITCH, N = 1540.0, 40e6, 5e6, 48, 3e-4, 1100
F_NUMBER = 1.503  # no pixel lies on the edge of an aperture, where rounding decides


def installed(name):
    try:
        return __import__(name)
    except Exception:  # noqa: B902: not there, or broken there
        return None


def facts(acq):
    return acq.to_dict()["acquisition"]


def same_facts(test, one, other, but=()):
    """All of two acquisitions, numbers within single precision."""
    def compare(a, b, where):
        if isinstance(a, dict):
            for key in a:
                if key not in but:
                    compare(a[key], b.get(key), f"{where}.{key}")
        elif isinstance(a, list):
            test.assertEqual(len(a), len(b), where)
            for i, (x, y) in enumerate(zip(a, b)):
                compare(x, y, f"{where}[{i}]")
        elif isinstance(a, float):
            test.assertAlmostEqual(a, b, delta=1e-6 * abs(b) + 1e-9, msg=where)
        else:
            test.assertEqual(a, b, where)
    compare(facts(one), facts(other), "")


@unittest.skipIf(numpy is None, "numpy is not installed")
class Mach(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.x_m = (numpy.arange(N_EL) - (N_EL - 1) / 2) * PITCH
        cls.rx = numpy.stack([cls.x_m, 0 * cls.x_m, 0 * cls.x_m], axis=-1)
        z, x = numpy.meshgrid(numpy.linspace(8e-3, 18e-3, 81), numpy.linspace(-5e-3, 5e-3, 41), indexing="ij")
        cls.scan = numpy.stack([x.ravel(), 0 * x.ravel(), z.ravel()], axis=-1)
        cls.t0_s = 2e-6

    def plane(self, angle, later_s=0.0, points=None):
        points = self.scan if points is None else points
        return (points[:, 0] * numpy.sin(angle) + points[:, 2] * numpy.cos(angle)) / C + later_s

    def sphere(self, x, z, later_s=0.0, points=None):
        points = self.scan if points is None else points
        return numpy.hypot(points[:, 0] - x, points[:, 2] - z) / C + later_s

    def focused(self, depth, points=None):
        points = self.scan if points is None else points
        return (depth + numpy.sign(points[:, 2] - depth) * numpy.hypot(points[:, 0], points[:, 2] - depth)) / C

    def samples(self, wave, frames=2):
        """IQ of three points [element, sample, frame], demodulated on the clock of the arrivals."""
        points = numpy.array([[0, 0, 12e-3], [-3e-3, 0, 16e-3], [2e-3, 0, 9.5e-3]])
        t = self.t0_s + numpy.arange(N) / FS
        iq = numpy.zeros((N_EL, N), complex)
        for point, at in zip(points, wave(points=points)):
            path_s = at + numpy.hypot(point[0] - self.x_m, point[2]) / C
            away = t - path_s[:, None]
            iq += numpy.exp(-((away * F0 / 1.2) ** 2) - 2j * numpy.pi * F0 * path_s[:, None])
        return iq[:, :, None] * numpy.arange(1, frames + 1)

    def summed(self, iq, arrivals, f_number, alpha):
        """Delay-and-sum in double precision: sum over elements of w iq(tau) exp(2 pi i f tau)."""
        total = numpy.zeros((len(self.scan), iq.shape[2]), complex)
        for e, x in enumerate(self.x_m):
            tau = arrivals + numpy.hypot(self.scan[:, 0] - x, self.scan[:, 2]) / C
            u = 2 * f_number * numpy.abs(self.scan[:, 0] - x) / self.scan[:, 2]
            taper = 0.5 - 0.5 * numpy.cos(numpy.pi * (1 - u) / alpha) if alpha else 1.0
            weight = numpy.where(u <= 1, numpy.where(u <= 1 - alpha, 1.0, taper), 0.0)
            place = (tau - self.t0_s) * FS
            for k in range(iq.shape[2]):
                parts = [numpy.interp(place, numpy.arange(N), part) for part in (iq[e, :, k].real, iq[e, :, k].imag)]
                total[:, k] += weight * (parts[0] + 1j * parts[1]) * numpy.exp(2j * numpy.pi * F0 * tau)
        return total

    def formed(self, data, arrivals, scan=None, **more):
        settings = dict(rx_start_s=self.t0_s, sampling_freq_hz=FS, f_number=F_NUMBER, sound_speed_m_s=C, device="cpu")
        if data.dtype.kind == "c":
            settings["modulation_freq_hz"] = F0
        return el.mach.beamform(data, self.rx, self.scan if scan is None else scan, arrivals, **{**settings, **more})

    def test_values_are_those_of_a_sum_in_double_precision(self):
        waves = {"plane": lambda points=None: self.plane(0.0, 0.0, points),
                 "plane, left": lambda points=None: self.plane(-0.25, 1.5e-6, points),
                 "plane, right": lambda points=None: self.plane(0.2, -1e-6, points),
                 "diverging": lambda points=None: self.sphere(1e-3, -7e-3, -4e-6, points),
                 "wide": lambda points=None: self.sphere(0.0, -60e-3, -38e-6, points),
                 "focused": lambda points=None: self.focused(13.03e-3, points)}
        t = self.t0_s + numpy.arange(N) / FS
        for (name, wave), alpha in zip(waves.items(), (0.5, 0.0, 1.0, 0.5, 1.0, 0.5)):
            with self.subTest(name):
                iq, arrivals = self.samples(wave), wave()
                want = self.summed(iq, arrivals, F_NUMBER, alpha)
                got = self.formed(iq.astype("complex64"), arrivals.astype("float32"), tukey_alpha=alpha)
                self.assertEqual((got.shape, got.dtype), ((len(self.scan), 2), numpy.complex64))
                largest = numpy.abs(want).max()
                far = numpy.abs(numpy.abs(self.scan[:, 2]) - 13.03e-3) > 0.3e-3 if name == "focused" else slice(None)
                self.assertLess(numpy.abs(got - want)[far].max() / largest, 0.015)
                strong = numpy.abs(want[:, 0]) > 0.3 * numpy.abs(want[:, 0]).max()
                self.assertLess(numpy.abs(numpy.angle(got / want)[strong]).max(), 0.05)
                rf = (iq * numpy.exp(2j * numpy.pi * F0 * t)[:, None]).real.astype("float32")
                got = self.formed(rf, arrivals, tukey_alpha=alpha)
                self.assertEqual(got.dtype, numpy.float32)
                self.assertLess(numpy.abs(got - want.real)[far].max() / largest, 0.02)

    def test_order_of_the_points_and_out(self):
        iq = self.samples(self.plane_of(0.1)).astype("complex64")
        want = self.formed(iq, self.plane(0.1))
        turned = self.scan.reshape(81, 41, 3).swapaxes(0, 1).reshape(-1, 3)
        got = self.formed(iq, self.plane(0.1, 0.0, turned), turned)
        got = got.reshape(41, 81, 2).swapaxes(0, 1).reshape(-1, 2)
        numpy.testing.assert_allclose(got, want, atol=1e-5 * numpy.abs(want).max())
        out = numpy.empty_like(want)
        self.assertIs(self.formed(iq, self.plane(0.1), out=out), out)
        numpy.testing.assert_array_equal(out, want)

    def plane_of(self, angle):
        return lambda points=None: self.plane(angle, 0.0, points)

    def test_refusals_say_which(self):
        iq = self.samples(self.plane_of(0.0)).astype("complex64")
        flat = self.plane(0.0)
        curved = flat + 2e-7 * numpy.sin(900 * self.scan[:, 0])
        bent = self.scan * [[1.0, 1.0, 1.0]] + numpy.outer(self.scan[:, 0] ** 2, [0, 0, 20.0])
        uneven = self.scan.copy()
        uneven[:, 2] = 8e-3 + (uneven[:, 2] - 8e-3) ** 2 / 10e-3
        for name, line, call in (
                ("curved", "neither a plane nor a spherical wave.* ns", lambda: self.formed(iq, curved)),
                ("another speed", "plane wave at 1283 m/s.*sound_speed_m_s = 1540", lambda: self.formed(iq, 1.2 * flat)),
                ("NaN", "tx_wave_arrivals_s .*finite", lambda: self.formed(iq, flat * numpy.nan)),
                ("bent grid", "no regular x-z grid", lambda: self.formed(iq, flat, bent)),
                ("uneven grid", "no regular x-z grid: 81 values of z, unevenly", lambda: self.formed(iq, flat, uneven)),
                ("one less", "no regular x-z grid: 3320 points", lambda: self.formed(iq, flat[:-1], self.scan[:-1])),
                ("shuffled", "no regular x-z grid: expected ascending", lambda: self.formed(iq, flat, self.scan[::-1])),
                ("off the plane", "off the plane y = 0", lambda: self.formed(iq, flat, self.scan + [0, 1e-3, 0])),
                ("elements", r"expected \(47, samples, frames\)",
                 lambda: el.mach.beamform(iq, self.rx[:-1], self.scan, flat, rx_start_s=0, sampling_freq_hz=FS, f_number=1,
                                          sound_speed_m_s=C, modulation_freq_hz=F0)),
                ("taper", "tukey_alpha = 0.3; expected 0, 0.5 or 1", lambda: self.formed(iq, flat, tukey_alpha=0.3)),
                ("frequency", "modulation_freq_hz", lambda: self.formed(iq, flat, modulation_freq_hz=None)),
                ("F-number", "f_number = 99 is out of range", lambda: self.formed(iq, flat, f_number=99))):
            with self.subTest(name), self.assertRaisesRegex(ValueError, line) as raised:
                call()
            self.assertNotIn("\n", str(raised.exception))
        with self.assertRaisesRegex(TypeError, "channel_data of type float64; expected float32"):
            self.formed(iq.real.astype("float64"), flat)

    @unittest.skipUnless(installed("mach"), "mach-beamform is not installed")
    def test_names_are_those_of_mach(self):
        import inspect
        theirs = inspect.signature(installed("mach").beamform).parameters
        ours = inspect.signature(el.mach.beamform).parameters
        self.assertEqual([(p.name, p.kind) for p in theirs.values()],
                         [(p.name, p.kind) for p in ours.values()][:len(theirs)])
        from mach import wavefront
        focus = numpy.array([2e-3, 0, -9e-3])
        away = wavefront.spherical(numpy.zeros(3), self.scan, focus)
        iq = self.samples(lambda points=None: wavefront.spherical(
            numpy.zeros(3), self.scan if points is None else points, focus) / C)
        got, want = self.formed(iq.astype("complex64"), away / C), self.summed(iq, away / C, F_NUMBER, 0.5)
        self.assertLess(numpy.abs(got - want).max() / numpy.abs(want).max(), 0.015)


def zea_parameters(iq=False, **changes):
    """Three plane waves, the second on a later clock."""
    x = (numpy.arange(32) - 15.5) * PITCH
    delays = numpy.stack([x * numpy.sin(a) / C for a in (-0.1, 0.0, 0.1)])
    return {"probe_geometry": numpy.stack([x, 0 * x, 0 * x], axis=-1), "n_ax": 400, "n_ch": 2 if iq else 1,
            "t0_delays": delays - delays.min(axis=1, keepdims=True), "initial_times": numpy.array([1e-6, 1.1e-6, 1e-6]),
            "tx_apodizations": numpy.ones((3, 32)), "sampling_frequency": 20e6, "center_frequency": F0,
            "demodulation_frequency": F0, "sound_speed": C, "t_peak": numpy.full(3, 2e-7), **changes}


@unittest.skipIf(numpy is None, "numpy is not installed")
class Zea(unittest.TestCase):
    def test_of_names(self):
        given = zea_parameters()
        acq = el.zea.acquisition(given)
        self.assertEqual((acq.shape, acq.given_shape), ((3, 32, 400), (3, 400, 32, 1)))
        like = el.Acquisition.linear(32, PITCH, [-0.1, 0.0, 0.1], 20e6, F0, 400, dtype="float32", t0_s=0.0)
        for k, (one, other) in enumerate(zip(facts(acq)["transmits"], facts(like)["transmits"])):
            self.assertEqual(one["kind"], "plane")
            self.assertAlmostEqual(one["angle_rad"], other["angle_rad"], 9)
            first = -15.5 * PITCH * numpy.sin(0.1) / C if k != 1 else 0.0  # when the first element fires
            self.assertAlmostEqual(one["t0_s"], given["initial_times"][k] - 2e-7 + first, 11)
        same_facts(self, el.zea.acquisition(types.SimpleNamespace(**given)), acq)
        raw = numpy.random.default_rng(1).standard_normal((2, 3, 400, 32, 1)).astype("float32")
        settings = dict(device="cpu", grid_nx=24, grid_nz=30)
        plain = el.Acquisition({**acq.to_dict()})
        numpy.testing.assert_array_equal(
            el.beamform(raw, acq, copy=True, **settings),
            el.beamform(numpy.ascontiguousarray(raw[..., 0].swapaxes(2, 3)), plain, **settings))

    def test_clock_of_quadrature_samples(self):
        """An echo at one place adds up over the transmits, whose samples are demodulated from the first one on."""
        given = zea_parameters(iq=True)
        acq = el.zea.acquisition(given)
        x, depth = given["probe_geometry"][:, 0], 8e-3
        raw = numpy.zeros((3, 400, 32, 2), "float32")
        for k, angle in enumerate((-0.1, 0.0, 0.1)):
            zero_s = given["initial_times"][k] - given["t_peak"][k]
            passes_s = (depth * numpy.cos(angle)) / C - min(x.min() * numpy.sin(angle), x.max() * numpy.sin(angle)) / C
            path_s = passes_s + numpy.hypot(x, depth) / C - zero_s
            t = numpy.arange(400)[:, None] / 20e6
            iq = numpy.exp(-(((t - path_s) * F0 / 2) ** 2) - 2j * numpy.pi * F0 * path_s)
            raw[k] = numpy.stack([iq.real, iq.imag], axis=-1)
        grid = el.Grid((-0.5e-3, 0.5e-3, 3), (depth - 0.1e-3, depth + 0.1e-3, 3))
        whole = el.beamform(raw, acq, copy=True, device="cpu", grid=grid)[1, 1]
        parts = [el.beamform(raw, acq, copy=True, device="cpu", grid=grid, transmit_first=k, transmit_last=k)[1, 1]
                 for k in (1, 2, 3)]
        self.assertGreater(abs(whole), 0.98 * sum(map(abs, parts)))

    def test_refusals(self):
        weights = numpy.ones((3, 32))
        weights[1, 3] = -1
        y = zea_parameters()["probe_geometry"] + numpy.outer(numpy.arange(32) % 2, [0, 1e-3, 0])
        for changes, line in (({"tx_apodizations": weights}, "transmit 1 of both signs"),
                              ({"tx_apodizations": 0 * weights}, "transmit 0 without a firing element"),
                              ({"probe_geometry": y}, "elements in several rows"),
                              ({"probe_geometry": y[:, :2]}, r"probe_geometry of shape \(32, 2\); expected \(any, 3\)"),
                              ({"t0_delays": None}, "without t0_delays"), ({"n_ax": None}, "without n_ax"),
                              ({"t0_delays": numpy.zeros((3, 31))}, "t0_delays of shape"),
                              ({"center_frequency": numpy.array([F0, F0, 2 * F0])}, "center_frequency of 2 values"),
                              ({"apply_lens_correction": True}, "lens_correction"),
                              ({"sampling_frequency": -1.0}, "sampling frequency = -1")):
            with self.subTest(line), self.assertRaisesRegex(ValueError, line):
                el.zea.acquisition(zea_parameters(**changes))

    @unittest.skipIf(installed("zea"), "zea is installed")
    def test_operation_needs_zea(self):
        with self.assertRaisesRegex(ImportError, r"zea is not installed .*pip install echoloop-viewer\[zea\]"):
            el.zea.Beamform

    @unittest.skipUnless(installed("zea") and (DATA / "opendata/plane_iq.hdf5").exists(), "zea or its files are not there")
    def test_files_read_by_zea(self):
        import zea
        from zea.data.file import File
        for name in ("plane_f32", "plane_iq", "convex_zero_delays"):
            path = DATA / f"opendata/{name}.hdf5"
            with File(path) as file:
                parameters, raw = file.load_parameters(grid_size_x=48, grid_size_z=96), numpy.asarray(file.data.raw_data[:])
            acq, recording = el.zea.acquisition(parameters, raw.shape[-1]), el.open(path)
            self.assertEqual(facts(acq)["signal"], facts(recording.acquisition)["signal"])
            want = el.beamform(recording[0], recording.acquisition, device="cpu")
            got = el.beamform(raw[0], acq, copy=True, device="cpu")
            self.assertLess(numpy.abs(got - want).max() / numpy.abs(want).max(), 1e-4, name)
            if name != "plane_iq":
                continue
            images = []
            for step in (el.zea.Beamform(settings={"device": "cpu", "f_number": 1.0}), zea.ops.Beamform()):
                pipeline = zea.ops.Pipeline([step], with_batch_dim=True, jit_options=None)
                data = pipeline(data=raw.astype("float32"), **pipeline.prepare_parameters(parameters))["data"]
                images.append(numpy.hypot(*numpy.moveaxis(numpy.asarray(data), -1, 0)))
            self.assertEqual(images[0].shape, images[1].shape)
            self.assertGreater(numpy.corrcoef(images[0].ravel(), images[1].ravel())[0, 1], 0.98)


def uff_object(**changes):
    """Channel data as pyuff_ustb has them, two plane waves and a diverging one."""
    x = (numpy.arange(16) - 7.5) * PITCH
    geometry = numpy.zeros((7, 16))
    geometry[0], geometry[5] = x, 0.2e-3

    def wave(distance, azimuth, kind, delay=0.0):
        return types.SimpleNamespace(source=types.SimpleNamespace(distance=distance, azimuth=azimuth, elevation=0.0),
                                     wavefront=types.SimpleNamespace(value=kind), delay=delay)
    whole = dict(data=numpy.zeros((200, 16, 3, 2), "float32"), sampling_frequency=20e6, initial_time=2e-6,
                 modulation_frequency=0.0, sound_speed=C, PRF=3000.0, probe=types.SimpleNamespace(geometry=geometry),
                 pulse=types.SimpleNamespace(center_frequency=F0, fractional_bandwidth=0.6),
                 sequence=[wave(numpy.inf, -0.1, 0), wave(numpy.inf, 0.1, 0, 3e-7), wave(-8e-3, 0.0, 1)])
    return types.SimpleNamespace(**{**whole, **changes}), wave


@unittest.skipIf(numpy is None, "numpy is not installed")
class Uff(unittest.TestCase):
    def test_of_names(self):
        acq = el.Acquisition.from_uff(uff_object()[0])
        like = el.Acquisition({
            "axes": ["transmit", "element", "time"], "shape": [3, 16, 200], "dtype": "float32", "fs_hz": 20e6, "fc_hz": F0, "c_m_s": C,
            "pitch_m": PITCH, "element_width_m": 0.2e-3, "bandwidth_hz": 0.6 * F0, "prf_hz": 3000.0, "t_zero": "origin",
            "t0_s": [2e-6, 2.3e-6, 2e-6], "tx": [{"kind": "plane", "angle_rad": -0.1}, {"kind": "plane", "angle_rad": 0.1},
                                                 {"kind": "diverging", "source_m": [0.0, -8e-3]}]})
        same_facts(self, acq, like)

    def test_waves_of_single_elements(self):
        """USTB writes delay = |s|/c where times count from the firing: they then are those of kind "element"."""
        data, wave = uff_object()
        x = data.probe.geometry[0]
        chosen = [0, 9, 15]
        data.sequence = [wave(abs(x[e]), numpy.sign(x[e]) * numpy.pi / 2, 1, abs(x[e]) / C) for e in chosen]
        like = el.Acquisition({**el.Acquisition.linear(16, PITCH, [0.0] * 3, 20e6, F0, 200, dtype="float32")._given,
                               "t0_s": 2e-6, "t_zero": "first_firing", "bandwidth_hz": 0.6 * F0, "prf_hz": 3000.0,
                               "tx": [{"kind": "element", "element": e + 1} for e in chosen]})
        same_facts(self, el.Acquisition.from_uff(data), like, but=("element_width_m", "aperture_m"))

    def test_quadrature_samples_with_delays(self):
        data, _ = uff_object(data=numpy.zeros((200, 16, 3), "complex64"), modulation_frequency=F0)
        acq = el.Acquisition.from_uff(data)
        frames = numpy.ones((3, 16, 200), "complex64")
        with self.assertRaisesRegex(ValueError, "copy=True"):
            el.beamform(frames, acq, device="cpu")
        turned = acq.converted(frames).view("complex64")[..., 0]
        numpy.testing.assert_allclose(turned[0], 1.0, atol=1e-6)
        numpy.testing.assert_allclose(turned[1], numpy.exp(-2j * numpy.pi * F0 * 3e-7), atol=1e-6)

    def test_refusals(self):
        data, wave = uff_object()
        tilted = wave(numpy.inf, 0.0, 0)
        tilted.source.elevation = 0.2
        for changes, line in (({"sequence": [wave(1.0, 0.0, 2)] * 3}, "wave 0 with wavefront 2"),
                              ({"sequence": [tilted] * 3}, "in elevation"), ({"sequence": data.sequence[:2]}, "3 waves"),
                              ({"probe": None}, "channel data without probe"), ({"data": None}, "without data"),
                              ({"probe": types.SimpleNamespace(geometry=numpy.zeros((3, 16)))}, r"expected \(7, any\)"),
                              ({"sampling_frequency": None}, "without sampling_frequency")):
            with self.subTest(line), self.assertRaisesRegex(ValueError, line):
                el.Acquisition.from_uff(uff_object(**changes)[0])

    @unittest.skipUnless(installed("pyuff_ustb") and DATA.exists(), "pyuff_ustb or recordings are not there")
    def test_files_read_by_pyuff(self):
        path = DATA / "simus_p42v_diverging/simus_p42v_diverging.uff"
        data, recording = installed("pyuff_ustb").Uff(str(path)).read("channel_data"), el.open(path)
        acq = el.Acquisition.from_uff(data)
        same_facts(self, acq, recording.acquisition, but=("pitch_m",))
        numpy.testing.assert_array_equal(el.beamform(data.data.T[0], acq, device="cpu"),
                                         el.beamform(recording[0], recording.acquisition, device="cpu"))


@unittest.skipIf(numpy is None, "numpy is not installed")
class Ultraspy(unittest.TestCase):
    def info(self, **changes):
        x = (numpy.arange(32) - 15.5) * PITCH
        probe = types.SimpleNamespace(geometry=numpy.stack([x, 0 * x, 0 * x]), central_freq=F0, bandwidth=60)
        delays = numpy.stack([x * numpy.sin(a) / C for a in (-0.1, 0.1)])
        whole = {"sampling_freq": 20e6, "t0": 1e-6, "prf": None, "signal_duration": 4e-7, "delays": delays, "sound_speed": C,
                 "sequence_elements": {"emitted": numpy.tile(numpy.arange(32), (2, 1))}, "data_shape": (5, 2, 32, 400),
                 "data_type": numpy.float32, "is_iq": False}
        return {**whole, **changes}, probe

    def test_of_names(self):
        like = el.Acquisition.linear(32, PITCH, [-0.1, 0.1], 20e6, F0, 400, dtype="float32", t0_s=1e-6 - 2e-7)
        same_facts(self, el.Acquisition.from_ultraspy(*self.info()), like, but=("aperture_m",))
        info, probe = self.info()
        separate = {name: info.pop(name) for name in ("data_shape", "data_type", "is_iq")}
        same_facts(self, el.Acquisition.from_ultraspy(info, probe, separate), like, but=("aperture_m",))
        some, probe = self.info(sequence_elements={"emitted": numpy.tile(numpy.arange(8, 24), (2, 1))})
        self.assertLess(facts(el.Acquisition.from_ultraspy(some, probe))["transmits"][0]["aperture_m"], 18 * PITCH)

    def test_refusals(self):
        for changes, line in (({"data_shape": None}, "without data_shape"), ({"data_shape": (2, 32, 400)}, "data_shape"),
                              ({"delays": None}, "without delays"), ({"delays": numpy.zeros((2, 31))}, "delays of shape"),
                              ({"sampling_freq": 0.0}, "sampling frequency = 0")):
            with self.subTest(line), self.assertRaisesRegex(ValueError, line):
                el.Acquisition.from_ultraspy(*self.info(**changes))

    @unittest.skipUnless(installed("ultraspy") and DATA.exists(), "ultraspy or recordings are not there")
    def test_files_read_by_ultraspy(self):
        from ultraspy.io.reader import Reader
        path = str(DATA / "must_pwi_disk/PWI_disk.mat")
        reader, recording = Reader(path, "must", verbose=False), el.open(path)
        acq = el.Acquisition.from_ultraspy(reader.acquisition_info, reader.probe, reader.data_info)
        same_facts(self, acq, recording.acquisition, but=("element_width_m", "name"))
        numpy.testing.assert_allclose(el.beamform(reader.data[3], acq, device="cpu"),
                                      el.beamform(recording[3], recording.acquisition, device="cpu"), rtol=1e-4, atol=0.1)


@unittest.skipIf(numpy is None, "numpy is not installed")
class Nonsense(unittest.TestCase):
    def test_is_refused_in_one_line(self):
        values = (None, 0, -1, 1e300, numpy.nan, numpy.inf, "x", b"a", [], [[]], {}, (1,), object(), True, numpy.zeros(0),
                  numpy.zeros((3, 3, 3, 3, 3)), numpy.full((3, 32), numpy.nan), numpy.zeros((7, 16)), numpy.array("x"))
        refused = 0
        for value in values:
            calls = [lambda p=zea_parameters(**{name: value}): el.zea.acquisition(p) for name in zea_parameters()]
            calls += [lambda d=uff_object(**{name: value})[0]: el.Acquisition.from_uff(d) for name in vars(uff_object()[0])]
            for name in ("source", "wavefront", "delay"):
                data, _ = uff_object()
                setattr(data.sequence[1], name, value)
                calls.append(lambda d=data: el.Acquisition.from_uff(d))
            info, probe = Ultraspy().info()
            calls += [lambda i={**info, name: value}: el.Acquisition.from_ultraspy(i, probe) for name in info]
            for call in calls:
                try:
                    call()
                except ValueError as error:  # and no other
                    refused += 1
                    self.assertNotIn("\n", str(error))
                    self.assertLess(len(str(error)), 300)
        self.assertGreater(refused, 300)


if __name__ == "__main__":
    unittest.main()
