#include "gpu/gpu_support.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>

#include "backend/frame_processor.h"
#include "core/units.h"
#include "dsp/das.h"

namespace echoloop::gpu_test {
namespace {

struct GpuChoice {
  std::string why_not;
  std::unique_ptr<Backend> backend = make_cuda_backend(why_not);
};

GpuChoice& gpu_choice() {
  static GpuChoice choice;
  return choice;
}

constexpr double kNotComparable = std::numeric_limits<double>::infinity();
constexpr double kPitch = 0.3e-3;
constexpr double kConvexRadius = 40e-3;

Probe make_probe(const Case& c) {
  Probe probe = make_linear_probe("test", c.n_el, kPitch, 0.25e-3);
  probe.kind = c.probe;
  if (c.probe != ProbeKind::convex) return probe;
  const double rim = 0.5 * (c.n_el - 1) * kPitch / kConvexRadius;
  for (Element& e : probe.elements) {
    const double angle = e.x_m / kConvexRadius;
    // The origin is the middle of the chord: the array protrudes towards the tissue.
    e = {.x_m = kConvexRadius * std::sin(angle),
         .z_m = kConvexRadius * (std::cos(angle) - std::cos(rim)),
         .normal_rad = angle};
  }
  return probe;
}

Transmit make_transmit(const Case& c, const Probe& probe, int tx) {
  const double place = c.n_tx > 1 ? 2.0 * tx / (c.n_tx - 1) - 1.0 : 0.3;  // -1 .. 1 over the transmits
  Transmit t;
  t.kind = c.transmit;
  t.t0_s = -0.4e-6 + 0.15e-6 * tx;
  switch (c.transmit) {
    case TransmitKind::plane:
      t.angle_rad = 12.0 * kRadiansPerDegree * place;
      break;
    case TransmitKind::diverging:
      t.source_x_m = 6e-3 * place;
      t.source_z_m = -8e-3;
      break;
    case TransmitKind::focused:
      t.source_x_m = 6e-3 * place;
      t.source_z_m = 17e-3;
      break;
    case TransmitKind::delays:
      for (const Element& e : probe.elements) {
        const double from_middle = e.x_m - 5e-3 * place;
        const bool silent = std::abs(from_middle) > 6e-3;
        t.element_delays_s.push_back(silent ? std::numeric_limits<double>::quiet_NaN()
                                            : 1e-6 + from_middle * from_middle / (2.0 * 30e-3 * 1540.0));
      }
      break;
    case TransmitKind::none:
      break;
  }
  return t;
}

// Adds the echo of a unit scatterer: Gaussian pulse, 2 sigma = 1.5 periods.
constexpr double kSigma = 0.75 / kCenterHz;

void add_echo(const Acquisition& a, double t0_s, double arrival_s, float* line) {
  const double first = (arrival_s - 4.0 * kSigma - t0_s) * a.sampling_hz;
  const double last = (arrival_s + 4.0 * kSigma - t0_s) * a.sampling_hz;
  for (int i = std::max(0, static_cast<int>(first)); i < std::min<double>(a.n_samples, last); ++i) {
    const double t = t0_s + i / a.sampling_hz;
    const double u = (t - arrival_s) / kSigma;
    const double envelope = std::exp(-0.5 * u * u);
    const double phase = 2.0 * kPi * kCenterHz * (t - arrival_s);
    if (a.signal == SignalKind::rf) {
      line[i] += static_cast<float>(envelope * std::cos(phase));
    } else {
      const double mixed = phase - 2.0 * kPi * a.demod_hz * t;
      line[2 * i] += static_cast<float>(envelope * std::cos(mixed));
      line[2 * i + 1] += static_cast<float>(envelope * std::sin(mixed));
    }
  }
}

void fill_points(const Case& c, const Acquisition& a, std::vector<float>& values) {
  const Grid grid = make_grid(make_params(c, a), a);
  const double places[][2] = {{0.5, 0.3}, {0.25, 0.5}, {0.8, 0.6}, {0.5, 0.8}};  // of the grid's width and height
  const auto n_line = static_cast<std::size_t>(a.n_samples * a.values_per_sample());
  for (int tx = 0; tx < a.n_transmits(); ++tx) {
    const Transmit& transmit = a.transmits[static_cast<std::size_t>(tx)];
    for (int e = 0; e < a.n_elements(); ++e) {
      const Element& element = a.probe.elements[static_cast<std::size_t>(e)];
      float* line = values.data() + n_line * static_cast<std::size_t>(tx * a.n_elements() + e);
      for (const auto& place : places) {
        const double x = grid.x0_m + place[0] * (grid.x1_m - grid.x0_m);
        const double z = grid.z0_m + place[1] * (grid.z1_m - grid.z0_m);
        const double back = std::hypot(x - element.x_m, z - element.z_m) / a.sound_speed_m_s;
        add_echo(a, transmit.t0_s, transmit_delay_s(transmit, a.probe, x, z, a.sound_speed_m_s) + back, line);
      }
    }
  }
}

}  // namespace

void GpuTest::SetUp() {
  if (gpu_choice().backend == nullptr) GTEST_SKIP() << "no GPU: " << gpu_choice().why_not;
}

Backend& GpuTest::cpu() {
  static const std::unique_ptr<Backend> backend = make_cpu_backend(0, CpuKernel::portable);  // floats, as the GPU
  return *backend;
}

Backend& GpuTest::gpu() { return *gpu_choice().backend; }

AcquisitionPtr make_acquisition(const Case& c) {
  auto a = std::make_shared<Acquisition>();
  a->probe = make_probe(c);
  for (int tx = 0; tx < c.n_tx; ++tx) a->transmits.push_back(make_transmit(c, a->probe, tx));
  a->n_samples = c.n_samples;
  a->sample_type = c.type;
  a->signal = c.signal;
  a->sampling_hz = c.sampling_hz;
  a->center_hz = kCenterHz;
  a->bandwidth_hz = 0.6 * kCenterHz;
  a->demod_hz = c.signal == SignalKind::iq ? 0.97 * kCenterHz : 0.0;
  a->validate(c.name);
  return a;
}

ImagingParams make_params(const Case& c, const Acquisition& acquisition) {
  ImagingParams p = default_params(acquisition);
  p.formation.recipe = c.recipe;
  p.formation.f_number = c.f_number;
  p.formation.apodization = c.apodization;
  p.formation.directivity = c.directivity;
  p.formation.precision = c.precision;
  // of long lines
  if (c.precision == Precision::fp16) p.formation.depth_max_m = std::min(p.formation.depth_max_m, 0.5);
  p.formation.grid_nx = c.nx;
  p.formation.grid_nz = c.nz;
  p.formation.grid_kind = c.grid;
  p.formation.compounding = c.compounding;
  p.formation.adaptive = c.adaptive;
  p.formation.adaptive_axis = c.adaptive_axis;
  p.formation.adaptive_order = c.adaptive_order;
  p.formation.adaptive_bins = c.adaptive_bins;
  p.transmits.cone = c.cone;
  p.level.reference_db = 0.0;
  return p;
}

std::shared_ptr<const Plan> make_case_plan(const Case& c) {
  const AcquisitionPtr acquisition = make_acquisition(c);
  return make_plan(acquisition, make_params(c, *acquisition));
}

std::vector<std::byte> make_frame(const Case& c, const Acquisition& a, unsigned seed) {
  std::vector<float> values(a.frame_values());
  if (c.scene == Scene::points) {
    fill_points(c, a, values);
  } else {
    std::mt19937 random(seed);  // its raw numbers are the same everywhere, unlike those of distributions
    for (float& v : values) v = static_cast<float>(static_cast<int>(random() >> 8) - (1 << 23)) / (1 << 23);
  }
  // Constant offset per line, which condition must remove.
  const auto n_line = static_cast<std::size_t>(a.n_samples * a.values_per_sample());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto offset = 0.1 * static_cast<double>(i / n_line % 5);
    values[i] = static_cast<float>(c.amplitude * (static_cast<double>(values[i]) + offset));
  }
  std::vector<std::byte> bytes(a.frame_bytes());
  if (a.sample_type == SampleType::float32) {
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  }
  std::vector<std::int16_t> rounded(values.size());
  std::transform(values.begin(), values.end(), rounded.begin(),
                 [](float v) { return static_cast<std::int16_t>(std::lround(v)); });
  std::memcpy(bytes.data(), rounded.data(), bytes.size());
  return bytes;
}

void start_frame(Lane& lane, const std::shared_ptr<const Plan>& plan, std::span<const std::byte> samples,
                 std::uint64_t sequence) {
  const double level_db = plan->params.level.reference_db;
  form_frame(lane, plan, {.stamp = {.sequence = sequence}, .samples = samples}, {.expected_db = level_db});
  make_image(lane, *plan, {.reference_db = level_db});
}

std::vector<float> host_image(Lane& lane) {
  lane.wait();
  EXPECT_TRUE(lane.finished());
  EXPECT_TRUE(lane.uploaded());
  const auto image = lane.image().host();
  return {image.begin(), image.end()};
}

Result run_frame(Backend& backend, const std::shared_ptr<const Plan>& plan, std::span<const std::byte> samples) {
  const auto lane = backend.make_lane(0, StreamMode::overlap);
  start_frame(*lane, plan, samples);
  std::vector<float> db = host_image(*lane);
  return {.conditioned = lane->read_back(Lane::Tap::conditioned),
          .beamformed = lane->read_back(Lane::Tap::beamformed),
          .envelope = lane->read_back(Lane::Tap::envelope),
          .db = std::move(db)};
}

std::vector<float> run_picture(Backend& backend, const std::shared_ptr<const Plan>& plan,
                               std::span<const std::byte> samples, StreamMode mode) {
  const auto lane = backend.make_lane(0, mode);
  start_frame(*lane, plan, samples);
  return host_image(*lane);
}

double relative_l2(const std::vector<float>& a, const std::vector<float>& b, int width, std::size_t n_worst) {
  if (a.size() != b.size() || a.empty()) return kNotComparable;
  const auto w = static_cast<std::size_t>(width);
  std::vector<double> errors(a.size() / w, 0.0);
  double norm = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!std::isfinite(a[i])) return kNotComparable;
    const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    errors[i / w] += difference * difference;
    norm += static_cast<double>(b[i]) * static_cast<double>(b[i]);
  }
  std::sort(errors.begin(), errors.end());
  errors.resize(errors.size() - std::min(n_worst, errors.size()));
  const double sum = std::accumulate(errors.begin(), errors.end(), 0.0);
  return norm > 0.0 ? std::sqrt(sum / norm) : kNotComparable;  // two empty images prove nothing
}

double largest_difference_db(const std::vector<float>& a, const std::vector<float>& b, double floor_db,
                             std::size_t n_worst) {
  if (a.size() != b.size() || a.empty()) return kNotComparable;
  const double floor = static_cast<double>(*std::max_element(b.begin(), b.end())) + floor_db;
  std::vector<double> differences;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(static_cast<double>(b[i]) > floor)) continue;
    differences.push_back(std::isfinite(a[i]) ? std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]))
                                              : kNotComparable);
  }
  std::sort(differences.begin(), differences.end());
  return differences[differences.size() - 1 - std::min(n_worst, differences.size() - 1)];
}

}  // namespace echoloop::gpu_test
