"""Frames and images between machines, over ADIOS2 SST; needs the package adios2 (2.12).

    python -m echoloop_viewer.sst serve NAME --readers 3           beside a sender to live:bridge: its frames
    python -m echoloop_viewer.sst feed NAME --to live:v1           beside a viewer: passes them on
    python -m echoloop_viewer.sst tap NAME iq                      beside a viewer with --tap: its pixels; NAME.bp: a file

One step a frame: word (64 bytes, as in the protocol of senders), samples (as they are) or the array of the tap, and the
description as attribute description_G (of a tap info_G), G: the generation in the word. A word of 0 bytes ends the stream.
"""
import argparse
import json
import os
import re
import signal
import socket
import stat
import struct
import sys
import time

import numpy

from . import sender as live
from ._acquisition import Acquisition
from ._native import native
from ._show import NoViewer

_WORD = struct.Struct("<QqQQQIIIIQ")  # sequence, acquired, ticks, lost, bytes, block, generation, flags, checksum, 0
_BLOCKS = 4
_LARGEST = 1 << 33  # bytes of a frame
_LINGER_S = 5.0     # for the word that ends a stream of which steps may be discarded
_NEWER = 1 << 32    # a sequence number that is further ahead starts a new count


def _adios2():
    try:
        import adios2
    except ImportError:
        raise ValueError("the package adios2 is not installed; pip install adios2") from None
    return adios2


def _check_folder(name):
    """NAME.sst names host and port: others could divert the stream."""
    folder = os.path.dirname(os.path.abspath(name))
    facts = os.stat(folder)
    if facts.st_uid != os.geteuid() or stat.S_IMODE(facts.st_mode) & 0o022:
        raise ValueError(f"NAME = '{name}' in '{folder}', where others can write; expected a folder of this user alone")


def _opened(io, name, mode):
    """Waits without the interpreter: Ctrl-C ends the process."""
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        return io.open(name, mode)
    finally:
        signal.signal(signal.SIGINT, before)


def _network(o):
    interfaces = [name for _, name in socket.if_nameindex()]
    if o.interface not in interfaces:
        raise ValueError(f"interface = '{o.interface}'; expected {', '.join(interfaces)}")
    return {"DataTransport": "WAN", "NetworkInterface": o.interface}


class _Steps:
    """Writes steps to readers, or to a file."""

    def __init__(self, o):
        self._mode = _adios2().bindings.Mode
        self._io = _adios2().Adios().declare_io("steps")
        self._discards = not o.name.endswith(".bp") and o.policy == "Discard"
        self._variables = {}
        if o.name.endswith(".bp"):
            self._io.set_engine("BP5")
        else:
            _check_folder(o.name)
            self._io.set_engine("SST")
            self._io.set_parameters({**_network(o), "QueueFullPolicy": o.policy, "QueueLimit": str(o.queue),
                                     "RendezvousReaderCount": str(o.readers)})
            print(f"Waiting for {o.readers} readers of {o.name}", flush=True)
        self._engine = _opened(self._io, o.name, self._mode.Write)

    def attribute(self, name, value):
        """For the next step and all later ones."""
        self._io.define_attribute(name, value)

    def put(self, **arrays):
        self._engine.begin_step()
        for name, array in arrays.items():
            shape, first = list(array.shape), [0] * array.ndim
            if name not in self._variables:
                self._variables[name] = self._io.define_variable(name, array, shape, first, shape)
            self._variables[name].set_shape(shape)
            self._variables[name].set_selection([first, shape])
            self._engine.put(self._variables[name], array, self._mode.Sync)
        self._engine.end_step()

    def end(self, following, lost, generation):
        """following: the number after that of the last frame."""
        last = _bytes(_WORD.pack(following, 0, 0, lost, 0, 0, generation, 0, 0, 0))
        self.put(word=last)
        until = time.monotonic() + (_LINGER_S if self._discards else 0.0)
        while time.monotonic() < until:
            time.sleep(0.1)
            self.put(word=last)
        self._engine.close()


def _bytes(raw):
    return numpy.frombuffer(raw, "u1").copy()  # adios2 takes none that are read-only


class _Connection:
    """A sender, seen from the viewer's side; samples come over its socket."""

    def __init__(self, connection):
        self._socket = connection
        self.generation, self.frame_bytes = None, 0
        self.clock = 0

    def _exactly(self, memory):
        memory = memoryview(memory)
        while memory:
            size = self._socket.recv_into(memory)
            if size == 0:
                raise EOFError
            memory = memory[size:]

    def _send(self, kind, payload):
        self._socket.sendall(live._HEADER.pack(live._MARK, kind, len(payload)) + payload)

    def refuse(self, reason, generation, line):
        self._send(live._REFUSED, struct.pack("<II", reason, generation) + live._text(line))

    def lend(self, blocks):
        self._send(live._CREDITS, b"".join(live._CREDIT.pack(block, self.generation, 0) for block in blocks))

    def message(self):
        """Kind and payload; of FRAMES the word, and its samples after it."""
        head = bytearray(live._HEADER.size)
        self._exactly(head)
        mark, kind, size = live._HEADER.unpack(head)
        most = {live._DESCRIBE: 64 << 20, live._FRAMES: _WORD.size + self.frame_bytes}.get(kind, 65536)
        if mark != live._MARK or size > most or (kind == live._FRAMES and (self.generation is None or size < _WORD.size)):
            self.refuse(5, 0, f"a message of kind {kind} with {size} bytes; expected one of protocol 1.0")
            raise EOFError
        payload = numpy.empty(size, "u1")
        self._exactly(payload)
        return kind, payload

    def greet(self):
        """The name of the sender."""
        kind, payload = self.message()
        if kind != live._HELLO or len(payload) < 32 or struct.unpack_from("<HHI", payload) != (1, 0, 0x01020304):
            self.refuse(1, 0, "no HELLO of protocol 1.0; expected a sender of this version")
            raise EOFError
        self.clock = struct.unpack_from("<I", payload, 20)[0]
        self._send(live._WELCOME, struct.pack("<HHIIIQ", 1, 0, live._INLINE, 0, 0, _LARGEST)
                   + live._text(native.echo_version().decode()))
        return live._read_text(payload, 24)

    def describe(self, payload):
        """The description, accepted; None: refused."""
        generation = struct.unpack_from("<I", payload)[0]
        try:
            given = json.loads(bytes(payload[8:]))
            acq = Acquisition(given)
            # Facts of a file of this machine are of use on others.
            description = given if "shape" in given else acq.to_dict()
            values = numpy.prod(acq.shape, dtype=object) * (2 if acq.iq else 1)
            size = live._bytes_of_frame(given) or int(values) * numpy.dtype(acq.dtype).itemsize
            if size > _LARGEST:
                raise ValueError(f"a frame of {size} bytes; expected up to {_LARGEST}")
        except ValueError as error:
            self.refuse(4, generation, str(error))
            return None
        self.generation, self.frame_bytes = generation, size
        assumed = live._text("; ".join(acq.assumptions))
        self._send(live._ACCEPTED, struct.pack("<IIQQ", generation, _BLOCKS, size, 0) + assumed)
        self.lend(range(_BLOCKS))
        return description


def _bound(address):
    path, place, _ = live._parse(address)
    if place is not None:
        raise ValueError(f"address = '{address}'; expected live:NAME, a sender on this machine")
    os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
    trial, server = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
    with trial:
        if trial.connect_ex(path) == 0:
            raise ValueError(f"address = '{address}' is in use; expected another name, or an end of that viewer")
    if os.path.exists(path):
        os.unlink(path)  # left by a program that has ended
    before = os.umask(0o177)
    try:
        server.bind(path)
    finally:
        os.umask(before)
    return server, path


def serve(o):
    """From the first HELLO of a sender to its end."""
    server, path = _bound(o.address)
    steps = _Steps(o)
    server.listen(1)
    print(f"Waiting for a sender at {o.address}", flush=True)
    while True:
        connection, _ = server.accept()
        uid = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[1]
        bridge = _Connection(connection)
        try:
            name = bridge.greet() if uid == os.geteuid() else None
        except (EOFError, OSError):
            name = None
        if name is not None:
            break
        connection.close()
    os.unlink(path)  # one sender
    server.close()
    frames, following, lost = 0, 0, 0
    try:
        frames, following, lost = _pass_on(bridge, steps)
    finally:
        connection.close()
        steps.end(following, lost, bridge.generation or 0)
    print(f"{frames} frames of {name}, {lost} lost at the sender", flush=True)


def _pass_on(bridge, steps):
    frames, following, lost, described = 0, 0, 0, set()
    # Times of other machines are compared by their wall clocks.
    offset = {1: time.time_ns() - time.monotonic_ns(), 2: 0}.get(bridge.clock)
    if offset is not None:
        steps.attribute("unix_minus_acquired_ns", offset)
    while True:
        try:
            kind, payload = bridge.message()
            if kind == live._DESCRIBE:
                description = bridge.describe(payload)
                if description is not None and bridge.generation not in described:
                    described.add(bridge.generation)
                    steps.attribute(f"description_{bridge.generation}", json.dumps(description))
            elif kind == live._PING:
                bridge._send(live._PONG, struct.pack("<Qqq", *struct.unpack_from("<Qq", payload), time.monotonic_ns()))
            elif kind == live._FRAMES:
                sequence, _, _, lost, size, block, generation, *_ = _WORD.unpack_from(payload)
                if generation != bridge.generation:
                    continue  # made before the present description
                if size != bridge.frame_bytes or len(payload) != _WORD.size + size or block >= _BLOCKS:
                    bridge.refuse(5, 0, f"a frame of {size} bytes; expected {bridge.frame_bytes}")
                    break
                steps.put(word=payload[:_WORD.size].copy(), samples=payload[_WORD.size:])
                frames, following = frames + 1, (sequence + 1) % live._NUMBERS
                bridge.lend([block])
            elif kind == live._BYE:
                break
            elif kind not in (live._PONG, live._RESUME) and not kind & live._MAY_BE_SKIPPED:
                bridge.refuse(5, 0, f"a message of kind {kind}; expected one of protocol 1.0")
                break
        except (EOFError, OSError, KeyboardInterrupt):
            break
    return frames, following, lost


class _Reader:
    """Steps of a stream, and the attributes that are known with them."""

    def __init__(self, o):
        _check_folder(o.name)
        self._adios2 = _adios2().bindings
        self._io = _adios2().Adios().declare_io("steps")
        self._io.set_engine("SST")
        self._io.set_parameters({**_network(o), "OpenTimeoutSecs": str(o.timeout)})
        self._engine = _opened(self._io, o.name, self._adios2.Mode.Read)

    def __iter__(self):
        while True:
            status = self._engine.begin_step(self._adios2.StepMode.Read, 1.0)
            if status == self._adios2.StepStatus.NotReady:
                continue
            if status != self._adios2.StepStatus.OK:
                return
            yield self
            self._engine.end_step()

    def array(self, name):
        variable = self._io.inquire_variable(name)
        values = numpy.empty(variable.shape(), "u1")
        self._engine.get(variable, values)
        return values

    def attribute(self, name):
        found = self._io.inquire_attribute(name)
        if found is None:
            return None
        return found.data_string() if found.type() == "string" else int(found.data())

    def close(self):
        self._engine.close()


def feed(o):
    """To a viewer, from the first step on; what does not come is counted as lost there."""
    reader = _Reader(o)
    sender, generation, expected, first, ended = None, None, None, 0, False
    counts = {"frames": 0, "lost": 0}
    try:
        for step in reader:
            sequence, acquired, ticks, _, size, _, described, flags, _, _ = _WORD.unpack(step.array("word"))
            missing = 0 if expected is None else (sequence - expected) % live._NUMBERS
            missing = missing if missing < _NEWER else 0
            if size == 0:
                counts["lost"], ended, expected = counts["lost"] + missing, True, sequence
                break
            if described != generation:
                description = json.loads(step.attribute(f"description_{described}"))
                if sender is None:
                    sender, first = live.Sender(description, o.to, timeout=o.timeout, name=o.name), sequence
                    here = time.time_ns() - time.monotonic_ns()
                    offset = step.attribute("unix_minus_acquired_ns")
                else:
                    sender.describe(description)
                generation = described
            sender.lost(missing)
            samples = step.array("samples")
            while True:
                status = sender.send(samples, sequence=sequence, device_ticks=ticks, follows=not flags & 1,
                                     acquired_ns=acquired + offset - here if acquired and offset is not None else 0)
                if status != live.TIMEOUT:
                    break
            counts["frames"] += status == live.OK
            counts["lost"] += missing + (status != live.OK)
            expected = (sequence + 1) % live._NUMBERS
    finally:
        reader.close()
        if sender is not None:
            sender.close()
        report = {**counts, "first_sequence": first, "next_sequence": expected or 0, "complete": ended}
        if o.report:
            with open(o.report, "w") as file:
                json.dump(report, file)
    print(f"{counts['frames']} frames to {o.to}, {counts['lost']} lost", flush=True)
    if not ended:
        raise NoViewer(f"the stream {o.name} broke off; the last frame was {(expected or 0) - 1}")


def tap(o):
    """Arrays of a kind until the viewer ends."""
    from ._tap import Tap
    steps, known, following, lost = None, set(), 0, 0
    with Tap(o.kind, o.viewer, block=o.every, timeout=o.timeout) as images:
        try:
            for n, frame in enumerate(images, 1):
                steps = steps or _Steps(o)
                if frame.revision not in known:
                    known.add(frame.revision)
                    steps.attribute(f"info_{frame.revision}", json.dumps(frame.info))
                word = _bytes(_WORD.pack(frame.sequence, frame.acquired_ns, 0, frame.lost, frame.array.nbytes, 0,
                                        frame.revision, 0, 0, 0))
                more = _bytes(json.dumps({**frame.more, "time_s": frame.time_s,
                                          "reference_db": frame.reference_db}).encode())
                pixels = frame.copy()
                if pixels.dtype == "c8":
                    pixels = pixels.view("f4").reshape(*pixels.shape, 2)  # adios2 reads no complex values in Python
                steps.put(word=word, more=more, **{o.kind: pixels})
                following, lost = frame.sequence + 1, frame.lost
                if n == o.frames:
                    break
        except KeyboardInterrupt:
            pass
    if steps is not None:
        steps.end(following, lost, 0)


def _count(text):
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text}; expected 1 or more")
    return int(text)


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        raise ValueError(message)


def main(words=None):
    """Returns the exit status: 0, 1 a fault, 2 a bad argument or a missing package."""
    parser = _Parser(prog="python -m echoloop_viewer.sst", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)
    serving, feeding, tapping = (commands.add_parser(name) for name in ("serve", "feed", "tap"))
    for command in (serving, feeding, tapping):
        command.add_argument("name", metavar="NAME", help="of the stream; its file NAME.sst is in a folder of this user")
        command.add_argument("--interface", default="lo", metavar="IF", help="of the network; lo: this machine only")
        command.add_argument("--timeout", type=float, default=60.0, metavar="S", help="for the other side at the start")
    for command in (serving, tapping):
        command.add_argument("--readers", type=_count, default=1, metavar="N", help="that must be there before the first frame")
        command.add_argument("--policy", choices=["Block", "Discard"], default="Block", help="when the queue is full")
        command.add_argument("--queue", type=_count, default=5, metavar="Q", help="steps that wait for readers")
    serving.add_argument("--address", default="live:bridge", help="of the sender, on this machine")
    feeding.add_argument("--to", default="live:", metavar="ADDRESS", help="of the viewer")
    feeding.add_argument("--report", metavar="F", help="JSON with the numbers of frames")
    tapping.add_argument("kind", metavar="KIND", help="as in el.Tap")
    tapping.add_argument("--viewer", default="default", metavar="NAME", help="of --tap")
    tapping.add_argument("--every", action="store_true", help="frame; of a viewer without a window, which waits")
    tapping.add_argument("--frames", type=_count, metavar="N", help="and then end")
    try:
        o = parser.parse_args(words)
        _adios2()
        {"serve": serve, "feed": feed, "tap": tap}[o.command](o)
        return 0
    except ValueError as error:
        print(f"sst: {error}", file=sys.stderr)
        return 2
    except (OSError, RuntimeError) as error:
        line = " ".join(re.sub("\x1b\\[[0-9;]*m", "", str(error)).split())
        print("sst:", line.rpartition("> : ")[2], file=sys.stderr)  # of adios2 without the place in its code
        return 1
    except KeyboardInterrupt:
        return 1


if __name__ == "__main__":
    sys.exit(main())
