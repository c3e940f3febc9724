// Parameters act at the next frame, never drop or stall one, and never touch the reference level unasked.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <set>

#include "core/param_table.h"
#include "support/set_stream.h"
#include "support/streaming.h"

namespace echoloop::parameters_test {
namespace {

using namespace testing;

// Applies changes[i] when image 3 (i + 1) is finished; returns all images.
std::vector<Picture> run_with_changes(const std::shared_ptr<SeekableSource>& source, const ImagingParams& first,
                                      const std::vector<ImagingParams>& changes) {
  const std::unique_ptr<Backend> backend = make_cpu_backend(2);
  Mailbox<Image> images;
  TimingTrace trace;
  std::vector<Picture> pictures;
  StreamSettings stream = testing::unpaced();
  stream.paused = true;
  Session* running = nullptr;
  Session session(*backend, source, images, trace,
                  {.stream = stream,
                   .params = first,
                   .max_frames = 3 * (changes.size() + 1),
                   .host_copy = HostCopy::made,
                   .on_image = [&](const Image& image) {
                     pictures.push_back(Picture::of(image));
                     const std::size_t done = pictures.size();
                     if (done % 3 == 0 && done / 3 <= changes.size()) running->set_params(changes[done / 3 - 1]);
                   }});
  running = &session;
  stream.paused = false;
  testing::set_stream(session, stream);
  testing::wait_until([&] { return session.done(); });
  session.stop();
  EXPECT_EQ(session.fault(), "");
  return pictures;
}

TEST(Parameters, HoldFromTheNextFrameAndEqualAFreshRun) {
  const AcquisitionPtr acquisition = share(linear_acquisition(24, 300, {-5.0, 5.0}));
  const auto source = testing::noise_source(acquisition, 1);
  ImagingParams first = testing::small_picture(*acquisition);
  first.level.reference_db = 20.0;
  std::vector<ImagingParams> changes(7, first);
  changes[0].formation.f_number = 3.0;
  changes[1].formation.apodization = Apodization::hann;
  changes[2].formation.sound_speed_m_s = 1480.0;
  changes[3].formation.band_high_hz = 6e6;
  changes[4].formation.grid_nx = 51;
  changes[4].formation.grid_nz = 20;
  changes[5].formation.recipe = Recipe::course;
  changes[6].formation.directivity = Directivity::on;  // and back to the analytic recipe
  const std::vector<Picture> pictures = run_with_changes(source, first, changes);
  ASSERT_EQ(pictures.size(), 24U);
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const ImagingParams& expected = i < 3 ? first : changes[i / 3 - 1];
    SCOPED_TRACE(i);
    EXPECT_EQ(pictures[i].params, expected);
    EXPECT_EQ(pictures[i].grid, make_grid(expected, *acquisition));
    EXPECT_EQ(pictures[i].stamp.sequence, i) << "a change lost a frame";
    EXPECT_EQ(pictures[i].db, testing::process({.source = source, .params = expected})[0].db);
  }
}

TEST(Parameters, ThatCannotBeUsedAreRefusedAndTheOldOnesHold) {
  const AcquisitionPtr acquisition = share(linear_acquisition());
  const ImagingParams good = testing::small_picture(*acquisition);
  const std::unique_ptr<Backend> backend = make_cpu_backend(2);
  Mailbox<Image> images;
  TimingTrace trace;
  StreamSettings stream = testing::unpaced();
  stream.rate_hz = 500.0;
  Session session(*backend, testing::noise_source(acquisition, 2), images, trace,
                  {.stream = stream, .params = good, .on_image = {}});
  ImagingParams bad = good;
  bad.formation.band_low_hz = bad.formation.band_high_hz;
  session.set_params(bad);
  std::string refusal;
  testing::wait_until([&] { return !(refusal = session.take_refusal()).empty(); });
  EXPECT_NE(refusal.find("band_low_hz"), std::string::npos) << refusal;
  EXPECT_EQ(session.take_refusal(), "") << "said once";
  const std::uint64_t before = session.counts().processed;
  testing::wait_until([&] { return session.counts().processed > before + 5; });
  ASSERT_TRUE(images.take());
  EXPECT_EQ(images.front().params.formation.band_low_hz, good.formation.band_low_hz);
  EXPECT_EQ(session.fault(), "");
}

ImagingParams random_params(const ImagingParams& base, std::mt19937& engine) {
  const auto pick = [&](int n) { return static_cast<int>(engine() % static_cast<unsigned>(n)); };
  ImagingParams p = base;
  p.formation.f_number = 0.1 * pick(40);
  p.formation.sound_speed_m_s = 1400.0 + 10 * pick(30);
  p.formation.apodization = static_cast<Apodization>(pick(5));
  p.formation.band_high_hz = base.formation.band_high_hz - 1e5 * pick(10);
  p.formation.depth_max_m = base.formation.depth_max_m * (1.0 - 0.01 * pick(20));
  p.formation.grid_nx = 16 + pick(32);
  p.display.gain_db = pick(10);
  p.formation.recipe = pick(4) == 0 ? Recipe::course : Recipe::analytic;
  return p;
}

TEST(Parameters, AThousandChangesASecondLoseNoFrame) {
  const bool long_run = std::getenv("ECHOLOOP_LONG") != nullptr;
  const auto length = std::chrono::seconds(long_run ? 10 : 3);
  const AcquisitionPtr acquisition = share(linear_acquisition(8, 128));
  const ImagingParams base = testing::small_picture(*acquisition, 24, 24);
  const std::unique_ptr<Backend> backend = make_cpu_backend(2);
  Mailbox<Image> images;
  TimingTrace trace;
  StreamSettings stream;
  stream.policy = RingPolicy::block;
  stream.rate_hz = 400.0;
  std::uint64_t expected = 0;
  std::set<std::pair<double, double>> seen;
  Session session(*backend, testing::noise_source(acquisition, 5), images, trace,
                  {.stream = stream, .params = base, .on_image = [&](const Image& image) {
                     EXPECT_EQ(image.stamp.sequence, expected++);
                     seen.emplace(image.params.formation.f_number, image.params.formation.sound_speed_m_s);
                   }});
  std::mt19937 engine(4);
  const auto begin = std::chrono::steady_clock::now();
  int changes = 0;
  // On a machine that has hardly any time for it: until enough frames have come.
  for (; std::chrono::steady_clock::now() - begin < length || session.counts().processed < 200; ++changes) {
    session.set_params(random_params(base, engine));
    testing::take_time(begin + std::chrono::milliseconds(changes + 1) - std::chrono::steady_clock::now());
  }
  session.stop();
  const RingCounts counts = session.counts();
  testing::expect_counts_add_up(counts);
  EXPECT_EQ(session.fault(), "");
  EXPECT_EQ(session.take_refusal(), "");
  EXPECT_EQ(counts.dropped + counts.refused, 0U);
  EXPECT_EQ(counts.sequence_gaps, 0U);
  EXPECT_EQ(counts.processed, expected);
  EXPECT_EQ(counts.processed + counts.in_flight, counts.produced);
  EXPECT_GT(seen.size(), 50U) << "the changes did not reach the images";
  std::printf("%d changes in %lld s, %llu frames, none lost\n", changes, static_cast<long long>(length.count()),
              static_cast<unsigned long long>(counts.processed));
}

std::shared_ptr<SeekableSource> fading_source(const AcquisitionPtr& acquisition) {
  std::vector<std::vector<std::byte>> frames;
  std::vector<float> frame = testing::noise(acquisition->frame_values(), 8);
  for (int i = 0; i < 6; ++i) {
    frames.push_back(testing::to_bytes(frame));
    for (float& v : frame) v *= 0.5f;
  }
  return std::make_shared<testing::FrameList>(acquisition, std::move(frames));
}

double maximum(const Picture& picture) {
  return static_cast<double>(*std::max_element(picture.db.begin(), picture.db.end()));
}

TEST(Reference, IsMeasuredOnTheFirstFrameAndHeld) {
  const AcquisitionPtr acquisition = share(linear_acquisition());
  const auto pictures = testing::process(
      {.source = fading_source(acquisition), .params = testing::small_picture(*acquisition), .frames = 6});
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    EXPECT_NEAR(maximum(pictures[i]), -6.0206 * static_cast<double>(i), 1e-3);
    EXPECT_EQ(pictures[i].params.level.reference_db, pictures[0].params.level.reference_db);
    EXPECT_GT(pictures[i].params.level.reference_db, kAutoReference) << "the level in use, not the word 'automatic'";
  }
}

TEST(Reference, TheCourseDividesEachFrameByItsOwnMaximum) {
  const AcquisitionPtr acquisition = share(linear_acquisition());
  ImagingParams params = testing::small_picture(*acquisition);
  params.formation.recipe = Recipe::course;
  for (const Picture& p : testing::process({.source = fading_source(acquisition), .params = params, .frames = 6})) {
    EXPECT_NEAR(maximum(p), 0.0, 1e-5);
  }
}

// The first frame with an echo has it; after a thousand silent ones the next whose number is a multiple of 16.
TEST(Reference, IsThatOfTheFirstFrameWithAnEcho) {
  const AcquisitionPtr acquisition = share(linear_acquisition(4, 64));
  const std::vector<std::byte> silence(acquisition->frame_bytes());
  const std::vector<std::byte> echo = testing::to_bytes(testing::noise(acquisition->frame_values(), 1));
  for (const auto& [silent, measured] : {std::pair<std::size_t, std::size_t>{500, 500}, {1100, 1103}}) {
    std::vector<std::vector<std::byte>> frames(silent, silence);
    frames.resize(silent + 8, echo);
    const std::vector<Picture> pictures =
        testing::process({.source = std::make_shared<testing::FrameList>(acquisition, frames),
                          .params = testing::small_picture(*acquisition),
                          .frames = frames.size()});
    ASSERT_EQ(pictures.size(), frames.size());
    EXPECT_LT(maximum(pictures[silent - 1]), -300.0F);
    EXPECT_NEAR(maximum(pictures[measured]), 0.0, 1e-5);
    EXPECT_NEAR(maximum(pictures.back()), 0.0, 1e-5);
    if (measured > silent) {
      EXPECT_GT(std::abs(maximum(pictures[measured - 1])), 0.1F) << "0 dB of a silent stream";
    }
  }
}

TEST(Reference, IsMeasuredAgainWhenAsked) {
  const AcquisitionPtr acquisition = share(linear_acquisition());
  const std::unique_ptr<Backend> backend = make_cpu_backend(2);
  Mailbox<Image> images;
  TimingTrace trace;
  StreamSettings stream = testing::unpaced();
  stream.paused = true;
  std::vector<Picture> pictures;
  Session* running = nullptr;
  Session session(*backend, fading_source(acquisition), images, trace,
                  {.stream = stream,
                   .params = testing::small_picture(*acquisition),
                   .max_frames = 5,
                   .host_copy = HostCopy::made,
                   .on_image = [&](const Image& image) {
                     pictures.push_back(Picture::of(image));
                     if (pictures.size() == 3) running->measure_reference();
                   }});
  running = &session;
  stream.paused = false;
  testing::set_stream(session, stream);
  testing::wait_until([&] { return session.done(); });
  session.stop();
  ASSERT_EQ(pictures.size(), 5U);
  EXPECT_NEAR(maximum(pictures[2]), -12.041, 1e-3);
  EXPECT_NEAR(maximum(pictures[3]), 0.0, 1e-5);
  EXPECT_NEAR(maximum(pictures[4]), -6.0206, 1e-3);
}

}  // namespace
}  // namespace echoloop::parameters_test
