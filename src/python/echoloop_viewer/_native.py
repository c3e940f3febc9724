"""The C functions of libecholoop_native.so, with their failures as exceptions."""
import ctypes
import json
import os
import pathlib
import shutil
import sys
from typing import Any, List

_HERE = pathlib.Path(__file__).resolve().parent
# Of a build folder (python/echoloop_viewer), of an installed program (lib/echoloop/python/echoloop_viewer), of a wheel
# (lib/python3.N/site-packages/echoloop_viewer, or of pip --target).
_BUILD, _PREFIXES = _HERE.parents[1], (_HERE.parents[3], _HERE.parent, pathlib.Path(sys.prefix))


class DeviceError(RuntimeError):
    """The device is lost; a new process is needed."""


def _first(places: Any, what: str) -> str:
    for place in places:
        if place and pathlib.Path(place).exists():
            return str(place)
    raise FileNotFoundError(f"{what} not found; looked in {', '.join(str(p) for p in places if p)}")


def program() -> str:
    """Path of the viewer's program."""
    return _first([os.environ.get("ECHOLOOP_PROGRAM"), _BUILD / "echoloop",
                   *(prefix / "bin/echoloop" for prefix in _PREFIXES), shutil.which("echoloop")], "the program echoloop")


def _reader() -> str:
    return _first([_BUILD / "echoloop-reader", *(prefix / "libexec/echoloop/echoloop-reader" for prefix in _PREFIXES)],
                  "the program echoloop-reader")


def _load() -> Any:
    library = ctypes.CDLL(str(_HERE / "libecholoop_native.so"))
    text, handle, size = ctypes.c_char_p, ctypes.c_void_p, ctypes.c_uint64
    for name, result, arguments in (
            ("echo_error", text, [ctypes.POINTER(ctypes.c_int)]),
            ("echo_version", text, []),
            ("echo_use_reader", None, [text]),
            ("echo_free", None, [handle]),
            ("echo_parameters", text, []),
            ("echo_devices", text, []),
            ("echo_acquisition", handle, [text]),
            ("echo_acquisition_facts", text, [handle]),
            ("echo_convert", ctypes.c_int, [handle, handle, size, handle, size]),
            ("echo_open", handle, [text, text]),
            ("echo_recording_facts", text, [handle]),
            ("echo_frame", handle, [handle, size, ctypes.POINTER(handle)]),
            ("echo_beamformer", handle, [handle, text, text, ctypes.c_int]),
            ("echo_set", ctypes.c_int, [handle, text]),
            ("echo_state", text, [handle]),
            ("echo_run", ctypes.c_int, [handle, handle, size, ctypes.c_int64, ctypes.c_int, handle, size, ctypes.c_int])):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


native = _load()
_KINDS = {1: ValueError, 2: FileNotFoundError, 3: MemoryError, 4: DeviceError, 5: RuntimeError}


def failure() -> Exception:
    """The exception of the last failure in this thread."""
    kind = ctypes.c_int()
    line = native.echo_error(ctypes.byref(kind))
    return _KINDS.get(kind.value, RuntimeError)(line.decode(errors="replace"))


def checked(status: int) -> None:
    if status:
        raise failure()


def answer(text: Any) -> Any:
    if text is None:
        raise failure()
    return json.loads(text)


class Handle:
    """Owner of an object of the library."""

    def __init__(self, pointer: Any) -> None:
        if not pointer:
            raise failure()
        self.pointer = pointer

    def __del__(self) -> None:
        pointer, self.pointer = getattr(self, "pointer", None), None
        if pointer and native is not None:
            native.echo_free(pointer)


def use_reader() -> None:
    """Tells the library which program parses files."""
    native.echo_use_reader(_reader().encode())


def list_parameters() -> List[dict]:
    """Rows of all parameters: key, label, min, max, whole_number, from_acquisition, choices, help; SI units."""
    return answer(native.echo_parameters())


def list_devices() -> List[dict]:
    """Rows of the devices, the CPU last: device, name, memory and free, bytes, of the CPU 0."""
    return answer(native.echo_devices())
