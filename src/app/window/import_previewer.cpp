#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "app/opening/source_kinds.h"
#include "app/stream/session.h"
#include "app/window/window_import.h"
#include "core/error.h"
#include "core/units.h"

namespace echoloop {
namespace {

constexpr std::size_t kMostTraceRows = 1024;  // of the channel data's image

// Returns a copy that the stream does not overwrite.
std::shared_ptr<const Image> kept_image(const Image& image) {
  auto pixels = std::make_shared<std::vector<float>>(image.host().begin(), image.host().end());
  auto kept = std::make_shared<Image>(image);
  kept->device_db = nullptr;
  kept->host_db = pixels->data();
  kept->storage = pixels;
  return kept;
}

std::shared_ptr<const Image> preview_image(const OpenedSource& opened, std::uint64_t frame, Backend& backend,
                                           const ImagingOptions& options, const std::stop_token& stop) {
  Mailbox<Image> images;
  TimingTrace trace;
  const ImagingParams params =
      given_params(options, default_params(*opened.info.acquisition), *opened.info.acquisition);
  StreamSettings stream;
  stream.slots = kMinSlots;
  stream.lanes = 1;
  stream.host_memory = HostMemory::pageable;
  stream.rate_hz = kRateMax;
  Session session(backend, opened.source, images, trace,
                  {.stream = stream,
                   .params = params,
                   .max_frames = 1,
                   .host_copy = HostCopy::made,
                   .samples = opened.info.samples,
                   .first_frame = frame});
  while (!session.done() && !stop.stop_requested()) {
    session.advance();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  session.stop_soon();
  if (const std::string fault = session.fault(); !fault.empty()) throw Error::from_line(fault);
  if (!images.take()) {
    const std::string report = session.producer_report();
    throw Error::from_line(report.empty() ? "no frame was processed" : report);
  }
  return kept_image(images.front());
}

}  // namespace

// Uses the largest of several samples per row of the image.
ImportTraces traces_of(const Acquisition& a, std::span<const std::byte> frame, int transmit) {
  ImportTraces traces;
  const std::size_t n_elements = a.probe.elements.size(), n_samples = static_cast<std::size_t>(a.n_samples);
  const std::size_t n_values = a.signal == SignalKind::iq ? 2 : 1;
  const std::size_t at = std::min(static_cast<std::size_t>(std::max(transmit, 0)), a.transmits.size() - 1);
  const std::size_t step = (n_samples + kMostTraceRows - 1) / kMostTraceRows, rows = (n_samples + step - 1) / step;
  auto values = std::make_shared<std::vector<float>>(n_elements * rows, 0.0F);
  const auto value = [&](std::size_t index) {
    if (a.sample_type == SampleType::int16) {
      std::int16_t sample = 0;
      std::memcpy(&sample, frame.data() + index * sizeof sample, sizeof sample);
      return static_cast<float>(sample);
    }
    float sample = 0.0F;
    std::memcpy(&sample, frame.data() + index * sizeof sample, sizeof sample);
    return sample;
  };
  for (std::size_t e = 0; e < n_elements; ++e) {
    for (std::size_t i = 0; i < n_samples; ++i) {
      const float sample = value(((at * n_elements + e) * n_samples + i) * n_values);
      float& row = (*values)[e * rows + i / step];
      if (std::abs(sample) > std::abs(row)) row = sample;
    }
  }
  traces.values = std::move(values);
  traces.n_elements = static_cast<int>(n_elements);
  traces.n_time = static_cast<int>(rows);
  traces.transmit = static_cast<int>(at);
  traces.step_s = static_cast<double>(step) / a.sampling_hz;
  return traces;
}

PreviewResult form_preview(const PreviewTask& task, Backend& backend, const ImagingOptions& options,
                           const std::stop_token& stop) {
  const std::int64_t began = now_ns();
  const OpenedSource opened = open_described(task.file, task.description, stop);
  PreviewResult result{.number = task.number};
  result.n_frames = opened.info.frame_count;
  const std::uint64_t frame = std::min(task.frame, std::max<std::uint64_t>(result.n_frames, 1) - 1);
  result.image = preview_image(opened, frame, backend, options, stop);
  result.took_ms = static_cast<double>(now_ns() - began) * 1e-6;
  const Acquisition& a = *opened.info.acquisition;
  std::vector<std::byte> slot(a.frame_bytes());
  const std::span<const std::byte> samples = opened.source->seekable()->at(frame, slot);
  result.traces = traces_of(a, samples, task.transmit);
  result.doubts = measure_doubts(opened);
  result.spectrum = measure_spectrum(a, samples);
  return result;
}

ImportPreviewer::ImportPreviewer(const ImagingOptions& options, DeviceChoice backend)
    : options_(options), backend_(backend), thread_([this](const std::stop_token& stop) { run(stop); }) {}

ImportPreviewer::~ImportPreviewer() { forget(); }

void ImportPreviewer::ask(PreviewTask task) {
  const std::scoped_lock lock(mutex_);
  current_.request_stop();
  wanted_ = std::move(task);
  changed_.notify_one();
}

void ImportPreviewer::forget() {
  const std::scoped_lock lock(mutex_);
  current_.request_stop();
  wanted_.reset();
  result_.reset();
}

std::optional<PreviewResult> ImportPreviewer::take() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(result_, std::nullopt);
}

bool ImportPreviewer::busy() const {
  const std::scoped_lock lock(mutex_);
  return working_ || wanted_.has_value();
}

void ImportPreviewer::run(const std::stop_token& stop) {
  std::unique_ptr<Backend> backend;
  while (true) {
    PreviewTask task;
    std::stop_source current;
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [this] { return wanted_.has_value(); })) return;
      task = *std::exchange(wanted_, std::nullopt);
      current_ = current;
      working_ = true;
    }
    PreviewResult result{.number = task.number};
    try {
      if (backend == nullptr) backend = choose_backend(backend_).backend;
      result = form_preview(task, *backend, options_, current.get_token());
    } catch (const std::exception& error) {
      result.error = error.what();
    }
    const std::scoped_lock lock(mutex_);
    working_ = false;
    if (!current.stop_requested()) result_ = std::move(result);
  }
}

}  // namespace echoloop
