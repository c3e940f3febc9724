# %% [markdown]
# # Kernels of the GPU short course
# The image of `--recipe course` ([Lab4US](https://github.com/Lab4US/gpu-short-course)): a filter, the sum of the nearest
# samples of all channels, the envelope along depth. The sum is a NumPy function, and three kernels in Numba and in CUDA C
# (CuPy). Start `echoloop`, run the cells, and `numba_nearest.run(background=True)`; change a delay, run its cell again. As a
# script: `python3 course_methods.py numba_nearest`.

# %%
import functools
import math

import numpy as np

import echoloop_viewer as el

try:
    import cupy
    cupy = cupy if cupy.cuda.is_available() else None
except ImportError:
    cupy = None
try:
    import numba
    from numba import cuda
    on_gpu = cupy is not None and cuda.is_available()
    print("Numba:", "on the GPU" if on_gpu else f"on the CPU, {numba.get_num_threads()} threads")
except ImportError as why:
    numba = None
    print("Without Numba:", why)

# %% [markdown]
# First and last stage, and the geometry. All lengths are in samples, metres * sampling frequency / sound speed: an echo from
# (x, z) arrives at an element at sample z cos(angle) + x sin(angle) + distance - start.

# %%
def band_filter(fs_hz, low_hz=2.5e6, high_hz=7.5e6, taps=64):
    m = np.arange(taps) - (taps - 1) / 2
    low, high = 2 * low_hz / fs_hz, 2 * high_hz / fs_hz
    h = (high * np.sinc(high * m) - low * np.sinc(low * m)) * np.hamming(taps)
    return h / (h * np.cos(np.pi * m * (low + high) / 2)).sum()


def filtered(rf, frame, xp):
    taps, n = xp.asarray(band_filter(frame.acquisition.fs_hz), "float32"), rf.shape[-1]
    size = 1 << (n + taps.size - 2).bit_length()
    lines = xp.fft.irfft(xp.fft.rfft(rf.astype("float32"), size) * xp.fft.rfft(taps, size), size)
    first = (taps.size - 1) // 2
    return xp.ascontiguousarray(lines[..., first:first + n], "float32")


def envelope(image, xp):
    spectrum = xp.fft.fft(image, axis=0)
    n = len(spectrum)
    spectrum[1:(n + 1) // 2] *= 2
    spectrum[n // 2 + 1:] = 0
    return xp.abs(xp.fft.ifft(spectrum, axis=0))


def kept(make):
    """make(frame), again when acquisition, grid or parameters have changed."""
    last = None, None

    def value(frame):
        nonlocal last
        if last[0] is not frame.info:
            last = frame.info, make(frame)
        return last[1]
    return value


@kept
def tables(frame):
    """x, z, elements: positions; transmits: rows of angle, cosine, sine, start."""
    acquisition = frame.acquisition
    per_m = acquisition.fs_hz / frame.parameters["sound_speed_m_s"]
    transmits = [(t["angle_rad"], math.cos(t["angle_rad"]), math.sin(t["angle_rad"]), t["t0_s"] * acquisition.fs_hz)
                 for t in acquisition.to_dict()["acquisition"]["transmits"]]
    return frame.x_m * per_m, frame.z_m * per_m, np.array(acquisition.element_x_m) * per_m, np.array(transmits)


@kept
def device_tables(frame):
    return [cupy.asarray(table) for table in tables(frame)]


def image_by(add, rf, frame, gpu):
    """The three stages; add(image, lines, x, z, elements, transmits) writes the sum."""
    xp = cupy if gpu else np
    image = xp.zeros(frame.shape, "float32")
    add(image, filtered(rf, frame, xp), *(device_tables if gpu else tables)(frame))
    return envelope(image, xp)


# %% [markdown]
# NumPy: all pixels of a channel at once.

# %%
def numpy_sum(image, lines, x, z, elements, transmits):
    for channels, (angle, _, _, start) in zip(lines, transmits):
        there = z[:, None] * np.cos(angle) + x * np.sin(angle) - start
        for channel, x_element in zip(channels, elements):
            place = there + np.hypot(x - x_element, z[:, None])
            inside = (place >= 0) & (place <= channel.size - 1)
            image += np.where(inside, channel[np.clip((place + 0.5).astype(int), 0, channel.size - 1)], 0)


@el.method("course", input="rf", library="numpy")
def course(rf, frame):
    return image_by(numpy_sum, rf, frame, gpu=False)

# %% [markdown]
# Numba: a function of one pixel, compiled in the first frame. *Plain* is the formula. *Nearest* computes the path to an element
# once for all transmits: per channel the number of the nearest sample is left. *Constant* is the same with geometry that is
# compiled in: on a GPU it lies in constant memory.

# %%
def plain(lines, x, z, elements, transmits):
    total = np.float32(0)
    for t in range(transmits.shape[0]):
        for e in range(elements.size):
            path = z * math.cos(transmits[t, 0]) + x * math.sin(transmits[t, 0]) + math.hypot(x - elements[e], z)
            place = path - transmits[t, 3]
            if place >= 0 and place <= lines.shape[2] - 1:
                total += lines[t, e, int(place + 0.5)]
    return total


def nearest(lines, x, z, elements, transmits):
    total = np.float32(0)
    for e in range(elements.size):
        back = math.sqrt((x - elements[e]) * (x - elements[e]) + z * z)
        for t in range(transmits.shape[0]):
            place = z * transmits[t, 1] + x * transmits[t, 2] - transmits[t, 3] + back
            if place >= 0 and place <= lines.shape[2] - 1:
                total += lines[t, e, int(place + 0.5)]
    return total


def numba_sum(pixel):
    """Kernel that writes the sum of all pixels: a GPU has a thread for each, a CPU all its cores."""
    if on_gpu:
        of_pixel = cuda.jit(device=True)(pixel)

        @cuda.jit
        def kernel(image, lines, x, z, elements, transmits):
            ix, iz = cuda.grid(2)
            if ix < x.size and iz < z.size:
                image[iz, ix] = of_pixel(lines, x[ix], z[iz], elements, transmits)
        return lambda image, *arrays: kernel[blocks(image), (16, 16)](image, *arrays)
    of_pixel = numba.njit(pixel)

    @numba.njit(parallel=True)
    def kernel(image, lines, x, z, elements, transmits):
        for iz in numba.prange(z.size):
            for ix in range(x.size):
                image[iz, ix] = of_pixel(lines, x[ix], z[iz], elements, transmits)
    return kernel


def blocks(image):
    return -(-image.shape[1] // 16), -(-image.shape[0] // 16)


def constant_sum(frame):
    return compiled_with(*(table.tobytes() for table in tables(frame)[2:]))


@functools.lru_cache(1)
def compiled_with(elements, transmits):
    own_elements, own_transmits = np.frombuffer(elements).copy(), np.frombuffer(transmits).reshape(-1, 4).copy()
    if on_gpu:
        of_nearest = cuda.jit(device=True)(nearest)

        def constant(lines, x, z, elements, transmits):
            return of_nearest(lines, x, z, cuda.const.array_like(own_elements), cuda.const.array_like(own_transmits))
    else:
        of_nearest = numba.njit(nearest)

        def constant(lines, x, z, elements, transmits):
            return of_nearest(lines, x, z, own_elements, own_transmits)
    return numba_sum(constant)


if numba is not None:
    library = "cupy" if on_gpu else "numpy"
    plain_sum, nearest_sum = numba_sum(plain), numba_sum(nearest)

    @el.method("numba_plain", input="rf", library=library)
    def numba_plain(rf, frame):
        return image_by(plain_sum, rf, frame, on_gpu)

    @el.method("numba_nearest", input="rf", library=library)
    def numba_nearest(rf, frame):
        return image_by(nearest_sum, rf, frame, on_gpu)

    @el.method("numba_constant", input="rf", library=library)
    def numba_constant(rf, frame):
        return image_by(constant_sum(frame), rf, frame, on_gpu)

# %% [markdown]
# CUDA C, compiled by CuPy: the same three kernels.

# %%
SOURCE = r"""
struct Transmit { double angle, cosine, sine, start; };

__device__ float sample(const float* line, int n_samples, double place) {
  return place >= 0 && place <= n_samples - 1 ? line[(int)(place + 0.5)] : 0.0f;
}

extern "C" __global__ void plain(float* image, const float* lines, const double* x, const double* z, const double* elements,
                                 const Transmit* transmits, int nx, int nz, int n_elements, int n_transmits, int n_samples) {
  int ix = blockIdx.x * blockDim.x + threadIdx.x, iz = blockIdx.y * blockDim.y + threadIdx.y;
  if (ix >= nx || iz >= nz) return;
  float sum = 0;
  for (int t = 0; t < n_transmits; ++t)
    for (int e = 0; e < n_elements; ++e, lines += n_samples) {
      double path = z[iz] * cos(transmits[t].angle) + x[ix] * sin(transmits[t].angle) + hypot(x[ix] - elements[e], z[iz]);
      sum += sample(lines, n_samples, path - transmits[t].start);
    }
  image[iz * nx + ix] = sum;
}

__device__ float nearest_pixel(const float* lines, double x, double z, const double* elements, const Transmit* transmits,
                               int n_elements, int n_transmits, int n_samples) {
  float sum = 0;
  for (int e = 0; e < n_elements; ++e) {
    double back = sqrt((x - elements[e]) * (x - elements[e]) + z * z);
    for (int t = 0; t < n_transmits; ++t) {
      double place = z * transmits[t].cosine + x * transmits[t].sine - transmits[t].start + back;
      sum += sample(lines + (t * n_elements + e) * n_samples, n_samples, place);
    }
  }
  return sum;
}

extern "C" __global__ void nearest(float* image, const float* lines, const double* x, const double* z, const double* elements,
                                   const Transmit* transmits, int nx, int nz, int n_elements, int n_transmits, int n_samples) {
  int ix = blockIdx.x * blockDim.x + threadIdx.x, iz = blockIdx.y * blockDim.y + threadIdx.y;
  if (ix >= nx || iz >= nz) return;
  image[iz * nx + ix] = nearest_pixel(lines, x[ix], z[iz], elements, transmits, n_elements, n_transmits, n_samples);
}

#ifdef N_ELEMENTS
__constant__ double own_elements[N_ELEMENTS];
__constant__ Transmit own_transmits[N_TRANSMITS];

extern "C" __global__ void constant(float* image, const float* lines, const double* x, const double* z, const double*,
                                    const Transmit*, int nx, int nz, int, int, int n_samples) {
  int ix = blockIdx.x * blockDim.x + threadIdx.x, iz = blockIdx.y * blockDim.y + threadIdx.y;
  if (ix >= nx || iz >= nz) return;
  image[iz * nx + ix] = nearest_pixel(lines, x[ix], z[iz], own_elements, own_transmits, N_ELEMENTS, N_TRANSMITS, n_samples);
}
#endif
"""


def cuda_sum(kernel):
    def add(image, lines, x, z, elements, transmits):
        sizes = x.size, z.size, elements.size, len(transmits), lines.shape[2]
        kernel(blocks(image), (16, 16), (image, lines, x, z, elements, transmits, *map(np.int32, sizes)))
    return add


def constant_cuda_sum(frame):
    return compiled_cuda_with(*(table.tobytes() for table in tables(frame)[2:]))


@functools.lru_cache(1)
def compiled_cuda_with(elements, transmits):
    sizes = f"-DN_ELEMENTS={len(elements) // 8}", f"-DN_TRANSMITS={len(transmits) // 32}"
    module = cupy.RawModule(code=SOURCE, options=sizes)
    for name, table in (("own_elements", elements), ("own_transmits", transmits)):
        cupy.ndarray(len(table) // 8, "float64", module.get_global(name))[...] = cupy.asarray(np.frombuffer(table))
    return cuda_sum(module.get_function("constant"))


if cupy is not None:
    module = cupy.RawModule(code=SOURCE)
    plain_cuda_sum, nearest_cuda_sum = (cuda_sum(module.get_function(name)) for name in ("plain", "nearest"))

    @el.method("cuda_plain", input="rf", library="cupy")
    def cuda_plain(rf, frame):
        return image_by(plain_cuda_sum, rf, frame, True)

    @el.method("cuda_nearest", input="rf", library="cupy")
    def cuda_nearest(rf, frame):
        return image_by(nearest_cuda_sum, rf, frame, True)

    @el.method("cuda_constant", input="rf", library="cupy")
    def cuda_constant(rf, frame):
        return image_by(constant_cuda_sum(frame), rf, frame, True)
else:
    print("Without CUDA C: no CuPy with a GPU")

# %%
if __name__ == "__main__":
    import sys
    if len(sys.argv) == 2 and isinstance(globals().get(sys.argv[1]), el.Method):
        globals()[sys.argv[1]].run()
