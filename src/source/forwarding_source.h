// A source that gives another one's frames in its own way, and is that source in everything else.
#pragma once

#include <memory>
#include <utility>

#include "source/source.h"

namespace echoloop {

class ForwardingSource : public SeekableSource {
 public:
  explicit ForwardingSource(std::shared_ptr<SeekableSource> source) : source_(std::move(source)) {}

  [[nodiscard]] const AcquisitionPtr& acquisition() const override { return source_->acquisition(); }
  [[nodiscard]] std::string name() const override { return source_->name(); }
  [[nodiscard]] std::uint64_t frame_count() const override { return source_->frame_count(); }
  [[nodiscard]] std::optional<double> recorded_time_s(std::uint64_t index) const override {
    return source_->recorded_time_s(index);
  }

 protected:
  const std::shared_ptr<SeekableSource> source_;
};

}  // namespace echoloop
