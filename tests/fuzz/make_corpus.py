#!/usr/bin/env python3
"""Writes the seeds of the fuzz targets into tests/fuzz/corpus: small files, made here with numpy and nothing else.
Names that begin with good_ are read, the others are refused. Usage: make_corpus.py"""
import io
import json
import pathlib
import pickle
import struct

import numpy as np

root = pathlib.Path(__file__).parent / "corpus"
rng = np.random.default_rng(1)


def write(target, name, content):
    folder = root / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


CONTEXT = {"pitch": 0.0003, "sampling_frequency": 65e6, "transmit_frequency": 5e6, "speed_of_sound": 1540.0,
           "angles": np.array([-0.1, 0, 0.1], np.float32)}
rf = rng.integers(-100, 100, (2, 3, 4, 16))
for protocol in (2, 3, 4, 5):
    write("pickle", f"good_p{protocol}.pkl", pickle.dumps({"rf": rf.astype("i2"), "context": CONTEXT}, protocol))
write("pickle", "good_list.pkl", pickle.dumps({"rf": list(rf.astype("f4")), "context": CONTEXT}, 4))
write("pickle", "good_big_endian.pkl", pickle.dumps({"rf": rf.astype(">f4"), "context": CONTEXT}, 4))
write("pickle", "good_fortran.pkl", pickle.dumps({"rf": np.asfortranarray(rf.astype("f8")), "context": CONTEXT}, 5))
write("pickle", "complex.pkl", pickle.dumps({"rf": (rf + 1j * rf).astype("c8"), "context": CONTEXT}, 4))
write("pickle", "nothing.pkl", pickle.dumps(None, 4))
write("pickle", "call.pkl", b"\x80\x04\x8c\x05posix\x8c\x06system\x93\x8c\x04true\x85R.")
write("pickle", "deep.pkl", b"\x80\x04" + b"]" * 500 + b"a" * 499 + b".")
write("pickle", "memo.pkl", b"\x80\x04]\x94" + b"h\x00a" * 30 + b".")


def npy(array):
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


for code in ("<i2", "<f4", ">f4", "<f8", "|u1", "<c8", "<U5"):
    array = np.array(["ab", "cde"]) if code == "<U5" else rf[0].astype(code)
    write("npy", "good_" + code[1:].lower() + ("_big" if code[0] == ">" else "") + ".npy", npy(array))
write("npy", "good_fortran.npy", npy(np.asfortranarray(rf[0].astype("i2"))))
write("npy", "good_scalar.npy", npy(np.float64(3.0)))
header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (%s,), }"
for name, shape in (("huge", b"4611686018427387904, 4"), ("negative", b"-1"), ("short", b"1000")):
    text = header % shape
    write("npy", name + ".npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + bytes(64))
write("npy", "objects.npy", npy(np.zeros(4)).replace(b"'<f8'", b"'|O' "))

META = {"axes": ["frame", "transmit", "element", "time"], "t_zero": "origin", "fs_hz": 65e6, "fc_hz": 5e6,
        "c_m_s": 1540.0, "t0_s": 0.0, "pitch_m": 0.0003, "tx_angles_rad": [-0.1, 0.0, 0.1]}


def npz(compressed=False, **members):
    out = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(out, **members)
    return out.getvalue()


members = {k: np.array(v) for k, v in META.items()}
write("npz", "good_stored.npz", npz(rf=rf.astype("i2"), **members))
write("npz", "good_deflated.npz", npz(True, rf=rf.astype("f4"), **members))
write("npz", "undescribed.npz", npz(rf=rf.astype("i2")))
doppler = {"iq": (rf[:, 0] + 1j * rf[:, 1]).astype("c8"), "xgrid": np.linspace(-1e-3, 1e-3, 4),
           "zgrid": np.linspace(5e-3, 6.5e-3, 16), "prf": 2500.0, "c": 1500.0, "tx_frequency": 4.5e6}
write("npz", "good_doppler.npz", npz(**doppler))
write("npz", "doppler_uneven.npz", npz(**{**doppler, "zgrid": np.geomspace(5e-3, 6.5e-3, 16)}))
write("npz", "bomb.npz", npz(True, rf=np.zeros((1, 3, 4, 20000), "f4"), **members)[:-1])


def sidecar(choice, **changes):
    meta = {**META, **changes}
    return bytes([choice]) + json.dumps({k: v for k, v in meta.items() if v is not None}).encode()


write("sidecar", "good_plane.json", sidecar(2))
write("sidecar", "good_one_frame.json", sidecar(1, axes=["transmit", "element", "time"]))
write("sidecar", "good_iq.json", sidecar(7, axes=["transmit", "time", "element", "iq"], demod_hz=5e6))
write("sidecar", "good_diverging.json", sidecar(6, tx_angles_rad=None, t_zero="first_firing", tx=[
    {"kind": "diverging", "source_m": [0.001 * k, -0.01]} for k in range(3)]))
write("sidecar", "good_focused.json", sidecar(6, tx_angles_rad=None, tx=[
    {"kind": "focused", "focus_m": [0.001 * k, 0.03]} for k in range(3)]))
write("sidecar", "good_delays.json", sidecar(6, tx_angles_rad=None, tx_delays_s=[[1e-7 * e for e in range(8)]] * 3))
write("sidecar", "good_convex.json", sidecar(2, radius_m=0.06, n_elements=8))
write("sidecar", "good_elements.json", sidecar(2, pitch_m=None, element_x_m=[0.0003 * e for e in range(8)]))
write("sidecar", "no_axes.json", sidecar(2, axes=None))
write("sidecar", "nan.json", sidecar(2, fs_hz=float("nan")))
write("sidecar", "deep.json", b"\x02" + b'{"a":' * 1000 + b"1" + b"}" * 1000)
write("sidecar", "list.json", b"\x02[]")

write("preset", "good_flat.toml", "f_number = 1.75\ncolor_map = 'hot'\ndynamic_range_db = 50\n")
write("preset", "good_table.toml", "name = 'heart'\n[parameters]\nsound_speed_m_s = 1450.0 # fat\nrecipe = \"course\"\n")
write("preset", "good_empty.toml", "")
write("preset", "unknown.toml", "no_such_key = 1\n")
write("preset", "list.toml", "f_number = [1, 2]\n")
write("preset", "range.toml", "f_number = 1e300\n")
write("preset", "slot.toml", "slot = " + "7" * 60 + ".2\n")
write("preset", "broken.toml", "f_number = = 1\n")
write("preset", "deep.toml", "a = " + "[" * 2000 + "]" * 2000 + "\n")
write("preset", "inline.toml", "a = " + "{a=" * 500 + "1" + "}" * 500 + "\n")


def text(value):
    return struct.pack("<Q", len(value)) + value


SCAN = {"dtype": "int16", "fs_hz": 20e6, "fc_hz": 5e6, "c_m_s": 1540, "pitch_m": 3e-4, "t0_s": 0, "t_zero": "origin",
        "tx": [{"kind": "plane", "angle_rad": 0}]}
STRIDED = {"axes": ["element", "transmit", "time"], "shape": [5, 1, 8], "strides_bytes": [40, 20, 2],
           "channel_of_element": [4, 0, 2], "device_hz": 65e6, "name": "x", **SCAN}
write("live", "good_hello.bin", b"\0" + struct.pack("<HHIQII", 1, 0, 0x01020304, 77, 1, 1) + text(b"send.py") + text(b"token"))
write("live", "good_word.bin", b"\1" + struct.pack("<QqQQQIIIIQ", 5, 6, 7, 8, 64, 1, 0, 1, 0, 0) * 2)
write("live", "good_ping.bin", b"\2" + struct.pack("<Qqq", 16, 17, 18))
write("live", "good_describe.bin", b"\3" + struct.pack("<II", 1, 0) + json.dumps(
    {"axes": ["transmit", "element", "time"], "shape": [1, 4, 8], **SCAN}).encode())
write("live", "good_strided.bin", b"\3" + struct.pack("<II", 1, 0) + json.dumps(STRIDED).encode())
write("live", "nested.bin", b"\3" + struct.pack("<II", 1, 0) + b"[[[[")
