"""Echoloop from Python: beamform arrays, open recordings, show and send frames.

    import echoloop_viewer as el
    rec = el.open("recording.uff")
    pixels = el.beamform(rec[0], rec.acquisition, f_number=1.5)     # complex64 [nz, nx]

Without numpy: Acquisition, Sender, show() and the lists; with it everything.
"""
from typing import TYPE_CHECKING

from ._native import DeviceError, list_devices, list_parameters, native as _library
from ._acquisition import Acquisition
from .sender import Refused, Sender
from ._show import NoViewer, Viewer, show

__version__ = _library.echo_version().decode()
_WITH_NUMPY = {"Beamformer": "beamform", "Grid": "beamform", "beamform": "beamform", "Recording": "recording",
               "open": "recording", "Tap": "tap", "method": "method", "Method": "method", "Parameter": "method"}
__all__ = ["Acquisition", "DeviceError", "NoViewer", "Refused", "Sender", "Viewer", "list_devices", "list_parameters", "show",
           *_WITH_NUMPY]

if TYPE_CHECKING:  # loaded when they are first used
    from . import mach, zea
    from ._beamform import Beamformer, Grid, beamform
    from ._method import Method, Parameter, method
    from ._recording import Recording, open


def __getattr__(name):
    if name in ("mach", "zea"):  # words of other packages
        import importlib
        return importlib.import_module("." + name, __name__)
    if name not in _WITH_NUMPY:
        raise AttributeError(f"module 'echoloop_viewer' has no attribute '{name}'")
    import importlib
    module = importlib.import_module("._" + _WITH_NUMPY[name], __name__)
    for each, of in _WITH_NUMPY.items():
        if of == _WITH_NUMPY[name]:
            globals()[each] = getattr(module, each)
    return globals()[name]


def __dir__():
    return sorted({*globals(), *__all__, "mach", "zea"})
