#include "app/pictures.h"

#include "core/error.h"
#include "history/export.h"

namespace echoloop {

void write_picture(const std::filesystem::path&, const Image&) {}

void write_screenshot(const Options&, const OpenedSource&, Session&, const Backend&, Mailbox<Image>&, const TimingTrace&) {}

}  // namespace echoloop
