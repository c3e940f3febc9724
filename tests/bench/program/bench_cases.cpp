#include "bench/program/bench_cases.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <random>

#include "core/error.h"
#include "core/units.h"
#include "dsp/das.h"
#include "source/phantom.h"
#include "source/phantom_settings.h"

namespace echoloop {
namespace {

struct Picture {
  double half_width_m, z0_m, z1_m;
  int nx, nz;
};

// `bandwidth`: of the pulse, relative to its centre frequency.
Acquisition plane_waves(int n_tx, double last_deg, int n_samples, double sampling_hz, double center_hz,
                        double bandwidth) {
  Acquisition a;
  a.probe = make_linear_probe("bench", 128, 0.3e-3, 0.27e-3);
  for (int i = 0; i < n_tx; ++i) {
    Transmit t;
    t.angle_rad = (n_tx > 1 ? last_deg * (2.0 * i / (n_tx - 1) - 1.0) : 0.0) * kRadiansPerDegree;
    a.transmits.push_back(t);
  }
  a.n_samples = n_samples;
  a.sampling_hz = sampling_hz;
  a.center_hz = center_hz;
  a.bandwidth_hz = bandwidth * center_hz;
  a.frame_rate_hz = 1000.0;
  return a;
}

// Returns a phased array that scans a sector with seven diverging waves.
Acquisition sector_waves() {
  Acquisition a = plane_waves(7, 0.0, 2048, 12.5e6, 2.7e6, 0.7);
  a.probe = make_linear_probe("bench", 64, 0.3e-3, 0.27e-3);
  a.probe.kind = ProbeKind::phased;
  constexpr double kBehind_m = 10e-3;
  double angle_rad = -30.0 * kRadiansPerDegree;
  for (Transmit& t : a.transmits) {
    t = {.kind = TransmitKind::diverging,
         .source_x_m = -kBehind_m * std::sin(angle_rad),
         .source_z_m = -kBehind_m * std::cos(angle_rad),
         .element_delays_s = {}};
    angle_rad += 10.0 * kRadiansPerDegree;
  }
  return a;
}

ImagingParams picture(const Acquisition& a, const Picture& p, double f_number) {
  ImagingParams params = default_params(a);
  params.formation.lateral_min_m = -p.half_width_m;
  params.formation.lateral_max_m = p.half_width_m;
  params.formation.depth_min_m = p.z0_m;
  params.formation.depth_max_m = p.z1_m;
  params.formation.grid_nx = p.nx;
  params.formation.grid_nz = p.nz;
  params.formation.f_number = f_number;
  params.level.reference_db = 0.0;
  return params;
}

// Returns a Gaussian pulse of 60 % bandwidth about the centre frequency; t in seconds.
double pulse(double t_s, double center_hz) {
  const double sigma_s = 0.53 / (0.6 * center_hz);
  return std::exp(-0.5 * t_s * t_s / (sigma_s * sigma_s)) * std::cos(2.0 * M_PI * center_hz * t_s);
}

std::vector<float> noise_frame(const Acquisition& a, unsigned seed) {
  std::minstd_rand random(seed + 1);
  std::uniform_int_distribution<int> value(-8000, 8000);
  std::vector<float> frame(a.frame_values());
  for (float& v : frame) v = static_cast<float>(value(random));
  return frame;
}

std::vector<float> points_frame(const Acquisition& a, const ImagingParams& p, unsigned seed) {
  std::minstd_rand random(seed + 1);
  std::uniform_real_distribution<double> x_of(p.formation.lateral_min_m, p.formation.lateral_max_m),
      z_of(p.formation.depth_min_m, p.formation.depth_max_m);
  std::vector<double> sum(a.frame_values(), 0.0);
  const int reach = static_cast<int>(3.0 * a.sampling_hz / a.center_hz);
  for (int k = 0; k < 60; ++k) {
    const double x = x_of(random);
    const double z = z_of(random);
    std::size_t line = 0;
    for (const Transmit& t : a.transmits) {
      const double there_s = transmit_delay_s(t, a.probe, x, z, a.sound_speed_m_s) - t.t0_s;
      for (const Element& e : a.probe.elements) {
        const double at = (there_s + std::hypot(x - e.x_m, z - e.z_m) / a.sound_speed_m_s) * a.sampling_hz;
        const int middle = static_cast<int>(at);
        for (int i = std::max(0, middle - reach); i < std::min(a.n_samples, middle + reach); ++i) {
          sum[line + static_cast<std::size_t>(i)] += pulse((i - at) / a.sampling_hz, a.center_hz);
        }
        line += static_cast<std::size_t>(a.n_samples);
      }
    }
  }
  double largest = 1e-12;
  for (const double v : sum) largest = std::max(largest, std::abs(v));
  std::vector<float> frame;
  frame.reserve(sum.size());
  for (const double v : sum) frame.push_back(static_cast<float>(std::round(v / largest * 16000.0)));
  return frame;
}

class BenchSource final : public SeekableSource {
 public:
  BenchSource(const BenchCase& c, BenchSignal signal) : acquisition_(c.acquisition) {
    constexpr std::size_t kPastCaches = 150'000'000;
    const std::size_t bytes = acquisition_->frame_bytes();
    n_frames_ = std::max<std::size_t>(4, (kPastCaches + bytes - 1) / bytes);
    size_ = n_frames_ * bytes;
    memory_.reset(new (std::align_val_t{4096}) std::byte[size_]);
    const std::size_t made = std::min<std::size_t>(n_frames_, signal == BenchSignal::noise ? 4 : 1);
    for (std::size_t i = 0; i < n_frames_; ++i) {
      if (i < made) {
        write(i, signal == BenchSignal::noise ? noise_frame(*acquisition_, static_cast<unsigned>(i))
                                              : points_frame(*acquisition_, c.params, static_cast<unsigned>(i)));
      } else {
        std::memcpy(memory_.get() + i * bytes, memory_.get() + i % made * bytes, bytes);
      }
    }
  }
  [[nodiscard]] const AcquisitionPtr& acquisition() const override { return acquisition_; }
  [[nodiscard]] std::string name() const override { return "bench"; }
  [[nodiscard]] std::uint64_t frame_count() const override { return 0; }
  [[nodiscard]] bool zero_copy() const override { return true; }
  [[nodiscard]] std::span<const std::byte> zero_copy_memory() const override { return {memory_.get(), size_}; }

 private:
  std::span<const std::byte> read(std::uint64_t index, FrameMemory& /*slot*/, const std::stop_token&) override {
    const std::size_t bytes = acquisition_->frame_bytes();
    return {memory_.get() + index % n_frames_ * bytes, bytes};
  }
  void write(std::size_t index, const std::vector<float>& frame) {
    std::byte* out = memory_.get() + index * acquisition_->frame_bytes();
    if (acquisition_->sample_type == SampleType::float32) {
      std::memcpy(out, frame.data(), frame.size() * sizeof(float));
      return;
    }
    auto* values = reinterpret_cast<std::int16_t*>(out);
    for (std::size_t i = 0; i < frame.size(); ++i) values[i] = static_cast<std::int16_t>(frame[i]);
  }

  struct Free {
    void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{4096}); }
  };
  AcquisitionPtr acquisition_;
  std::size_t n_frames_ = 0;
  std::size_t size_ = 0;
  std::unique_ptr<std::byte[], Free> memory_;
};

}  // namespace

double BenchCase::delay_sums() const {
  return static_cast<double>(make_grid(params, *acquisition).pixels()) * acquisition->n_elements() *
         acquisition->n_transmits();
}

BenchCase bench_case(const std::string& name, SampleType type, double f_number) {
  if (name == "demo") {
    const AcquisitionPtr a = make_phantom({.probe = "L64"})->acquisition();
    Acquisition copy = *a;
    copy.sample_type = type;
    ImagingParams params = default_params(copy);
    params.level.reference_db = 0.0;
    if (f_number == 0.0) params.formation.f_number = 0.0;
    return {name, std::make_shared<const Acquisition>(std::move(copy)), params};
  }
  if (name == "sector") {
    Acquisition a = sector_waves();
    a.sample_type = type;
    ImagingParams params = default_params(a);
    params.formation.depth_max_m = 0.12;
    params.formation.grid_nx = 192;
    params.formation.grid_nz = 768;
    params.level.reference_db = 0.0;
    params.formation.f_number = f_number;
    return {name, std::make_shared<const Acquisition>(std::move(a)), params};
  }
  const bool s2 = name == "S2";
  if (!s2 && name != "S1" && name != "S1L")
    throw Error("bench", "unknown case '" + name + "'", "S1, S1L, S2, demo or sector");
  // PICMUS's pulse: 67 %. Its band, 2.59 to 7.83 MHz, is also the program's for a PICMUS recording.
  Acquisition a =
      s2 ? plane_waves(75, 16.0, 1536, 20.832e6, 5.208e6, 0.67) : plane_waves(3, 10.0, 8183, 100e6, 5e6, 0.8);
  a.sample_type = type;
  const ImagingParams params = picture(a,
                                       s2              ? Picture{18e-3, 5e-3, 45e-3, 387, 609}
                                       : name == "S1L" ? Picture{15e-3, 20e-3, 50e-3, 512, 1024}
                                                       : Picture{15e-3, 20e-3, 50e-3, 256, 512},
                                       f_number);
  return {name, std::make_shared<const Acquisition>(std::move(a)), params};
}

std::shared_ptr<SeekableSource> make_bench_source(const BenchCase& c, BenchSignal signal) {
  return std::make_shared<BenchSource>(c, signal);
}

}  // namespace echoloop
