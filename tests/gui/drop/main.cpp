// test_drop X Y URI: drops a file on the window at this place of the display, as a file manager does (the XDND
// protocol, version 5, freedesktop.org). Exit status 0 once the window has confirmed it.
#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <poll.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

constexpr long kVersion = 5;
constexpr int kPatience_ms = 10'000;

class Dragging {
 public:
  Dragging(Display* display, std::string uri) : display_(display), uri_(std::move(uri) + "\r\n") {
    own_ = XCreateSimpleWindow(display_, root(), 0, 0, 1, 1, 0, 0, 0);
    XSetSelectionOwner(display_, atom("XdndSelection"), own_, CurrentTime);
  }

  // Returns true if the window at the place accepted the file.
  bool drop(int x, int y) {
    target_ = window_at(x, y);
    if (target_ == None) return false;
    send("XdndEnter", kVersion << 24, static_cast<long>(atom("text/uri-list")), 0, 0);
    send("XdndPosition", 0, (static_cast<long>(x) << 16) | y, CurrentTime, static_cast<long>(atom("XdndActionCopy")));
    const bool welcome = (wait_for("XdndStatus").data.l[1] & 1) != 0;
    if (!welcome) return false;
    send("XdndDrop", 0, CurrentTime, 0, 0);
    return wait_for("XdndFinished").type == ClientMessage;
  }

 private:
  [[nodiscard]] Window root() const { return DefaultRootWindow(display_); }
  [[nodiscard]] Atom atom(const char* name) const { return XInternAtom(display_, name, False); }

  // Returns the innermost window there that accepts drops.
  [[nodiscard]] Window window_at(int x, int y) const {
    Window found = None;
    Window next = root();
    while (next != None) {
      if (takes_drops(next)) found = next;
      const Window here = next;
      int here_x = 0, here_y = 0;
      if (XTranslateCoordinates(display_, root(), here, x, y, &here_x, &here_y, &next) == 0) break;
    }
    return found;
  }

  [[nodiscard]] bool takes_drops(Window window) const {
    Atom type = None;
    int format = 0;
    unsigned long count = 0, left = 0;
    unsigned char* data = nullptr;
    XGetWindowProperty(display_, window, atom("XdndAware"), 0, 1, False, XA_ATOM, &type, &format, &count, &left, &data);
    if (data != nullptr) XFree(data);
    return type == XA_ATOM;
  }

  void send(const char* message, long a, long b, long c, long d) {
    XEvent event{};
    event.xclient.type = ClientMessage;
    event.xclient.display = display_;
    event.xclient.window = target_;
    event.xclient.message_type = atom(message);
    event.xclient.format = 32;
    event.xclient.data.l[0] = static_cast<long>(own_);
    event.xclient.data.l[1] = a;
    event.xclient.data.l[2] = b;
    event.xclient.data.l[3] = c;
    event.xclient.data.l[4] = d;
    XSendEvent(display_, target_, False, NoEventMask, &event);
    XFlush(display_);
  }

  // Waits for a message, serving requests for the file's name meanwhile. An event of type 0: none came.
  XClientMessageEvent wait_for(const char* message) {
    while (XPending(display_) > 0 || something_comes()) {
      XEvent event;
      XNextEvent(display_, &event);
      if (event.type == SelectionRequest) serve(event.xselectionrequest);
      if (event.type == ClientMessage && event.xclient.message_type == atom(message)) return event.xclient;
    }
    return {};
  }

  [[nodiscard]] bool something_comes() const {
    pollfd descriptor{.fd = ConnectionNumber(display_), .events = POLLIN, .revents = 0};
    return poll(&descriptor, 1, kPatience_ms) > 0;
  }

  void serve(const XSelectionRequestEvent& request) {
    XChangeProperty(display_, request.requestor, request.property, request.target, 8, PropModeReplace,
                    reinterpret_cast<const unsigned char*>(uri_.data()), static_cast<int>(uri_.size()));
    XEvent answer{};
    answer.xselection.type = SelectionNotify;
    answer.xselection.requestor = request.requestor;
    answer.xselection.selection = request.selection;
    answer.xselection.target = request.target;
    answer.xselection.property = request.property;
    answer.xselection.time = request.time;
    XSendEvent(display_, request.requestor, False, NoEventMask, &answer);
    XFlush(display_);
  }

  Display* display_;
  std::string uri_;
  Window own_ = None, target_ = None;
};

}  // namespace

int main(int argc, char** argv) {
  Display* display = argc == 4 ? XOpenDisplay(nullptr) : nullptr;
  if (display == nullptr) {
    std::fprintf(stderr, "test_drop X Y URI, on a display\n");
    return 2;
  }
  const bool taken = Dragging(display, argv[3]).drop(std::atoi(argv[1]), std::atoi(argv[2]));
  XCloseDisplay(display);
  return taken ? 0 : 1;
}
