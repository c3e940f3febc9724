// Benchmark of the tuned conditioning and delay-and-sum on the GPU: speeds beside errors, the plain kernel beside the
// tuned one. One table and, on request, JSON.
//   echoloop_das_bench [--case S1] [--sweep] [--json FILE]
// Times: CUDA events around several launches, median of 9; "cold": inputs rotate over at least 150 MB, "hot": the same
// input again. Reductions of partial sums are inside. Outputs are poisoned before they are checked; errors are relative
// L2 against double precision, on white noise and on 60 points.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>

#include "backend/cuda/event.h"
#include "backend/cuda/kernels.h"
#include "backend/cuda/packed_das.h"
#include "backend/cuda/packed_fir.h"
#include "bench/das_bench.h"

namespace echoloop::bench {
namespace {

using namespace cuda;

constexpr std::size_t kPastCache = 150'000'000;
constexpr int kMedianOf = 9;

template <class T>
class Device {
 public:
  explicit Device(std::size_t n) : n_(n) { CUDA_CHECK(cudaMalloc(reinterpret_cast<void**>(&data_), std::max<std::size_t>(n, 1) * sizeof(T))); }
  explicit Device(const std::vector<T>& v) : Device(v.size()) {
    CUDA_CHECK(cudaMemcpy(data_, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device() { CUDA_QUIET(cudaFree(data_)); }
  [[nodiscard]] T* get() const { return data_; }
  [[nodiscard]] std::size_t size() const { return n_; }
  void fill(int byte) { CUDA_CHECK(cudaMemset(data_, byte, n_ * sizeof(T))); }
  [[nodiscard]] std::vector<T> read() const {
    std::vector<T> v(n_);
    CUDA_CHECK(cudaMemcpy(v.data(), data_, n_ * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
  }

 private:
  T* data_ = nullptr;
  std::size_t n_;
};

// Milliseconds a launch.
double time_ms(const Stream& stream, int repeats, const std::function<void(int)>& launch) {
  Event start(EventUse::time), end(EventUse::time);
  for (int i = 0; i < 3; ++i) launch(i);
  std::vector<double> ms;
  int n = 0;
  for (int round = 0; round < kMedianOf; ++round) {
    start.record(stream.view());
    for (int i = 0; i < repeats; ++i) launch(n++);
    end.record(stream.view());
    end.synchronize();
    ms.push_back(static_cast<double>(end.ms_since(start)) / repeats);
  }
  std::sort(ms.begin(), ms.end());
  return ms[ms.size() / 2];
}

double relative_error(const std::vector<Complex>& image, const std::vector<double>& reference) {
  double off = 0.0, norm = 0.0;
  for (std::size_t i = 0; i < image.size(); ++i) {
    const double re = static_cast<double>(image[i].re) - reference[2 * i];
    const double im = static_cast<double>(image[i].im) - reference[2 * i + 1];
    if (!std::isfinite(re) || !std::isfinite(im)) return 1e9;
    off += re * re + im * im;
    norm += reference[2 * i] * reference[2 * i] + reference[2 * i + 1] * reference[2 * i + 1];
  }
  return std::sqrt(off / norm);
}

struct Row {
  std::string name, what, input, precision, text;
  double f_number = 0.0, ms_cold = 0.0, ms_hot = 0.0, gds = 0.0, noise = 0.0, points = 0.0;
};
std::vector<Row> rows;

void add_row(Row row, double delay_sums) {
  if (delay_sums > 0.0) row.gds = delay_sums / row.ms_cold * 1e-6;
  std::printf("%-5s %-9s %-8s %-5s %9.4f %9.4f %8.0f %8.0f %9.2e %9.2e  %s\n", row.name.c_str(), row.what.c_str(),
              row.input.c_str(), row.precision.c_str(), row.ms_cold, row.ms_hot, row.gds,
              delay_sums > 0.0 ? delay_sums / row.ms_hot * 1e-6 : 0.0, row.noise, row.points, row.text.c_str());
  std::fflush(stdout);
  rows.push_back(std::move(row));
}

// A case's tables, lines and references on the device.
class Rig {
 public:
  explicit Rig(const BenchCase& c)
      : bench(c),
        x(c.plan->das->tables->x_m),
        z(c.plan->das->tables->z_m),
        elements(c.plan->das->tables->elements),
        row_base(c.plan->das->tables->row_base),
        row_turns(c.plan->das->tables->row_turns),
        tx_excess(c.plan->das->tables->tx_excess),
        geometry(c.plan->das->geometry),
        n_lines(static_cast<std::size_t>(geometry.n_tx * geometry.n_el)),
        n_pixels(static_cast<std::size_t>(geometry.nx * geometry.nz)),
        noise(n_lines * static_cast<std::size_t>(geometry.n_line)),
        points(noise.size()),
        pixels(n_pixels),
        envelope(n_pixels) {
    geometry.x_m = x.get();
    geometry.z_m = z.get();
    geometry.elements = elements.get();
    geometry.row_base = row_base.get();
    geometry.row_turns = row_turns.get();
    geometry.tx_excess = tx_excess.get();
    make_lines(c, Scene::noise, 7, noise.get());
    make_lines(c, Scene::points, 11, points.get());
    largest_noise = find_largest(noise);
    largest_point = find_largest(points);
    noise_image = reference_image(c, noise.get());
    points_image = reference_image(c, points.get());
  }
  [[nodiscard]] double delay_sums() const {
    return static_cast<double>(n_pixels) * geometry.n_el * geometry.n_tx;
  }
  static float find_largest(const Device<Complex>& lines) {
    float v = 0.0f;
    for (const Complex& s : lines.read()) v = std::max({v, std::abs(s.re), std::abs(s.im)});
    return v;
  }
  [[nodiscard]] float largest(const Device<Complex>& lines) const {
    return &lines == &noise ? largest_noise : largest_point;
  }

  const BenchCase& bench;
  Device<float> x, z;
  Device<ElementGeometry> elements;
  Device<int> row_base;
  Device<float> row_turns, tx_excess;
  DasGeometry geometry;
  std::size_t n_lines, n_pixels;
  Device<Complex> noise, points, pixels;
  Device<float> envelope;
  std::vector<double> noise_image, points_image;
  float largest_noise = 0.0f, largest_point = 0.0f;
  Stream stream;
};

void measure_plain(Rig& rig) {
  Row row{.name = rig.bench.name, .what = "das", .input = "lines", .precision = "fp32", .text = "plain functor",
          .f_number = rig.bench.plan->params.f_number};
  const auto image = [&](const Device<Complex>& lines) {
    rig.pixels.fill(0xff);
    sum_delayed(rig.geometry, lines.get(), rig.pixels.get(), rig.stream.view());
    rig.stream.view().synchronize();
    return rig.pixels.read();
  };
  row.noise = relative_error(image(rig.noise), rig.noise_image);
  row.points = relative_error(image(rig.points), rig.points_image);
  // Two sets of lines, the noise and the points, are less than the cache for S1: these are hot numbers there.
  row.ms_cold = row.ms_hot = time_ms(rig.stream, std::max(1, rig.bench.repeats / 4), [&](int i) {
    sum_delayed(rig.geometry, (i % 2 == 0 ? rig.noise : rig.points).get(), rig.pixels.get(), rig.stream.view());
  });
  add_row(row, rig.delay_sums());
}

std::string describe(const PackedPlan& p) {
  const PackedTuning& t = p.tuning;
  char text[160];
  std::snprintf(text, sizeof text, "%c T%d P%d %dx%d tile %dx%d/%d split %d E%d slots %d W %d shared %d items %zu",
                t.form.rotation == Rotation::receive_first ? 'R' : 'X', t.form.n_transmits, t.form.n_pixels,
                t.form.max_threads, t.form.blocks_per_sm, t.tile.tile_x, t.tile.tile_z, t.tile.warp_x, t.n_splits,
                t.stage_elements, t.n_slots, p.window, p.shared_bytes, p.items.size());
  return text;
}

void measure_packed(Rig& rig, const PackedTuning& tuning) {
  const auto plan = make_packed_plan(rig.bench.plan->das->geometry, tuning);
  if (plan == nullptr) {
    std::printf("%-5s T%d P%d tile %dx%d: does not fit\n", rig.bench.name.c_str(), tuning.form.n_transmits,
                tuning.form.n_pixels, tuning.tile.tile_x, tuning.tile.tile_z);
    return;
  }
  allow_packed_das(*plan);
  const PackedLineShape shape{rig.geometry.n_valid, plan->pitch, plan->window};
  const std::size_t words_each = (packed_words(static_cast<int>(rig.n_lines), shape) + 31) / 32 * 32;
  const auto copies = static_cast<int>(kPastCache / (words_each * 8) + 2);
  const Device<uint2> words(words_each * static_cast<std::size_t>(copies));
  const Device<PackedItem> items(plan->items);
  const Device<int> rx_start(plan->rx_start), tx_start(plan->tx_start);
  Device<Complex> partials(plan->n_parts() > 1 ? rig.n_pixels * static_cast<std::size_t>(plan->n_parts()) : 1);
  Device<unsigned> arrivals(static_cast<std::size_t>(plan->n_tiles()));
  arrivals.fill(0);
  Device<float> scale(1);
  PackedDasArgs args = packed_das_args(*plan, {rig.geometry, words.get(), scale.get(), items.get(), rx_start.get(),
                                               tx_start.get(), partials.get(), arrivals.get(), rig.pixels.get(),
                                               rig.envelope.get()});
  const auto load = [&](const Device<Complex>& lines, int n) {
    const float largest = rig.largest(lines);
    CUDA_CHECK(cudaMemcpy(scale.get(), &largest, sizeof largest, cudaMemcpyHostToDevice));
    for (int i = 0; i < n; ++i) {
      pack_lines(rig.bench, lines.get(), plan->pitch, plan->window, largest, words.get() + words_each * static_cast<std::size_t>(i));
    }
    CUDA_CHECK(cudaDeviceSynchronize());
  };
  const auto image = [&] {
    rig.pixels.fill(0xff);
    partials.fill(0xff);
    run_packed_das(*plan, args, rig.stream.view());
    rig.stream.view().synchronize();
    return rig.pixels.read();
  };
  Row row{.name = rig.bench.name, .what = "das", .input = "words", .precision = "fp16", .text = describe(*plan),
          .f_number = rig.bench.plan->params.f_number};
  load(rig.points, 1);
  row.points = relative_error(image(), rig.points_image);
  load(rig.noise, copies);
  const std::vector<Complex> first = image();
  row.noise = relative_error(first, rig.noise_image);
  for (int again = 0; again < 3; ++again) {
    const std::vector<Complex> second = image();
    if (std::memcmp(first.data(), second.data(), first.size() * sizeof(Complex)) != 0) row.text += " NOT REPEATABLE";
  }
  const auto launch = [&](int copy) {
    args.words = words.get() + words_each * static_cast<std::size_t>(copy);
    run_packed_das(*plan, args, rig.stream.view());
  };
  row.ms_cold = time_ms(rig.stream, rig.bench.repeats, [&](int i) { launch(i % copies); });
  row.ms_hot = time_ms(rig.stream, rig.bench.repeats, [&](int) { launch(0); });
  add_row(row, rig.delay_sums());
}

// Largest |words - specification| over some lines, relative L2.
double fir_error(const BenchCase& c, const PackedFir& fir, const PackedFirArgs& args, const std::vector<std::byte>& raw,
                 const std::vector<uint2>& words, float scale) {
  const Acquisition& a = *c.plan->acquisition;
  double off = 0.0, norm = 0.0;
  for (const int line : {0, 1, 2, args.n_lines / 2 + 1, args.n_lines - 1}) {
    std::vector<float> x(static_cast<std::size_t>(a.n_samples));
    double mean = 0.0;
    for (int n = 0; n < a.n_samples; ++n) {
      const std::size_t at = static_cast<std::size_t>(line) * static_cast<std::size_t>(a.n_samples) + static_cast<std::size_t>(n);
      float& v = x[static_cast<std::size_t>(n)];
      if (a.sample_type == SampleType::int16) {
        std::int16_t s = 0;
        std::memcpy(&s, raw.data() + at * 2, 2);
        v = s;
      } else {
        std::memcpy(&v, raw.data() + at * 4, 4);
      }
      mean += static_cast<double>(v) / a.n_samples;
    }
    const std::vector<Complex> want = packed_fir_line(fir, {x.data(), a.n_samples, mean}, args.n_valid);
    const auto half = [](unsigned bits) {
      const int e = static_cast<int>(bits >> 10 & 31u);
      const double m = bits & 1023u;
      const double v = e == 0 ? std::ldexp(m, -24) : std::ldexp(m + 1024.0, e - 25);
      return (bits & 0x8000u) != 0 ? -v : v;
    };
    for (int m = 0; m < args.n_valid - 1; ++m) {
      const uint2 w = words[static_cast<std::size_t>(args.window) +
                            static_cast<std::size_t>(line) * static_cast<std::size_t>(args.pitch) + static_cast<std::size_t>(m)];
      const Complex& y = want[static_cast<std::size_t>(m)];
      const Complex& next = want[static_cast<std::size_t>(m) + 1];
      const double s = static_cast<double>(scale);
      // The sample in the middle between two: value and step are both checked.
      const double re = half(w.x & 0xffffu) * s + half(w.y & 0xffffu) * s / 16384.0;
      const double im = half(w.x >> 16) * s + half(w.y >> 16) * s / 16384.0;
      const double want_re = 0.5 * (static_cast<double>(y.re) + static_cast<double>(next.re));
      const double want_im = 0.5 * (static_cast<double>(y.im) + static_cast<double>(next.im));
      off += (re - want_re) * (re - want_re) + (im - want_im) * (im - want_im);
      norm += want_re * want_re + want_im * want_im;
    }
  }
  return std::sqrt(off / norm);
}

void measure_fir(const std::string& name, SampleType type) {
  const BenchCase c = make_bench_case(name, type);
  const Acquisition& a = *c.plan->acquisition;
  const PackedFir fir = make_packed_fir(a, c.plan->params, c.plan->band->line_rate_hz, c.plan->band->demod_hz);
  constexpr int kWindow = 112;  // what the delay-and-sum asks for here, about
  const PackedLineShape shape{c.plan->band->n_valid, (c.plan->band->n_valid + 1) / 2 * 2 + kWindow, kWindow};
  const int n_lines = a.n_transmits() * a.n_elements();
  const std::size_t raw_each = (a.frame_bytes() + 255) / 256 * 256;
  const std::size_t words_each = (packed_words(n_lines, shape) + 31) / 32 * 32;
  const auto copies = static_cast<int>(kPastCache / raw_each + 2);
  const auto outputs = static_cast<int>(kPastCache / (words_each * 8) + 2);
  Device<std::byte> raw(raw_each * static_cast<std::size_t>(copies));
  Device<uint2> words(words_each * static_cast<std::size_t>(outputs));
  words.fill(0xff);
  const Device<Complex> taps(fir.taps), dc_gain(fir.dc_gain);
  const Device<float> line_taps(fir.line_taps);
  Device<float> peaks(kPeakPartials), scale(1);
  Stream stream;
  for (int i = 0; i < copies; ++i) make_raw(c, static_cast<unsigned>(i), raw.get() + raw_each * static_cast<std::size_t>(i));
  PackedFirArgs args = packed_fir_args(a, fir, shape, {raw.get(), peaks.get(), taps.get(), dc_gain.get(), line_taps.get(),
                                                      words.get(), scale.get()});
  allow_packed_fir(fir_shared_bytes(args));
  const auto launch = [&](int in, int out) {
    args.raw = raw.get() + raw_each * static_cast<std::size_t>(in);
    args.words = words.get() + words_each * static_cast<std::size_t>(out);
    if (type == SampleType::float32) {
      find_peaks(reinterpret_cast<const float*>(args.raw), a.frame_values(), peaks.get(), stream.view());
    }
    run_packed_fir(args, type, stream.view());
  };
  CUDA_CHECK(cudaDeviceSynchronize());
  launch(0, 0);
  stream.view().synchronize();
  char text[160];
  std::snprintf(text, sizeof text, "D%d L%d taps %d + %zu, line rate %.2f MHz, shared %d", fir.decimation,
                fir.interpolation, fir.taps_per_plane * fir.decimation, fir.line_taps.size(),
                c.plan->band->line_rate_hz * 1e-6, fir_shared_bytes(args));
  Row row{.name = name, .what = "condition", .input = type == SampleType::int16 ? "int16" : "float32",
          .precision = "fp16", .text = text};
  row.noise = fir_error(c, fir, args, raw.read(), words.read(), scale.read()[0]);
  row.ms_cold = time_ms(stream, c.repeats, [&](int i) { launch(i % copies, i % outputs); });
  row.ms_hot = time_ms(stream, c.repeats, [&](int) { launch(0, 0); });
  add_row(row, 0.0);
}

std::vector<PackedTuning> sweep(const std::string& name);

void write_json(const std::string& path, const std::string& device) {
  std::ofstream out(path);
  out << "{\"machine\": \"" << device << "\", \"results\": [\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& r = rows[i];
    char text[700];
    std::snprintf(text, sizeof text,
                  "  {\"case\": \"%s\", \"what\": \"%s\", \"input\": \"%s\", \"precision\": \"%s\", \"f_number\": %g, "
                  "\"ms_cold\": %.6g, \"ms_hot\": %.6g, \"gds\": %.6g, \"rel_l2\": %.4g, \"rel_l2_points\": %.4g, "
                  "\"note\": \"%s\"}%s\n",
                  r.name.c_str(), r.what.c_str(), r.input.c_str(), r.precision.c_str(), r.f_number, r.ms_cold, r.ms_hot,
                  r.gds, r.noise, r.points, r.text.c_str(), i + 1 < rows.size() ? "," : "");
    out << text;
  }
  out << "]}\n";
}

PackedTuning tuned(Rotation rotation, int t, int p, int threads, int blocks, TileShape tile, int splits, int elements, int slots) {
  return {{rotation, t, p, threads, blocks}, tile, splits, elements, slots};
}

std::vector<PackedTuning> sweep(const std::string& name) {
  constexpr auto kR = Rotation::receive_first;
  constexpr auto kX = Rotation::transmit_first;
  std::vector<PackedTuning> all;
  if (name == "S1") {
    for (const int slots : {2, 3, 4}) all.push_back(tuned(kR, 3, 2, 544, 2, {32, 32, 8}, 2, 8, slots));
    all.push_back(tuned(kR, 3, 2, 544, 2, {32, 32, 8}, 2, 4, 4));
    all.push_back(tuned(kR, 3, 2, 544, 2, {32, 32, 8}, 2, 16, 2));
    all.push_back(tuned(kR, 3, 2, 544, 2, {32, 32, 4}, 2, 8, 3));
    all.push_back(tuned(kR, 3, 2, 544, 2, {32, 32, 32}, 2, 8, 3));
    all.push_back(tuned(kR, 3, 2, 544, 2, {16, 64, 8}, 2, 8, 3));
    all.push_back(tuned(kR, 3, 4, 288, 3, {32, 32, 8}, 3, 8, 2));
    all.push_back(tuned(kR, 3, 4, 288, 3, {32, 32, 8}, 3, 4, 4));
    all.push_back(tuned(kR, 3, 2, 384, 3, {32, 22, 0}, 2, 8, 3));
    all.push_back(tuned(kR, 3, 2, 288, 3, {32, 16, 8}, 1, 8, 4));
    all.push_back(tuned(kR, 3, 2, 288, 3, {32, 16, 8}, 3, 8, 3));
    all.push_back(tuned(kR, 3, 3, 512, 2, {32, 45, 0}, 3, 8, 3));
  } else if (name == "S1L") {
    for (const int slots : {2, 3, 4}) all.push_back(tuned(kR, 3, 2, 544, 2, {32, 32, 8}, 1, 8, slots));
    all.push_back(tuned(kR, 3, 2, 544, 2, {32, 32, 8}, 1, 16, 3));
    all.push_back(tuned(kR, 3, 2, 544, 2, {32, 32, 16}, 1, 8, 3));
    all.push_back(tuned(kR, 3, 2, 544, 2, {32, 32, 32}, 1, 8, 3));
    all.push_back(tuned(kR, 3, 4, 288, 3, {32, 32, 8}, 3, 8, 3));
    all.push_back(tuned(kR, 3, 4, 288, 3, {32, 32, 8}, 1, 8, 3));
    all.push_back(tuned(kR, 3, 4, 288, 3, {32, 32, 32}, 3, 8, 3));
    all.push_back(tuned(kR, 3, 3, 512, 2, {32, 45, 0}, 3, 8, 3));
    all.push_back(tuned(kR, 3, 2, 384, 3, {32, 22, 0}, 2, 8, 3));
    all.push_back(tuned(kR, 3, 2, 288, 3, {16, 32, 8}, 2, 8, 4));
  } else {
    all.push_back(tuned(kR, 5, 2, 512, 2, {43, 22, 0}, 1, 8, 2));
    all.push_back(tuned(kR, 5, 2, 512, 2, {43, 22, 0}, 1, 4, 3));
    all.push_back(tuned(kR, 5, 2, 512, 2, {40, 24, 8}, 1, 8, 2));
    all.push_back(tuned(kX, 5, 3, 384, 2, {40, 24, 8}, 1, 4, 3));
    all.push_back(tuned(kX, 8, 1, 512, 2, {24, 20, 8}, 1, 4, 3));
    all.push_back(tuned(kX, 10, 1, 512, 2, {24, 20, 8}, 1, 4, 3));
    for (const int elements : {1, 2, 4}) all.push_back(tuned(kX, 15, 1, 512, 2, {24, 20, 8}, 1, elements, 4));
    all.push_back(tuned(kX, 15, 1, 512, 2, {24, 20, 8}, 1, 2, 3));
    all.push_back(tuned(kX, 15, 1, 512, 2, {16, 28, 8}, 1, 2, 4));
    all.push_back(tuned(kX, 15, 1, 512, 2, {43, 11, 0}, 1, 2, 4));
    all.push_back(tuned(kX, 15, 1, 512, 2, {16, 30, 16}, 1, 2, 4));
    all.push_back(tuned(kX, 15, 1, 288, 3, {16, 16, 8}, 1, 2, 3));
    all.push_back(tuned(kX, 15, 1, 288, 3, {28, 9, 0}, 1, 2, 3));
    all.push_back(tuned(kX, 25, 1, 352, 2, {16, 20, 8}, 1, 2, 3));
  }
  return all;
}

}  // namespace
}  // namespace echoloop::bench

int main(int argc, char** argv) {
  using namespace echoloop;
  using namespace echoloop::bench;
  std::string only, json;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--case") == 0 && i + 1 < argc) only = argv[++i];
    if (std::strcmp(argv[i], "--json") == 0 && i + 1 < argc) json = argv[++i];
  }
  try {
    cudaDeviceProp properties{};
    CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
    std::printf("%s, %d SMs\n%-5s %-9s %-8s %-5s %9s %9s %8s %8s %9s %9s\n", properties.name,
                properties.multiProcessorCount, "case", "what", "input", "prec", "ms cold", "ms hot", "GDS cold", "GDS hot",
                "err noise", "err point");
    for (const char* name : {"S1", "S2"}) {
      if (!only.empty() && only != name) continue;
      measure_fir(name, SampleType::int16);
      measure_fir(name, SampleType::float32);
    }
    for (const char* name : {"S1", "S1L", "S2", "S2F1"}) {
      if (!only.empty() && only != name) continue;
      const BenchCase c = make_bench_case(name, SampleType::int16);
      Rig rig(c);
      measure_plain(rig);
      for (const PackedTuning& tuning : sweep(name)) measure_packed(rig, tuning);
    }
    if (!json.empty()) write_json(json, properties.name);
  } catch (const std::exception& error) {
    std::printf("FAILED: %s\n", error.what());
    return 1;
  }
  return 0;
}
