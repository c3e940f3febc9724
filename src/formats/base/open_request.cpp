#include "formats/base/open_request.h"

#include "core/error.h"

namespace echoloop {

void OpenRequest::check_stop() const {
  if (stop.stop_requested()) throw Error(what(), "opening was stopped", "a complete read");
}

void OpenRequest::advance(double fraction) const {
  check_stop();
  if (progress) progress(fraction);
}

}  // namespace echoloop
