// Complex pixels of kept frames in one array, as --iq-out has those of a run. UI thread only.
#pragma once

#include <atomic>
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
  std::size_t unreadable = 0;  // frames that belong into the file but cannot be read any more
};

class CineIq final : public CineJob {
 public:
  // `frames` in their order, at least one; the level of 0 dB is the one in use. Throws Error where there are no complex
  // pixels, or no file.
  CineIq(IqOrder order, std::vector<KeptFrame> frames);

  void ask(Session& session) override;
  void give_up(const std::string& why) override;
  [[nodiscard]] bool done() const override;
  [[nodiscard]] std::string result() const override;
  [[nodiscard]] bool failed() const override { return !problem().empty(); }
  [[nodiscard]] bool complete() const override { return order_.unreadable == 0 && !given_up_; }
  [[nodiscard]] double fraction() const override;
  [[nodiscard]] std::string progress() const override;
  [[nodiscard]] std::string busy() const override { return "Complex pixels are being saved."; }

 private:
  struct Delivered {
    std::atomic<std::size_t> frames{0};
    std::atomic<bool> failed{false};
  };

  void end();
  [[nodiscard]] std::string name() const { return order_.path.filename().string(); }
  [[nodiscard]] std::string problem() const;  // once done; empty: none

  IqOrder order_;
  std::vector<KeptFrame> frames_;  // those that have been delivered are let go
  std::size_t count_;
  std::shared_ptr<IqSequence> sequence_;
  std::shared_ptr<Delivered> delivered_ = std::make_shared<Delivered>();
  std::size_t asked_ = 0;
  std::uint64_t configuration_ = 0;  // that was asked
  std::shared_future<RecorderStatus> ending_;
  bool given_up_ = false;
  std::string why_;
};

}  // namespace echoloop
