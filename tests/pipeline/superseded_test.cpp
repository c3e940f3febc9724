// Long work that a later wish makes useless: it is given up between two tiles of the CPU, and no frame is lost by that.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "backend/cpu/worker_pool.h"
#include "support/streaming.h"

namespace echoloop::testing::superseded_test {
namespace {

// Minimum variance on so many pixels takes a CPU many seconds, delay-and-sum part of one.
ImagingParams slow_params(const Acquisition& acquisition, Adaptive method = Adaptive::minimum_variance) {
  ImagingParams params = default_params(acquisition);
#if defined(__SANITIZE_THREAD__)  // some twenty times slower
  params.formation.grid_nx = 300;
  params.formation.grid_nz = 450;
#elif defined(__SANITIZE_ADDRESS__)  // some four times
  params.formation.grid_nx = 600;
  params.formation.grid_nz = 900;
#else
  params.formation.grid_nx = 900;
  params.formation.grid_nz = 1800;
#endif
  params.formation.adaptive = method;
  if (method == Adaptive::slsc) params.formation.adaptive_lags = 32;  // the most: it is quicker
  if (method == Adaptive::slsc) params.formation.grid_nx *= 3;
  return params;
}

ImagingParams quick_params(ImagingParams slow) {
  slow.formation.adaptive = Adaptive::off;
  return slow;
}

class Superseded : public ::testing::Test {
 protected:
  explicit Superseded(int frames = 3) : source_(noise_source(acquisition_, frames)) {}

  void begin(std::uint64_t most = 0) { begin(slow_params(*acquisition_), most); }
  void begin(const ImagingParams& params, std::uint64_t most = 0) {
    StreamSettings stream = unpaced();
    stream.loop = false;
    session_ = std::make_unique<Session>(*backend_, source_, images_, trace_,
                                         SessionOptions{.stream = stream,
                                                        .params = params,
                                                        .max_frames = most,
                                                        .on_image = [this](const Image& image) { count(image); },
                                                        .sinks = {&history_},
                                                        .past = &past_});
  }
  void count(const Image& image) { image.params.formation.adaptive == Adaptive::off ? ++quick_ : ++slow_; }
  void wait_for_long_work() {
    ASSERT_TRUE(wait_until([&] { return backend_->remaining_s() > 2 * WorkerPool::kWorthSkipping_s; }));
  }

  AcquisitionPtr acquisition_ = share(linear_acquisition(64, 512));
  std::unique_ptr<Backend> backend_ = make_cpu_backend(2);
  std::shared_ptr<FrameList> source_;
  Mailbox<Image> images_;
  PastImages past_;
  TimingTrace trace_;
  RfHistory history_{std::size_t{64} << 20};
  std::atomic<int> quick_{0}, slow_{0};  // images of the live stream
  std::unique_ptr<Session> session_;     // last: its threads use the others
};

TEST_F(Superseded, OtherParametersDoNotWaitForTheFrameUnderWayAndLoseNone) {
  begin();
  wait_for_long_work();
  session_->set_params(quick_params(slow_params(*acquisition_)));
  ASSERT_TRUE(wait_until([&] { return quick_ == 3; }));
  EXPECT_EQ(slow_, 0) << "the first frame is in the image with the new parameters";
  session_->stop();
  const RingCounts counts = session_->counts();
  expect_counts_add_up(counts);
  EXPECT_EQ(counts.processed, 3U);
  EXPECT_EQ(counts.dropped, 0U);
}

// Its jobs are short, one for each block of rows: all of them together are long.
TEST_F(Superseded, ShortLagCoherenceIsGivenUpBetweenItsBlocksToo) {
  begin(slow_params(*acquisition_, Adaptive::slsc));
  wait_for_long_work();
  session_->set_params(quick_params(slow_params(*acquisition_)));
  ASSERT_TRUE(wait_until([&] { return quick_ == 3; }));
  EXPECT_EQ(slow_, 0);
  session_->stop();
  EXPECT_EQ(session_->counts().processed, 3U);
}

// Gain and other parameters of the display do not make the image again: the one under way is shown with the gain that
// it began with.
TEST_F(Superseded, AnotherDisplayKeepsTheWork) {
  ImagingParams params = slow_params(*acquisition_);
  params.display.gain_db = 1.0;
  begin(params, 1);
  wait_for_long_work();
  params.display.gain_db = 6.0;
  session_->set_params(params);
  ASSERT_TRUE(wait_until([&] { return slow_ == 1; }, std::chrono::seconds(300)));
  session_->stop();
  ASSERT_TRUE(images_.take());
  EXPECT_EQ(images_.front().params.display.gain_db, 1.0);
}

TEST_F(Superseded, AKeptFrameThatIsWantedAtOnceGoesFirst) {
  begin();
  ASSERT_TRUE(wait_until([&] { return history_.extent().frames > 0 || backend_->remaining_s() > 1.0; }));
  const std::vector<std::byte> samples = to_bytes(noise(acquisition_->frame_values(), 0));
  const auto review = [&](const ImagingParams& params, std::uint64_t sequence) {
    session_->review({.frame = {.stamp = {.sequence = sequence}, .samples = samples},
                      .owner = {},
                      .params = params,
                      .compare = {},
                      .turn = ReviewTurn::at_once});
  };
  const ImagingParams slow = slow_params(*acquisition_);
  review(slow, 100);
  wait_for_long_work();
  review(quick_params(slow), 101);
  ASSERT_TRUE(wait_until([&] { return past_[0].take(); }));
  EXPECT_EQ(past_[0].front().stamp.sequence, 101U) << "neither the live frame nor the kept one before held it up";
  EXPECT_EQ(slow_, 0);
  session_->set_params(quick_params(slow));
  ASSERT_TRUE(wait_until([&] { return quick_ == 3; })) << "the live frame was kept, too";
  session_->stop();
  expect_counts_add_up(session_->counts());
}

TEST_F(Superseded, AStreamThatIsReplacedEndsWithAllFramesCounted) {
  begin();
  wait_for_long_work();
  session_->end_soon();
  const RingCounts counts = session_->counts();
  EXPECT_EQ(slow_, 0);
  EXPECT_FALSE(session_->running());
  expect_counts_add_up(counts);
  EXPECT_GE(counts.dropped, 1U) << "the frame under way";
}

TEST(CoarseImage, IsDelayAndSumOfFewerPixelsWhereItPays) {
  const Acquisition acquisition = linear_acquisition(64, 512);
  const std::unique_ptr<Backend> backend = make_cpu_backend(2);
  ImagingParams slow = slow_params(acquisition);
  slow.formation.grid_nx = 900;  // under every sanitizer: nothing is beamformed here
  slow.formation.grid_nz = 1800;
  ImagingParams params = slow;
  const auto coarse = coarse_params(acquisition, params, *backend);
  ASSERT_TRUE(coarse);
  EXPECT_EQ(coarse->formation.adaptive, Adaptive::off);
  EXPECT_EQ(coarse->formation.f_number, params.formation.f_number);
  params.formation.grid_nx = params.formation.grid_nz = 32;
  EXPECT_FALSE(coarse_params(acquisition, params, *backend));
  params = quick_params(slow);
  EXPECT_FALSE(coarse_params(acquisition, params, *backend));
  Acquisition many = acquisition;
  many.transmits.resize(200, many.transmits.front());
  const auto fewer = coarse_params(many, params, *backend);
  ASSERT_TRUE(fewer);
  EXPECT_LT(2 * fewer->formation.grid_nx, params.formation.grid_nx);
  EXPECT_EQ(make_grid(*fewer, many).nx, fewer->formation.grid_nx);
}

TEST_F(Superseded, ACoarseImageComesFirstAndIsNotCounted) {
  const auto slow_for_a_second = [&] {
    ImagingParams params = slow_params(*acquisition_);
    params.formation.grid_nx = 300;
    params.formation.grid_nz = 200 * std::max(2, static_cast<int>(std::thread::hardware_concurrency()));
    return params;
  };
  Mailbox<Image> coarse;
  StreamSettings stream = unpaced();
  stream.loop = false;
  std::atomic<int> before_first{0};
  session_ = std::make_unique<Session>(*backend_, source_, images_, trace_,
                                       SessionOptions{.stream = stream,
                                                      .params = slow_for_a_second(),
                                                      .on_image =
                                                          [&](const Image& image) {
                                                            if (coarse.has_news()) ++before_first;
                                                            count(image);
                                                          },
                                                      .sinks = {&history_},
                                                      .coarse = &coarse,
                                                      .past = &past_});
  ASSERT_TRUE(wait_until([&] { return slow_ == 3; }));
  EXPECT_EQ(before_first, 3) << "it was there before";
  EXPECT_EQ(quick_, 0);
  ASSERT_TRUE(coarse.take());
  EXPECT_EQ(coarse.front().stamp.sequence, 0U) << "the others have the same parameters";
  EXPECT_EQ(coarse.front().params.formation.adaptive, Adaptive::off);
  EXPECT_GT(coarse.front().params.level.reference_db, kAutoReference);
  const std::vector<std::byte> samples = to_bytes(noise(acquisition_->frame_values(), 0));
  ImagingParams params = slow_for_a_second();
  const auto review = [&](bool wanted) {
    params.formation.mv_subarray -= 0.05;
    session_->review({.frame = {.stamp = {.sequence = 100}, .samples = samples},
                      .owner = {},
                      .params = params,
                      .compare = {},
                      .coarse = wanted});
    return wait_until([&] { return past_[0].take(); });
  };
  ASSERT_TRUE(review(true));
  EXPECT_TRUE(past_.coarse.take());
  EXPECT_LT(past_.coarse.front().ready_ns, past_[0].front().ready_ns);
  ASSERT_TRUE(review(false));
  EXPECT_FALSE(past_.coarse.has_news());
  EXPECT_FALSE(coarse.has_news());
  session_->stop();
  EXPECT_EQ(session_->counts().processed, 3U);
}

// Chunks of a millisecond: a thousand of them are worth skipping, the last few are not.
TEST(SupersededWork, IsSkippedOnlyWhereMuchIsLeft) {
  WorkerPool pool(2);
  const auto done = [&](int chunks, int supersede_at) {
    std::atomic<int> count{0};
    pool.run(chunks, 1, [&](int, int, int) {
      take_time(std::chrono::milliseconds(1));
      if (++count == supersede_at) pool.supersede();
    });
    return count.load();
  };
  pool.begin_work();
  EXPECT_LT(done(4000, 10), 4000);
  EXPECT_FALSE(pool.end_work());
  EXPECT_EQ(done(400, 10), 400) << "nobody has said that this may be skipped";
  pool.begin_work();
  EXPECT_EQ(done(40, 39), 40);
  EXPECT_TRUE(pool.end_work());
  pool.begin_work();
  EXPECT_EQ(done(40, 0), 40) << "what came before is forgotten";
  EXPECT_TRUE(pool.end_work());
}

// Parts of 20 ms are not worth it, all of them together are.
TEST(SupersededWork, IsSkippedWhereMuchIsLeftOfAllItsParts) {
  WorkerPool pool(2);
  std::atomic<int> count{0};
  constexpr int kParts = 100, kItems = 40;
  pool.begin_work();
  pool.run_parts(kParts * kItems, [&] {
    for (int part = 0; part < kParts; ++part) {
      pool.run(kItems, 1, [&](int, int, int) {
        take_time(std::chrono::milliseconds(1));
        if (++count == 2 * kItems) pool.supersede();
      });
    }
  });
  EXPECT_FALSE(pool.end_work());
  EXPECT_LT(count, 4 * kItems);
  EXPECT_EQ(pool.remaining_s(), 0.0);
}

}  // namespace
}  // namespace echoloop::testing::superseded_test
