// Whole streams on the GPU: each policy under a source three times too fast and under bursts, 100 000 frames each.
// Every frame is accounted for at every moment, and none is torn: in the slots the samples are compared, and a frame's
// amplitude follows from its number, so that the levels in the image tell which frame it came from; 128 bytes of
// another frame, wherever they are, move some pixel by more than half a decibel.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <iostream>

#include "gpu/gpu_support.h"
#include "support/checking_backend.h"
#include "support/streaming.h"

namespace echoloop::gpu_test::accounting_test {
namespace {

constexpr std::uint64_t kFrames = 100'000;
constexpr double kLoadMs = 0.1;  // of every frame: the device takes at most 10 000 a second
constexpr double kStepDb = 0.5;
constexpr std::uint64_t kLevels = 127;

// Neighbours in the stream, in the ring and in the lanes are many steps apart.
std::uint64_t level_of(std::uint64_t index) { return index * 37 % kLevels; }

Case small_case() { return {.name = "numbered", .n_el = 4, .n_tx = 1, .n_samples = 128, .nx = 8, .nz = 8}; }

// Endless: the same noise in each frame, as loud as the frame's number says.
class NumberedSource final : public SeekableSource {
 public:
  NumberedSource() {
    const std::vector<std::byte> bytes = make_frame(small_case(), *acquisition_);
    std::vector<float> values(acquisition_->frame_values());
    std::memcpy(values.data(), bytes.data(), bytes.size());
    for (std::uint64_t level = 0; level < kLevels; ++level) {
      std::vector<float> scaled = values;
      const auto factor = static_cast<float>(std::pow(10.0, kStepDb * static_cast<double>(level) / 20.0));
      for (float& v : scaled) v *= factor;
      frames_.push_back(testing::to_bytes(scaled));
    }
  }
  [[nodiscard]] const AcquisitionPtr& acquisition() const override { return acquisition_; }
  [[nodiscard]] std::string name() const override { return "numbered frames"; }
  [[nodiscard]] std::uint64_t frame_count() const override { return 0; }
  std::span<const std::byte> read(std::uint64_t index, FrameMemory& slot, const std::stop_token& /*stop*/) override {
    const std::vector<std::byte>& frame = frames_[static_cast<std::size_t>(level_of(index))];
    std::memcpy(slot.bytes.data(), frame.data(), frame.size());
    return slot.bytes.first(frame.size());
  }
  [[nodiscard]] bool is_whole(const RfFrame& frame) const {
    const std::vector<std::byte>& want = frames_[static_cast<std::size_t>(level_of(frame.stamp.source_index))];
    return frame.samples.size() == want.size() && std::memcmp(frame.samples.data(), want.data(), want.size()) == 0;
  }
  [[nodiscard]] const std::vector<std::byte>& quietest() const { return frames_.front(); }

 private:
  AcquisitionPtr acquisition_ = make_acquisition(small_case());
  std::vector<std::vector<std::byte>> frames_;  // one a level
};

// Looks at every image of a stream. [processing thread, then the test's]
class ImageCheck {
 public:
  explicit ImageCheck(std::vector<float> quietest_db) : quietest_db_(std::move(quietest_db)) {
    floor_db_ = *std::max_element(quietest_db_.begin(), quietest_db_.end()) - 50.0f;
  }
  void begin_stream() { next_ = 0; }
  void look(const Image& image) {
    ++images_;
    if (image.stamp.sequence < next_) ++out_of_order_;
    missing_ += image.stamp.sequence - std::min(image.stamp.sequence, next_);
    next_ = image.stamp.sequence + 1;
    const auto want_db = static_cast<float>(kStepDb * static_cast<double>(level_of(image.stamp.source_index)));
    const std::span<const float> db = image.host();
    bool right = db.size() == quietest_db_.size();
    for (std::size_t i = 0; right && i < db.size(); ++i) {
      right = quietest_db_[i] < floor_db_ || std::abs(db[i] - quietest_db_[i] - want_db) < 0.02f;
    }
    if (!right) ++torn_;
  }
  [[nodiscard]] std::uint64_t images() const { return images_; }
  [[nodiscard]] std::uint64_t torn() const { return torn_; }
  [[nodiscard]] std::uint64_t missing() const { return missing_; }
  [[nodiscard]] std::uint64_t out_of_order() const { return out_of_order_; }

 private:
  std::vector<float> quietest_db_;  // image of the quietest frame
  float floor_db_ = 0.0f;
  std::uint64_t next_ = 0;
  std::uint64_t images_ = 0;
  std::uint64_t torn_ = 0;
  std::uint64_t missing_ = 0;
  std::uint64_t out_of_order_ = 0;
};

struct Flow {
  std::string name;
  RingPolicy policy = RingPolicy::block;
  HostMemory memory = HostMemory::pinned;
  int slots = 8;
  double rate_hz = 0.0;
  double burst_frames = 0.0;
};

void PrintTo(const Flow& flow, std::ostream* out) { *out << flow.name; }

struct Totals {
  std::uint64_t produced = 0, processed = 0, dropped = 0, refused = 0, in_flight = 0;
  std::uint64_t streams = 0, snapshots = 0, wrong = 0;
  std::int64_t waited_ns = 0;

  void add(const RingCounts& c) {
    produced += c.produced;
    processed += c.processed;
    dropped += c.dropped;
    refused += c.refused;
    in_flight += c.in_flight;
    waited_ns += c.producer_waited_ns;
    ++streams;
  }
  void look(const RingCounts& before, const RingCounts& c) {
    ++snapshots;
    const bool sums = c.produced == c.processed + c.dropped + c.refused + c.in_flight;
    const bool fits = c.slots_ready + c.slots_reading + c.slots_writing <= c.slots;
    const bool grows = c.produced >= before.produced && c.processed >= before.processed && c.copied >= before.copied;
    if (!sums || !fits || !grows || c.sequence_gaps != 0 || c.duplicates != 0) ++wrong;
  }
};

class Accounting : public GpuTest, public ::testing::WithParamInterface<Flow> {
 protected:
  // One stream until it ends (policy error) or enough was produced.
  void run_stream(testing::CheckingBackend& backend, const std::shared_ptr<NumberedSource>& source, ImageCheck& check,
                  Totals& totals) {
    StreamSettings stream;
    stream.policy = GetParam().policy;
    stream.slots = GetParam().slots;
    stream.host_memory = GetParam().memory;
    stream.rate_hz = GetParam().rate_hz;
    stream.inject.load_ms = kLoadMs;
    stream.inject.burst_frames = GetParam().burst_frames;
    Mailbox<Image> images;
    TimingTrace trace(1024);
    check.begin_stream();
    Session session(backend, source, images, trace,
                    {.stream = stream,
                     .params = make_params(small_case(), *source->acquisition()),
                     .on_image = [&check](const Image& image) { check.look(image); }});
    RingCounts before;
    testing::wait_until(
        [&] {
          const RingCounts counts = session.counts();
          totals.look(before, counts);
          before = counts;
          return session.done() || totals.produced + counts.produced >= kFrames;
        },
        std::chrono::seconds(300));
    EXPECT_EQ(session.host_memory(), stream.host_memory);
    session.stop();
    totals.add(session.counts());
    EXPECT_EQ(session.fault(), "");
  }
};

TEST_P(Accounting, HeavyHundredThousandFrames) {
  const auto source = std::make_shared<NumberedSource>();
  const auto plan = make_plan(source->acquisition(), make_params(small_case(), *source->acquisition()));
  const auto warm = gpu().make_lane(0, StreamMode::overlap);  // keeps the transforms for the streams that follow
  warm->set_plan(plan);
  ImageCheck check(run_picture(gpu(), plan, source->quietest()));
  testing::CheckingBackend backend(gpu(), [&source](const RfFrame& frame) { return source->is_whole(frame); });
  Totals totals;
  do {
    run_stream(backend, source, check, totals);
  } while (GetParam().policy == RingPolicy::error && totals.produced < kFrames && !HasFailure());

  EXPECT_GE(totals.produced, kFrames);
  EXPECT_EQ(totals.produced, totals.processed + totals.dropped + totals.refused + totals.in_flight);
  EXPECT_EQ(totals.wrong, 0U) << "of " << totals.snapshots << " snapshots";
  EXPECT_EQ(check.images(), totals.processed);
  EXPECT_EQ(check.torn(), 0U);
  EXPECT_EQ(check.out_of_order(), 0U);
  EXPECT_EQ(backend.torn_before, 0U);
  EXPECT_EQ(backend.torn_after, 0U) << "slots written while a lane read them";
  EXPECT_GE(backend.checked, 2 * totals.processed);
  const bool too_fast = GetParam().burst_frames == 0.0;
  switch (GetParam().policy) {
    case RingPolicy::block:
      EXPECT_EQ(totals.dropped + totals.refused + check.missing(), 0U);
      EXPECT_GT(totals.waited_ns, 0);
      break;
    case RingPolicy::error:
      EXPECT_EQ(totals.dropped + check.missing(), 0U);
      EXPECT_LE(totals.refused, totals.streams);
      EXPECT_GE(totals.refused + 1, totals.streams) << "a refusal ends each stream but the last";
      break;
    case RingPolicy::drop_oldest:
    case RingPolicy::drop_newest:
      EXPECT_EQ(totals.refused, 0U);
      EXPECT_LE(check.missing(), totals.dropped);
      EXPECT_GT(totals.dropped, too_fast ? totals.processed : 0U);
      break;
  }
  std::cout << totals.produced << " produced, " << totals.processed << " processed, " << totals.dropped << " dropped, "
            << totals.refused << " refused, " << totals.in_flight << " in flight, " << totals.streams << " streams, "
            << totals.snapshots << " snapshots\n";
}

constexpr double kTooFastHz = 3e3 / kLoadMs;
constexpr double kBurstsHz = 0.4e3 / kLoadMs;  // on the average the device keeps up

// Under error a refusal needs a new stream: more slots, so that there are fewer of them. Bursts go through mapped
// memory, where kernels read the slots themselves.
const Flow kFlows[] = {
    {.name = "BlockTooFast", .rate_hz = kTooFastHz},
    {.name = "ErrorTooFast", .policy = RingPolicy::error, .slots = kMaxSlots, .rate_hz = kTooFastHz},
    {.name = "DropOldestTooFast", .policy = RingPolicy::drop_oldest, .rate_hz = kTooFastHz},
    {.name = "DropNewestTooFast", .policy = RingPolicy::drop_newest, .rate_hz = kTooFastHz},
    {.name = "BlockBursts", .memory = HostMemory::mapped, .rate_hz = kBurstsHz, .burst_frames = 40},
    {.name = "ErrorBursts",
     .policy = RingPolicy::error,
     .memory = HostMemory::mapped,
     .slots = kMaxSlots,
     .rate_hz = kBurstsHz,
     .burst_frames = 40},
    {.name = "DropOldestBursts",
     .policy = RingPolicy::drop_oldest,
     .memory = HostMemory::mapped,
     .rate_hz = kBurstsHz,
     .burst_frames = 40},
    {.name = "DropNewestBursts",
     .policy = RingPolicy::drop_newest,
     .memory = HostMemory::mapped,
     .rate_hz = kBurstsHz,
     .burst_frames = 40},
};

INSTANTIATE_TEST_SUITE_P(Policies, Accounting, ::testing::ValuesIn(kFlows),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace echoloop::gpu_test::accounting_test
