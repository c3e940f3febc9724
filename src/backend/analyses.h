// The analyses beside the live stream, one row each (analyses.cpp). One is made when the parameters first ask for its
// results, and given back when they do not any more and it has nothing left to do. One that fails leaves the stream as
// it is: the reason is reported once, and it stays off until the parameters change. Processing thread, unless said.
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
#include "backend/flow_device.h"
#include "backend/object_plan.h"
#include "backend/plan.h"
#include "core/mailbox.h"
#include "core/results/analysis_images.h"
#include "dsp/gate_spectrum.h"

namespace echoloop {

class Analyses {
 public:
  // `refuse` takes the reason why there are no results; any thread.
  Analyses(Backend& backend, const AnalysisMailboxes& mailboxes, std::function<void(const std::string&)> refuse);

  void try_again();                          // with other parameters
  void retire(const ImagingParams& params);  // gives back what these do not ask for, as soon as that waits for nothing

  // Whether a frame with these parameters is to be kept as complex pixels, for take_pixels().
  [[nodiscard]] bool wants_pixels(const ImagingParams& params) const;
  void take_pixels(const BeamformedFrame& frame);

  void take_live(const Image& image);  // a finished image of the stream
  void take_kept(const Image& image);  // one of a history frame
  // Whether history frames are shown: then only their images are analysed, as a mailbox holds one result.
  enum class Looking { at_live, back };
  void set_looking(Looking looking) { looking_ = looking; }  // any thread

  // The stream's end. What is in work is finished: a run that stops after so many frames finds the results of the last
  // one, also those of an image that came too soon after the one before. History frames may still come.
  enum class StreamEnd { regular, fault };
  void end_stream(StreamEnd how);
  void retire_images();  // analyses of images, as soon as that waits for nothing

  [[nodiscard]] AnalysisCounts counts() const;  // any thread

 private:
  struct State {
    const AnalysisRow& row;
    std::unique_ptr<Analysis> analysis;  // null while off
    bool failed = false;                 // with the parameters in use
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

// Objects beside the live stream: finished images, as far as there is time for them, are handed to a thread of its
// own that finds background and objects. The stream never waits for it: an image that waits is replaced by the next.

inline constexpr std::int64_t kObjectInterval_ns = 40'000'000;

class ObjectEngine final : public Analysis {
 public:
  // Its end waits for the image in work.
  ObjectEngine(std::unique_ptr<ObjectDevice> device, Mailbox<ObjectImage>& pictures);

  // Copies a finished image; never waits. False: a live one that comes less than kObjectInterval_ns after the last
  // that was taken (by Image::ready_ns), and is left out. [processing thread]
  using Analysis::take;
  bool take(const Image& image, Claim claim) override;

  void drain() override { thread_.drain(); }  // until no image waits or is in work
  [[nodiscard]] bool busy() const override { return thread_.busy(); }
  [[nodiscard]] ObjectCounts counts() const;  // any thread
  void count(AnalysisCounts& counts_of_all) const override { counts_of_all.objects = counts(); }
  [[nodiscard]] std::string take_fault() override { return thread_.take_fault(); }

 private:
  struct Job {
    FrameStamp stamp;
    Grid grid;
    AcquisitionPtr acquisition;
    ImagingParams params;
  };

  void make_picture(int slot);
  const ObjectPlan& plan_for(const Job& job);

  std::unique_ptr<ObjectDevice> device_;
  Mailbox<ObjectImage>& pictures_;

  std::int64_t last_live_ns_ = 0;  // processing thread; 0: none yet

  // Objects thread:
  ObjectPlan plan_;
  ImagingParams planned_;  // that plan_ was made of
  std::uint64_t number_ = 0;

  std::atomic<std::uint64_t> n_pictures_{0}, n_replaced_{0};
  std::array<Job, kObjectSlots> jobs_;
  JobThread thread_;  // last: ends first
};

// Spectral Doppler beside the live stream: each frame gives the gate's few sums, a thread of its own makes the columns
// of the spectrogram of them. The stream never waits for it. Frames that do not follow each other leave a gap.

// Where a gate lies on the beamformed pixels, and what a spectrogram of it is made with. A pure function of a plan.

struct SpectrogramPlan {
  GateGeometry gate{};  // rows 0: the gate lies outside the image
  PlanePoint centre{};  // of the gate on its pixels
  double length_m = 0.0;
  GateSpectrumPlan spectrum;
  int hop = 0;
  double aliasing_m_s = 0.0;
};

// For a plan of the analytic recipe whose PRF is known; others give a gate of no rows.
SpectrogramPlan make_spectrogram_plan(const Plan& plan);

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
