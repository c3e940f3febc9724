#include "backend/cpu/cpu_lane.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>

#include "core/profile_range.h"
#include "core/units.h"
#include "dsp/level.h"

namespace echoloop {

// Records a stage from construction to destruction.
class CpuLane::StageTimer {
 public:
  StageTimer(CpuLane& lane, Stage stage) : range_(stage), span_(lane.spans_[static_cast<std::size_t>(stage)]) {
    lane.has_span_[static_cast<std::size_t>(stage)] = true;
    span_ = {.frame = lane.frame_.stamp.sequence,
             .stage = stage,
             .lane = static_cast<std::uint8_t>(lane.number_),
             .start_ns = now_ns(),
             .end_ns = 0};
  }
  ~StageTimer() { span_.end_ns = now_ns(); }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

 private:
  ProfileRange range_;
  Span& span_;
};

CpuLane::CpuLane(std::shared_ptr<WorkerPool> pool, const CpuKernels& kernels, int number)
    : pool_(std::move(pool)), kernels_(kernels), number_(number) {
  rows_.resize(static_cast<std::size_t>(pool_->threads()));
}

void CpuLane::set_plan(const std::shared_ptr<const Plan>& plan) {
  if (plan == plan_) return;
  plan_ = plan;
  const Acquisition& a = *plan->formed;
  if (plan->pick.every > 1) picked_.resize(a.frame_bytes());
  const std::size_t n_lines = a.transmits.size() * a.probe.elements.size();
  envelope_.resize(plan->grid.pixels());
  refiner_.set_plan(plan->refine);
  if (plan->course != nullptr) {
    course_.set_plan(plan->course, pool_->threads());
    course_lines_.resize(n_lines * static_cast<std::size_t>(a.n_samples));
    course_pixels_.resize(plan->grid.pixels());
    return;
  }
  const bool tuned = kernels_.das_tile != nullptr;
  filtering_ = tuned && filters_.set_plan(plan->band, a.sampling_hz, *kernels_.steps, pool_->threads());
  windows_ = tuned && window_.set_plan(plan->das, pool_->threads());
  if (!filtering_) conditioner_.set_plan(plan->band, pool_->threads());
  peaks_.resize(n_lines);
  lines_.resize(n_lines * static_cast<std::size_t>(plan->band->n_out));
  const DasGeometry& g = plan->das->geometry;
  pixels_.resize(plan->das->tables->grid.pixels());
  if (plan->scan.has_value()) amplitudes_.resize(pixels_.size());
  for (RowScratch& row : rows_) row.resize(g.columns != nullptr ? g.nz : g.nx, g.n_tx);
}

void CpuLane::upload(const RfFrame& frame) {
  frame_ = frame;
  conditioned_ = false;
  finished_ = false;
  has_span_ = {};
  const StageTimer timer(*this, Stage::upload);  // nothing to copy: the samples are read where they lie
}

void CpuLane::load(double ms) {
  const StageTimer timer(*this, Stage::load);
  const std::int64_t end_ns = now_ns() + static_cast<std::int64_t>(ms * 1e6);
  pool_->run(pool_->threads(), 1, [end_ns](int, int, int) {
    while (now_ns() < end_ns) {
    }
  });
}

void CpuLane::fail(DeviceFault fault) {
  const std::string frame = std::to_string(frame_.stamp.sequence);
  if (fault == DeviceFault::refused) {
    throw std::runtime_error("injected fault: the device rejected frame " + frame);
  }
  throw std::runtime_error("injected fault: the device was lost on frame " + frame);
}

// Of the picked transmits, which lie side by side or are brought there.
std::span<const std::byte> CpuLane::picked_samples() {
  const TransmitPick& pick = plan_->pick;
  const std::size_t bytes = plan_->formed->frame_bytes() / plan_->formed->transmits.size();
  const std::span<const std::byte> from = frame_.samples.subspan(static_cast<std::size_t>(pick.first) * bytes);
  if (pick.every == 1) return from.first(static_cast<std::size_t>(pick.count) * bytes);
  for (int i = 0; i < pick.count; ++i) {
    std::memcpy(picked_.data() + static_cast<std::size_t>(i) * bytes,
                from.data() + static_cast<std::size_t>(i * pick.every) * bytes, bytes);
  }
  return picked_;
}

void CpuLane::condition() {
  const StageTimer timer(*this, Stage::condition);
  const Acquisition& a = *plan_->formed;
  const std::span<const std::byte> samples = picked_samples();
  if (plan_->course != nullptr) {
    course_.filter(*pool_, samples, a.sample_type, course_lines_.data());
  } else if (filtering_) {
    filters_.run(*pool_, samples, a.sample_type, a.n_transmits() * a.n_elements(), lines_.data(), peaks_.data());
  } else {
    conditioner_.run(*pool_, samples, a.sample_type, a.n_transmits() * a.n_elements(), lines_.data());
    if (windows_) measure_peaks();
  }
  conditioned_ = true;
}

void CpuLane::beamform() {
  const StageTimer timer(*this, Stage::beamform);
  if (plan_->course != nullptr) {
    course_.beamform(*pool_, course_lines_.data(), course_pixels_.data());
    return;
  }
  if (windows_ && window_.quantise(*pool_, *kernels_.steps, lines_.data(), peaks_.data())) {
    window_.run(*pool_, kernels_.das_tile, pixels_.data());
  } else if (plan_->das->geometry.columns != nullptr) {
    beamform_columns();
  } else {
    beamform_rows();
  }
}

void CpuLane::measure_peaks() {
  const BandPlan& band = *plan_->band;
  pool_->run(static_cast<int>(peaks_.size()), 8, [&](int begin, int end, int) {
    for (int i = begin; i < end; ++i) {
      const Complex* line = lines_.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(band.n_out);
      float peak = 0.0f;
      for (const Complex* v = line; v != line + band.n_valid; ++v) {
        peak = largest_of(largest_of(peak, std::abs(v->re)), std::abs(v->im));
      }
      peaks_[static_cast<std::size_t>(i)] = peak;
    }
  });
}

void CpuLane::beamform_rows() {
  const DasGeometry& g = plan_->das->geometry;
  const auto row = kernels_.das_tile != nullptr ? &das_row : &portable::das_row;
  pool_->run(g.nz, 2, [&](int begin, int end, int thread) {
    for (int iz = begin; iz < end; ++iz) {
      row(g, lines_.data(), iz, rows_[static_cast<std::size_t>(thread)],
          pixels_.data() + static_cast<std::size_t>(iz) * static_cast<std::size_t>(g.nx));
    }
  });
}

void CpuLane::beamform_columns() {
  const DasGeometry& g = plan_->das->geometry;
  const auto column = kernels_.das_tile != nullptr ? &das_column : &portable::das_column;
  pool_->run(g.nx, 1, [&](int begin, int end, int thread) {
    for (int ix = begin; ix < end; ++ix) {
      column(g, lines_.data(), ix, rows_[static_cast<std::size_t>(thread)], pixels_.data());
    }
  });
}

void CpuLane::convert_scan() {
  const ScanGeometry& scan = *plan_->scan;
  pool_->run(scan.to.nz, 8, [&](int begin, int end, int) {
    for (int iz = begin; iz < end; ++iz) {
      float* row = envelope_.data() + static_cast<std::size_t>(iz) * static_cast<std::size_t>(scan.to.nx);
      for (int ix = 0; ix < scan.to.nx; ++ix) {
        row[ix] = scan_pixel(scan, ix, iz, [&](int at) { return amplitudes_[static_cast<std::size_t>(at)]; });
      }
    }
  });
}

void CpuLane::envelope() {
  const StageTimer timer(*this, Stage::envelope);
  if (plan_->course != nullptr) {
    course_.envelope(*pool_, course_pixels_.data(), envelope_.data());
    return;
  }
  std::vector<float>& amplitudes = plan_->scan.has_value() ? amplitudes_ : envelope_;
  std::transform(pixels_.begin(), pixels_.end(), amplitudes.begin(), [](Complex v) { return magnitude(v); });
  if (plan_->scan.has_value()) convert_scan();
}

void CpuLane::fit_image_storage() {
  const std::size_t pixels = plan_->grid.pixels();
  if (image_.storage == nullptr || image_.capacity < pixels) {
    auto memory = std::make_shared<std::vector<float>>(pixels);
    image_.host_db = memory->data();
    image_.capacity = pixels;
    image_.storage = std::move(memory);
  }
  image_.grid = plan_->grid;
  image_.stamp = frame_.stamp;
}

void CpuLane::compress(double reference_db) {
  const StageTimer timer(*this, Stage::compress);
  fit_image_storage();
  auto reference = static_cast<float>(reference_db);
  if (plan_->course != nullptr) reference = frame_level_db(*std::max_element(envelope_.begin(), envelope_.end()));
  level_db_ = reference;
  const int nx = plan_->grid.nx;
  pool_->run(plan_->grid.nz, 32, [&](int begin, int end, int) {
    const auto first = static_cast<std::size_t>(begin) * static_cast<std::size_t>(nx);
    const auto last = static_cast<std::size_t>(end) * static_cast<std::size_t>(nx);
    for (std::size_t i = first; i < last; ++i) image_.host_db[i] = to_db(envelope_[i], reference);
  });
}

void CpuLane::refine(const FrameAverage* average) {
  const StageTimer timer(*this, Stage::refine);
  if (average != nullptr) {
    const auto* before = static_cast<const CpuLane*>(average->before);
    refiner_.average(*pool_, before != nullptr ? &before->refiner_ : nullptr, average->keep, envelope_.data(),
                     level_db_, image_.host_db);
  }
  refiner_.filter(*pool_, image_.host_db);
}

void CpuLane::keep_line(int column) {
  line_.resize(static_cast<std::size_t>(plan_->grid.nz));
  const float* from = image_.host_db + column;
  for (float& level_db : line_) {
    level_db = *from;
    from += plan_->grid.nx;
  }
}

void CpuLane::finish(HostCopy /*copy*/) { finished_ = true; }

PixelView CpuLane::pixels() {
  if (plan_->course != nullptr) return {};
  return {.values = pixels_.data(), .count = plan_->das->tables->grid.pixels()};
}

void CpuLane::append_spans(TimingTrace& trace) {
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    if (has_span_[i]) trace.add(spans_[i]);
  }
}

std::vector<float> CpuLane::read_back(Tap tap) {
  const auto flat = [](const std::vector<Complex>& values) {
    std::vector<float> out;
    for (const Complex v : values) out.insert(out.end(), {v.re, v.im});
    return out;
  };
  if (tap == Tap::envelope) return envelope_;
  if (plan_->course != nullptr) return tap == Tap::conditioned ? course_lines_ : course_pixels_;
  return flat(tap == Tap::conditioned ? lines_ : pixels_);
}

}  // namespace echoloop
