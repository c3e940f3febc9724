// Complex pixels on the host: 20 log10 of their magnitudes is the image, for every kind of recording, grid and method;
// what takes them gets every frame while it wants them.
#include <gtest/gtest.h>

#include <complex>

#include "backend/frame_processor.h"
#include "source/phantom.h"
#include "support/kept_levels.h"
#include "support/method_sets.h"
#include "support/streaming.h"

namespace echoloop::pixels_test {
namespace {

constexpr double kReferenceDb = 31.5;

// One frame, with its pixels kept.
void form(Lane& lane, const std::shared_ptr<const Plan>& plan, std::span<const std::byte> frame) {
  form_frame(lane, plan, {.stamp = {}, .samples = frame});
  make_image(lane, *plan, {.reference_db = kReferenceDb, .pixels = HostCopy::made});
}

TEST(KeptPixels, AreTheImageForEveryMethod) {
  testing::MethodSets sets(44);
  const std::unique_ptr<Backend> backend = make_cpu_backend(2);
  int compared = 0, scanned = 0, weighed = 0;
  for (int i = 0; i < 300; ++i) {
    testing::MethodSets::Set set = sets.next();
    set.params.refine = {};
    if (!why_no_pixels(set.params).empty()) continue;
    SCOPED_TRACE(set.words);
    const auto plan = make_plan(set.acquisition, set.params);
    const std::unique_ptr<Lane> lane = backend->make_lane(0, StreamMode::serial);
    form(*lane, plan, set.frame);
    testing::expect_pixels_of_image(*lane, *plan, kReferenceDb);
    if (HasFatalFailure()) return;
    ++compared;
    if (plan->scan.has_value()) ++scanned;
    if (is_weight(plan->method.method)) ++weighed;
  }
  EXPECT_GT(compared, 100);
  EXPECT_GT(scanned, 10);
  EXPECT_GT(weighed, 30);
}

TEST(KeptPixels, AreTheImageForEveryKindOfSample) {
  const std::unique_ptr<Backend> backend = make_cpu_backend(2);
  for (const Acquisition& base : {testing::linear_acquisition(16, 256, {-8.0, 0.0, 8.0}), testing::convex_acquisition(),
                                  testing::phased_acquisition(), testing::scan_line_acquisition()}) {
    for (const SignalKind signal : {SignalKind::rf, SignalKind::iq}) {
      for (const SampleType type : {SampleType::float32, SampleType::int16}) {
        Acquisition a = base;
        a.signal = signal;
        a.sample_type = type;
        if (signal == SignalKind::iq) a.demod_hz = a.center_hz;
        const std::vector<float> values = testing::noise(a.frame_values(), 7);
        std::vector<std::int16_t> integers;
        for (const float v : values) integers.push_back(static_cast<std::int16_t>(1000.0f * v));
        const auto frame = type == SampleType::float32 ? testing::to_bytes(values) : testing::to_bytes(integers);
        for (const bool sector : {false, true}) {
          ImagingParams params = sector ? testing::small_sector(a) : testing::small_picture(a);
          for (const Adaptive method : {Adaptive::off, Adaptive::coherence, Adaptive::p_das}) {
            params.formation.adaptive = method;
            const auto plan = make_plan(testing::share(a), params);
            const std::unique_ptr<Lane> lane = backend->make_lane(0, StreamMode::serial);
            form(*lane, plan, frame);
            testing::expect_pixels_of_image(*lane, *plan, kReferenceDb);
            ASSERT_FALSE(HasFatalFailure()) << a.probe.name << " method " << static_cast<int>(method);
          }
        }
      }
    }
  }
}

// The carrier is kept: from row to row the phase grows by that of the two-way path.
TEST(KeptPixels, PhaseGrowsWithDepth) {
  PhantomSettings settings;
  settings.name = "points";
  const std::shared_ptr<SeekableSource> phantom = make_phantom(settings);
  const AcquisitionPtr& a = phantom->acquisition();
  ImagingParams params = default_params(*a);
  params.formation.lateral_min_m = -0.5e-3;
  params.formation.lateral_max_m = 0.5e-3;
  params.formation.depth_min_m = 8e-3;
  params.formation.depth_max_m = 30e-3;
  params.formation.grid_nx = 5;
  params.formation.grid_nz = 2201;  // 10 um: a tenth of a turn
  const auto plan = make_plan(a, params);
  std::vector<std::byte> slot(a->frame_bytes());
  const std::unique_ptr<Backend> backend = make_cpu_backend(2);
  const std::unique_ptr<Lane> lane = backend->make_lane(0, StreamMode::serial);
  form(*lane, plan, phantom->at(0, slot));
  std::complex<double> sum;
  const std::span<const Complex> pixels = lane->kept_pixels();
  for (std::size_t i = 0; i + 5 < pixels.size(); ++i) {
    sum += std::complex<double>(pixels[i + 5].re, pixels[i + 5].im) *
           std::conj(std::complex<double>(pixels[i].re, pixels[i].im));
  }
  const double expected_rad = 4.0 * kPi * a->center_hz * plan->grid.dz_m() / params.formation.sound_speed_m_s;
  EXPECT_NEAR(std::arg(sum), expected_rad, 0.05 * expected_rad);
}

struct Taken {
  std::uint64_t sequence;
  std::vector<Complex> values;
};

class Collector final : public PixelSink {
 public:
  explicit Collector(std::uint64_t most) : most_(most) {}
  [[nodiscard]] bool wanted() const override { return taken.size() < most_; }
  void take(const KeptPixels& pixels) override {
    taken.push_back({pixels.image.stamp.sequence, {pixels.values.begin(), pixels.values.end()}});
  }
  std::vector<Taken> taken;  // read when the stream has ended

 private:
  const std::uint64_t most_;
};

std::vector<Taken> stream_through(const ImagingParams& params, const AcquisitionPtr& a, std::uint64_t most) {
  const std::unique_ptr<Backend> backend = make_cpu_backend(2);
  Mailbox<Image> images;
  TimingTrace trace;
  const auto collector = std::make_shared<Collector>(most);
  constexpr int kFrames = 6;
  Session session(*backend, testing::noise_source(a, kFrames), images, trace,
                  {.stream = testing::unpaced(), .params = params, .max_frames = kFrames, .pixels = collector});
  testing::wait_until([&] { return session.done(); });
  session.stop();
  EXPECT_EQ(session.fault(), "");
  EXPECT_EQ(session.counts().processed, static_cast<std::uint64_t>(kFrames));
  return collector->taken;
}

// In order, each frame once, from every lane; neither persistence nor filters of the image are in them.
TEST(PixelSink, TakesEveryFrameAsFormed) {
  const AcquisitionPtr a = testing::share(testing::linear_acquisition(16, 256, {-8.0, 0.0, 8.0}));
  ImagingParams params = testing::small_picture(*a);
  const std::vector<Taken> plain = stream_through(params, a, 100);
  ASSERT_EQ(plain.size(), 6U);
  params.refine.persistence_s = 5.0;
  params.refine.median = Median::five;
  const std::vector<Taken> refined = stream_through(params, a, 100);
  ASSERT_EQ(refined.size(), plain.size());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EXPECT_EQ(plain[i].sequence, i);
    ASSERT_EQ(plain[i].values.size(), refined[i].values.size());
    EXPECT_EQ(std::memcmp(plain[i].values.data(), refined[i].values.data(), plain[i].values.size() * sizeof(Complex)),
              0);
  }
}

TEST(PixelSink, GetsNothingThatItDoesNotWant) {
  const AcquisitionPtr a = testing::share(testing::linear_acquisition(16, 256));
  ImagingParams params = testing::small_picture(*a);
  EXPECT_TRUE(stream_through(params, a, 0).empty());
  params.formation.adaptive = Adaptive::slsc;
  EXPECT_TRUE(stream_through(params, a, 100).empty());
}

}  // namespace
}  // namespace echoloop::pixels_test
