"""Sends the frames of an arrus session (us4R) to Echoloop. Lies beside echoloop.py; needs no other package.

    buffer, metadata = session.upload(scheme)       # scheme.processing: Pipeline((RemapToLogicalOrderV2(), ...))
    send = attach(metadata)                         # waits for the viewer
    buffer.append_on_new_data_callback(lambda element: send(element.data))
or, as a step of the pipeline behind RemapToLogicalOrderV2: Lambda(send), which gives the data on.

The transmits are sent as the delays of raw_sequence, element by element: arrus' plane waves agree at element n / 2, half
a pitch beside the centre, so that angles would be off. The first sample lies start_sample / fs after the trigger, and the
middle of the pulse n_periods / (2 fc) after the delay; both are in t0_s. `delay_s` is for what the metadata does not
say (receive offset of the device, lens): so much later than described the first sample was taken. Licence: MIT.
"""
from echoloop import OK, Sender


def describe(metadata, delay_s=0.0, demod_hz=None):
    """The description of frames in logical order. ValueError: receive apertures other than the whole probe."""
    context = metadata.context
    ops = context.raw_sequence.ops
    probes = context.device.probe
    model = (probes[0] if isinstance(probes, (list, tuple)) else probes).model
    fs = float(metadata.data_description.sampling_frequency)
    pulse = _tx(ops[0]).excitation
    *_, transmits, elements, samples, values = metadata.input_shape
    for op in ops:
        found = sum(1 for active in op.rx.aperture if active)
        if found != model.n_elements or elements != model.n_elements:
            raise ValueError(f"receive aperture of {found} elements; expected all {model.n_elements} of the probe")
    if transmits != len(ops):
        raise ValueError(f"frames of {transmits} transmits for a sequence of {len(ops)}; expected as many")
    deepest = max(float(z) for z in model.element_pos_z)  # the array's centre is the origin
    pri = sum(op.pri for op in ops)
    scan = {"axes": ["transmit", "element", "time"], "shape": [transmits, elements, samples],
            "dtype": _dtype_name(metadata.dtype), "fs_hz": fs, "fc_hz": float(pulse.center_frequency),
            "c_m_s": _sound_speed(context),
            "element_x_m": [float(x) for x in model.element_pos_x],
            "element_z_m": [float(z) - deepest for z in model.element_pos_z],
            "element_normal_rad": [float(a) for a in model.element_angle],
            "tx": [{"kind": "delays", "delays_s": _delays(_tx(op))} for op in ops],
            "t0_s": [_start(op.rx) / fs - _tx(op).excitation.n_periods / (2.0 * _tx(op).excitation.center_frequency)
                     + delay_s for op in ops],
            "frame_rate_hz": 1.0 / (context.raw_sequence.sri or pri), "name": "us4R"}
    if values == 2:
        scan["axes"].append("iq")
        scan["shape"].append(2)
        scan["demod_hz"] = float(demod_hz or pulse.center_frequency)
    return scan


def attach(metadata, address=None, *, delay_s=0.0, demod_hz=None, timeout=10.0):
    """A function that sends the frames of an array [batch][transmit][element][sample][value], and gives it back."""
    sender = Sender(describe(metadata, delay_s, demod_hz), address, name="arrus", timeout=timeout)

    def send(data):
        host = data.get() if hasattr(data, "get") else data  # of a GPU
        for frame in host if len(getattr(host, "shape", ())) == 5 else [host]:
            if sender.send(frame, timeout=0.0) not in (OK, "no viewer", "stopped"):
                sender.lost(1)
        return data

    send.sender = sender
    return send


def _tx(op):
    return op.tx[0] if isinstance(op.tx, (list, tuple)) else op.tx


def _start(rx):
    return rx.sample_range[0]


def _delays(tx):
    """Of each element of the probe, None where it is silent; the sequence has those of active elements alone."""
    delays = iter([float(d) for d in tx.delays])
    return [next(delays) if active else None for active in tx.aperture]


def _sound_speed(context):
    for holder in (context.medium, context.sequence):
        speed = getattr(holder, "speed_of_sound", None)
        if speed:
            return float(speed)
    raise ValueError("no speed of sound in the metadata; expected one of the medium or of the sequence")


def _dtype_name(dtype):
    return getattr(dtype, "name", None) or getattr(dtype, "__name__", None) or str(dtype)
