// EGL, loaded when an image of the window is first asked for: a machine without libEGL still runs headless. UI thread.
#pragma once

#define EGL_EGL_PROTOTYPES 0
#include <EGL/egl.h>
#include <EGL/eglext.h>

namespace echoloop {

struct EglLibrary {
  PFNEGLGETPROCADDRESSPROC get_proc_address;
  PFNEGLGETDISPLAYPROC get_display;
  PFNEGLINITIALIZEPROC initialize;
  PFNEGLTERMINATEPROC terminate;
  PFNEGLBINDAPIPROC bind_api;
  PFNEGLCHOOSECONFIGPROC choose_config;
  PFNEGLCREATECONTEXTPROC create_context;
  PFNEGLDESTROYCONTEXTPROC destroy_context;
  PFNEGLMAKECURRENTPROC make_current;
};

// Loads libEGL.so.1 once. Throws Error where the library is not installed.
const EglLibrary& egl_library();

}  // namespace echoloop
