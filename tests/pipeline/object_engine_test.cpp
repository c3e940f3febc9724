// Finding objects on a thread of its own: which images are taken, which are replaced, and that each answer belongs
// to the image whose stamp it bears.
#include <gtest/gtest.h>

#include "backend/analyses.h"
#include "support/object_images.h"
#include "support/same_objects.h"
#include "support/streaming.h"

namespace echoloop::object_engine_test {
namespace {

using namespace testing;

// A device that can be held up in its work.
class HeldDevice final : public ObjectDevice {
 public:
  explicit HeldDevice(std::unique_ptr<ObjectDevice> inner) : inner_(std::move(inner)) {}
  void begin_thread() override { inner_->begin_thread(); }
  void store(int slot, const Image& image) override {
    if (slot == in_work) ++overwritten;
    inner_->store(slot, image);
  }
  void find(int slot, const ObjectPlan& plan, ObjectImage& result) override {
    in_work = slot;
    wait_until([this] { return !held; });
    if (fails) throw std::runtime_error("the device is tired");
    inner_->find(slot, plan, result);
    in_work = -1;
  }
  std::atomic<int> in_work{-1}, overwritten{0};
  std::atomic<bool> held{false}, fails{false};

 private:
  std::unique_ptr<ObjectDevice> inner_;
};

class ObjectEngines : public ::testing::Test {
 protected:
  ObjectEngines() {
    auto device = std::make_unique<HeldDevice>(make_cpu_backend(2)->make_device<ObjectAnalysis>());
    device_ = device.get();
    engine_ = std::make_unique<ObjectEngine>(std::move(device), pictures_);
  }

  // As many objects as `sequence` says, one beside the other.
  static MadeImage picture_of(std::uint64_t sequence) {
    std::string row(40, '.');
    for (std::size_t i = 0; i <= sequence % 7; ++i) row[4 * i + 2] = '#';
    return pattern_picture({std::string(40, '.'), row, std::string(40, '.')});
  }
  static std::size_t objects_of(std::uint64_t sequence) { return static_cast<std::size_t>(sequence % 7 + 1); }

  bool take(std::uint64_t sequence, Claim claim, std::int64_t ready_ns = 1) {
    MadeImage picture = picture_of(sequence);
    Image image = image_of(picture, exact_params());
    image.stamp.sequence = sequence;
    image.ready_ns = ready_ns;
    return engine_->take(image, claim);
  }

  Mailbox<ObjectImage> pictures_;
  std::unique_ptr<ObjectEngine> engine_;
  HeldDevice* device_ = nullptr;
};

TEST_F(ObjectEngines, LivePicturesAreTakenTwentyFiveTimesASecond) {
  constexpr std::int64_t kStart = 1'000'000'000;
  EXPECT_TRUE(take(1, Claim::live, kStart));
  EXPECT_FALSE(take(2, Claim::live, kStart + kImageInterval_ns - 1));
  EXPECT_TRUE(take(3, Claim::wanted, kStart + kImageInterval_ns - 1));
  EXPECT_TRUE(take(4, Claim::live, kStart + kImageInterval_ns));
  EXPECT_FALSE(take(5, Claim::live, kStart + kImageInterval_ns + 5));
  engine_->drain();
  ASSERT_TRUE(pictures_.take());
  EXPECT_EQ(pictures_.front().stamp.sequence, 4U);
  EXPECT_EQ(engine_->counts().pictures + engine_->counts().replaced, 3U);
}

TEST_F(ObjectEngines, WhatWaitsIsReplacedAndWhatIsInWorkIsNot) {
  device_->held = true;
  take(1, Claim::wanted);
  wait_until([this] { return device_->in_work >= 0; });
  for (std::uint64_t s = 2; s <= 6; ++s) take(s, Claim::wanted);
  EXPECT_TRUE(engine_->busy());
  device_->held = false;
  engine_->drain();
  EXPECT_FALSE(engine_->busy());
  EXPECT_EQ(engine_->counts().pictures, 2U);
  EXPECT_EQ(engine_->counts().replaced, 4U);
  EXPECT_EQ(device_->overwritten, 0);
  ASSERT_TRUE(pictures_.take());
  EXPECT_EQ(pictures_.front().stamp.sequence, 6U);
  EXPECT_EQ(pictures_.front().objects.size(), objects_of(6));
  EXPECT_EQ(pictures_.front().number, 2U);
}

TEST_F(ObjectEngines, EveryAnswerIsThatOfItsStamp) {
  std::atomic<bool> ended{false};
  std::uint64_t seen = 0, last = 0;
  std::thread reader([&] {
    while (!ended || pictures_.take()) {
      if (!pictures_.take()) continue;
      const ObjectImage& image = pictures_.front();
      ++seen;
      EXPECT_GT(image.number, last);
      last = image.number;
      ASSERT_EQ(image.objects.size(), objects_of(image.stamp.sequence)) << image.stamp.sequence;
    }
  });
  constexpr std::uint64_t kPictures = 3000;
  for (std::uint64_t s = 0; s < kPictures; ++s) {
    const std::uint64_t before = engine_->counts().pictures;
    take(s, Claim::wanted);
    if (s % 50 == 0) wait_until([&] { return engine_->counts().pictures > before; });
  }
  engine_->drain();
  ended = true;
  reader.join();
  EXPECT_GT(seen, 0U);
  EXPECT_EQ(engine_->counts().pictures + engine_->counts().replaced, kPictures);
  EXPECT_EQ(device_->overwritten, 0);
}

TEST_F(ObjectEngines, AnswersAreTheDevicesOwn) {
  MadeImage picture = speckle_picture(fan(), 12, 41);
  ImagingParams p;
  for (const double smooth_m : {0.0, 0.3e-3}) {
    p.objects.kind = ObjectKind::bright;
    p.objects.smooth_m = smooth_m;
    Image image = image_of(picture, p);
    image.stamp = {.sequence = 5, .source_index = 7, .acquired_ns = 11, .time_s = 0.5};
    engine_->take(image, Claim::wanted);
    engine_->drain();
    ASSERT_TRUE(pictures_.take());
    const ObjectImage& got = pictures_.front();
    const auto device = make_cpu_backend(2)->make_device<ObjectAnalysis>();
    device->begin_thread();
    const ObjectImage want = find_objects(*device, picture, p);
    expect_same(got, want, std::to_string(smooth_m));
    EXPECT_EQ(got.stamp.source_index, 7U);
    EXPECT_EQ(got.params, p);
    EXPECT_EQ(got.grid, picture.grid);
    EXPECT_GT(got.times.total_ms, 0.0);
  }
}

TEST_F(ObjectEngines, AFaultIsToldOnceAndEndsThem) {
  device_->fails = true;
  take(1, Claim::wanted);
  engine_->drain();
  EXPECT_EQ(engine_->take_fault(), "the device is tired");
  EXPECT_EQ(engine_->take_fault(), "");
  device_->fails = false;
  take(2, Claim::wanted);
  engine_->drain();
  EXPECT_EQ(engine_->counts().pictures, 0U);
}

}  // namespace
}  // namespace echoloop::object_engine_test
