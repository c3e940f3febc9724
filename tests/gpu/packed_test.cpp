// The tuned path in half precision: against its specification in double precision, against the plain path's images,
// bit for bit against itself.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <utility>

#include "backend/fp16/packed_plan.h"
#include "dsp/methods/coherence.h"
#include "dsp/methods/das_channels.h"
#include "gpu/gpu_support.h"
#include "source/phantom.h"
#include "support/acquisitions.h"
#include "support/das_double.h"

namespace echoloop::gpu_test::packed_test {
namespace {

Case in_half_precision(Case c) {
  c.precision = Precision::fp16;
  return c;
}

class Packed : public GpuTest {};
class PackedParity : public GpuTest, public ::testing::WithParamInterface<Case> {};

// The plain plan's parts replaced by the tuned path's, for das_pixel_double().
Plan with_packed_parts(const Plan& plan) {
  Plan view = plan;
  view.band = plan.packed->band;
  view.das = plan.packed->das;
  return view;
}

std::vector<float> line_values(const Acquisition& a, const std::vector<std::byte>& frame, std::size_t line) {
  const auto n = static_cast<std::size_t>(a.n_samples * a.values_per_sample());
  std::vector<float> values(n);
  if (a.sample_type == SampleType::float32) {
    std::memcpy(values.data(), frame.data() + line * n * sizeof(float), n * sizeof(float));
    return values;
  }
  std::vector<std::int16_t> counts(n);
  std::memcpy(counts.data(), frame.data() + line * n * 2, n * 2);
  std::copy(counts.begin(), counts.end(), values.begin());
  return values;
}

// [n_tx][n_el][n_out], by the specification.
std::vector<Complex> specified_lines(const Plan& plan, const std::vector<std::byte>& frame) {
  const Acquisition& a = *plan.acquisition;
  const BandPlan& band = *plan.packed->band;
  std::vector<Complex> lines;
  for (int line = 0; line < a.n_transmits() * a.n_elements(); ++line) {
    const std::vector<float> x = line_values(a, frame, static_cast<std::size_t>(line));
    double mean = 0.0;
    if (a.signal == SignalKind::rf) {
      for (const float v : x) mean += static_cast<double>(v) / a.n_samples;
    }
    std::vector<Complex> y =
        packed_fir_line(*plan.packed->fir, {.x = x.data(), .n_samples = a.n_samples, .mean = mean}, band.n_valid);
    y.resize(static_cast<std::size_t>(band.n_out));
    lines.insert(lines.end(), y.begin(), y.end());
  }
  return lines;
}

std::vector<float> as_floats(const std::vector<Complex>& values) {
  std::vector<float> floats;
  for (const Complex& v : values) floats.insert(floats.end(), {v.re, v.im});
  return floats;
}

TEST_P(PackedParity, FollowsDoublePrecision) {
  const Case c = in_half_precision(GetParam());
  const auto plan = make_case_plan(c);
  ASSERT_NE(plan->packed, nullptr);
  const auto frame = make_frame(c, *plan->acquisition);
  const Result got = run_frame(gpu(), plan, frame);
  const Plan view = with_packed_parts(*plan);
  const std::vector<Complex> lines = specified_lines(*plan, frame);
  ASSERT_EQ(got.conditioned.size(), 2 * lines.size()) << "not the tuned path";
  const double lines_off = relative_l2(got.conditioned, as_floats(lines));
  EXPECT_LE(lines_off, 1e-3);
  std::vector<float> want, pixels, envelope, want_envelope;
  const std::size_t step = std::max<std::size_t>(1, plan->grid.pixels() / 4000) | 1;
  for (std::size_t i = 0; i < plan->grid.pixels(); i += step) {
    const auto [iz, ix] = std::div(static_cast<int>(i), plan->grid.nx);
    const std::complex<double> pixel = testing::das_pixel_double(view, lines, ix, iz);
    want.insert(want.end(), {static_cast<float>(pixel.real()), static_cast<float>(pixel.imag())});
    pixels.insert(pixels.end(), {got.beamformed[2 * i], got.beamformed[2 * i + 1]});
    want_envelope.push_back(static_cast<float>(std::abs(pixel)));
    envelope.push_back(got.envelope[i]);
  }
  // An element on the edge of a window may be in here and out there; see parity_test.cpp.
  const std::size_t edge = c.n_el < 10 ? 0 : 1 + want_envelope.size() / 1000;
  const double bound = c.scene == Scene::noise ? 2e-3 : 1e-3;
  EXPECT_LE(relative_l2(pixels, want, 2, edge), bound);
  EXPECT_LE(relative_l2(envelope, want_envelope, 1, edge), bound);
  std::printf("%s: lines %.2e, pixels %.2e (all: %.2e)\n", c.name.c_str(), lines_off,
              relative_l2(pixels, want, 2, edge), relative_l2(pixels, want, 2));
}

TEST_P(PackedParity, ComesOutTheSameTwice) {
  const Case c = in_half_precision(GetParam());
  const auto plan = make_case_plan(c);
  const auto frame = make_frame(c, *plan->acquisition);
  const Result first = run_frame(gpu(), plan, frame);
  const Result second = run_frame(gpu(), plan, frame);
  EXPECT_EQ(0, std::memcmp(first.beamformed.data(), second.beamformed.data(), first.beamformed.size() * sizeof(float)));
  EXPECT_EQ(first.db, second.db);
}

INSTANTIATE_TEST_SUITE_P(Analytic, PackedParity, ::testing::ValuesIn(analytic_cases()),
                         [](const auto& info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(Sectors, PackedParity, ::testing::ValuesIn(sector_cases()),
                         [](const auto& info) { return info.param.name; });

// The coherence factor of three axes, against its specification on the lines that the tuned path makes.
class PackedCoherence : public GpuTest, public ::testing::WithParamInterface<Case> {};

struct LevelError {
  double rms_db = 0.0, most_db = 0.0;  // over pixels less than 50 dB below the largest; without the worst in a thousand
};

LevelError level_error(const std::vector<float>& got, const std::vector<float>& want) {
  const float least = *std::max_element(want.begin(), want.end()) * 3.16e-3F;
  std::vector<double> off;
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (want[i] > least) off.push_back(std::abs(20.0 * std::log10(static_cast<double>(got[i] / want[i]))));
  }
  std::sort(off.begin(), off.end());
  off.resize(off.size() - off.size() / 1000);
  LevelError error;
  for (const double v : off) error.rms_db += v * v / static_cast<double>(off.size());
  return {std::sqrt(error.rms_db), off.back()};
}

TEST_P(PackedCoherence, FollowsTheSpecification) {
  for (const AdaptiveAxis axis : {AdaptiveAxis::elements, AdaptiveAxis::transmits, AdaptiveAxis::both}) {
    Case c = in_half_precision(GetParam());
    const bool both = axis == AdaptiveAxis::both;
    if (c.n_el < 2 || (axis == AdaptiveAxis::transmits && c.n_tx < 2) || (!both && c.n_el > kMostBlockElements))
      continue;
    c.adaptive = Adaptive::coherence;
    c.adaptive_axis = axis;
    const auto plan = make_case_plan(c);
    ASSERT_NE(plan->packed, nullptr) << plan->why_fp32;
    const auto frame = make_frame(c, *plan->acquisition);
    const Result got = run_frame(gpu(), plan, frame);
    std::vector<Complex> lines = specified_lines(*plan, frame);
    ASSERT_EQ(got.conditioned.size(), 2 * lines.size()) << "not the tuned path";
    float largest = 0.0F;
    for (const Complex& v : lines) largest = std::max(largest, magnitude(v));
    for (Complex& v : lines) {  // what rounding of doubles leaves beside echoes: squares of floats have no such range
      if (magnitude(v) < 1e-9F * largest) v = {0.0F, 0.0F};
    }
    const CoherenceFactor method{plan->method.strength, axis};
    std::vector<float> want, envelope;
    const std::size_t step = std::max<std::size_t>(1, plan->grid.pixels() / 4000) | 1;
    for (std::size_t i = 0; i < plan->grid.pixels(); i += step) {
      const auto [iz, ix] = std::div(static_cast<int>(i), plan->grid.nx);
      const DasChannels<DasForm::general> channels(plan->packed->das->geometry, lines.data(), ix, iz);
      const MethodPixel pixel = method(channels);
      want.push_back(magnitude(pixel.sum) * pixel.weight);
      envelope.push_back(got.envelope[i]);
    }
    const LevelError error = level_error(envelope, want);
    std::printf("%s, axis %d: rms %.4f dB, at most %.3f dB\n", c.name.c_str(), static_cast<int>(axis), error.rms_db,
                error.most_db);
    EXPECT_LE(error.rms_db, both ? 0.03 : 0.05) << static_cast<int>(axis);
    EXPECT_LE(error.most_db, both ? 0.2 : 0.5) << static_cast<int>(axis);
    const Result again = run_frame(gpu(), plan, frame);
    EXPECT_EQ(got.envelope, again.envelope);
  }
}

INSTANTIATE_TEST_SUITE_P(Analytic, PackedCoherence, ::testing::ValuesIn(analytic_cases()),
                         [](const auto& info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(Sectors, PackedCoherence, ::testing::ValuesIn(sector_cases()),
                         [](const auto& info) { return info.param.name; });

// One lane through changes of everything between frames: each image is the one that a fresh lane makes.
TEST_F(Packed, PlansChangeBetweenFrames) {
  Case c{.name = "changes", .n_samples = 1021, .nx = 120, .nz = 90, .type = SampleType::int16};
  c.precision = Precision::fp16;
  const AcquisitionPtr acquisition = make_acquisition(c);
  const auto frame = make_frame(c, *acquisition);
  const auto lane = gpu().make_lane(0, StreamMode::overlap);
  std::shared_ptr<const Plan> plan;
  const auto check = [&](const ImagingParams& params, const std::string& what) {
    plan = make_plan(acquisition, params, plan);
    start_frame(*lane, plan, frame);
    EXPECT_EQ(host_image(*lane), run_picture(gpu(), make_plan(acquisition, params), frame)) << what;
  };
  ImagingParams params = make_params(c, *acquisition);
  for (int i = 0; i <= 20; ++i) {
    params.formation.f_number = 0.15 * i;
    check(params, "F-number " + std::to_string(params.formation.f_number));
  }
  for (const Apodization window : {Apodization::hann, Apodization::tukey, Apodization::boxcar}) {
    params.formation.apodization = window;
    check(params, "window");
  }
  params.formation.adaptive = Adaptive::coherence;
  for (const AdaptiveAxis axis : {AdaptiveAxis::both, AdaptiveAxis::elements, AdaptiveAxis::transmits}) {
    params.formation.adaptive_axis = axis;
    check(params, "coherence factor");
    params.formation.adaptive_strength = 0.5;
    check(params, "its strength");
    params.formation.adaptive_strength = 1.0;
  }
  params.transmits.window = Apodization::hann;
  check(params, "window over the transmits");
  params.formation.adaptive = Adaptive::off;
  check(params, "delay-and-sum again");
  params.transmits.window = Apodization::boxcar;
  params.formation.precision = Precision::fp32;
  check(params, "plain");
  params.formation.grid_nx = 251;
  check(params, "plain, larger");
  params.formation.precision = Precision::fp16;
  check(params, "tuned again");
  params.formation.sound_speed_m_s = 1480.0;
  params.formation.grid_nx = 31;
  check(params, "smaller");
  params.formation.band_high_hz *= 0.8;
  check(params, "narrower band");
  params.formation.directivity = Directivity::on;
  check(params, "directivity");
  params.formation.grid_kind = GridChoice::polar;
  check(params, "sector");
  params.formation.precision = Precision::fp32;
  check(params, "sector, plain");
}

// Plans of one kernel with different needs of shared memory, each on a lane of its own: a lane that begins to use its
// plan must leave the others what theirs need.
TEST_F(Packed, PlansOfOneKernelRunBesideEachOther) {
  struct Running {
    std::shared_ptr<const Plan> plan;
    std::vector<std::byte> frame;
    std::unique_ptr<Lane> lane;
    std::vector<float> first;
  };
  std::vector<Running> all;
  std::set<std::pair<int, int>> needs;  // shared bytes of the sum, by form
  for (const int n_samples : {512, 1024, 2048, 4096}) {
    for (const double f_number : {0.0, 0.75, 1.5, 4.0}) {
      Case c{.name = "needs", .n_tx = 3, .n_samples = n_samples, .nx = 96, .nz = 128, .type = SampleType::int16};
      c.precision = Precision::fp16;
      c.f_number = f_number;
      Running r{.plan = make_case_plan(c), .frame = {}, .lane = gpu().make_lane(0, StreamMode::overlap), .first = {}};
      if (r.plan->packed == nullptr) continue;  // windows that the tuned path does not take
      r.frame = make_frame(c, *r.plan->acquisition);
      needs.emplace(r.plan->packed->tiles->tuning.form.n_pixels, r.plan->packed->tiles->shared_bytes);
      start_frame(*r.lane, r.plan, r.frame);
      r.first = host_image(*r.lane);
      all.push_back(std::move(r));
    }
  }
  ASSERT_GE(needs.size(), 3U) << "plans that all need the same show nothing";
  for (auto r = all.rbegin(); r != all.rend(); ++r) {
    start_frame(*r->lane, r->plan, r->frame);
    EXPECT_EQ(host_image(*r->lane), r->first);
  }
}

// White noise fills the band to its edges; echoes do not, and theirs is the image that counts.
double rms_difference_db(const std::vector<float>& a, const std::vector<float>& b, double floor_db) {
  const double floor = static_cast<double>(*std::max_element(b.begin(), b.end())) + floor_db;
  double squares = 0.0;
  std::size_t n = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (static_cast<double>(b[i]) <= floor) continue;
    const double off = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    squares += off * off;
    ++n;
  }
  return std::sqrt(squares / static_cast<double>(n));
}

TEST_F(Packed, PhantomsLookTheSame) {
  for (const char* name : {"heart", "points", "cyst"}) {
    const auto source = make_phantom({.name = name});
    std::vector<std::byte> slot(source->acquisition()->frame_bytes());
    const auto frame = source->at(3, slot);
    ImagingParams params = default_params(*source->acquisition());
    params.level.reference_db = 0.0;
    params.formation.precision = Precision::fp32;
    const auto plain = run_picture(gpu(), make_plan(source->acquisition(), params), frame);
    params.formation.precision = Precision::fp16;
    const auto plan = make_plan(source->acquisition(), params);
    ASSERT_NE(plan->packed, nullptr);
    const double off = rms_difference_db(run_picture(gpu(), plan, frame), plain, -50.0);
    EXPECT_LE(off, 0.2) << name;
    std::printf("%s: %.4f dB rms above -50 dB\n", name, off);
  }
}

// Words are scaled to the frame's largest sample. The conditioner's blocks find it among themselves where all are on
// the device at once; 6565 lines are more than any device has room for.
TEST_F(Packed, EveryFrameOfFloatsHasItsOwnScale) {
  for (const int n_tx : {5, 101}) {
    const Case c = in_half_precision({.name = "scales", .n_tx = n_tx, .n_samples = 509});
    const auto plan = make_case_plan(c);
    const auto frame = make_frame(c, *plan->acquisition);
    const std::vector<float> lines = as_floats(specified_lines(*plan, frame));
    const auto lane = gpu().make_lane(0, StreamMode::overlap);
    for (const float factor : {1.0f, 0x1p-30f, 0x1p30f, 1.0f}) {
      const auto times_factor = [&](std::vector<float> values) {
        for (float& v : values) v *= factor;
        return values;
      };
      std::vector<float> samples(plan->acquisition->frame_values());
      std::memcpy(samples.data(), frame.data(), frame.size());
      const std::vector<std::byte> scaled = testing::to_bytes(times_factor(samples));
      start_frame(*lane, plan, scaled);
      lane->wait();
      EXPECT_LE(relative_l2(lane->read_back(Lane::Tap::conditioned), times_factor(lines)), 1e-3)
          << n_tx << " transmits, times " << factor;
    }
  }
}

// Simulated amplitudes of 1e-9 give the image of large ones; a frame of zeros is black, and no more.
TEST_F(Packed, AmplitudesDoNotMatter) {
  Case c = in_half_precision({.name = "tiny"});
  const auto plan = make_case_plan(c);
  const std::vector<float> normal = run_picture(gpu(), plan, make_frame(c, *plan->acquisition));
  c.amplitude *= 0x1p-40;
  std::vector<float> tiny = run_picture(gpu(), plan, make_frame(c, *plan->acquisition));
  for (float& v : tiny) v += 40.0f * 6.0205999f;
  EXPECT_LE(largest_difference_db(tiny, normal, -60.0), 0.01);
  const std::vector<std::byte> zeros(plan->acquisition->frame_bytes());
  for (const float db : run_picture(gpu(), plan, zeros)) ASSERT_LE(db, -200.0f);
}

}  // namespace
}  // namespace echoloop::gpu_test::packed_test
