#include "backend/beamformer.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "backend/frame_processor.h"
#include "core/error.h"
#include "core/param_table.h"

namespace echoloop {
namespace {

void require_single_frames(const ImagingParams& params) {
  if (params.refine.persistence_s <= 0.0) return;
  throw Error("persistence_s", get_text(params, param("persistence_s")),
              "0: each frame is processed alone, and no average continues");
}

// Makes `memory` that of the image of a lane on the host, until lend({}, lane).
void lend(std::span<std::byte> memory, Lane& lane) {
  Image& image = lane.image();
  image.host_db = reinterpret_cast<float*>(memory.data());
  image.capacity = memory.size() / sizeof(float);
  image.storage = memory.empty() ? nullptr : std::shared_ptr<void>(std::shared_ptr<void>(), memory.data());
}

}  // namespace

Beamformer::Beamformer(AcquisitionPtr acquisition, const ImagingParams& params, Backend& backend)
    : acquisition_(std::move(acquisition)), backend_(backend) {
  set_params(params);
  const int n_lanes = backend.computes_elsewhere() ? 2 : 1;
  for (int i = 0; i < n_lanes; ++i)
    lanes_.push_back(backend.make_lane(i, LaneSettings(n_lanes > 1 ? StreamMode::overlap : StreamMode::serial)));
}

void Beamformer::set_params(const ImagingParams& params) {
  require_single_frames(params);
  plan_ = make_plan(acquisition_, params, plan_, backend_.multiprocessors());
}

Grid Beamformer::grid(Output output) const {
  return output == Output::db ? plan_->grid : make_beam_grid(plan_->params, *acquisition_, plan_->grid);
}

std::size_t Beamformer::bytes_of(Output output) const {
  return grid(output).pixels() * (output == Output::iq ? sizeof(Complex) : sizeof(float));
}

double Beamformer::reference_db() const {
  if (holds_level(*plan_) && held_db_ <= kAutoReference) return kAutoReference;
  return reference_level_db(*plan_, held_db_);
}

std::string Beamformer::why_single_precision() const { return plan_->why_fp32 == nullptr ? "" : plan_->why_fp32; }

int Beamformer::run(std::span<const std::byte> frames, Output output, std::span<std::byte> out) {
  const std::size_t frame_bytes = acquisition_->frame_bytes(), result_bytes = bytes_of(output);
  if (frames.size() % frame_bytes != 0)
    throw Error("frames", std::to_string(frames.size()) + " bytes", "a multiple of " + std::to_string(frame_bytes));
  const std::size_t n = frames.size() / frame_bytes;
  if (out.size() != n * result_bytes)
    throw Error("out", std::to_string(out.size()) + " bytes", std::to_string(n * result_bytes));
  if (const std::string why = output == Output::db ? "" : why_no_pixels(plan_->params); !why.empty())
    throw Error("output", why, "output \"db\"");

  std::vector<std::size_t> of(lanes_.size(), n);  // frame in each lane; n: none
  int copies = 0;
  try {
    for (std::size_t i = 0; i < n + lanes_.size(); ++i) {
      const std::size_t at = i % lanes_.size();
      Lane& lane = *lanes_[at];
      if (const std::size_t done = std::exchange(of[at], n); done < n)
        copies = end(lane, output, out.subspan(done * result_bytes, result_bytes));
      if (i >= n) continue;
      begin(lane, {.stamp = {.sequence = i}, .samples = frames.subspan(i * frame_bytes, frame_bytes)}, output,
            out.subspan(i * result_bytes, result_bytes));
      of[at] = i;
    }
  } catch (...) {
    for (const auto& lane : lanes_) lane->wait();  // the caller's samples are free again
    if (!backend_.computes_elsewhere()) lend({}, *lanes_.front());
    throw;
  }
  return copies;
}

void Beamformer::begin(Lane& lane, const RfFrame& frame, Output output, std::span<std::byte> out) {
  form_frame(lane, plan_, frame);
  if (output != Output::db) {
    make_image(lane, *plan_, {.copy = HostCopy::none, .pixels = HostCopy::made});
    return;
  }
  if (!backend_.computes_elsewhere()) lend(out, lane);
  if (holds_level(*plan_) && held_db_ <= kAutoReference)
    held_db_ = measured_level_db(lane, *plan_).value_or(kAutoReference);
  const HostCopy copy = backend_.computes_elsewhere() ? HostCopy::none : HostCopy::made;
  make_image(lane, *plan_, {.reference_db = reference_level_db(*plan_, held_db_), .copy = copy});
}

int Beamformer::end(Lane& lane, Output output, std::span<std::byte> out) {
  lane.wait();
  const bool on_host = !backend_.computes_elsewhere();
  if (output == Output::db) {
    if (on_host)
      lend({}, lane);
    else
      backend_.copy(out, lane.image().device_db != nullptr ? lane.image().device_db : lane.image().host_db);
    return on_host ? 0 : 1;
  }
  const std::span<const Complex> pixels = lane.kept_pixels();
  if (output == Output::iq) {
    backend_.copy(out, pixels.data());
    return on_host ? 1 : 2;
  }
  if (!on_host) magnitudes_.resize(pixels.size());
  float* const to = on_host ? reinterpret_cast<float*>(out.data()) : magnitudes_.data();
  std::ranges::transform(pixels, to, [](Complex b) { return std::sqrt(b.re * b.re + b.im * b.im); });
  if (!on_host) backend_.copy(out, magnitudes_.data());
  return on_host ? 0 : 2;
}

}  // namespace echoloop
