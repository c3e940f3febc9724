#include "backend/cuda/cuda_lane.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "backend/cuda/fp16/packed_das.h"
#include "backend/cuda/kernels/kernels.h"
#include "core/error.h"
#include "core/timing_trace.h"

namespace echoloop::cuda {
namespace {

std::size_t transmit_bytes(const Acquisition& a) { return a.frame_bytes() / a.transmits.size(); }

// Returns the stream of copies: `own` where they overlap with kernels.
StreamView copies_on(StreamMode mode, const Context& context, const Stream& own) {
  if (mode == StreamMode::default_stream) return StreamView(cudaStreamLegacy);
  return mode == StreamMode::serial ? context.processing.view() : own.view();
}

}  // namespace

CudaLane::FrameCopy::FrameCopy(const Context& context, const LaneSettings& with)
    : mode(with.streams), settings(with.copy), apart(with.apart), stream(copies_on(mode, context, context.copy)) {
  if (mode != StreamMode::overlap) return;
  const int pieces = static_cast<int>(std::min(settings.streams, settings.chunks));
  for (int i = 1; i < pieces; ++i) streams.push_back(std::make_unique<Stream>());
}

CudaLane::CudaLane(std::shared_ptr<Context> context, int number, const LaneSettings& settings)
    : context_(std::move(context)),
      number_(number),
      frame_copy_(*context_, settings),
      to_host_(copies_on(settings.streams, *context_, context_->images)),
      buffers_(*context_, frame_copy_.stream),
      refiner_(*context_),
      images_(1) {}

CudaLane::~CudaLane() {
  if (device_lost()) return;  // nothing runs any more
  // Copies may still read a slot or write an image that is freed after the lane.
  CUDA_QUIET(cudaSetDevice(context_->device));
  frame_copy_.stream.synchronize_quietly();
  for (const auto& stream : frame_copy_.streams) stream->view().synchronize_quietly();
  own_.stream.view().synchronize_quietly();
  own_.left.synchronize_quietly();
  processing().synchronize_quietly();
  to_host_.synchronize_quietly();
}

LaneSteps& CudaLane::steps_for(const Plan& plan) {
  const auto one_of = [&](std::unique_ptr<LaneSteps>& steps, auto make) -> LaneSteps& {
    if (steps == nullptr) steps = make(*context_, buffers_);
    return *steps;
  };
  if (plan.course != nullptr) return one_of(recipes_.course, make_course_steps);
  return packed_steps_fit(plan) ? one_of(recipes_.packed, make_packed_steps)
                                : one_of(recipes_.analytic, make_analytic_steps);
}

void CudaLane::set_plan(const std::shared_ptr<const Plan>& plan) {
  if (plan == plan_) return;
  context_->make_current();
  join();  // memory is freed in the order of the processing stream
  if (std::exchange(own_.has_left, false)) own_.left.make_wait(processing());
  plan_.reset();  // after an exception no plan is set
  LaneSteps& steps = steps_for(*plan);
  steps.set_plan(*plan);
  refiner_.set_plan(plan->refine);
  const Acquisition& a = *plan->formed;
  InvalidSink sink{.found = nullptr, .frame_lines = a.n_transmits() * a.n_elements(), .n_elements = a.n_elements()};
  raw_.invalid.bytes = 0;
  if (a.sample_type == SampleType::float32) {
    buffers_.invalid.grow_for<InvalidFound>(1);
    CUDA_CHECK(cudaMemsetAsync(buffers_.invalid.as<void>(), 0, sizeof(InvalidFound), processing().get()));
    sink.found = buffers_.invalid.as<InvalidFound>();
    raw_.invalid.bytes = offsetof(InvalidFound, elements) + sizeof(unsigned) * ((a.probe.elements.size() + 31) / 32);
    raw_.invalid.found.grow(raw_.invalid.bytes);
  }
  steps.count_invalid_in(sink);
  steps_ = &steps;
  buffers_.raw.grow(static_cast<std::size_t>(most_frames()) * plan->formed->frame_bytes());
  plan_ = plan;
  if (may_overlap()) context_->overlap.begin(plan);
}

// Lanes apart from the stream (kMaxLanes) work on single frames.
bool CudaLane::may_overlap() const {
  return frame_copy_.mode == StreamMode::overlap && frame_copy_.settings.device_sync == 0.0 && number_ < kMaxLanes;
}

int CudaLane::most_frames() const { return may_overlap() ? steps_->frames_at_once(FrameOverlap::Bound::kernels) : 1; }

// Starts the frame's kernels after all queued work of the processing stream: tables, buffers, readers of its memory.
void CudaLane::fork() {
  const bool callers = own_.callers.has_value();
  own_.turn = may_overlap() && !callers ? context_->overlap.next() : FrameOverlap::Turn::in_order;
  own_.in_use = (callers || own_.turn == FrameOverlap::Turn::side_by_side) && steps_->work_on(own_.place());
  if (!own_.in_use) {
    static_cast<void>(steps_->work_on(processing()));
    if (std::exchange(own_.has_left, false)) own_.left.make_wait(processing());
    return;
  }
  if (processing().idle()) return;
  own_.forked.record(processing());
  own_.forked.make_wait(own_.place());
}

bool CudaLane::work_on(std::uintptr_t stream, WorkPlace place) {
  context_->make_current();
  const StreamView callers(reinterpret_cast<cudaStream_t>(stream));
  own_.beside = place == WorkPlace::beside;
  own_.callers = callers;
  if (!may_overlap() || !steps_->work_on(own_.place())) {
    own_.callers.reset();
    return false;
  }
  if (own_.has_left) own_.left.make_wait(own_.place());
  if (!own_.beside) return true;
  own_.forked.record(callers);
  own_.forked.make_wait(own_.place());
  return true;
}

void CudaLane::upload(std::span<const RfFrame> frames) {
  const std::size_t bytes = plan_->acquisition->frame_bytes();
  for (const RfFrame& frame : frames) {
    if (frame.samples.size() >= bytes) continue;
    throw Error("frame " + std::to_string(frame.stamp.sequence), std::to_string(frame.samples.size()) + " bytes",
                "at least " + std::to_string(bytes) + " bytes, the frame size of the acquisition");
  }
  context_->make_current();
  const ProfileRange range(Stage::upload);
  context_->clock.refresh();
  frame_ = {};
  frame_.count = frames.size();
  frame_.unordered = std::exchange(frame_copy_.misses_event, false);
  steps_->take_frames(static_cast<int>(frames.size()));
  steps_->write_decibels({}, 0.0f);
  if (images_.size() < frames.size()) images_.resize(frames.size());
  sequences_.clear();
  for (std::size_t k = 0; k < frames.size(); ++k) {
    ImageStorage::fit(images_[k], context_, plan_->grid.pixels());
    images_[k].grid = plan_->grid;
    images_[k].stamp = frames[k].stamp;
    images_[k].torn_share = 0.0;
    images_[k].invalid.reset();
    sequences_.push_back(frames[k].stamp.sequence);
  }

  fork();
  find_samples(frames.front().samples);
  if (callers_order()) return;
  if (own_.in_use && own_.callers.has_value()) {  // samples that the caller's stream makes are copied
    own_.forked.record(own_.place());
    own_.forked.make_wait(frame_copy_.stream);
  }
  if (!raw_.free) raw_.read->make_wait(frame_copy_.stream);  // by the lane's previous frames
  raw_.free = false;
  if (frame_copy_.mode == StreamMode::default_stream) {  // the order that other than non-blocking streams have with it
    own_.joined.record(processing());
    own_.joined.make_wait(frame_copy_.stream);
  }
  mark(kUpload, frame_copy_.stream);
  frame_.unordered = frame_.unordered && !frame_.in_place;
  if (!frame_.in_place) copy_samples(frames);
  mark(kUploaded, frame_copy_.stream);
  // Waits here rather than in condition(), so that memory freed in the order of the processing stream is no longer a
  // copy's target, whatever becomes of the frame.
  if (!frame_.unordered) event(kUploaded).make_wait(work());
}

// Finds the picked transmits, contiguous for the kernels: in place in mapped memory, otherwise copied together.
void CudaLane::find_samples(std::span<const std::byte> frame) {
  constexpr std::size_t kAligned = 16;  // wide loads of every kernel
  const std::size_t offset = static_cast<std::size_t>(plan_->pick.first) * transmit_bytes(*plan_->formed);
  const std::byte* mapped = context_->mapped->find(frame);
  frame_.in_place = mapped != nullptr && plan_->pick.every == 1 && offset % kAligned == 0;
  raw_.at = frame_.in_place ? mapped + offset : buffers_.raw.as<std::byte>();
}

// Copies frame by frame, in the pieces of the settings, as a copy may not span two blocks of page-locked memory.
void CudaLane::copy_samples(std::span<const RfFrame> frames) {
  const TransmitPick& pick = plan_->pick;
  const std::size_t bytes = transmit_bytes(*plan_->formed);
  const std::size_t frame_bytes = plan_->formed->frame_bytes();
  auto* to = buffers_.raw.as<std::byte>();
  for (const RfFrame& frame : frames) {
    const std::byte* from = frame.samples.data() + static_cast<std::size_t>(pick.first) * bytes;
    if (pick.every == 1) {
      const auto pieces = static_cast<std::size_t>(frame_copy_.settings.chunks);
      for (std::size_t i = 0; i < pieces; ++i) {
        const std::size_t first = frame_bytes * i / pieces, end = frame_bytes * (i + 1) / pieces;
        copy_piece(to + first, from + first, end - first, i);
      }
    } else {
      CUDA_CHECK(cudaMemcpy2DAsync(to, bytes, from, static_cast<std::size_t>(pick.every) * bytes, bytes,
                                   static_cast<std::size_t>(pick.count), cudaMemcpyDefault, frame_copy_.stream.get()));
    }
    to += frame_bytes;
  }
  join_copies();
}

// Queues a piece on the copy stream or one of the further streams, which starts after the begin of the frame's copy.
void CudaLane::copy_piece(std::byte* to, const std::byte* from, std::size_t bytes, std::size_t piece) {
  const std::size_t turn = piece % (frame_copy_.streams.size() + 1);
  const StreamView stream = turn == 0 ? frame_copy_.stream : frame_copy_.streams[turn - 1]->view();
  if (turn > 0 && piece == turn) event(kUpload).make_wait(stream);
  CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream.get()));
}

// Makes the copy stream wait for the further streams.
void CudaLane::join_copies() {
  for (const auto& stream : frame_copy_.streams) {
    frame_copy_.piece.record(stream->view());
    frame_copy_.piece.make_wait(frame_copy_.stream);
  }
}

void CudaLane::load(double ms) {
  const ProfileRange range(Stage::load);
  mark(kLoad, work());
  keep_busy(ms, work());
  mark(kLoaded, work());
  frame_.loaded = true;
}

void CudaLane::fail(DeviceFault fault) {
  if (fault == DeviceFault::refused)
    launch_refused(work());
  else
    launch_fatal(work());
}

void CudaLane::condition() {
  const ProfileRange range(Stage::condition);
  const bool begins = !own_.in_use || frame_.unordered;
  frame_.condition_begin = begins ? kCondition : frame_.loaded ? kLoaded : kUploaded;
  if (frame_.condition_begin == kCondition) mark(kCondition, work());
  steps_->widen(raw_.at);
  // An event between two kernels costs microseconds while the bus is busy: none more than needed.
  raw_.read = steps_->conditions_at_once() ? &event(kConditioned) : &raw_.widened;
  if (raw_.read == &raw_.widened) raw_.widened.record(work());
  steps_->condition();
  if (!callers_order()) mark(kConditioned, work());
  count_invalid();
  if (frame_.unordered) event(kUploaded).make_wait(work());  // memory may be freed in the order of this stream
  frame_.conditioned = true;
}

void CudaLane::expect_reference(double reference_db) {
  std::array<float*, kMostFramesAtOnce> db{};
  for (std::size_t k = 0; k < frame_.count; ++k) db.at(k) = images_[k].device_db;
  if (steps_->write_decibels(std::span(db).first(frame_.count), static_cast<float>(reference_db)))
    frame_.written_db = reference_db;
}

bool CudaLane::write_results(const ResultPlace& place) {
  if (place.kind == ResultKind::decibels && frame_.count == 1)
    images_.front().device_db = reinterpret_cast<float*>(place.to);
  if (!steps_->write_results(place)) return false;
  frame_.written_db = place.reference_db;  // without marks between the kernels
  return true;
}

void CudaLane::beamform() {
  const ProfileRange range(Stage::beamform);
  steps_->beamform();
  if (!frame_.written_db) mark(kBeamformed, work());
}

void CudaLane::envelope() {
  const ProfileRange range(Stage::envelope);
  steps_->envelope();
  if (!frame_.written_db) mark(kDetected, work());
}

void CudaLane::compress(double reference_db) {
  const ProfileRange range(Stage::compress);
  const bool one_pass = !frame_.compressed && frame_.written_db == reference_db;  // beamform() wrote these decibels
  if (!one_pass && frame_.count > 1) throw std::logic_error("frames together: their level was not expected");
  // A second call for the same frame is later than the envelope: it has its own start.
  frame_.compress_begin = one_pass ? kCompressed : frame_.compressed || frame_.written_db ? kCompress : kDetected;
  if (!one_pass) join();
  if (frame_.compress_begin == kCompress) mark(kCompress, processing());
  level_ = {.db = static_cast<float>(reference_db), .measured_db = nullptr};
  if (!one_pass) write_decibels();
  mark(kCompressed, work());
  frame_.compressed = true;
  frame_.refined = frame_.pixels_kept = frame_.ended = false;
}

void CudaLane::write_decibels() {
  if (plan_->method.shows_factor) {
    CUDA_CHECK(cudaMemcpyAsync(images_.front().device_db, buffers_.envelope.as<void>(),
                               plan_->grid.pixels() * sizeof(float), cudaMemcpyDeviceToDevice, processing().get()));
    return;
  }
  level_.measured_db = steps_->own_level_db();
  to_decibels(buffers_.envelope.as<float>(), plan_->grid.pixels(), level_.db, level_.measured_db,
              images_.front().device_db, processing());
}

void CudaLane::refine(const FrameAverage* average) {
  const ProfileRange range(Stage::refine);
  join();
  if (average != nullptr) {
    const auto* before = static_cast<const CudaLane*>(average->before);
    refiner_.average(before != nullptr ? &before->refiner_ : nullptr, average->keep, buffers_.envelope.as<float>(),
                     level_, images_.front().device_db);
  }
  refiner_.filter(images_.front().device_db);
  marks_.refined.record(processing());
  frame_.refined = true;
}

// Writes the column into page-locked host memory by a small kernel; the image stays on the device.
void CudaLane::keep_line(int column) {
  join();
  const Grid& grid = plan_->grid;
  line_.db.grow(static_cast<std::size_t>(grid.nz) * sizeof(float));
  gather_column(images_.front().device_db, {.nx = grid.nx, .nz = grid.nz, .column = column}, line_.db.as<float>(),
                processing());
  line_.there.record(processing());
  frame_.line_kept = true;
}

// Copies while the kernels of the next frames run, which have buffers of their own; this lane starts none before the
// end.
void CudaLane::keep_pixels() {
  join();
  const Complex* const from = steps_->weighed_pixels();
  if (from == nullptr) throw std::logic_error("no complex pixels to keep");
  kept_.count = plan_->das->tables->grid.pixels();
  kept_.values.grow(kept_.count * sizeof(Complex));
  kept_.weighed.record(processing());
  kept_.weighed.make_wait(to_host_);
  CUDA_CHECK(cudaMemcpyAsync(kept_.values.as<void>(), from, kept_.count * sizeof(Complex), cudaMemcpyDeviceToHost,
                             to_host_.get()));
  kept_.there.record(to_host_);
  frame_.pixels_kept = true;
}

void CudaLane::finish(HostCopy copy) {
  for (Image& image : std::span(images_).first(frame_.count)) image.host_db = nullptr;
  Event& ready = frame_.line_kept ? line_.there : picture_mark();
  end_ = frame_.pixels_kept ? &kept_.there : &ready;
  if (copy == HostCopy::made) {
    const std::size_t pixels = plan_->grid.pixels();
    ready.make_wait(to_host_);
    for (std::size_t k = 0; k < frame_.count; ++k) {
      Image& image = images_[k];
      image.host_db = ImageStorage::fit(image, context_, pixels).host();
      CUDA_CHECK(cudaMemcpyAsync(image.host_db, image.device_db, pixels * sizeof(float), cudaMemcpyDeviceToHost,
                                 to_host_.get()));
    }
    kept_.image_there.record(to_host_);
    end_ = &kept_.image_there;
  }
  frame_.ended = true;
  if (frame_copy_.settings.device_sync > 0.0) CUDA_CHECK(cudaDeviceSynchronize());
}

bool CudaLane::uploaded() {
  if (frame_.in_place) return frame_.conditioned && raw_.read->passed();
  return event(kUploaded).passed();
}

bool CudaLane::finished() {
  if (!frame_.ended || !end_->passed() || (raw_.invalid.awaited && !raw_.invalid.there.passed())) return false;
  raw_.free = true;
  note_invalid();
  if (frame_.unordered) note_torn();
  return true;
}

// Copies the counts beside the kernels that follow.
void CudaLane::count_invalid() {
  raw_.invalid.awaited = raw_.invalid.bytes > 0;
  if (!raw_.invalid.awaited) return;
  event(kConditioned).make_wait(to_host_);
  CUDA_CHECK(cudaMemcpyAsync(raw_.invalid.found.as<void>(), buffers_.invalid.as<void>(), raw_.invalid.bytes,
                             cudaMemcpyDeviceToHost, to_host_.get()));
  raw_.invalid.there.record(to_host_);
}

// Describes the images of finished frames. The device's counts are set to 0 if there were any.
void CudaLane::note_invalid() {
  if (shared_ != nullptr && plan_->process != nullptr) shared_->note_wrong(images_.front(), *plan_->process);
  if (!std::exchange(raw_.invalid.awaited, false)) return;
  const auto& found = *raw_.invalid.found.as<InvalidFound>();
  bool any = false;
  for (std::size_t k = 0; k < frame_.count; ++k) {
    if (found.samples[k] == 0) continue;
    any = true;
    SampleFaultCount count{.samples = found.samples[k]};
    for (std::size_t e = 0; e < plan_->formed->probe.elements.size(); ++e)
      count.elements.push_back((found.elements[e / 32] >> e % 32 & 1U) != 0);
    images_[k].invalid = std::make_shared<const SampleFaultCount>(std::move(count));
  }
  if (any) CUDA_CHECK(cudaMemsetAsync(buffers_.invalid.as<void>(), 0, sizeof(InvalidFound), processing().get()));
}

// Sets the part of the copy that followed the begin of the kernels, from the times of both.
void CudaLane::note_torn() {
  const double copy_ms = event(kUploaded).ms_since(event(kUpload));
  const double before_ms = event(kCondition).ms_since(event(kUpload));
  const double share = copy_ms > 0.0 ? std::clamp(1.0 - before_ms / copy_ms, 0.0, 1.0) : 0.0;
  for (Image& image : std::span(images_).first(frame_.count)) image.torn_share = share;
}

void CudaLane::wait() {
  if (frame_.ended) {
    end_->synchronize();
    if (raw_.invalid.awaited) raw_.invalid.there.synchronize();
    note_invalid();
    return;
  }
  event(kUploaded).synchronize();
  raw_.read->synchronize();
}

PixelView CudaLane::pixels() {
  if (plan_->course != nullptr) return {};
  join();
  return {.values = buffers_.pixels.as<Complex>(), .count = plan_->das->tables->grid.pixels()};
}

// Reads the events of finished frames, without waiting. Frames together share a stage's time equally.
void CudaLane::append_spans(TimingTrace& trace) {
  const GpuClock::Anchor& anchor = context_->clock.anchor_before(event(kUpload));
  const auto ns = [&](Mark mark) { return anchor.to_ns(event(mark)); };
  const auto add = [&](Stage stage, std::int64_t start_ns, std::int64_t end_ns) {
    const auto count = static_cast<std::int64_t>(frame_.count);
    for (std::int64_t k = 0; k < count; ++k)
      trace.add({.frame = sequences_[static_cast<std::size_t>(k)],
                 .stage = stage,
                 .lane = static_cast<std::uint8_t>(number_),
                 .start_ns = start_ns + k * (end_ns - start_ns) / count,
                 .end_ns = start_ns + (k + 1) * (end_ns - start_ns) / count});
  };
  add(Stage::upload, ns(kUpload), ns(kUploaded));
  if (frame_.loaded) add(Stage::load, ns(kLoad), ns(kLoaded));
  const std::int64_t conditioned = ns(kConditioned);
  const std::int64_t compressing = ns(frame_.compress_begin);
  // Beamforming that writes decibels is one kernel with the following stages.
  const std::int64_t beamformed = frame_.written_db ? compressing : ns(kBeamformed);
  const std::int64_t detected = frame_.written_db ? compressing : ns(kDetected);
  add(Stage::condition, ns(frame_.condition_begin), conditioned);
  add(Stage::beamform, conditioned, beamformed);
  add(Stage::envelope, beamformed, detected);
  add(Stage::compress, compressing, ns(kCompressed));
  if (own_.turn == FrameOverlap::Turn::measured_few || own_.turn == FrameOverlap::Turn::measured_many)
    context_->overlap.measured(own_.turn, ns(kUploaded) - ns(kUpload), ns(kCompressed) - ns(kCondition));
  if (frame_.refined) add(Stage::refine, ns(kCompressed), anchor.to_ns(marks_.refined));
}

void CudaLane::write_input(OwnInput input, int first, int rows, std::span<std::byte> to) {
  join();
  if (input == OwnInput::lines)
    return static_cast<void>(std::memcpy(to.data(), read_back(Tap::conditioned).data(), to.size()));
  const void* const from = input == OwnInput::rf         ? raw_.at
                           : input == OwnInput::channels ? static_cast<const void*>(steps_->delay_channels(first, rows))
                           : input == OwnInput::iq       ? buffers_.pixels.as<void>()
                                                         : images_.front().device_db;
  CUDA_CHECK(cudaMemcpyAsync(to.data(), from, to.size(), cudaMemcpyDefault, processing().get()));
  if (shared_ != nullptr && to.data() == shared_->in().data())
    shared_->mark_filled();
  else
    processing().synchronize();
  if (input == OwnInput::rf) raw_.widened.record(processing());  // the last reader of the samples
  if (input == OwnInput::rf) raw_.read = &raw_.widened;
}

void CudaLane::put_shared(OwnResult result) {
  if (plan_->process->input() == OwnInput::image)
    return shared_->take_levels(plan_->grid.pixels(), images_.front().device_db);
  shared_->take_pixels(result, plan_->das->tables->grid.pixels(), buffers_.pixels.as<Complex>());
  steps_->replace_pixels();
  mark(kBeamformed, work());
}

void CudaLane::put_pixels(std::span<const Complex> values) {
  join();
  CUDA_CHECK(cudaMemcpyAsync(buffers_.pixels.as<void>(), values.data(), values.size_bytes(), cudaMemcpyHostToDevice,
                             processing().get()));
  steps_->replace_pixels();
  mark(kBeamformed, work());
}

void CudaLane::put_levels(std::span<const float> values) {
  join();
  CUDA_CHECK(cudaMemcpyAsync(images_.front().device_db, values.data(), values.size_bytes(), cudaMemcpyHostToDevice,
                             processing().get()));
}

std::vector<float> CudaLane::read_back(Tap tap) {
  const bool lines = tap == Tap::conditioned;
  const DeviceBuffer& from = lines ? buffers_.lines : tap == Tap::beamformed ? buffers_.pixels : buffers_.envelope;
  const std::size_t count = lines                    ? steps_->line_floats()
                            : tap == Tap::beamformed ? steps_->pixel_floats()
                                                     : plan_->grid.pixels();
  std::vector<float> values(count);
  join();
  CUDA_CHECK(cudaMemcpyAsync(values.data(), from.as<void>(), count * sizeof(float), cudaMemcpyDeviceToHost,
                             processing().get()));
  processing().synchronize();
  return lines ? steps_->lines_as_values(std::move(values)) : values;
}

}  // namespace echoloop::cuda
