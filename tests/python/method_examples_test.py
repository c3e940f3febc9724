"""The example methods: each that can run here makes the image that it should."""
import contextlib
import importlib
import io
import pathlib
import runpy
import unittest

from echoloop_viewer import Method
from method_test import MethodCase, numpy

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "assets" / "examples"
PLAIN = ["--set", "f_number=0"]


class MethodExamples(MethodCase):
    def example(self, file):
        with contextlib.redirect_stdout(io.StringIO()):
            return runpy.run_path(str(EXAMPLES / file))

    def images_of(self, file):
        """Variables of an example; name: image, of its methods that can run here."""
        examples, images = self.example(file), {}
        for name, made in examples.items():
            if isinstance(made, Method) and not getattr(made, "labels", ()):
                status, lines, images[name], _ = self.image_by(made, arguments=PLAIN)
                self.assertEqual((status, lines), (0, ""), name)
        return examples, images

    def absent(self, images, *names):
        names = [name for name in names if name not in images]
        if names:
            self.skipTest(f"{', '.join(names)}: packages or a GPU are absent")

    def test_methods(self):
        """Delay-and-sum makes the program's own image; a Wiener weight lowers levels, the compiled one is equal."""
        _, images = self.images_of("methods.py")
        expected = self.built_in(2, *PLAIN)
        self.assert_same(images["delay_and_sum"], expected, 0.2, above=expected.max() - 40)
        self.assertLess(numpy.percentile(images["wiener"] - expected, 90), 0)
        self.absent(images, "wiener_numba")
        self.assert_same(images["wiener_numba"], images["wiener"], 1e-3)

    def test_course(self):
        """The functions and kernels of the course make the image of its recipe."""
        _, images = self.images_of("course_methods.py")
        expected = self.built_in(2, *PLAIN, "--recipe", "course")
        for name, image in images.items():
            with self.subTest(name):
                self.assert_same(image - image.max(), expected - expected.max(), 1e-3, above=-60)
        kinds = "plain", "nearest", "constant"
        self.absent(images, "course", *(f"numba_{kind}" for kind in kinds), *(f"cuda_{kind}" for kind in kinds))

    def test_networks(self):
        """Smoothing is NumPy's; the aperture's network has the published size, and its closed form is delay-and-sum."""
        examples, images = self.images_of("networks.py")
        levels = numpy.pad(self.built_in(2, *PLAIN), 2, mode="edge")
        windows = numpy.lib.stride_tricks.sliding_window_view(levels, (5, 5))
        smooth = numpy.einsum("zxab,ab->zx", windows, examples["kernel"][0, 0])
        for name in {"smoothing", "onnx_smoothing"} & set(images):
            self.assert_same(images[name], smooth, 1e-3)
        if "aperture" in images:
            self.assertEqual(sum(p.numel() for p in examples["network"].parameters()), 3059)
            summed = self.image_by(lambda channels: channels.sum(axis=2), "channels", arguments=PLAIN)[2]
            self.assert_same(images["aperture"], summed)
            random = self.image_by(examples["aperture"], arguments=[*PLAIN, "--set", "own.random=1"])[2]
            self.assertGreater(numpy.std(random - summed), 0.1)
        self.absent(images, "smoothing", "onnx_smoothing", "aperture")

    def test_random_numbers_of_a_network(self):
        """The network's weights are sums of four convolutions along the elements."""
        examples = self.example("networks.py")
        self.absent(examples, "weights")
        random = numpy.random.default_rng(1)
        channels = (random.standard_normal((3, 40)) + 1j * random.standard_normal((3, 40))).astype("complex64")
        network = examples["network"]
        found = examples["weights"](examples["torch"].tensor(channels)).numpy()
        for pixel, weight in zip(channels, found):
            values = numpy.array([pixel.real, pixel.imag]) / numpy.sqrt((abs(pixel) ** 2).mean())
            for convolution, normalization in zip(network[::3], network[1::3]):
                kernels = convolution.weight.numpy()  # [output, input, tap]
                margins = (0, 0), (kernels.shape[2] // 2,) * 2
                windows = numpy.lib.stride_tricks.sliding_window_view(numpy.pad(values, margins), kernels.shape[2], axis=1)
                sums = numpy.einsum("iet,oit->oe", windows, kernels) + convolution.bias.numpy()[:, None]
                scale = normalization.weight.numpy() / numpy.sqrt(1 + normalization.eps)
                values = numpy.maximum(sums * scale[:, None] + normalization.bias.numpy()[:, None], 0)
            self.assertGreater(weight, 0)
            self.assertAlmostEqual(values.sum() / weight, 1, delta=1e-4)

    def test_compiled_function_and_module(self):
        """A function of Numba and a module of PyTorch are taken as they are."""
        expected, images = self.built_in(), {}
        for name, library, make in (("numba", "numpy", lambda numba: numba.njit(lambda iq: numpy.abs(iq))),
                                    ("torch", "torch", lambda torch: torch.nn.Identity())):
            with contextlib.suppress(ImportError):
                images[name] = self.image_by(make(importlib.import_module(name)), library=library)[2]
                self.assert_same(images[name], expected)
        self.absent(images, "numba", "torch")

    def test_source_has_functions_that_are_called(self):
        """Another kernel in the same file is another source."""
        def source(kernel):
            file = pathlib.Path(self.path(f"{len(kernel)}.py"))
            file.write_text(f"import echoloop_viewer as el\ndef kernel(iq): return {kernel}\n"
                            "@el.method('mine')\ndef mine(iq): return kernel(iq)\n")
            return runpy.run_path(str(file))["mine"]._definition["source"]
        self.assertIn("abs(iq)", source("abs(iq)"))
        self.assertNotEqual(source("abs(iq)"), source("abs(iq) * 2"))

    def test_arrays_of_other_libraries(self):
        """An answer that is no array of NumPy, but can be made one."""
        class Other:
            def __init__(self, values):
                self._values, self.dtype, self.shape = values, values.dtype, values.shape

            def __array__(self, dtype=None, copy=None):
                return self._values

        self.assert_same(self.image_by(lambda iq: Other(numpy.abs(iq)), library="numpy")[2], self.built_in())


if __name__ == "__main__":
    unittest.main()
