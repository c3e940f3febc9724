// Spectral Doppler beside the live stream: each frame gives the gate's few sums, a thread of its own makes the columns
// of the spectrogram of them. The stream never waits for it. Frames that do not follow each other leave a gap.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/analysis.h"
#include "backend/gate_device.h"
#include "backend/job_thread.h"
#include "backend/spectrogram_plan.h"
#include "core/mailbox.h"
#include "core/results/spectrogram.h"

namespace echoloop {

class SpectrogramEngine final : public Analysis {
 public:
  SpectrogramEngine(std::unique_ptr<GateDevice> device, Mailbox<Spectrogram>& spectrograms);

  // The next frame's pixels. Never waits. [processing thread]
  using Analysis::take;
  void take(const BeamformedFrame& frame) override;

  [[nodiscard]] bool busy() const override { return tail_ != head_ && !thread_.failed(); }
  void drain() override;                           // until every column that is due has been published
  [[nodiscard]] SpectrogramCounts counts() const;  // any thread
  void count(AnalysisCounts& counts_of_all) const override { counts_of_all.spectrogram = counts(); }
  [[nodiscard]] std::string take_fault() override { return thread_.take_fault(); }

 private:
  struct Job {  // what holds until something changes
    std::shared_ptr<const Plan> plan;
    SpectrogramPlan spectrogram;
    std::uint64_t begun = 0;
  };
  struct Sample {
    std::shared_ptr<const Job> job;
    FrameStamp stamp;
    double reference_db = 0.0;
    std::array<Complex, kMaxGateBands> sums{};
  };

  struct Run {                 // of the frames
    int window = 0;            // frames of one; 0: nothing begun
    std::uint64_t clock = 0;   // frames and missing frames since `begun`
    std::uint64_t frames = 0;  // that follow each other
    std::uint64_t last_index = 0;
  };

  // Processing thread:
  void fit(const std::shared_ptr<const Plan>& plan);
  void fetch();
  // Spectrogram thread:
  void work();
  void begin(const Job& job);
  void advance(const Sample& sample);
  void add_column(const Sample& sample);
  void fill(std::uint64_t column, const Sample& sample);
  void publish();

  static constexpr std::size_t kQueue = 16384;  // frames that may wait for the thread: more than it looks apart

  std::unique_ptr<GateDevice> device_;
  Mailbox<Spectrogram>& spectrograms_;

  // Processing thread:
  std::shared_ptr<const Plan> plan_;
  std::shared_ptr<const Job> job_;
  std::vector<Sample> pending_;  // taken by the device, without their sums: a few

  // From the processing thread to the spectrogram thread: written at head_, read at tail_.
  std::vector<Sample> queue_{kQueue};
  std::atomic<std::uint64_t> head_{0}, tail_{0};

  // Spectrogram thread:
  std::optional<GateSpectrum> spectrum_;
  Spectrogram made_;
  std::vector<Complex> samples_;  // the run's newest ones, [up to 2 windows][kMaxGateBands]
  std::vector<float> power_;
  Run run_;
  bool fresh_ = false;  // made_ has what was not published

  std::atomic<std::uint64_t> n_columns_{0}, n_gaps_{0}, n_late_{0};
  JobThread thread_;  // last: ends first
};

}  // namespace echoloop
