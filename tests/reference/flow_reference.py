#!/usr/bin/env python3
"""Makes flow_reference.json: numbers of numpy and scipy that tests/unit/flow_*_test.cpp hold the program against.

The ensemble is made of a linear congruential generator, so that the tests can make it again:
    s <- 1664525 s + 1013904223 mod 2^32, u = s / 2^32 - 1/2, seeded with 1
    pixels p < 600: a_p = u + i u, then b_p = u + i u; then, frame by frame, noise n_pt = u + i u
    x_pt = 100 a_p exp(2 pi i 0.01 t) + 10 b_p exp(-2 pi i 0.2 t) + n_pt, rounded to single precision
"""
import json
import os

import numpy as np
from scipy import ndimage, signal

P, N = 600, 24


def ensemble():
    state = 1

    def draw():
        nonlocal state
        state = (1664525 * state + 1013904223) % 2**32
        return state / 2**32 - 0.5

    ab = np.array([[complex(draw(), draw()) for _ in range(2)] for _ in range(P)])
    noise = np.array([[complex(draw(), draw()) for _ in range(P)] for _ in range(N)]).T
    t = np.arange(N)
    x = 100 * ab[:, :1] * np.exp(2j * np.pi * 0.01 * t) + 10 * ab[:, 1:] * np.exp(-2j * np.pi * 0.2 * t) + noise
    return x.astype(np.complex64).astype(np.complex128)


def lag_one(y):
    return (y[:, 1:] * y[:, :-1].conj()).sum(axis=1)


def pairs(values):
    return [[float(v.real), float(v.imag)] for v in values]


def picture(y):
    return {"power": (np.abs(y[:5]) ** 2).mean(axis=1).tolist(), "r1": pairs(lag_one(y[:5]))}


x = ensemble()
sigma = np.linalg.svd(x, compute_uv=False)
u, s, vh = np.linalg.svd(x, full_matrices=False)
kept = (u[:, 1:2] * s[1:2]) @ vh[1:2]
taps = signal.firwin(129, 0.19, pass_zero=False)
t = np.arange(N)
fit = np.polynomial.polynomial.polyvander(t / N, 2)
regression = x - (fit @ np.linalg.lstsq(fit, x.T, rcond=None)[0]).T
fir = ndimage.convolve1d(x.real, taps, axis=1) + 1j * ndimage.convolve1d(x.imag, taps, axis=1)
json.dump(
    {
        "first": pairs(x[0, :3]),
        "singular_values": sigma.tolist(),
        "energy": (np.cumsum(sigma**2) / np.sum(sigma**2)).tolist(),
        "taps": taps[:65].tolist(),
        "fir": picture(fir),
        "polynomial_2": picture(regression),
        "component_2": picture(kept),
    },
    open(os.path.join(os.path.dirname(__file__), "flow_reference.json"), "w"),
    indent=1,
)
