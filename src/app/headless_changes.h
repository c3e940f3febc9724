// Changes during a run without a window that come from outside: the description of a scanner's frames, and the function
// of another program that is the method. Main thread only.
#pragma once

#include <chrono>
#include <memory>

#include "app/control_run.h"
#include "app/opening/source_kinds.h"
#include "app/options/options.h"
#include "app/stream/session.h"
#include "core/own_method.h"

namespace echoloop {

// Continues the stream with a scanner's new description and the command line's settings. Recordings contain one
// acquisition: with one of them the stream ends. Returns true if continued.
bool follow_acquisition(Session& session, OpenedSource& opened, const Options& options);

// Takes over a function that its program has defined again; its parameters keep their values. Not in a run that writes
// all images to a file with one description: that is said in one line.
class RedefinedMethod {
 public:
  RedefinedMethod(Session& session, const OpenedSource& opened, const Options& options)
      : session_(session), opened_(opened), options_(options) {}

  void look(ControlRun* control);  // often

 private:
  Session& session_;
  const OpenedSource& opened_;
  const Options& options_;
  std::chrono::steady_clock::time_point next_look_;
  std::shared_ptr<const OwnMethod> seen_;  // the last definition that was taken over, or refused
};

}  // namespace echoloop
