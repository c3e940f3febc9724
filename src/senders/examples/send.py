"""Sends noise with a point echo that moves: a scanner of 24 lines."""
import array
import math
import random
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])  # where echoloop.py is; not needed beside it
from echoloop import Sender

N, T, FS, FC, C, PITCH = 64, 1024, 20e6, 5e6, 1540.0, 0.3e-3
scan = {"axes": ["transmit", "element", "time"], "shape": [1, N, T], "dtype": "int16", "fs_hz": FS, "fc_hz": FC,
        "c_m_s": C, "pitch_m": PITCH, "t0_s": 0, "t_zero": "origin", "tx": [{"kind": "plane", "angle_rad": 0}]}
noise = array.array("h", [round(random.gauss(0, 20)) for _ in range(N * T)])
said = "ok"
with Sender(scan, sys.argv[1] if len(sys.argv) > 1 else None, name="send.py") as s:
    for k in range(int(sys.argv[2]) if len(sys.argv) > 2 else 1000):
        frame = noise[:]
        x, z = 4e-3 * math.sin(0.1 * k), 20e-3
        for e in range(N):
            at = (z + math.hypot(z, x - (e - (N - 1) / 2) * PITCH)) / C * FS
            for i in range(int(at) - 8, int(at) + 9):
                frame[e * T + i] += round(5000 * math.exp(-((i - at) / 4) ** 2) * math.cos(2 * math.pi * FC / FS * (i - at)))
        status = s.send(frame)
        if status != said:  # once, not for every frame
            print(status, s.message, sep=": ")
        said = status
