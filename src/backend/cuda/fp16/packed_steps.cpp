// Analytic recipe in half precision: one kernel from raw samples to packed words, one from words to pixels and
// envelope.
#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "backend/cuda/fp16/packed_das.h"
#include "backend/cuda/fp16/packed_fir_kernel.h"
#include "backend/cuda/kernels/kernels.h"
#include "backend/cuda/kernels/lane_steps.h"

namespace echoloop::cuda {
namespace {

int n_lines(const Acquisition& a) { return a.n_transmits() * a.n_elements(); }

PackedLineShape line_shape(const PackedFormation& packed) {
  return {.n_valid = packed.das->geometry.n_valid,
          .pitch = packed.tiles->pitch,
          .window = packed.tiles->window,
          .n_parts = packed.fir_parts};
}

// Returns the frames that a launch sums together, limited by the memory of their words in each lane.
int large_frames_at_once(const PackedPlan& tiles, std::size_t frame_words) {
  constexpr std::size_t kMostBytes = std::size_t{256} << 20;  // of a frame
  return tiles.together.elements > 0 && frame_words * sizeof(uint2) <= kMostBytes ? tiles.tuning.form.most_frames : 1;
}

float half_bits(std::uint32_t bits) {
  return __half2float(static_cast<__half>(__half_raw{.x = static_cast<unsigned short>(bits)}));
}

// Word as read back, in the words' scale.
struct WordValues {
  Complex value;
  Complex step;
};
WordValues word_values(const float* word) {
  std::uint32_t bits[2] = {};
  std::memcpy(bits, word, sizeof bits);
  const auto pair = [](std::uint32_t halves, float unit) {
    return Complex{half_bits(halves & 0xffffU) * unit, half_bits(halves >> 16) * unit};
  };
  return {pair(bits[0], 1.0f), pair(bits[1], 1.0f / kStepScale)};
}

class PackedSteps final : public LaneSteps {
 public:
  PackedSteps(Context& context, LaneBuffers& buffers)
      : context_(context),
        buffers_(buffers),
        work_(stream()),
        peaks_(stream()),
        scale_(stream()),
        partials_(stream()),
        counts_(stream()),
        arrivals_(stream()) {}

  void set_plan(const Plan& plan) override {
    packed_ = plan.packed;
    type_ = plan.formed->sample_type;
    const PackedPlan& tiles = *packed_->tiles;
    n_lines_ = n_lines(*plan.formed);
    frames_.small = frames_.most = 1;
    if (may_be_together(*plan.formed) && tiles.method == PackedMethod::das) {
      frames_.small = small_frames_at_once(*plan.formed, n_pixels());
      frames_.most = std::max(frames_.small, large_frames_at_once(tiles, packed_words(n_lines_, line_shape(*packed_))));
    }
    const auto frames = static_cast<std::size_t>(frames_.most);
    buffers_.lines.grow_for<uint2>(packed_words(n_lines_ * frames_.most, line_shape(*packed_)));
    buffers_.pixels.grow_for<Complex>(n_pixels());
    buffers_.envelope.grow_for<float>(n_pixels());
    const std::size_t peaks = peak_slots(n_lines_) * sizeof(FirPeak);
    peaks_.grow(peaks);
    CUDA_CHECK(cudaMemsetAsync(peaks_.as<void>(), 0, peaks, stream().get()));
    scale_.grow_for<float>(1);
    const std::size_t sums = tiles.method == PackedMethod::das ? frames : 2;
    if (tiles.n_parts() > 1) partials_.grow_for<Complex>(sums * n_pixels() * static_cast<std::size_t>(tiles.n_parts()));
    const std::size_t counters = frames * static_cast<std::size_t>(tiles.n_tiles()) * sizeof(unsigned);
    arrivals_.grow(counters);
    CUDA_CHECK(cudaMemsetAsync(arrivals_.as<void>(), 0, counters, stream().get()));
    set_fir(*plan.formed);
    set_das();
    if (tiles.method != PackedMethod::das) set_coherence(plan.method);
  }

  [[nodiscard]] int frames_at_once(FrameOverlap::Bound bound) const override {
    return bound == FrameOverlap::Bound::kernels ? frames_.most : frames_.small;
  }
  void take_frames(int count) override {
    fir_.n_lines = n_lines_ * count;
    frames_.now = count;
  }

  void count_invalid_in(const InvalidSink& sink) override { fir_.in.invalid = sink; }
  void widen(const std::byte* raw) override {
    fir_.in.raw = raw;
    run_packed_fir(fir_, type_, work_);
  }

  void condition() override {}  // done by widen()
  [[nodiscard]] bool conditions_at_once() const override { return true; }
  // Keeps cooperative launches on one stream: two at once could block each other from the device.
  bool work_on(StreamView stream) override {
    work_ = fir_.at_once ? this->stream() : stream;
    return !fir_.at_once;
  }
  bool write_decibels(std::span<float* const> db, float reference_db) override {
    das_.frames = {.reference_db = reference_db};
    std::copy(db.begin(), db.end(), das_.frames.results);
    return true;
  }
  bool write_results(const ResultPlace& place) override {
    if (place.kind == ResultKind::pixels && packed_->tiles->method != PackedMethod::das) return false;
    das_.frames = {.reference_db = static_cast<float>(place.reference_db),
                   .kind = static_cast<PackedResult>(place.kind)};
    const std::size_t bytes = n_pixels() * (place.kind == ResultKind::pixels ? sizeof(Complex) : sizeof(float));
    for (int k = 0; k < frames_.now; ++k) das_.frames.results[k] = place.to + static_cast<std::size_t>(k) * bytes;
    return true;
  }
  void beamform() override { run_packed_das(*packed_->tiles, das_, frames_.now, work_); }
  void envelope() override {  // done by beamform()
    if (!std::exchange(replaced_, false)) return;
    magnitudes({buffers_.pixels.as<Complex>(), nullptr}, n_pixels(), buffers_.envelope.as<float>(), stream());
  }
  void replace_pixels() override { replaced_ = true; }
  // Computes the pixels from the kernel's sums and weighted amplitudes.
  const Complex* weighed_pixels() override {
    const auto* sums = buffers_.pixels.as<Complex>();
    if (packed_->tiles->method == PackedMethod::das) return sums;
    buffers_.weighed.grow_for<Complex>(n_pixels());
    values_with(sums, buffers_.envelope.as<float>(), n_pixels(), buffers_.weighed.as<Complex>(), stream());
    return buffers_.weighed.as<Complex>();
  }
  const float* own_level_db() override { return nullptr; }
  [[nodiscard]] std::size_t line_floats() const override { return 2 * packed_words(n_lines_, line_shape(*packed_)); }
  [[nodiscard]] std::size_t pixel_floats() const override { return 2 * n_pixels(); }

  // Converts words to Complex [n_tx][n_el][n_out] of the packed band; zeros beyond the record.
  [[nodiscard]] std::vector<float> lines_as_values(std::vector<float> read) const override {
    float scale = 0.0f;
    CUDA_CHECK(cudaMemcpy(&scale, scale_.as<float>(), sizeof scale, cudaMemcpyDeviceToHost));
    const auto n_out = static_cast<std::size_t>(packed_->band->n_out);
    std::vector<float> values(2 * n_out * static_cast<std::size_t>(n_lines_), 0.0f);
    for (int line = 0; line < n_lines_; ++line) {
      const float* words = read.data() + 2 * (static_cast<std::size_t>(fir_.window) +
                                              static_cast<std::size_t>(line) * static_cast<std::size_t>(fir_.pitch));
      float* to = values.data() + 2 * n_out * static_cast<std::size_t>(line);
      for (int m = 0; m + 1 < fir_.n_valid; ++m) {
        const WordValues word = word_values(words + 2 * m);
        to[2 * m] = scale * word.value.re;
        to[2 * m + 1] = scale * word.value.im;
        // The record's last sample has no word: it is the end of the last step.
        to[2 * m + 2] = scale * (word.value.re + word.step.re);
        to[2 * m + 3] = scale * (word.value.im + word.step.im);
      }
    }
    return values;
  }

 private:
  [[nodiscard]] StreamView stream() const { return context_.processing.view(); }
  [[nodiscard]] std::size_t n_pixels() const {
    const DasGeometry& g = packed_->das->geometry;
    return static_cast<std::size_t>(g.nx) * static_cast<std::size_t>(g.nz);
  }

  void set_fir(const Acquisition& a) {
    taps_ = context_.tables.get(packed_->taps, {std::as_bytes(std::span(packed_->taps->matrices))});
    taps_->make_wait(stream());
    fir_ = packed_fir_args(a, *packed_->fir, *packed_->taps, line_shape(*packed_),
                           {.raw = nullptr,
                            .peaks = peaks_.as<FirPeak>(),
                            .taps = taps_->table<uint4>(0),
                            .words = buffers_.lines.as<uint2>(),
                            .scale = scale_.as<float>()});
    allow_packed_fir(fir_, type_);
  }

  void set_das() {
    const PackedPlan& tiles = *packed_->tiles;
    on_device_ = das_on_device(context_, *packed_->das, stream());
    windows_ = context_.tables.get(tiles.windows, {std::as_bytes(std::span(tiles.windows->rx_start)),
                                                   std::as_bytes(std::span(tiles.windows->tx_start))});
    items_ = context_.tables.get(packed_->tiles, {std::as_bytes(std::span(tiles.items))});
    for (const auto& tables : {windows_, items_}) tables->make_wait(stream());
    das_ = packed_das_args(tiles, {.geometry = on_device_.geometry,
                                   .words = buffers_.lines.as<uint2>(),
                                   .scale = scale_.as<float>(),
                                   .items = items_->table<PackedItem>(0),
                                   .rx_start = windows_->table<int>(0),
                                   .tx_start = windows_->table<int>(1),
                                   .partials = partials_.as<Complex>(),
                                   .arrivals = arrivals_.as<unsigned>(),
                                   .pixels = buffers_.pixels.as<Complex>(),
                                   .envelope = buffers_.envelope.as<float>()});
    allow_packed_das(tiles);
  }

  void set_coherence(const MethodSettings& method) {
    const DasGeometry& g = on_device_.geometry;
    counts_.grow(coherence_count_bytes(g, method.axis));
    das_.coherence = {.axis = method.axis, .strength = method.strength, .counts = counts_.as<void>()};
    count_channels(g, method.axis, counts_.as<void>(), stream());
  }

  Context& context_;
  LaneBuffers& buffers_;
  StreamView work_;
  DeviceBuffer peaks_;     // FirPeak [peak_slots()]
  DeviceBuffer scale_;     // float: amplitude of a value of 1 in the words
  DeviceBuffer partials_;  // Complex [n_parts][nz][nx], if blocks share tiles
  DeviceBuffer counts_;    // PackedCoherence::counts
  DeviceBuffer arrivals_;  // unsigned [n_tiles]
  std::shared_ptr<const PackedFormation> packed_;
  SampleType type_ = SampleType::float32;
  bool replaced_ = false;
  int n_lines_ = 0;  // of a frame
  struct Frames {
    int small = 1;  // at once
    int most = 1;   // at once, if kernels take as long as copies
    int now = 1;    // in the next verbs
  } frames_;
  PackedFirArgs fir_{};
  PackedDasArgs das_{};
  DasOnDevice on_device_;
  std::shared_ptr<const DeviceTables> taps_, windows_, items_;
};

}  // namespace

bool packed_steps_fit(const Plan& plan) { return plan.packed != nullptr && packed_das_code() != 0; }

std::unique_ptr<LaneSteps> make_packed_steps(Context& context, LaneBuffers& buffers) {
  return std::make_unique<PackedSteps>(context, buffers);
}

// Arguments of the packed conditioner's kernel (packed_fir_launch.cu) from a plan and a frame.

PackedFirArgs packed_fir_args(const Acquisition& a, const PackedFir& fir, const PackedTaps& taps,
                              const PackedLineShape& shape, const PackedFirMemory& m) {
  constexpr float kInt16Full = 32768.0f;
  const double turns = fir.turns_per_sample - std::floor(fir.turns_per_sample);
  const bool rf = a.signal == SignalKind::rf;
  const float gain_bound = (rf ? 2.0f : 1.0f) * fir.gain_bound;  // minus its mean, a sample may be twice as large
  PackedFirArgs args{.in = {.raw = m.raw},
                     .n_lines = a.n_transmits() * a.n_elements(),
                     .n_values = a.n_samples * fir.components,
                     .components = fir.components,
                     .spread = taps.spread,
                     .block_chunks = taps.block_chunks,
                     .front = taps.front,
                     .n_steps = taps.n_steps,
                     .n_valid = shape.n_valid,
                     .pitch = shape.pitch,
                     .window = shape.window,
                     .turns_step = static_cast<unsigned>(static_cast<unsigned long long>(std::llround(turns * 0x1p32))),
                     .remove_mean = rf,
                     .gain_bound = gain_bound,
                     .full_scale = a.sample_type == SampleType::int16 ? kInt16Full : 0.0f,
                     .word_scale = 1.0f / (gain_bound * kLargestHalf * taps.scale),
                     .at_once = false,
                     .launch = 0,
                     .peaks = m.peaks,
                     .taps = m.taps,
                     .words = m.words,
                     .scale = m.scale,
                     .at = {}};
  args.at = fir_layout(taps, shape.n_valid, shape.n_parts);
  return args;
}

}  // namespace echoloop::cuda
