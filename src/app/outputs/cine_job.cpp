#include "app/outputs/cine_job.h"

#include <fmt/format.h>

#include <utility>

#include "core/number.h"

namespace echoloop {

CineJob::CineJob(std::string what, std::vector<Frame> frames, const ImagingParams& params, std::size_t unreadable)
    : what_(std::move(what)), frames_(std::move(frames)), params_(params), unreadable_(unreadable) {}

void CineJob::ask(Session& session) {
  if (given_up_ || !under_way() || !session.running()) return;
  if (delivered_->failed) return give_up("a history frame could not be processed");
  if (!session.fault().empty()) return give_up("the stream has stopped");
  if (session.configurations() != configuration_) {  // what the old one was asked for will not come any more
    configuration_ = session.configurations();
    asked_ = delivered();
  }
  for (; let_go_ < delivered(); ++let_go_) frames_[let_go_] = {};
  for (; asked_ < frames_.size() && asked_ < may_ask(); ++asked_) {
    const Frame& frame = frames_[asked_];
    session.review({.frame = frame.kept.frame,
                    .owner = frame.kept.owner,
                    .params = params_,
                    .compare = {},
                    .deliver =
                        [write = writer(frame), to = delivered_](const Image* image, const FlowImage* flow) {
                          if (image == nullptr) {
                            to->failed = true;
                            return;
                          }
                          write(*image, flow);
                          ++to->frames;
                        },
                    .pixels = pixels(),
                    .ensemble = frame.ensemble,
                    .acquisition = frame.kept.acquisition});
  }
  if (delivered() == frames_.size() && !std::exchange(ended_, true)) end(End::whole);
}

void CineJob::give_up(const std::string& why) {
  if (given_up_ || !under_way()) return;
  given_up_ = true;
  why_ = why;
  end(End::given_up);
}

bool CineJob::failed() const { return given_up_ ? !why_.empty() : !problem().empty(); }

std::string CineJob::busy() const { return what_ + ": " + name() + " is being saved."; }

std::string CineJob::result() const {
  if (given_up_) return fmt::format("{} {} {}", what_, name(), why_.empty() ? "cancelled" : "failed: " + why_);
  if (const std::string line = problem(); !line.empty()) return line;
  if (unreadable_ == 0) return saved();
  return fmt::format("{}; {} skipped: the recording cannot be read there", saved(), counted(unreadable_, "frame"));
}

}  // namespace echoloop
