// Speed and error of the tuned path's conditioning.
#include <cmath>
#include <cstdio>
#include <cstring>

#include "backend/cuda/fp16/packed_fir_kernel.h"
#include "backend/fp16/packed_plan.h"
#include "bench/das_bench_device.h"

namespace echoloop::bench {
namespace {

// Returns the error of the words against the specification over some lines, relative L2.
double fir_error(const BenchCase& c, const PackedFir& fir, const PackedFirArgs& args, const std::vector<std::byte>& raw,
                 const std::vector<uint2>& words, float scale) {
  const Acquisition& a = *c.plan->acquisition;
  double off = 0.0, norm = 0.0;
  for (const int line : {0, 1, 2, args.n_lines / 2 + 1, args.n_lines - 1}) {
    std::vector<float> x(static_cast<std::size_t>(a.n_samples));
    double mean = 0.0;
    for (int n = 0; n < a.n_samples; ++n) {
      const std::size_t at =
          static_cast<std::size_t>(line) * static_cast<std::size_t>(a.n_samples) + static_cast<std::size_t>(n);
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
      const uint2 w =
          words[static_cast<std::size_t>(args.window) +
                static_cast<std::size_t>(line) * static_cast<std::size_t>(args.pitch) + static_cast<std::size_t>(m)];
      const Complex& y = want[static_cast<std::size_t>(m)];
      const Complex& next = want[static_cast<std::size_t>(m) + 1];
      const double s = static_cast<double>(scale);
      // Midpoint of two samples: checks value and step.
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

}  // namespace

void measure_fir(const std::string& name, SampleType type) {
  const BenchCase c = make_bench_case(name, type);
  const Acquisition& a = *c.plan->acquisition;
  const PackedFir fir = make_packed_fir(a, c.plan->params.formation.band_low_hz, c.plan->params.formation.band_high_hz,
                                        c.plan->packed->band->line_rate_hz, c.plan->packed->band->demod_hz);
  constexpr int kWindow = 112;  // approximately that of the delay-and-sum here
  const PackedLineShape shape{c.plan->packed->band->n_valid, (c.plan->packed->band->n_valid + 1) / 2 * 2 + kWindow,
                              kWindow};
  const int n_lines = a.n_transmits() * a.n_elements();
  const std::size_t raw_each = (a.frame_bytes() + 255) / 256 * 256;
  const std::size_t words_each = (packed_words(n_lines, shape) + 31) / 32 * 32;
  const auto copies = static_cast<int>(kPastCache / raw_each + 2);
  const auto outputs = static_cast<int>(kPastCache / (words_each * 8) + 2);
  Device<std::byte> raw(raw_each * static_cast<std::size_t>(copies));
  Device<uint2> words(words_each * static_cast<std::size_t>(outputs));
  words.fill(0xff);
  const PackedTaps matrices = make_packed_taps(fir);
  const Device<std::uint32_t> taps(matrices.matrices);
  Device<FirPeak> peaks(peak_slots(n_lines));
  peaks.fill(0);
  Device<float> scale(1);
  Stream stream;
  for (int i = 0; i < copies; ++i)
    make_raw(c, static_cast<unsigned>(i), raw.get() + raw_each * static_cast<std::size_t>(i));
  PackedFirArgs args =
      packed_fir_args(a, fir, matrices, shape,
                      {raw.get(), peaks.get(), reinterpret_cast<const uint4*>(taps.get()), words.get(), scale.get()});
  allow_packed_fir(args, type);
  const auto launch = [&](int in, int out) {
    args.in.raw = raw.get() + raw_each * static_cast<std::size_t>(in);
    args.words = words.get() + words_each * static_cast<std::size_t>(out);
    run_packed_fir(args, type, stream.view());
  };
  CUDA_CHECK(cudaDeviceSynchronize());
  launch(0, 0);
  stream.view().synchronize();
  char text[160];
  std::snprintf(text, sizeof text, "D%d L%d taps %d, line rate %.2f MHz, shared %d", fir.decimation, fir.interpolation,
                fir.n_places * fir.decimation, c.plan->packed->band->line_rate_hz * 1e-6, fir_shared_bytes(args));
  Row row{.name = name,
          .what = "condition",
          .input = type == SampleType::int16 ? "int16" : "float32",
          .precision = "fp16",
          .text = text};
  row.noise = fir_error(c, fir, args, raw.read(), words.read(), scale.read()[0]);
  row.ms_cold = time_ms(stream, c.repeats, [&](int i) { launch(i % copies, i % outputs); });
  row.ms_hot = time_ms(stream, c.repeats, [&](int) { launch(0, 0); });
  add_row(row, 0.0);
}

}  // namespace echoloop::bench
