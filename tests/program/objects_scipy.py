#!/usr/bin/env python3
"""Labels, areas and the table of objects against scipy.ndimage.

structure_scipy.py FOLDER: for each NAME.json with NAME.npy (labels) and NAME_picture.npy (dB) in it. Ends with the
number of pictures and of objects, or with an assertion that names the picture.
"""
import json
import pathlib
import sys

import numpy as np
from scipy import ndimage


def pixel_areas(grid, shape):
    """m2 of each pixel, and where it is."""
    if "x_first_m" in grid:
        x = np.linspace(grid["x_first_m"], grid["x_last_m"], shape[1])
        z = np.linspace(grid["z_first_m"], grid["z_last_m"], shape[0])
        step = lambda v: (v[-1] - v[0]) / max(1, v.size - 1)
        return np.full(shape, step(x) * step(z)), *np.meshgrid(x, z)
    r = np.linspace(grid["r_first_m"], grid["r_last_m"], shape[0])[:, None]
    a = np.linspace(grid["angle_first_rad"], grid["angle_last_rad"], shape[1])[None, :]
    area = r * (r[-1, 0] - r[0, 0]) / (shape[0] - 1) * (a[0, -1] - a[0, 0]) / (shape[1] - 1)
    return np.broadcast_to(area, shape), r * np.sin(a), grid["apex_z_m"] + r * np.cos(a)


def beyond(picture, told, parameters):
    """Pixels beyond the threshold; None where it was applied to other levels: without their trend, or smoothed."""
    if parameters["structure_smooth_m"] > 0 or parameters["structure_trend"] == "remove":
        return None
    if "threshold_db" not in told:
        return np.zeros(picture.shape, bool)
    levels = picture.astype(np.float64)
    with np.errstate(invalid="ignore"):
        counts = np.isfinite(levels) & (levels > -300)
        over = levels > told["threshold_db"] if parameters["structure"] == "bright" else levels < told["threshold_db"]
    return over & counts


def check(path):
    sheet = json.loads(path.read_text())
    labels = np.load(path.with_suffix(".npy"))
    picture = np.load(path.with_name(path.stem + "_picture.npy"))
    assert labels.dtype == np.int32 and labels.shape == picture.shape
    told, objects, parameters = sheet["structure"], sheet["objects"], sheet["parameters"]
    area, x, z = pixel_areas(sheet["grid"], picture.shape)
    mask = beyond(picture, told, parameters)
    if mask is None:  # then the labels' own
        wanted, n = ndimage.label(labels > 0)
    else:
        every, found = ndimage.label(mask)
        assert found == told["found_with_small_ones"], (found, told["found_with_small_ones"])
        sums = ndimage.sum_labels(area, every, np.arange(1, found + 1))
        keep = sums >= parameters["structure_area_m2"] * (1 - 1e-9)
        wanted, n = ndimage.label(np.concatenate([[False], keep])[every])
    assert n == len(objects) == told["objects"], (n, len(objects))
    assert np.array_equal(labels, wanted)
    index = np.arange(1, n + 1)
    if n == 0:
        return 0
    column = lambda key: np.array([o[key] for o in objects], float)
    m2 = ndimage.sum_labels(area, wanted, index)
    assert np.array_equal(column("label"), index)
    assert np.array_equal(column("pixels"), ndimage.sum_labels(np.ones(picture.shape), wanted, index))
    np.testing.assert_allclose(column("area_mm2"), m2 * 1e6, rtol=1e-3)
    for key, place in (("x_mm", x), ("z_mm", z)):
        centroid = ndimage.sum_labels(area * place, wanted, index) / m2
        np.testing.assert_allclose(column(key), centroid * 1e3, atol=0.01)
    mean = ndimage.sum_labels(area * np.where(wanted > 0, picture, 0), wanted, index) / m2
    np.testing.assert_allclose(column("mean_db"), mean, atol=2e-3)
    for o, box in zip(objects, ndimage.find_objects(wanted)):
        assert o["rows"] == [box[0].start, box[0].stop - 1] and o["columns"] == [box[1].start, box[1].stop - 1]
    return n


n_objects = n_pictures = 0
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.json")):
    if path.stem.endswith("_picture"):
        continue
    try:
        n_objects += check(path)
    except AssertionError as error:
        sys.exit(f"{path.name}: {error}")
    n_pictures += 1
print(f"{n_pictures} pictures, {n_objects} objects as scipy.ndimage has them")
