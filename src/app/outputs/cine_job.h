// A file that is made of kept frames in the background: a video, complex pixels. Each frame is beamformed again by the
// stream's processing thread, between the live ones; only a few are asked for ahead. UI thread only.
#pragma once

#include <string>

#include "app/stream/session.h"

namespace echoloop {

class CineJob {
 public:
  virtual ~CineJob() = default;
  virtual void ask(Session& session) = 0;            // once a window frame
  virtual void give_up(const std::string& why) = 0;  // empty: it was cancelled
  [[nodiscard]] virtual bool done() const = 0;
  [[nodiscard]] virtual std::string result() const = 0;  // once done: one line
  [[nodiscard]] virtual bool failed() const = 0;
  [[nodiscard]] virtual bool complete() const = 0;  // no frame is missing
  [[nodiscard]] virtual double fraction() const = 0;
  [[nodiscard]] virtual std::string progress() const = 0;
  [[nodiscard]] virtual std::string busy() const = 0;  // why no other one can begin: a sentence
};

}  // namespace echoloop
