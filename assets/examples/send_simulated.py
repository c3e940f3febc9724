"""python send_simulated.py [ADDRESS [FRAMES]]: sends a point that sinks to a viewer started as `echoloop live:NAME`.

Without an address a viewer is started: el.show() sends what an array, a generator or a Recording gives.
"""
import itertools
import sys

import numpy as np

import echoloop_viewer as el
from beamform import FC, FS, simulated

ACQ = el.Acquisition.linear(64, 3e-4, np.radians([-6, 0, 6]), FS, FC, 1024, frame_rate_hz=20.0)


def frames(number):
    """Simulated frames [transmit, element, sample], int16; the point sinks by 1 mm a frame, from 8 to 24 mm."""
    for k in range(number):
        yield simulated(ACQ, np.radians([-6, 0, 6]), [(0.0, (8 + k % 17) * 1e-3)])


if __name__ == "__main__":
    if len(sys.argv) > 1:
        with el.Sender(ACQ.to_dict(), sys.argv[1], name="send_simulated.py") as sender:
            for frame in frames(int(sys.argv[2]) if len(sys.argv) > 2 else 100):
                print(sender.send(frame))
    else:
        made = list(frames(17))
        with el.show(itertools.cycle(made), ACQ) as viewer:
            input("Enter closes the viewer. ")
