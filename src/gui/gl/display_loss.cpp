#include "gui/gl/display_loss.h"

#include <dlfcn.h>

#include <cstdio>
#include <utility>

namespace echoloop {
namespace {

using IoHandler = int (*)(void* display);                    // XIOErrorHandler: must not return
using ErrorHandler = int (*)(void* display, void* x_error);  // XErrorHandler

std::function<void(DisplayLoss)> work;

[[noreturn]] void end(DisplayLoss loss) {
  if (const auto finish = std::exchange(work, nullptr)) finish(loss);
  std::fflush(nullptr);
  std::_Exit(1);  // no destructor may use the window
}

int on_loss(void* /*display*/) { end(DisplayLoss::connection); }
int on_error(void* /*display*/, void* /*x_error*/) { end(DisplayLoss::request); }

// Of the library that GLFW has loaded: the program itself is not linked with Xlib.
template <class Handler>
void set_handler(const char* setter_name, Handler handler) {
  void* const xlib = dlopen("libX11.so.6", RTLD_LAZY | RTLD_NOLOAD);
  if (xlib == nullptr) return;
  const auto setter = reinterpret_cast<Handler (*)(Handler)>(dlsym(xlib, setter_name));
  if (setter != nullptr) setter(handler);
}

}  // namespace

void finish_on_display_loss(std::function<void(DisplayLoss)> finish) {
  work = std::move(finish);
  set_handler<IoHandler>("XSetIOErrorHandler", on_loss);
  set_handler<ErrorHandler>("XSetErrorHandler", on_error);
}

}  // namespace echoloop
