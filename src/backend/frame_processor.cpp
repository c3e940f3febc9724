#include "backend/frame_processor.h"

#include <algorithm>
#include <cmath>
#include <thread>
#include <utility>

#include "core/units.h"

namespace echoloop {
namespace {

// Estimates the seconds of an image to about a factor of 2. Terms a second: of an AVX-512 core and of an H200's
// multiprocessor as `bench` measures them; cost of a method relative to delay-and-sum: its rows "method".
double expected_s(const Acquisition& a, const ImagingParams& params, const Backend& backend) {
  if (a.data == DataKind::beamformed) return 0.0;
  const FormationParams& f = params.formation;
  const int transmits = forms_lines(params, a) ? 1 : picked_transmits(params, a).count;
  double terms = 1.0 * transmits * a.n_elements() * (f.adaptive == Adaptive::off ? 1.0 : 7.0);  // per pixel
  if (reads_row_channels(f)) terms += 45e3 * std::pow(f.mv_elements / 32.0, 3.0);
  const double a_second = backend.computes_elsewhere() ? 7.5e9 * std::max(backend.multiprocessors().count, 1)
                                                       : 2.5e9 * std::thread::hardware_concurrency();
  return terms * static_cast<double>(make_beam_grid(params, a, make_grid(params, a)).pixels()) / a_second;
}

// Returns the grid of the pixels that the process gets.
const Grid& process_grid(const Plan& plan) {
  return plan.process->input() == OwnInput::image || plan.das == nullptr ? plan.grid : plan.das->tables->grid;
}

// Returns the request of an array of a frame, without the rows of `channels`.
OwnRequest request_of(const Plan& plan, const FrameStamp& stamp, double limit_s) {
  const Acquisition& a = *plan.formed;
  const Grid& grid = process_grid(plan);
  OwnRequest request{.plan = plan, .stamp = stamp, .limit_s = limit_s, .shape = {}, .rows = grid.nz};
  const auto side = [&](auto n) { request.shape.push_back(static_cast<std::uint64_t>(n)); };
  switch (plan.process->input()) {
    case OwnInput::rf:
    case OwnInput::lines: {
      const bool rf = plan.process->input() == OwnInput::rf;
      side(a.n_transmits());
      side(a.n_elements());
      side(rf ? a.n_samples : plan.band->n_out);
      if (!rf) break;
      const bool integers = a.sample_type == SampleType::int16, pairs = a.signal == SignalKind::iq;
      request.item = integers ? OwnItem::int16 : pairs ? OwnItem::complex64 : OwnItem::float32;
      if (integers && pairs) side(2);
      break;
    }
    case OwnInput::channels:
    case OwnInput::iq:
      side(grid.nz);
      side(grid.nx);
      if (plan.process->input() == OwnInput::channels) side(a.n_elements());
      break;
    case OwnInput::image:
      side(grid.nz);
      side(grid.nx);
      request.item = OwnItem::float32;
      break;
  }
  return request;
}

// Memory of the device for the array; null: it goes through the host.
SharedDeviceMemory* device_memory(Lane& lane, const OwnRequest& request) {
  constexpr std::size_t kMost = std::size_t{1} << 30;
  const OwnProcess& process = *request.plan.process;
  const std::size_t bytes = bytes_of(request);
  if (!process.on_device() || process.input() == OwnInput::lines || bytes > kMost) return nullptr;
  return lane.share_memory(bytes, process_grid(request.plan).pixels() * sizeof(Complex));
}

// Returns the rows of the image for which the host has memory at a time: of `channels` so many as kMostSlab bytes hold.
int rows_at_once(const OwnRequest& request) {
  constexpr std::size_t kMostSlab = std::size_t{32} << 20;
  if (request.plan.process->input() != OwnInput::channels) return request.rows;
  const std::size_t row = bytes_of(request.item) * request.shape[1] * request.shape[2];
  return static_cast<int>(std::clamp<std::size_t>(kMostSlab / row, 1, static_cast<std::size_t>(request.rows)));
}

OwnAsk hand_over(Lane& lane, const OwnRequest& request, SharedDeviceMemory* memory) {
  OwnProcess& process = *request.plan.process;
  const auto fill = [&](std::span<std::byte> to) {
    lane.write_input(process.input(), request.first_row, request.rows, to);
  };
  return process.hand(request, fill, memory);
}

// Arrays of a frame whose answers are waited for.
OwnResult ask_process(Lane& lane, OwnRequest request, OwnAnswer& answer) {
  SharedDeviceMemory* const memory = device_memory(lane, request);
  const int all = request.rows, step = memory != nullptr ? all : rows_at_once(request);
  const auto given_up = [&lane] { return lane.given_up(); };
  OwnResult result = OwnResult::none;
  for (request.first_row = 0; request.first_row < all; request.first_row += step) {
    request.rows = std::min(step, all - request.first_row);
    if (request.plan.process->input() == OwnInput::channels)
      request.shape[0] = static_cast<std::uint64_t>(request.rows);
    const OwnAsk ask = hand_over(lane, request, memory);
    if (ask.number == 0) return OwnResult::none;
    const std::optional<OwnResult> taken = request.plan.process->take(ask, given_up, answer);
    if (!taken) request.plan.process->drop(ask);
    result = taken.value_or(OwnResult::none);
    if (result == OwnResult::none) break;
  }
  return result;
}

bool reads_samples_alone(const Lane& lane, const Plan& plan) {
  return plan.process != nullptr && plan.process->input() == OwnInput::rf && lane.conditions_late();
}

// Puts the answer into the lane, without one delay-and-sum, and makes the envelope.
void take_result(Lane& lane, const Plan& plan, OwnResult result, SharedDeviceMemory* memory, OwnAnswer& answer) {
  const OwnInput input = plan.process->input();
  const std::span<const std::string> names = plan.process->labels();
  lane.image().own_missing = result == OwnResult::none;
  lane.image().mask = result == OwnResult::labels ? make_label_mask(std::move(answer.labels), process_grid(plan),
                                                                    plan.grid, {names.begin(), names.end()})
                                                  : nullptr;
  const bool put = result == OwnResult::amplitudes || result == OwnResult::pixels;
  if (!put && (input == OwnInput::rf || input == OwnInput::lines || input == OwnInput::channels)) {
    if (reads_samples_alone(lane, plan)) lane.condition();
    lane.beamform();
  }
  if (put && memory != nullptr)
    lane.put_shared(result);
  else if (put && input == OwnInput::image)
    lane.put_levels(answer.levels);
  else if (put)
    lane.put_pixels(answer.pixels);
  if (input != OwnInput::image) lane.envelope();
}

// The answer of a frame; its memory is used again.
OwnAnswer& answer_of_thread() {
  thread_local OwnAnswer answer;
  answer.pixels.clear();
  answer.levels.clear();
  answer.labels.clear();
  return answer;
}

void wait_for_process(Lane& lane, const OwnRequest& request) {
  OwnAnswer& answer = answer_of_thread();
  const OwnResult result = ask_process(lane, request, answer);
  take_result(lane, request.plan, result, device_memory(lane, request), answer);
}

// Runs beamform and envelope around a method in another process, or as far as the hand-over of an array in one piece.
void form_by_process(Lane& lane, const Plan& plan, const FrameStamp& stamp, const FrameForming& forming) {
  const OwnInput input = plan.process->input();
  if (input == OwnInput::iq || input == OwnInput::image) lane.beamform();
  if (input == OwnInput::image) lane.envelope();
  if (input == OwnInput::image && forming.asked == nullptr) return;  // make_image() asks
  OwnRequest request = request_of(plan, stamp, forming.method_limit_s);
  SharedDeviceMemory* const memory = device_memory(lane, request);
  if (input == OwnInput::image) {
    request.reference_db = forming.expected_db.value();
    lane.compress(request.reference_db);
  } else if (forming.asked == nullptr || (memory == nullptr && rows_at_once(request) < request.rows)) {
    return wait_for_process(lane, request);
  }
  *forming.asked = hand_over(lane, request, memory);
  if (forming.asked->number == 0) take_result(lane, plan, OwnResult::none, nullptr, answer_of_thread());
}

void filter_by_process(Lane& lane, const Plan& plan, const ImageMaking& making) {
  OwnRequest request = request_of(plan, lane.image().stamp, making.method_limit_s);
  request.reference_db = making.reference_db;
  wait_for_process(lane, request);
}

}  // namespace

std::optional<ImagingParams> coarse_params(const Acquisition& acquisition, const ImagingParams& params,
                                           const Backend& backend) {
  constexpr double kLong_s = 0.3, kAtOnce_s = 0.1;
  constexpr int kLeast = 32;  // pixels a side
  if (params.formation.recipe == Recipe::course || expected_s(acquisition, params, backend) < kLong_s) return {};
  ImagingParams coarse = params;
  coarse.formation.adaptive = Adaptive::off;
  coarse.formation.adaptive_show = AdaptiveShow::image;
  coarse.refine = {};
  const double step = std::ceil(std::sqrt(expected_s(acquisition, coarse, backend) / kAtOnce_s));
  if (step <= 1.0) return coarse;
  const Grid grid = make_grid(params, acquisition);
  coarse.formation.grid_nx = std::min(grid.nx, std::max(kLeast, static_cast<int>(grid.nx / step)));
  coarse.formation.grid_nz = std::min(grid.nz, std::max(kLeast, static_cast<int>(grid.nz / step)));
  return coarse;
}

bool make_coarse_image(Backend& backend, const CoarseTask& task, const RfFrame& frame, const ImageMaking& making,
                       Mailbox<Image>& to) try {
  const auto plan = make_plan(task.acquisition, task.params, task.previous, backend.multiprocessors());
  const std::unique_ptr<Lane> lane = backend.make_lane(kMaxLanes, StreamMode::serial);
  form_frame(*lane, plan, frame);
  double held_db = making.reference_db;
  if (holds_level(*plan) && held_db <= kAutoReference)
    held_db = measured_level_db(*lane, *plan).value_or(kAutoReference);
  const double reference_db = reference_level_db(*plan, held_db);
  make_image(*lane, *plan, {.reference_db = reference_db, .copy = making.copy});
  lane->wait();
  if (!backend.end_work()) return false;
  Image& image = lane->image();
  describe(image, *plan, reference_db, 0.0);
  image.number = 1;
  std::swap(image, to.back());
  to.publish();
  return true;
} catch (const std::exception&) {  // the image itself says what is wrong
  return backend.end_work();
}

void form_frame(Lane& lane, const std::shared_ptr<const Plan>& plan, const RfFrame& frame,
                const FrameForming& forming) {
  static_cast<void>(form_frames(lane, plan, {&frame, 1}, forming));
}

bool form_frames(Lane& lane, const std::shared_ptr<const Plan>& plan, std::span<const RfFrame> frames,
                 const FrameForming& forming) {
  lane.set_plan(plan);
  if (forming.missing_event) lane.miss_event();
  lane.upload(frames);
  if (forming.load_ms > 0.0) lane.load(forming.load_ms);
  if (forming.fault.has_value()) lane.fail(*forming.fault);
  if (!reads_samples_alone(lane, *plan)) lane.condition();
  if (plan->process != nullptr) {
    form_by_process(lane, *plan, frames.front().stamp, forming);
    return false;
  }
  if (forming.expected_db.has_value()) lane.expect_reference(*forming.expected_db);
  const bool written = forming.results.has_value() && lane.write_results(*forming.results);
  lane.beamform();
  lane.envelope();
  return written;
}

bool take_answer(Lane& lane, const Plan& plan, const OwnAsk& asked, const OwnProcess::Interrupted& interrupted) {
  OwnAnswer& answer = answer_of_thread();
  const auto ends = [&] { return lane.given_up() || (interrupted && interrupted()); };
  const std::optional<OwnResult> result = plan.process->take(asked, ends, answer);
  if (result) take_result(lane, plan, *result, asked.memory, answer);
  return result.has_value();
}

void make_image(Lane& lane, const Plan& plan, const ImageMaking& making) {
  if (making.levels == Levels::due) {
    lane.compress(making.reference_db);
    if (plan.process != nullptr && plan.process->input() == OwnInput::image) filter_by_process(lane, plan, making);
  }
  if (plan.refine != nullptr) lane.refine(making.average);
  if (making.line.has_value()) lane.keep_line(*making.line);
  if (making.pixels == HostCopy::made) lane.keep_pixels();
  lane.finish(making.copy);
}

void describe(Image& image, const Plan& plan, double reference_db, double averaged_frames) {
  image.ready_ns = now_ns();
  image.params = plan.params;
  image.params.level.reference_db = reference_db;
  image.own_missing = image.own_missing && plan.process != nullptr;  // of an earlier image otherwise
  if (plan.process == nullptr) image.mask = nullptr;
  if (image.own_missing) image.params.formation.adaptive = Adaptive::off;
  image.acquisition = plan.acquisition;
  image.averaged_frames = averaged_frames;
}

}  // namespace echoloop
