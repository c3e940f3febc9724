# %% [markdown]
# # Send simulated data
# A point that sinks, made with NumPy, is sent to a viewer as a scanner's program sends its frames. The tap passes the
# images back, with the places of their pixels. For frames that exist already `el.show(frames, acq)` does both first steps.

# %%
import os

import numpy as np

import echoloop_viewer as el
from simulated import acquisition, simulated  # beside this notebook

name = f"send-{os.getpid()}"
headless = not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
if headless:
    print("No display: a viewer without a window")
viewer = el.Viewer.start(f"live:{name}", f"--tap={name}", "--no-doubts", headless=headless, reference_db=100.0)

# %%
angles = np.radians([-6, 0, 6])
acq = acquisition(angles, frame_rate_hz=20.0)
depths_mm, found_mm, statuses = np.arange(8.0, 20.0, 1.0), [], []
with el.Sender(acq.to_dict(), f"live:{name}", timeout=60) as sender, el.Tap("image", name, timeout=60) as tap:
    for depth in depths_mm:
        statuses.append(sender.send(simulated([(0.0, depth * 1e-3)], angles)))  # "ok", or the reason for a loss
        image = next(tap)  # the newest
        found_mm.append(1e3 * image.z_m[image.array.max(1).argmax()])
        print(f"sent {depth:.1f} mm: {statuses[-1]}; brightest row of the image {found_mm[-1]:.1f} mm")

# %%
viewer.set(f_number=2.0, label="larger F-number")  # a step of undo
viewer  # the present image, in a notebook

# %%
viewer.close()
