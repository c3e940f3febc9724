// Benchmark of the tuned conditioning and delay-and-sum on the GPU: speeds with errors, the plain kernel with the tuned
// one. One table and, on request, JSON.
//   echoloop_das_bench [--case S1] [--what condition|das] [--json FILE]
// Times: CUDA events around several launches, median of 9; "cold": inputs rotate over at least 150 MB, "hot": the same
// input again. Reductions of partial sums are included. Outputs are poisoned before they are checked; errors are
// relative L2 against double precision, on white noise and on 60 points.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "backend/cuda/fp16/packed_das.h"
#include "backend/cuda/fp16/packed_fir_kernel.h"
#include "backend/cuda/kernels/kernels.h"
#include "backend/cuda/runtime/stream.h"
#include "bench/das_bench_device.h"

namespace echoloop::bench {
namespace {

using namespace cuda;

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

std::vector<Row> rows;

// Tables, lines and references of a case on the device.
class Rig {
 public:
  explicit Rig(const BenchCase& c)
      : bench(c),
        x(c.plan->packed->das->tables->x_m),
        z(c.plan->packed->das->tables->z_m),
        elements(c.plan->packed->das->tables->elements),
        row_base(c.plan->packed->das->tables->row_base),
        row_turns(c.plan->packed->das->tables->row_turns),
        tx_excess(c.plan->packed->das->tables->tx_excess),
        geometry(c.plan->packed->das->geometry),
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
  [[nodiscard]] double delay_sums() const { return static_cast<double>(n_pixels) * geometry.n_el * geometry.n_tx; }
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
  Row row{.name = rig.bench.name,
          .what = "das",
          .input = "lines",
          .precision = "fp32",
          .text = "plain functor",
          .f_number = rig.bench.plan->params.formation.f_number};
  const auto image = [&](const Device<Complex>& lines) {
    rig.pixels.fill(0xff);
    sum_delayed(rig.geometry, lines.get(), rig.pixels.get(), rig.stream.view());
    rig.stream.view().synchronize();
    return rig.pixels.read();
  };
  row.noise = relative_error(image(rig.noise), rig.noise_image);
  row.points = relative_error(image(rig.points), rig.points_image);
  // Two sets of lines, the noise and the points, are smaller than the cache for S1: hot numbers in that case.
  row.ms_cold = row.ms_hot = time_ms(rig.stream, std::max(1, rig.bench.repeats / 4), [&](int i) {
    sum_delayed(rig.geometry, (i % 2 == 0 ? rig.noise : rig.points).get(), rig.pixels.get(), rig.stream.view());
  });
  add_row(row, rig.delay_sums());
}

std::string describe(const PackedPlan& p) {
  const PackedTuning& t = p.tuning;
  char text[160];
  std::snprintf(text, sizeof text, "%c T%d P%d U%d %dx%d tile %dx%d/%d split %d E%d slots %d W %d shared %d items %zu",
                t.form.rotation == Rotation::receive_first ? 'R' : 'X', t.form.n_transmits, t.form.n_pixels,
                t.form.unroll, t.form.max_threads, t.form.blocks_per_sm, t.tile.tile_x, t.tile.tile_z, t.tile.warp_x,
                t.n_splits, t.stage_elements, t.n_slots, p.window, p.shared_bytes, p.items.size());
  return text;
}

// Kernel of a plan with its memory on the device, for `n_frames` summed together; copies of its input exceed the cache.
class PackedRig {
 public:
  PackedRig(Rig& of_case, const PackedPlan& of, std::size_t n_frames)
      : rig(of_case),
        plan(of),
        frame_words(rig.n_lines * static_cast<std::size_t>(plan.pitch)),
        words_each((packed_words(static_cast<int>(n_frames * rig.n_lines),
                                 PackedLineShape{rig.geometry.n_valid, plan.pitch, plan.window}) +
                    31) /
                   32 * 32),
        copies(static_cast<int>(kPastCache / (words_each * 8) + 2)),
        words(words_each * static_cast<std::size_t>(copies)),
        items(plan.items),
        rx_start(plan.windows->rx_start),
        tx_start(plan.windows->tx_start),
        partials(n_frames * rig.n_pixels * static_cast<std::size_t>(plan.n_parts())),
        arrivals(n_frames * static_cast<std::size_t>(plan.n_tiles())),
        scale(1),
        args(packed_das_args(plan, {rig.geometry, words.get(), scale.get(), items.get(), rx_start.get(), tx_start.get(),
                                    partials.get(), arrivals.get(), rig.pixels.get(), rig.envelope.get()})) {
    allow_packed_das(plan);
    arrivals.fill(0);
  }

  void set_scale(float largest) {
    CUDA_CHECK(cudaMemcpy(scale.get(), &largest, sizeof largest, cudaMemcpyHostToDevice));
  }
  void pack(const Device<Complex>& lines, int copy, std::size_t frame = 0) const {
    pack_lines(rig.bench, lines.get(), plan.pitch, plan.window, rig.largest(lines),
               words.get() + words_each * static_cast<std::size_t>(copy) + frame * frame_words);
  }
  void launch(int copy, int n_frames) {
    args.words = words.get() + words_each * static_cast<std::size_t>(copy);
    run_packed_das(plan, args, n_frames, rig.stream.view());
  }
  void measure(Row& row, int n_frames) {
    row.ms_cold = time_ms(rig.stream, rig.bench.repeats, [&](int i) { launch(i % copies, n_frames); });
    row.ms_hot = time_ms(rig.stream, rig.bench.repeats, [&](int) { launch(0, n_frames); });
    add_row(row, n_frames * rig.delay_sums());
  }

  Rig& rig;
  const PackedPlan& plan;
  std::size_t frame_words, words_each;
  int copies;
  Device<uint2> words;
  Device<PackedItem> items;
  Device<int> rx_start, tx_start;
  Device<Complex> partials;
  Device<unsigned> arrivals;
  Device<float> scale;
  PackedDasArgs args;
};

Row packed_row(const Rig& rig, const PackedPlan& plan, const char* what) {
  return {.name = rig.bench.name,
          .what = what,
          .input = "words",
          .precision = "fp16",
          .text = describe(plan),
          .f_number = rig.bench.plan->params.formation.f_number};
}

void measure_packed(Rig& rig, const PackedTuning& tuning) {
  const auto plan = make_packed_plan(rig.bench.plan->packed->das->geometry, tuning);
  if (plan == nullptr) {
    std::printf("%-5s T%d P%d tile %dx%d: does not fit\n", rig.bench.name.c_str(), tuning.form.n_transmits,
                tuning.form.n_pixels, tuning.tile.tile_x, tuning.tile.tile_z);
    return;
  }
  PackedRig packed(rig, *plan, 1);
  const auto load = [&](const Device<Complex>& lines, int n) {
    packed.set_scale(rig.largest(lines));
    for (int i = 0; i < n; ++i) packed.pack(lines, i);
    CUDA_CHECK(cudaDeviceSynchronize());
  };
  const auto image = [&] {
    rig.pixels.fill(0xff);
    packed.partials.fill(0xff);
    packed.launch(0, 1);
    rig.stream.view().synchronize();
    return rig.pixels.read();
  };
  Row row = packed_row(rig, *plan, "das");
  load(rig.points, 1);
  row.points = relative_error(image(), rig.points_image);
  load(rig.noise, packed.copies);
  const std::vector<Complex> first = image();
  row.noise = relative_error(first, rig.noise_image);
  for (int again = 0; again < 3; ++again) {
    const std::vector<Complex> second = image();
    if (std::memcmp(first.data(), second.data(), first.size() * sizeof(Complex)) != 0) row.text += " NOT REPEATABLE";
  }
  packed.measure(row, 1);
}

// Measures frames of noise and of points in turn, summed together: time of all; decibels against those of each alone.
void measure_together(Rig& rig, const PackedTuning& tuning) {
  const auto plan = make_packed_plan(rig.bench.plan->packed->das->geometry, tuning);
  if (plan == nullptr || plan->together.elements == 0) return;
  const auto n_frames = static_cast<std::size_t>(tuning.form.most_frames);
  PackedRig packed(rig, *plan, n_frames);
  packed.set_scale(rig.largest(rig.noise));
  for (int i = 0; i < packed.copies; ++i) {
    for (std::size_t f = 0; f < n_frames; ++f) packed.pack(f % 2 == 0 ? rig.noise : rig.points, i, f);
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  Row row = packed_row(rig, *plan, "together");
  char text[80];
  std::snprintf(text, sizeof text, "; %zu frames E%d slots %d shared %d", n_frames, plan->together.elements,
                plan->together.n_slots, plan->together.shared_bytes);
  row.text += text;
  Device<float> db(n_frames * rig.n_pixels);
  for (std::size_t f = 0; f < n_frames; ++f) {
    packed.args.frames.results[0] = db.get() + f * rig.n_pixels;
    packed.args.words = packed.words.get() + f * packed.frame_words;
    run_packed_das(*plan, packed.args, 1, rig.stream.view());
  }
  rig.stream.view().synchronize();
  const std::vector<float> alone = db.read();
  db.fill(0xff);
  for (std::size_t f = 0; f < n_frames; ++f) packed.args.frames.results[f] = db.get() + f * rig.n_pixels;
  packed.launch(0, static_cast<int>(n_frames));
  rig.stream.view().synchronize();
  if (std::memcmp(alone.data(), db.read().data(), alone.size() * sizeof(float)) != 0) row.text += " DIFFERS";
  packed.measure(row, static_cast<int>(n_frames));
}

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

}  // namespace

void add_row(Row row, double delay_sums) {
  if (delay_sums > 0.0) row.gds = delay_sums / row.ms_cold * 1e-6;
  std::printf("%-5s %-9s %-8s %-5s %9.4f %9.4f %8.0f %8.0f %9.2e %9.2e  %s\n", row.name.c_str(), row.what.c_str(),
              row.input.c_str(), row.precision.c_str(), row.ms_cold, row.ms_hot, row.gds,
              delay_sums > 0.0 ? delay_sums / row.ms_hot * 1e-6 : 0.0, row.noise, row.points, row.text.c_str());
  std::fflush(stdout);
  rows.push_back(std::move(row));
}

}  // namespace echoloop::bench

int main(int argc, char** argv) {
  using namespace echoloop;
  using namespace echoloop::bench;
  std::string only, what, json;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--case") == 0 && i + 1 < argc) only = argv[++i];
    if (std::strcmp(argv[i], "--what") == 0 && i + 1 < argc) what = argv[++i];
    if (std::strcmp(argv[i], "--json") == 0 && i + 1 < argc) json = argv[++i];
  }
  try {
    cudaDeviceProp properties{};
    CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
    std::printf("%s, %d SMs\n%-5s %-9s %-8s %-5s %9s %9s %8s %8s %9s %9s\n", properties.name,
                properties.multiProcessorCount, "case", "what", "input", "prec", "ms cold", "ms hot", "GDS cold",
                "GDS hot", "err noise", "err point");
    for (const char* name : {"S1", "S2"}) {
      if ((!only.empty() && only != name) || what == "das") continue;
      measure_fir(name, SampleType::int16);
      measure_fir(name, SampleType::float32);
    }
    for (const char* name : {"S1", "S1L", "S2", "S2F1"}) {
      if ((!only.empty() && only != name) || what == "condition") continue;
      const BenchCase c = make_bench_case(name, SampleType::int16);
      Rig rig(c);
      measure_plain(rig);
      for (const PackedTuning& tuning : rank_tunings(rig.geometry, {.code = packed_das_code()})) {
        measure_packed(rig, tuning);
        measure_together(rig, tuning);
      }
    }
    if (!json.empty()) write_json(json, properties.name);
  } catch (const std::exception& error) {
    std::printf("FAILED: %s\n", error.what());
    return 1;
  }
  return 0;
}
