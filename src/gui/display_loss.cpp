#include "gui/display_loss.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace echoloop {
namespace {

using Handler = int (*)(void* display);  // XIOErrorHandler: must not return

std::function<void()> work;

int on_loss(void* /*display*/) {
  if (const auto finish = std::exchange(work, nullptr)) finish();
  std::fflush(nullptr);
  std::_Exit(1);  // no destructor may use the window
}

// Of the library that GLFW has loaded: the program itself is not linked with Xlib.
using Setter = Handler (*)(Handler);
Setter find_setter() {
  void* const xlib = dlopen("libX11.so.6", RTLD_LAZY | RTLD_NOLOAD);
  return xlib == nullptr ? nullptr : reinterpret_cast<Setter>(dlsym(xlib, "XSetIOErrorHandler"));
}

}  // namespace

void finish_on_display_loss(std::function<void()> finish) {
  work = std::move(finish);
  static const Setter set_handler = find_setter();
  if (set_handler != nullptr) set_handler(on_loss);
}

}  // namespace echoloop
