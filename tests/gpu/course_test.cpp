// The course recipe on the GPU. It takes the nearest sample: where a delay falls half way between two samples, a
// rounding decides, and two correct programs differ by the step between the samples. So the summation is held against a
// sum in double precision that knows, for each pixel, how much such ties can change; the later stages against double
// precision versions fed with the GPU's own result of the stage before.
#include "dsp/course.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "core/units.h"
#include "gpu/gpu_support.h"

namespace echoloop::gpu_test::course_test {
namespace {

// Rounding of a delay: 4 float operations on about 2000 samples.
constexpr double kTie = 1e-3;

struct PixelSum {
  double value = 0.0;
  double slack = 0.0;      // what ties may change
  double magnitude = 0.0;  // sum of |samples|, the scale of rounding
};

void add_nearest(const float* line, int n, double position, PixelSum& sum) {
  const double nearest = std::floor(position + 0.5);
  const auto at = [&](double k) { return static_cast<double>(line[static_cast<int>(k)]); };
  const bool inside = position >= 0.0 && position <= n - 1;
  if (inside) {
    sum.value += at(nearest);
    sum.magnitude += std::abs(at(nearest));
  }
  const double to_edge = std::min(std::abs(position), std::abs(position - (n - 1)));
  if (to_edge < kTie) {
    sum.slack += std::abs(at(std::abs(position) < 1.0 ? 0 : n - 1));
  } else if (inside && 0.5 - std::abs(position - nearest) < kTie) {
    const double other = nearest + (position > nearest ? 1.0 : -1.0);
    if (other >= 0.0 && other <= n - 1) sum.slack += std::abs(at(nearest) - at(other));
  }
}

PixelSum sum_pixel(const Plan& plan, const std::vector<float>& lines, int ix, int iz) {
  const Acquisition& a = *plan.acquisition;
  const CourseGeometry& g = plan.course->geometry;  // the inputs as both devices see them
  const auto x = static_cast<double>(g.x_m[ix]);
  const auto z = static_cast<double>(g.z_m[iz]);
  PixelSum sum;
  for (int t = 0; t < g.n_tx; ++t) {
    const double transmit = z * static_cast<double>(g.tx_cos[t]) + x * static_cast<double>(g.tx_sin[t]);
    for (int e = 0; e < g.n_el; ++e) {
      const double receive = std::hypot(x - static_cast<double>(g.element_x_m[e]), z);
      const double seconds =
          (transmit + receive) / static_cast<double>(g.sound_speed_m_s) - static_cast<double>(g.tx_t0_s[t]);
      const auto line = static_cast<std::size_t>(t * g.n_el + e) * static_cast<std::size_t>(a.n_samples);
      add_nearest(lines.data() + line, a.n_samples, seconds * static_cast<double>(g.sampling_hz), sum);
    }
  }
  return sum;
}

void expect_sums(const Plan& plan, const Result& r) {
  std::size_t without_ties = 0;
  for (int iz = 0; iz < plan.grid.nz; ++iz) {
    for (int ix = 0; ix < plan.grid.nx; ++ix) {
      const PixelSum want = sum_pixel(plan, r.conditioned, ix, iz);
      const auto got = static_cast<double>(r.beamformed[static_cast<std::size_t>(iz * plan.grid.nx + ix)]);
      ASSERT_LE(std::abs(got - want.value), want.slack + 1e-5 * want.magnitude) << "pixel " << ix << ", " << iz;
      without_ties += want.slack == 0.0;
    }
  }
  EXPECT_GT(without_ties, plan.grid.pixels() / 4) << "too many ties to prove anything";
}

// Envelope of one column by the definition: discrete Fourier transforms in double precision.
std::vector<double> hilbert_magnitude(const std::vector<double>& column) {
  const int n = static_cast<int>(column.size());
  const auto turn = [n](long long k) { return std::polar(1.0, 2.0 * kPi * static_cast<double>(k % n) / n); };
  std::vector<std::complex<double>> bins(column.size());
  for (int k = 0; k < n; ++k) {
    std::complex<double> bin = 0.0;
    for (int i = 0; i < n; ++i) bin += column[static_cast<std::size_t>(i)] * std::conj(turn(1LL * k * i));
    bins[static_cast<std::size_t>(k)] = bin * static_cast<double>(hilbert_weight(k, n)) / static_cast<double>(n);
  }
  std::vector<double> magnitudes;
  for (int i = 0; i < n; ++i) {
    std::complex<double> value = 0.0;
    for (int k = 0; k < n; ++k) value += bins[static_cast<std::size_t>(k)] * turn(1LL * k * i);
    magnitudes.push_back(std::abs(value));
  }
  return magnitudes;
}

void expect_envelope(const Plan& plan, const Result& r) {
  const auto nx = static_cast<std::size_t>(plan.grid.nx);
  std::vector<float> want(r.beamformed.size());
  for (std::size_t ix = 0; ix < nx; ++ix) {
    std::vector<double> column;
    for (std::size_t i = ix; i < r.beamformed.size(); i += nx) column.push_back(static_cast<double>(r.beamformed[i]));
    const std::vector<double> magnitudes = hilbert_magnitude(column);
    for (std::size_t iz = 0; iz < magnitudes.size(); ++iz) want[iz * nx + ix] = static_cast<float>(magnitudes[iz]);
  }
  EXPECT_LE(relative_l2(r.envelope, want), 1e-5);
}

void expect_decibels(const Result& r) {
  const auto peak = static_cast<double>(*std::max_element(r.envelope.begin(), r.envelope.end()));
  std::vector<float> want;
  for (const float v : r.envelope) want.push_back(static_cast<float>(20.0 * std::log10(static_cast<double>(v) / peak)));
  EXPECT_LE(largest_difference_db(r.db, want, -60.0), 1e-3);
  EXPECT_NEAR(*std::max_element(r.db.begin(), r.db.end()), 0.0f, 1e-4f);
}

class Course : public GpuTest, public ::testing::WithParamInterface<Case> {};

TEST_P(Course, StagesAreRight) {
  const Case& c = GetParam();
  const auto plan = make_case_plan(c);
  const auto samples = make_frame(c, *plan->acquisition);
  const Result got = run_frame(gpu(), plan, samples);
  const Result want = run_frame(cpu(), plan, samples);
  EXPECT_LE(relative_l2(got.conditioned, want.conditioned), 1e-5);
  ASSERT_EQ(got.beamformed.size(), plan->grid.pixels());
  expect_sums(*plan, got);
  expect_envelope(*plan, got);
  expect_decibels(got);
  // Echoes are smooth at 8 samples a period: ties are rare and small, and the whole image has to agree.
  if (c.scene == Scene::points) {
    EXPECT_LE(relative_l2(got.envelope, want.envelope), 2e-3);
  }
}

const Case kCases[] = {
    {.name = "Noise", .n_samples = 1021, .sampling_hz = 40e6, .recipe = Recipe::course},
    {.name = "Int16Points",
     .n_tx = 7,
     .type = SampleType::int16,
     .sampling_hz = 40e6,
     .recipe = Recipe::course,
     .scene = Scene::points,
     .amplitude = 8000.0},
    {.name = "OneElement", .n_el = 1, .n_tx = 1, .nx = 2, .nz = 3, .sampling_hz = 40e6, .recipe = Recipe::course},
    {.name = "ThreeElements", .n_el = 3, .n_tx = 2, .nx = 5, .nz = 64, .sampling_hz = 40e6, .recipe = Recipe::course},
    {.name = "ShortLines",  // shorter than the filter
     .n_el = 3,
     .n_tx = 1,
     .n_samples = 61,
     .nx = 3,
     .nz = 8,
     .sampling_hz = 40e6,
     .recipe = Recipe::course},
    {.name = "HeavyPoints",
     .n_samples = 1021,
     .nx = 251,
     .nz = 251,
     .sampling_hz = 40e6,
     .recipe = Recipe::course,
     .scene = Scene::points},
};

INSTANTIATE_TEST_SUITE_P(Recipe, Course, ::testing::ValuesIn(kCases), [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace echoloop::gpu_test::course_test
