#include "gui/gl/egl_library.h"

#include <dlfcn.h>

#include <string>

#include "core/error.h"

namespace echoloop {
namespace {

constexpr const char* kFile = "libEGL.so.1";

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) throw Error("offscreen rendering", std::string(kFile) + " has no " + name, "EGL 1.5");
}

EglLibrary load() {
  void* const library = dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw Error("offscreen rendering", std::string(kFile) + " is not installed", "Mesa's or a vendor's EGL",
                "Debian's package is libegl1; --png and --image-out work without EGL");
  }
  EglLibrary egl{};
  find(library, "eglGetProcAddress", egl.get_proc_address);
  find(library, "eglGetDisplay", egl.get_display);
  find(library, "eglInitialize", egl.initialize);
  find(library, "eglTerminate", egl.terminate);
  find(library, "eglBindAPI", egl.bind_api);
  find(library, "eglChooseConfig", egl.choose_config);
  find(library, "eglCreateContext", egl.create_context);
  find(library, "eglDestroyContext", egl.destroy_context);
  find(library, "eglMakeCurrent", egl.make_current);
  return egl;
}

}  // namespace

const EglLibrary& egl_library() {
  static const EglLibrary egl = load();
  return egl;
}

}  // namespace echoloop
