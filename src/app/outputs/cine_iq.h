// Complex pixels of kept frames in one array, as --iq-out has those of a run. UI thread only.
#pragma once

#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "app/outputs/cine_job.h"
#include "app/outputs/iq_sequence.h"

namespace echoloop {

struct IqOrder {
  std::filesystem::path path;
  std::string named;  // the source, as the user named it
  const Backend& backend;
  ImagingParams params;
  std::size_t unreadable = 0;
};

class CineIq final : public CineJob {
 public:
  // Throws Error where there are no complex pixels, or no file.
  CineIq(IqOrder order, std::vector<Frame> frames);

  [[nodiscard]] bool done() const override;
  [[nodiscard]] double fraction() const override;
  [[nodiscard]] std::string progress() const override;

 private:
  [[nodiscard]] std::size_t may_ask() const override;
  [[nodiscard]] std::shared_ptr<PixelSink> pixels() override { return sequence_; }
  void end(End how) override;
  [[nodiscard]] bool under_way() const override { return !ending_.valid(); }
  [[nodiscard]] std::string name() const override { return order_.path.filename().string(); }
  [[nodiscard]] std::string problem() const override;
  [[nodiscard]] std::string saved() const override;

  IqOrder order_;
  std::shared_ptr<IqSequence> sequence_;
  std::shared_future<RecorderStatus> ending_;
};

}  // namespace echoloop
