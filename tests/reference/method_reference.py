#!/usr/bin/env python3
"""Makes method_reference.json: float64 numpy values of the adaptive methods that tests/unit/method_reference_test.cpp
holds dsp/methods against. With --packages: method_packages.json, values of the PyPI packages ustb 0.2.0, ultraspy 1.2.7
and zea 0.1.8 (with jax) for the same test. With --check: differences of this specification from these packages on other
channels. Tests need none of them.

The channels of 9 rows are made of a linear congruential generator, so that the test can make them again:
    s <- 1664525 s + 1013904223 mod 2^32, u = s / 2^32 - 1/2, seeded with 1
    row by row, element by element, transmit by transmit: x = 0.4 exp(0.3 i row) + u + i u, rounded to single precision
Elements e = 0 .. 23 weigh a_e = 0.54 + 0.46 cos(2 pi (e / 23 - 1/2)), but 0 for e < 2; transmits b_t = 1, 0.5, 0.75.
Element 23 of transmit 1 and element 22 of every transmit were not recorded. Channels for packages are all recorded,
and b_t = 1.
"""
import json
import os
import sys

import numpy as np

ROWS, E, T = 9, 24, 3


def cube():
    state = 1

    def draw():
        nonlocal state
        state = (1664525 * state + 1013904223) % 2**32
        return state / 2**32 - 0.5

    x = np.array([[[0.4 * np.exp(0.3j * r) + complex(draw(), draw()) for _ in range(T)] for _ in range(E)]
                  for r in range(ROWS)])
    return x.astype(np.complex64).astype(np.complex128)


WHOLE = cube()
THERE = np.ones((E, T), bool)
THERE[23, 1] = False
THERE[22, :] = False
X = np.where(THERE, WHOLE, 0)
A = 0.54 + 0.46 * np.cos(2 * np.pi * (np.arange(E) / (E - 1) - 0.5))
A[:2] = 0
A = A.astype(np.float32).astype(np.float64)
B = np.array([1.0, 0.5, 0.75])


def coherence(s, w, strength=1.0):
    n, total = len(s), np.sum(w * s)
    f = abs(total) ** 2 / (w.sum() * np.sum(w * abs(s) ** 2))
    return n * f / (n * f + n**strength * (1 - f))


def generalized(s, w, bins, j=None, n=None):
    j = np.arange(len(s)) if j is None else j
    n = len(s) if n is None else n
    low = sum(abs(np.sum(w * s * np.exp(-2j * np.pi * k * j / n))) ** 2 for k in {k % n for k in range(-bins, bins + 1)})
    return min(1.0, low / (w.sum() * np.sum(w * abs(s) ** 2)))


def phase(s, w):
    r = abs(np.sum(w * s / abs(s))) / w.sum()
    return 1 - np.sqrt(1 - r**2)


def p_das(s, w, p):
    q = np.sum(w * s * abs(s) ** (1 / p - 1)) / w.sum()
    return w.sum() * q * abs(q) ** (p - 1)


def compounded(row):
    there = (A > 0) & THERE.any(axis=1)
    return (X[row] @ B)[there], A[there]


def weighted(row, f, axis, order="each_transmit"):
    """The pixel that the weight f(channels, weights) makes of a row."""
    if axis == "transmits":
        s = A @ X[row]
        return f(s, B) * np.sum(B * s)
    if axis == "both":
        there = (A[:, None] > 0) & THERE
        w = A[:, None] * B[None, :]
        return f(X[row][there], w[there]) * np.sum(w * X[row])
    if order == "compounded":
        s, w = compounded(row)
        return f(s, w) * np.sum(w * s)
    made = 0
    for t in range(T):
        there = (A > 0) & THERE[:, t]
        s, w = X[row, there, t], A[there]
        made += B[t] * f(s, w) * np.sum(w * s)
    return made


def generalized_both(row, bins):
    """The place of a channel is that of its element in the aperture of its transmit."""
    total, low, energy = 0, np.zeros(2 * bins + 1, complex), 0
    for t in range(T):
        there = (A > 0) & THERE[:, t]
        s, w = X[row, there, t], A[there] * B[t]
        j = np.arange(len(s)) / len(s)
        total, energy = total + w.sum(), energy + np.sum(w * abs(s) ** 2)
        low += [np.sum(w * s * np.exp(-2j * np.pi * k * j)) for k in range(-bins, bins + 1)]
    return min(1.0, np.sum(abs(low) ** 2) / (total * energy)) * np.sum((A[:, None] * B[None, :]) * X[row])


def slsc(row, lags, k):
    rows = range(max(0, row - k), min(ROWS, row + k + 1))
    here = np.where((A > 0) & THERE.any(axis=1))[0]
    c = []
    for m in range(1, lags + 1):
        pairs = [(e, e + m) for e in here if e + m in here]
        if not pairs:
            continue
        s = [X[r] @ B for r in rows]
        num = sum(np.sum([v[e] * np.conj(v[f]) for e, f in pairs]).real for v in s)
        left = sum(np.sum([abs(v[e]) ** 2 for e, _ in pairs]) for v in s)
        right = sum(np.sum([abs(v[f]) ** 2 for _, f in pairs]) for v in s)
        c.append(num / np.sqrt(left * right))
    return float(np.mean(c))


def capon(x, centre, share, loading, total):
    """x: [rows, channels that count]."""
    n = x.shape[1]
    length = max(1, int(share * n + 1e-3))
    p = n - length + 1
    r = sum(np.outer(x[k, i : i + length], x[k, i : i + length].conj()) for k in range(len(x)) for i in range(p))
    r = r + loading * np.trace(r) / length * np.eye(length)
    v = np.linalg.solve(r, np.ones(length))
    v /= v.sum()
    return total / p * sum(v.conj() @ x[centre, i : i + length] for i in range(p))


def minimum_variance(row, neighbours, share, loading, k):
    there = (A > 0) & THERE.any(axis=1)
    groups = [[e for e in range(g, min(g + neighbours, E)) if there[e]] for g in range(0, E, neighbours)]
    active = [g for g in groups if g]
    rows = range(max(0, row - k), min(ROWS, row + k + 1))
    x = np.array([[np.sum(A[g] * (X[r] @ B)[g]) / A[g].sum() for g in active] for r in rows])
    return capon(x, row - rows[0], share, loading, A[there].sum())


def pair(v):
    return [float(np.real(v)), float(np.imag(v))]


def write(name, out):
    with open(os.path.join(os.path.dirname(__file__), name), "w", encoding="ascii") as file:
        json.dump(out, file, indent=1)
        file.write("\n")


def make():
    weights = {
        "coherence": coherence,
        "wiener": lambda s, w: coherence(s, w, 0.0),
        "generalized": lambda s, w: generalized(s, w, 2),
        "generalized_5": lambda s, w: generalized(s, w, 5),
        "phase": phase,
    }
    out = {"das": [pair(np.sum((A[:, None] * B) * X[r])) for r in range(ROWS)], "first": [pair(v) for v in X[0, :2, 0]]}
    for name, f in weights.items():
        for axis, order in (("elements", "each_transmit"), ("elements", "compounded"), ("transmits", ""), ("both", "")):
            if name.startswith("generalized") and axis == "both":
                made = [generalized_both(r, 2 if name == "generalized" else 5) for r in range(ROWS)]
            elif name == "generalized_5" and axis == "transmits":
                continue  # more frequencies than channels
            else:
                # three transmits: fewer than four channels fade towards 1
                fade = (T - 1) / 3 if axis == "transmits" else 1.0
                g = lambda s, w, f=f, fade=fade: 1 + (f(s, w) - 1) * fade
                made = [weighted(r, g, axis, order) for r in range(ROWS)]
            out[f"{name} {axis} {order}".strip()] = [abs(v) for v in made]
    for p in (1.0, 2.0, 3.5):
        each = [sum(B[t] * p_das(X[r, h, t], A[h], p) for t in range(T) for h in [(A > 0) & THERE[:, t]])
                for r in range(ROWS)]
        out[f"p_das {p} each_transmit"] = [pair(v) for v in each]
        out[f"p_das {p} compounded"] = [pair(p_das(*compounded(r), p)) for r in range(ROWS)]
    for lags, k in ((1, 0), (10, 2), (32, 3)):
        out[f"slsc {lags} {k}"] = [slsc(r, lags, k) for r in range(ROWS)]
    for neighbours, share, loading, k in ((1, 0.5, 0.01, 2), (2, 0.5, 0.01, 1), (3, 0.4, 0.1, 0), (1, 0.3, 1000.0, 2)):
        out[f"minimum_variance {neighbours} {share} {loading} {k}"] = [
            pair(minimum_variance(r, neighbours, share, loading, k)) for r in range(ROWS)
        ]
    write("method_reference.json", out)


def linear_scan(nx, nz):
    from pyuff_ustb.objects.scans import LinearScan

    return LinearScan(x_axis=np.linspace(-1e-3, 1e-3, nx), z_axis=np.linspace(10e-3, 12e-3, nz))


class Window:
    """Receive apodization as ustb reads it; the channels it is given are weighted already."""

    window = 1
    focus = None

    def __init__(self, weights):
        self.data = weights


def ustb_pixels(processor, scan, data, **set_to):
    """data: [pixel, element, transmit], x outer, z inner; the pixels of all transmits are summed."""
    from ustb.beamformed_data import BeamformedData

    o = getattr(__import__("ustb.postprocess", fromlist=[processor]), processor)()
    o.input = BeamformedData(scan=scan, data=data[..., None])
    for key, value in set_to.items():
        setattr(o, key, value)
    return o.go().data[:, 0, :, 0].sum(1)


def ultraspy_p_das(s, p):
    """s: [pixel, element] of one transmit."""
    from ultraspy.cpu.kernels.numpy_cores.pdas import bb_p_das

    masked = np.ma.masked_array(s.T[None], mask=np.zeros((1, *s.T.shape), bool))
    return np.asarray(bb_p_das(masked, p, (0, 1), True)) * s.shape[1]


def zea_pixels(operation, s, **set_to):
    """s: [pixel, element] of one transmit."""
    os.environ.setdefault("KERAS_BACKEND", "jax")
    from zea.ops import pipeline

    aligned = np.stack([s.real, s.imag], -1)[None].astype(np.float32)
    made = np.asarray(getattr(pipeline, operation)(with_batch_dim=False, **set_to).process_image(aligned))
    return made[..., 0] + 1j * made[..., 1]


USTB_WEIGHTS = (
    ("coherence", "CoherenceFactor", coherence, {}),
    ("generalized", "GeneralizedCoherenceFactor", lambda x, w: generalized(x, w, 2), {"M0": 2}),
    ("phase", "PhaseCoherenceFactor", phase, {}),
)


def packages():
    from importlib.metadata import version

    from ustb.enums import Dimension

    s, scan = WHOLE.astype(np.complex128), linear_scan(2, ROWS)
    summed = s.sum(2)[:, :, None]
    made = {}

    def ustb(name, processor, data, **set_to):
        twice = ustb_pixels(processor, scan, np.concatenate([data, data]), **set_to)  # columns of the image
        made[f"ustb {name}"] = twice[:ROWS]

    def window(weights):
        return Window(np.tile(weights, (2 * ROWS, 1)))

    boxcar = np.where(A > 0, 1.0, 0.0)
    for name, processor, _, more in USTB_WEIGHTS:
        more = {"dimension": Dimension.receive, **more}
        ustb(f"{name} elements each_transmit", processor, s, **more)
        ustb(f"{name} elements compounded", processor, summed, **more)
        if name == "generalized":
            continue
        ustb(f"{name} both", processor, s, **{**more, "dimension": Dimension.both})
        # ustb counts elements of its coherence factor alike, whatever they weigh
        weights = boxcar if name == "coherence" else A
        ustb(f"{name} elements each_transmit, aperture", processor, s * weights[:, None], **more,
             receive_apodization=window(weights))
    ustb("minimum_variance", "CaponMinimumVariance", summed, dimension=Dimension.receive, L_elements=E // 2,
         regCoef=0.01, _K_samples=2)
    for p in (2.0, 3.5):
        made[f"ultraspy p_das {p}"] = ultraspy_p_das(s[:, :, 0], p)
    made["zea coherence"] = zea_pixels("CoherenceFactor", s[:, :, 0])
    made["zea generalized"] = zea_pixels("GeneralizedCoherenceFactor", s[:, :, 0], m_zero=2)
    out = {"versions": {name: version(name) for name in ("ustb", "ultraspy", "zea", "jax", "numpy")}}
    out |= {name: [float(abs(v)) for v in values] for name, values in made.items()}
    write("method_packages.json", out)


def check():
    """Largest differences in dB from the packages, on random channels, with and without an aperture of F 1.5."""
    from ustb.enums import Dimension

    rng = np.random.default_rng(1)
    nx, nz, n_el, n_tx = 4, 20, 64, 3
    s = 0.3 + rng.normal(size=(nx * nz, n_el, n_tx)) + 1j * rng.normal(size=(nx * nz, n_el, n_tx))
    scan = linear_scan(nx, nz)
    one = np.ones(n_el)

    def report(name, ours, theirs):
        print(f"{name}: {np.max(abs(20 * np.log10(np.abs(ours) / np.abs(theirs)))):.1e} dB")

    x_m = np.repeat(np.linspace(-1e-3, 1e-3, nx), nz)
    z_m = np.tile(np.linspace(10e-3, 12e-3, nz), nx)
    place = ((np.arange(n_el) - (n_el - 1) / 2) * 0.3e-3 - x_m[:, None]) * 1.5 / z_m[:, None]
    inside = abs(place) <= 0.5
    windows = {"coherence": inside * 1.0, "phase": inside * (0.5 + 0.5 * np.cos(2 * np.pi * place))}
    for name, processor, f, more in USTB_WEIGHTS:
        more = {"dimension": Dimension.receive, **more}
        theirs = ustb_pixels(processor, scan, s, **more)
        ours = [sum(f(p[:, t], one) * p[:, t].sum() for t in range(n_tx)) for p in s]
        report(f"ustb {name}, elements of each transmit", ours, theirs)
        theirs = ustb_pixels(processor, scan, s.sum(2)[:, :, None], **more)
        report(f"ustb {name}, elements, compounded", [f(p.sum(1), one) * p.sum() for p in s], theirs)
        if name == "generalized":
            continue
        theirs = ustb_pixels(processor, scan, s, dimension=Dimension.both)
        report(f"ustb {name}, both", [f(p.ravel(), np.ones(p.size)) * p.sum() for p in s], theirs)
        a = windows[name]
        theirs = ustb_pixels(processor, scan, s * a[:, :, None], **more, receive_apodization=Window(a))
        ours = [sum(f(p[w > 0, t], w[w > 0]) * (w @ p[:, t]) for t in range(n_tx)) for p, w in zip(s, a)]
        report(f"ustb {name}, elements of each transmit, F 1.5", ours, theirs)
    length, k = 24, 2
    theirs = ustb_pixels("CaponMinimumVariance", scan, s.sum(2)[:, :, None], dimension=Dimension.receive,
                         L_elements=length, regCoef=0.01, _K_samples=k)
    image = s.sum(2).reshape(nx, nz, n_el)
    ours = []
    for ix in range(nx):
        for iz in range(nz):
            first = max(0, iz - k)
            ours.append(capon(image[ix, first : iz + k + 1], iz - first, length / n_el, 0.01, n_el))
    report("ustb minimum variance", ours, theirs)
    first = s[:, :, 0]
    for p in (2.0, 3.5):
        report(f"ultraspy p-DAS, root {p}", [p_das(v, one, p) for v in first], ultraspy_p_das(first, p))
    for name, ours, theirs in (
        ("coherence", coherence, zea_pixels("CoherenceFactor", first)),
        ("generalized", lambda x, w: generalized(x, w, 2), zea_pixels("GeneralizedCoherenceFactor", first, m_zero=2)),
    ):
        report(f"zea {name}, one transmit", [ours(v, one) * v.sum() for v in first], theirs)


if __name__ == "__main__":
    if "--check" in sys.argv:
        check()
    elif "--packages" in sys.argv:
        packages()
    else:
        make()
