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

ResultKind kind_of(Beamformer::Output output) {
  if (output == Beamformer::Output::iq) return ResultKind::pixels;
  return output == Beamformer::Output::db ? ResultKind::decibels : ResultKind::magnitudes;
}

}  // namespace

Beamformer::Beamformer(AcquisitionPtr acquisition, const ImagingParams& params, Backend& backend)
    : acquisition_(std::move(acquisition)), backend_(backend) {
  set_params(params);
  const int n_lanes = backend.computes_elsewhere() ? 2 : 1;
  LaneSettings settings(n_lanes > 1 ? StreamMode::overlap : StreamMode::serial);
  settings.apart = FramesApart::no;
  for (int i = 0; i < n_lanes; ++i) lanes_.push_back(backend.make_lane(i, settings));
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

void Beamformer::check(std::span<const std::byte> frames, Output output, std::span<std::byte> out) const {
  const std::size_t frame_bytes = acquisition_->frame_bytes();
  if (frames.size() % frame_bytes != 0)
    throw Error("frames", std::to_string(frames.size()) + " bytes", "a multiple of " + std::to_string(frame_bytes));
  if (const std::size_t want = frames.size() / frame_bytes * bytes_of(output); out.size() != want)
    throw Error("out", std::to_string(out.size()) + " bytes", std::to_string(want));
  if (const std::string why = output == Output::db ? "" : why_no_pixels(plan_->params); !why.empty())
    throw Error("output", why, "output \"db\"");
}

// Returns false if the device has magnitudes of other pixels: after scan conversion.
bool Beamformer::magnitudes_there(Output output) const {
  return backend_.computes_elsewhere() && (output != Output::envelope || !plan_->scan.has_value());
}

int Beamformer::queue(std::span<const std::byte> frames, Output output, std::span<std::byte> out,
                      std::uintptr_t stream) {
  check(frames, output, out);
  if (!magnitudes_there(output)) {
    backend_.follow(stream);
    return run(frames, output, out);
  }
  for (const auto& lane : lanes_) lane->set_plan(plan_);
  Lane& first = *lanes_.front();
  const std::size_t n = frames.size() / acquisition_->frame_bytes();
  const bool there = first.work_on(stream, Lane::WorkPlace::callers);
  const bool several = there && n > static_cast<std::size_t>(first.frames_at_once());
  const bool two = several && lanes_.back()->work_on(stream, Lane::WorkPlace::beside);
  if (!there) backend_.follow(stream);
  const auto leave = [this] {
    for (const auto& lane : lanes_) lane->leave();
  };
  try {
    const int copies = queue_frames(frames, output, out, two ? 2 : 1);
    leave();
    if (!there || copies > 0) backend_.lead(stream);
    return copies;
  } catch (...) {
    leave();
    throw;
  }
}

// Returns 1 if results were fetched after the last stage, 0 if the last stage wrote them.
int Beamformer::queue_frames(std::span<const std::byte> frames, Output output, std::span<std::byte> out,
                             std::size_t n_lanes) {
  const std::size_t frame_bytes = acquisition_->frame_bytes(), result_bytes = bytes_of(output);
  const std::size_t n = frames.size() / frame_bytes;
  int copies = 0;
  std::vector<RfFrame> together;
  for (std::size_t i = 0, turn = 0; i < n; i += together.size(), ++turn) {
    Lane& lane = *lanes_[turn % n_lanes];
    const bool known = output != Output::db || (plan_->refine == nullptr && plan_->course == nullptr && level_known());
    const std::size_t most = known ? static_cast<std::size_t>(lane.frames_at_once()) : 1;
    together.clear();
    for (std::size_t k = i; k < std::min(n, i + most); ++k)
      together.push_back({.stamp = {.sequence = k}, .samples = frames.subspan(k * frame_bytes, frame_bytes)});
    std::byte* const to = out.data() + i * result_bytes;
    FrameForming forming;
    if (known)
      forming.results = {.kind = kind_of(output), .to = to, .reference_db = reference_level_db(*plan_, held_db_)};
    if (form_frames(lane, plan_, together, forming)) continue;
    copies = 1;
    const void* from = nullptr;
    if (output == Output::db) {
      make_image(lane, *plan_, {.reference_db = level(lane), .copy = HostCopy::none});
      from = lane.image().device_db;
    } else {
      from = output == Output::iq ? static_cast<const void*>(lane.weighed_pixels()) : lane.magnitudes();
    }
    if (from != to) backend_.copy_in_order({to, result_bytes}, from);
  }
  return copies;
}

int Beamformer::run(std::span<const std::byte> frames, Output output, std::span<std::byte> out) {
  check(frames, output, out);
  const std::size_t frame_bytes = acquisition_->frame_bytes(), result_bytes = bytes_of(output);
  const std::size_t n = frames.size() / frame_bytes;
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
    const bool kept = output == Output::iq || !magnitudes_there(output);
    make_image(lane, *plan_, {.copy = HostCopy::none, .pixels = kept ? HostCopy::made : HostCopy::none});
    return;
  }
  if (!backend_.computes_elsewhere()) lend(out, lane);
  const HostCopy copy = backend_.computes_elsewhere() ? HostCopy::none : HostCopy::made;
  make_image(lane, *plan_, {.reference_db = level(lane), .copy = copy});
}

// Returns the level of 0 dB, that of the frame in the lane if none is held yet.
double Beamformer::level(Lane& lane) {
  if (!level_known()) held_db_ = measured_level_db(lane, *plan_).value_or(kAutoReference);
  return reference_level_db(*plan_, held_db_);
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
  if (magnitudes_there(output) && output == Output::envelope) {
    backend_.copy(out, lane.magnitudes());
    return 1;
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
