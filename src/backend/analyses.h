// Owns the analyses of the live stream, one row each (analyses.cpp). An analysis is made when the parameters first ask
// for its results, and destroyed once they no longer do and its work is done. A failure leaves the stream unchanged:
// the reason is reported once, and the analysis stays off until the parameters change. Processing thread, unless noted.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "backend/analysis.h"
#include "backend/flow_engine.h"
#include "backend/plan.h"
#include "core/mailbox.h"
#include "core/units.h"
#include "dsp/gate_spectrum.h"

namespace echoloop {

class Analyses {
 public:
  // `refuse` receives the reason for missing results; any thread.
  Analyses(Backend& backend, const AnalysisMailboxes& mailboxes, std::function<void(const std::string&)> refuse);

  void try_again();                          // retries failed analyses, with other parameters
  void retire(const ImagingParams& params);  // destroys analyses that `params` do not ask for, once idle

  // Returns true if take_pixels() needs a frame with these parameters.
  [[nodiscard]] bool wants_pixels(const ImagingParams& params) const;
  void take_pixels(const BeamformedFrame& frame);

  void take_live(const Image& image);  // finished image of the stream
  void take_kept(const Image& image);  // image of a history frame
  // `back`: history frames are shown, and only their images are analysed, as a mailbox holds one result.
  enum class Looking { at_live, back };
  void set_looking(Looking looking) { looking_ = looking; }  // any thread

  // Ends the stream. Work in progress is finished, including an image that came too soon after its predecessor: a run
  // of a fixed number of frames gets the results of the last one. History frames may still come.
  enum class StreamEnd { regular, fault };
  void end_stream(StreamEnd how);
  void retire_images();  // destroys analyses of images, once idle

  [[nodiscard]] AnalysisCounts counts() const;  // any thread

 private:
  struct State {
    const AnalysisRow& row;
    std::unique_ptr<Analysis> analysis;  // null: off
    bool failed = false;                 // with the current parameters
    bool late = false;                   // late_image_ came too soon for it
  };

  [[nodiscard]] bool wants(const State& state, const ImagingParams& params) const;
  template <class Work>
  void attempt(State& state, const Work& work);
  bool take_image(State& state, const Image& image, Claim claim);
  void give_back(State& state);
  void note_counts();

  Backend& backend_;
  const AnalysisMailboxes mailboxes_;
  const std::function<void(const std::string&)> refuse_;
  std::vector<State> states_;
  Image late_image_;
  std::atomic<Looking> looking_{Looking::at_live};
  mutable std::mutex mutex_;
  AnalysisCounts counts_;  // under mutex_
};

// Interface of a computing device for an analysis of finished images: holds one in work and one waiting. The
// ImageEngine decides when; tests drive it directly.
//
// Two threads: store() is called by the processing thread, into the slot not in work, and never waits; all else by the
// thread of the analysis.
template <class PlanOf, class ResultOf>
class ImageDevice : public AnalysisDevice {
 public:
  using Plan = PlanOf;
  using Result = ResultOf;

  // Begins the thread: lowers its priority, allocates its resources.
  virtual void begin_thread() = 0;

  // Copies a finished image, whose storage may be reused on return. [processing thread]
  virtual void store(int slot, const Image& image) = 0;

  // Sets all of `result` but stamp, ready_ns, number, grid, acquisition and params from the slot's image.
  virtual void find(int slot, const Plan& plan, Result& result) = 0;
};

// Analyses finished images of the live stream, as many as time allows, on a thread of its own. The stream never waits
// for it: a waiting image is replaced by the next. The plan is A::Device::make_plan(params, grid), which reads the
// member A::kParams of the parameters.

inline constexpr std::int64_t kImageInterval_ns = 40'000'000;

template <class A>
class ImageEngine final : public Analysis {
 public:
  using Device = typename A::Device;
  using Result = typename A::Result;

  // The destructor waits for the image being processed.
  ImageEngine(std::unique_ptr<Device> device, Mailbox<Result>& results)
      : device_(std::move(device)),
        results_(results),
        thread_({.begin = [this] { device_->begin_thread(); }, .job = [this](int slot) { make_result(slot); }}) {}

  // Copies a finished image; never waits. Returns false for a live image less than kImageInterval_ns after the last
  // accepted one (by Image::ready_ns): it is dropped. [processing thread]
  using Analysis::take;
  bool take(const Image& image, Claim claim) override {
    if (thread_.failed()) return true;
    if (claim == Claim::live) {
      if (last_live_ns_ != 0 && image.ready_ns < last_live_ns_ + kImageInterval_ns) return false;
      last_live_ns_ = image.ready_ns;
    }
    const bool replaces = thread_.hand_over([&](int slot) {
      device_->store(slot, image);
      jobs_[static_cast<std::size_t>(slot)] = {image.stamp, image.grid, image.acquisition, image.params};
    });
    if (replaces) ++n_replaced_;
    return true;
  }

  void drain() override { thread_.drain(); }  // waits until no image waits or is processed
  [[nodiscard]] bool busy() const override { return thread_.busy(); }
  [[nodiscard]] typename A::Counts counts() const {  // any thread
    return {.pictures = n_pictures_, .replaced = n_replaced_};
  }
  void count(AnalysisCounts& all) const override { std::get<typename A::Counts>(all) = counts(); }
  [[nodiscard]] std::string take_fault() override { return thread_.take_fault(); }

 private:
  struct Job {
    FrameStamp stamp;
    Grid grid;
    AcquisitionPtr acquisition;
    ImagingParams params;
  };

  void make_result(int slot) {
    const Job& job = jobs_[static_cast<std::size_t>(slot)];
    if (number_ == 0 || !(planned_grid_ == job.grid) || !(planned_ == job.params.*A::kParams)) {
      plan_ = Device::make_plan(job.params, job.grid);
      planned_grid_ = job.grid;
      planned_ = job.params.*A::kParams;
    }
    Result& result = results_.back();
    device_->find(slot, plan_, result);
    result.stamp = job.stamp;
    result.grid = job.grid;
    result.acquisition = job.acquisition;
    result.params = job.params;
    result.ready_ns = now_ns();
    result.number = ++number_;
    results_.publish();
    ++n_pictures_;
  }

  std::unique_ptr<Device> device_;
  Mailbox<Result>& results_;

  std::int64_t last_live_ns_ = 0;  // processing thread; 0: none yet

  // Thread of the analysis:
  typename Device::Plan plan_;
  Grid planned_grid_;  // grid and parameters of plan_
  std::remove_cvref_t<decltype(std::declval<ImagingParams>().*A::kParams)> planned_;
  std::uint64_t number_ = 0;

  std::atomic<std::uint64_t> n_pictures_{0}, n_replaced_{0};
  std::array<Job, JobThread::kSlots> jobs_;
  JobThread thread_;  // last: ends first
};

// Spectral Doppler of the live stream: each frame gives the gate's few sums, from which a thread of its own makes the
// columns of the spectrogram. The stream never waits for it. Missing frames leave a gap.

// Position of a gate on the beamformed pixels, and parameters of its spectrogram. A pure function of a plan.

struct SpectrogramPlan {
  GateGeometry gate{};  // rows 0: the gate lies outside the image
  PlanePoint centre{};  // of the gate
  double length_m = 0.0;
  GateSpectrumPlan spectrum;
  int hop = 0;
  double aliasing_m_s = 0.0;
};

// Returns a gate of no rows unless the plan has the analytic recipe and a known PRF.
SpectrogramPlan make_spectrogram_plan(const Plan& plan);

class SpectrogramEngine final : public Analysis {
 public:
  SpectrogramEngine(std::unique_ptr<GateDevice> device, Mailbox<Spectrogram>& spectrograms);

  // Accepts the next frame's pixels; never waits. [processing thread]
  using Analysis::take;
  void take(const BeamformedFrame& frame) override;

  [[nodiscard]] bool busy() const override { return tail_ != head_ && !thread_.failed(); }
  void drain() override;                           // waits until every column that is due is published
  [[nodiscard]] SpectrogramCounts counts() const;  // any thread
  void count(AnalysisCounts& counts_of_all) const override { std::get<SpectrogramCounts>(counts_of_all) = counts(); }
  [[nodiscard]] std::string take_fault() override { return thread_.take_fault(); }

 private:
  struct Job {  // constant until the plan changes
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

  struct Run {                 // consecutive frames
    int window = 0;            // frames of one; 0: not begun
    std::uint64_t clock = 0;   // frames and missing frames since `begun`
    std::uint64_t frames = 0;  // consecutive ones
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

  static constexpr std::size_t kQueue = 16384;  // frames that may wait for the thread: more than between two polls

  std::unique_ptr<GateDevice> device_;
  Mailbox<Spectrogram>& spectrograms_;

  // Processing thread:
  std::shared_ptr<const Plan> plan_;
  std::shared_ptr<const Job> job_;
  std::vector<Sample> pending_;  // accepted by the device, sums not yet there: a few

  // Queue from the processing to the spectrogram thread: written at head_, read at tail_.
  std::vector<Sample> queue_{kQueue};
  std::atomic<std::uint64_t> head_{0}, tail_{0};

  // Spectrogram thread:
  std::optional<GateSpectrum> spectrum_;
  Spectrogram made_;
  std::vector<Complex> samples_;  // newest ones of the run, [up to 2 windows][kMaxGateBands]
  std::vector<float> power_;
  Run run_;
  bool fresh_ = false;  // made_ has unpublished columns

  std::atomic<std::uint64_t> n_columns_{0}, n_gaps_{0}, n_late_{0};
  JobThread thread_;  // last: ends first
};

}  // namespace echoloop
