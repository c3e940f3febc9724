#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "backend/analyses.h"
#include "backend/flow_engine.h"
#include "core/results/analysis_images.h"
#include "core/units.h"
#include "dsp/flow.h"

namespace echoloop {
namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
constexpr std::uint64_t kAtATime = 512;               // samples between two publications, at most
constexpr auto kLook = std::chrono::milliseconds(4);  // polling interval: waking the thread would cost the stream time
std::atomic<std::uint64_t> epochs{0};                 // of all engines, as mailboxes outlive them

constexpr double kLoopGap_s = 0.05;  // shown where a recording restarts

bool same_gate(const SpectrogramPlan& a, const SpectrogramPlan& b) {
  return a.gate.first == b.gate.first && a.gate.stride == b.gate.stride && a.gate.rows == b.gate.rows &&
         std::ranges::equal(a.gate.turns_per_row, b.gate.turns_per_row) && a.spectrum == b.spectrum &&
         a.aliasing_m_s == b.aliasing_m_s;
}

}  // namespace

SpectrogramEngine::SpectrogramEngine(std::unique_ptr<GateDevice> device, Mailbox<Spectrogram>& spectrograms)
    : device_(std::move(device)),
      spectrograms_(spectrograms),
      thread_({.job = [this](int) { work(); }, .look_every = kLook}) {}

SpectrogramCounts SpectrogramEngine::counts() const {
  return {.columns = n_columns_, .gaps = n_gaps_, .late = n_late_};
}

// Restarts the spectrogram for another gate or other pixels; changes of appearance continue it.
void SpectrogramEngine::fit(const std::shared_ptr<const Plan>& plan) {
  if (plan == plan_) return;
  auto job = std::make_shared<Job>(Job{.plan = plan, .spectrogram = make_spectrogram_plan(*plan), .begun = 0});
  const bool goes_on = job_ != nullptr && same_pixels(*plan, *plan_) && same_gate(job->spectrogram, job_->spectrogram);
  job->begun = goes_on ? job_->begun : ++epochs;
  job_ = std::move(job);
  plan_ = plan;
}

void SpectrogramEngine::take(const BeamformedFrame& frame) {
  if (thread_.failed() || frame.pixels.values == nullptr) return;
  fit(frame.plan);
  fetch();
  if (job_->spectrogram.gate.rows == 0) return;
  if (!device_->take(job_->spectrogram.gate, frame.pixels)) {
    ++n_late_;
    return;
  }
  pending_.push_back({.job = job_, .stamp = frame.stamp, .reference_db = frame.reference_db});
  fetch();
}

// Moves finished sums from the device to the queue.
void SpectrogramEngine::fetch() {
  while (!pending_.empty()) {
    const std::span<const Complex> sums = device_->next();
    if (sums.empty()) return;
    Sample sample = std::move(pending_.front());
    pending_.erase(pending_.begin());
    const std::uint64_t head = head_.load(std::memory_order_relaxed);
    if (head - tail_.load(std::memory_order_acquire) >= kQueue) {
      ++n_late_;
      continue;
    }
    std::ranges::copy(sums, sample.sums.begin());
    queue_[head % kQueue] = std::move(sample);
    head_.store(head + 1, std::memory_order_release);
  }
}

void SpectrogramEngine::drain() {
  device_->wait();
  fetch();
  thread_.hand_over([](int) {});  // polls now
  thread_.drain();
}

// Processes the queue; the tail moves after publication.
void SpectrogramEngine::work() {
  std::uint64_t tail = tail_.load(std::memory_order_relaxed);
  while (true) {
    const std::uint64_t end = std::min(head_.load(std::memory_order_acquire), tail + kAtATime);
    if (end == tail) return;
    for (; tail < end; ++tail) {
      const Sample sample = std::move(queue_[tail % kQueue]);
      if (run_.window == 0 || sample.job->begun != made_.begun) begin(*sample.job);
      advance(sample);
    }
    if (fresh_) publish();
    tail_.store(tail, std::memory_order_release);
  }
}

void SpectrogramEngine::begin(const Job& job) {
  const SpectrogramPlan& s = job.spectrogram;
  spectrum_.emplace(s.spectrum);
  run_.window = s.spectrum.frames;
  run_.clock = run_.frames = 0;
  samples_.clear();
  const auto bins = static_cast<std::size_t>(spectrum_->bins());
  power_.resize(bins);
  const std::uint64_t number = made_.number;
  made_ = {};
  made_.number = number;
  made_.begun = job.begun;
  made_.centre = s.centre;
  made_.length_m = s.length_m;
  made_.frames = run_.window;
  made_.hop = s.hop;
  made_.bands = s.gate.bands;
  made_.n_bins = spectrum_->bins();
  made_.prf_hz = s.spectrum.prf_hz;
  made_.aliasing_m_s = s.aliasing_m_s;
  made_.power_db.assign(Spectrogram::kColumns * bins, kNone);
  made_.envelope_m_s.assign(Spectrogram::kColumns, kNone);
  made_.mean_m_s.assign(Spectrogram::kColumns, kNone);
  made_.time_s.assign(Spectrogram::kColumns, static_cast<double>(kNone));
}

// Advances the clock by the frames passed, received or not.
void SpectrogramEngine::advance(const Sample& sample) {
  const std::uint64_t index = sample.stamp.source_index;
  std::uint64_t passed = 1;
  if (run_.clock > 0 && index != run_.last_index + 1) {
    ++n_gaps_;
    const auto most = static_cast<std::uint64_t>(Spectrogram::kColumns) * static_cast<std::uint64_t>(made_.hop);
    passed = index > run_.last_index ? std::min(index - run_.last_index, most)
                                     : static_cast<std::uint64_t>(std::ceil(kLoopGap_s * made_.prf_hz)) + 1;
    run_.frames = 0;
    samples_.clear();
  }
  run_.last_index = index;
  ++run_.frames;
  const auto window = static_cast<std::size_t>(run_.window);
  if (samples_.size() == 2 * window * kMaxGateBands)
    samples_.erase(samples_.begin(), samples_.end() - static_cast<std::ptrdiff_t>((window - 1) * kMaxGateBands));
  samples_.insert(samples_.end(), sample.sums.begin(), sample.sums.end());
  for (std::uint64_t i = 0; i < passed; ++i) {
    ++run_.clock;
    const auto due = run_.clock >= window && (run_.clock - window) % static_cast<std::uint64_t>(made_.hop) == 0;
    if (due) add_column(sample);
  }
}

void SpectrogramEngine::add_column(const Sample& sample) {
  const std::uint64_t column = made_.end++;
  const std::size_t slot = Spectrogram::slot(column);
  const auto bins = static_cast<std::size_t>(made_.n_bins);
  const auto begin = made_.power_db.begin() + static_cast<std::ptrdiff_t>(slot * bins);
  std::fill(begin, begin + static_cast<std::ptrdiff_t>(bins), kNone);
  made_.envelope_m_s[slot] = made_.mean_m_s[slot] = kNone;
  made_.time_s[slot] = static_cast<double>(kNone);
  made_.stamp = sample.stamp;
  made_.params = sample.job->plan->params;
  made_.acquisition = sample.job->plan->acquisition;
  made_.reference_db = sample.reference_db;
  fresh_ = true;
  if (run_.frames >= static_cast<std::uint64_t>(run_.window)) fill(column, sample);
}

void SpectrogramEngine::fill(std::uint64_t column, const Sample& sample) {
  const std::size_t slot = Spectrogram::slot(column);
  const auto window = static_cast<std::size_t>(run_.window);
  spectrum_->compute(samples_.data() + samples_.size() - window * kMaxGateBands, kMaxGateBands, power_);
  float* to = made_.power_db.data() + slot * power_.size();
  for (std::size_t i = 0; i < power_.size(); ++i) {
    to[i] = power_db(power_[i], static_cast<float>(sample.reference_db));
    made_.brightest_db = std::max(made_.brightest_db, to[i]);
  }
  const GateTraces traces = gate_traces(power_, run_.window);
  const auto limit = static_cast<float>(made_.aliasing_m_s);
  made_.envelope_m_s[slot] = traces.envelope * limit;
  made_.mean_m_s[slot] = traces.mean * limit;
  made_.time_s[slot] = (static_cast<double>(run_.last_index) - 0.5 * (run_.window - 1)) / made_.prf_hz;
  ++n_columns_;
}

// Copies only new columns into the mailbox's buffer where it holds the others.
void SpectrogramEngine::publish() {
  fresh_ = false;
  ++made_.number;
  Spectrogram& to = spectrograms_.back();
  if (to.begun != made_.begun || to.number == 0 || to.n_bins != made_.n_bins || to.end > made_.end) {
    to = made_;
  } else {
    const std::uint64_t from = std::max(to.end, made_.first());
    const auto bins = static_cast<std::ptrdiff_t>(made_.n_bins);
    for (std::uint64_t k = from; k < made_.end; ++k) {
      const std::size_t slot = Spectrogram::slot(k);
      std::copy_n(made_.power_db.begin() + static_cast<std::ptrdiff_t>(slot) * bins, bins,
                  to.power_db.begin() + static_cast<std::ptrdiff_t>(slot) * bins);
      to.envelope_m_s[slot] = made_.envelope_m_s[slot];
      to.mean_m_s[slot] = made_.mean_m_s[slot];
      to.time_s[slot] = made_.time_s[slot];
    }
    to.number = made_.number;
    to.stamp = made_.stamp;
    to.acquisition = made_.acquisition;
    to.params = made_.params;
    to.reference_db = made_.reference_db;
    to.end = made_.end;
    to.brightest_db = made_.brightest_db;
  }
  spectrograms_.publish();
}

namespace {

// Farthest band from the nominal frequency: well within any pulse's band, so that aliases stay sharp too.
constexpr double kBandSpread = 0.1;

double row_step_m(const Grid& grid) {
  return grid.polar() ? (grid.sector.r1_m - grid.sector.r0_m) / std::max(grid.nz - 1, 1) : grid.dz_m();
}

// Sets the column of pixels nearest to the gate, and the rows within it.
void place_gate(const Grid& grid, const ImagingParams& p, SpectrogramPlan& s) {
  const GridPlace place = grid.place(p.doppler.x_m, p.doppler.z_m);
  const double step_m = row_step_m(grid);
  if (!grid.contains(place, 0.5) || step_m <= 0.0) return;
  const int column = std::clamp(static_cast<int>(std::lround(place.column)), 0, grid.nx - 1);
  const int wanted = std::max(1, static_cast<int>(std::lround(p.doppler.length_m / step_m)));
  const int above = static_cast<int>(std::lround(place.row - 0.5 * (wanted - 1)));
  const int first = std::clamp(above, 0, grid.nz - 1);
  const int end = std::clamp(above + wanted, first + 1, grid.nz);
  s.gate.first = static_cast<long long>(first) * grid.nx + column;
  s.gate.stride = grid.nx;
  s.gate.rows = end - first;
  const PlanePoint top = grid.point(column, first);
  const PlanePoint bottom = grid.point(column, end - 1);
  s.centre = {0.5 * (top.x_m + bottom.x_m), 0.5 * (top.z_m + bottom.z_m)};
  s.length_m = s.gate.rows * step_m;
}

}  // namespace

SpectrogramPlan make_spectrogram_plan(const Plan& plan) {
  SpectrogramPlan s;
  const ImagingParams& p = plan.params;
  const FlowPlan flow = make_flow_plan(plan);
  if (plan.das == nullptr || flow.prf_hz <= 0.0) return s;
  const Grid& grid = plan.das->tables->grid;
  place_gate(grid, p, s);
  if (s.gate.rows == 0) return s;
  float sum = 0.0f;
  for (int row = 0; row < s.gate.rows; ++row) sum += gate_window(row, s.gate.rows);
  s.gate.norm = 1.0f / sum;
  const double center_hz = plan.acquisition->center_hz;
  const double apart_hz = 0.5 * p.formation.sound_speed_m_s / s.length_m;  // width of a band
  const int aside = std::min(static_cast<int>(kBandSpread * center_hz / apart_hz), kMaxGateBands / 2);
  for (int band = -aside; band <= aside; ++band) {
    const double f_hz = center_hz + band * apart_hz;
    s.gate.turns_per_row[s.gate.bands++] =
        static_cast<float>(2.0 * f_hz * row_step_m(grid) / p.formation.sound_speed_m_s);
    s.spectrum.frequency_share.push_back(f_hz / center_hz);
  }
  s.spectrum.frames = p.doppler.frames;
  s.spectrum.cutoff_hz = p.doppler.cutoff_hz;
  s.spectrum.prf_hz = flow.prf_hz;
  s.hop = static_cast<int>(std::ceil(flow.prf_hz / Spectrogram::kMostColumns_hz));
  s.aliasing_m_s = kPi * flow.scale_m_s;
  return s;
}

constinit const AnalysisRow SpectrogramAnalysis::kEngine =
    analysis_row<SpectrogramAnalysis, SpectrogramEngine>("No Doppler spectrum: ");

}  // namespace echoloop
