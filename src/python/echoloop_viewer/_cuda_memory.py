"""Memory of a viewer's GPU, opened by CUDA IPC, as arrays of CuPy or PyTorch."""
import ctypes
import functools
import struct

from ._native import DeviceError

_LAZY_PEER_ACCESS, _NO_TIMING_SHARED = 1, 6  # CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS; DISABLE_TIMING | INTERPROCESS


class _Handle(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_ubyte * 64)]


@functools.lru_cache(None)
def _driver():
    return ctypes.CDLL("libcuda.so.1")


def _call(name, *arguments):
    library = _driver()
    status = getattr(library, name)(*arguments)
    if status:
        text = ctypes.c_char_p()
        library.cuGetErrorString(status, ctypes.byref(text))
        raise DeviceError(f"{name}: {(text.value or b'').decode()}")


def available():
    try:
        _call("cuInit", 0)
        return True
    except (OSError, DeviceError):
        return False


class _Place:
    """What CuPy and PyTorch take an array from."""

    def __init__(self, address, shape, dtype):
        self.__cuda_array_interface__ = {"version": 3, "shape": tuple(shape), "typestr": dtype, "data": (address, False)}


class Cupy:
    def __init__(self):
        import cupy
        self.module = cupy

    def stream(self):
        return self.module.cuda.get_current_stream().ptr

    def array(self, place):
        return self.module.asarray(place)

    from_host = array

    def put(self, out, result):
        out[...] = self.module.asarray(result)


class Torch:
    def __init__(self):
        import torch
        self.module = torch

    def stream(self):
        return self.module.cuda.current_stream().cuda_stream

    def array(self, place):
        return self.module.as_tensor(place, device="cuda")

    def from_host(self, view):
        return self.module.tensor(view)

    def put(self, out, result):
        out.copy_(self.module.as_tensor(result).detach())


class Memory:
    """Block for arrays and block for answers of a viewer, in one of its GPUs. room: payload of the message."""

    def __init__(self, room, library):
        _, device, in_bytes, out_bytes, self.id = struct.unpack_from("<IIQQQ", room)
        handles = [_Handle.from_buffer_copy(room[32 + 64 * k:96 + 64 * k]) for k in range(3)]
        self.library = library
        if hasattr(library.module.cuda, "set_device"):
            library.module.cuda.set_device(device)
        else:
            library.module.cuda.Device(device).use()
        library.module.zeros(1)  # the context of the library's device is current
        self._places = []
        for handle in handles[:2]:
            place = ctypes.c_uint64()
            _call("cuIpcOpenMemHandle_v2", ctypes.byref(place), handle, _LAZY_PEER_ACCESS)
            self._places.append(place.value)
        self._filled, self._done = ctypes.c_void_p(), ctypes.c_void_p()
        _call("cuIpcOpenEventHandle", ctypes.byref(self._filled), handles[2])
        _call("cuEventCreate", ctypes.byref(self._done), _NO_TIMING_SHARED)
        done = _Handle()
        _call("cuIpcGetEventHandle", ctypes.byref(done), self._done)
        self.done = bytes(done.bytes)

    def __del__(self):
        for place in getattr(self, "_places", []):
            try:
                _call("cuIpcCloseMemHandle", ctypes.c_uint64(place))
            except (DeviceError, OSError, TypeError, AttributeError):  # the viewer or the interpreter has ended
                return

    def array(self, shape, dtype):
        """The viewer's array; the library's current stream waits for it."""
        _call("cuStreamWaitEvent", ctypes.c_void_p(self.library.stream()), self._filled, 0)
        return self.library.array(_Place(self._places[0], shape, dtype))

    def out(self, shape, dtype):
        return self.library.array(_Place(self._places[1], shape, dtype))

    def finish(self):
        """Synchronises the library's stream: a GPU executes one process at a time, in slices of about 2 ms while work of
        it is queued, also if that only waits for another process."""
        stream = ctypes.c_void_p(self.library.stream())
        _call("cuEventRecord", self._done, stream)
        _call("cuStreamSynchronize", stream)
