// Objects beside the stream: of live images as far as there is time, of kept frames always; on and off while it
// runs; what cannot be is refused and the stream goes on.
#include <gtest/gtest.h>

#include "support/checking_backend.h"
#include "support/object_images.h"
#include "support/streaming.h"

namespace echoloop::objects_test {
namespace {

using namespace testing;

ImagingParams object_params(ObjectKind wanted) {
  ImagingParams p = small_picture(linear_acquisition(8, 128), 24, 32);
  p.objects.kind = wanted;
  p.objects.smooth_m = p.objects.min_area_m2 = 0.0;
  p.objects.sigmas = 1.5;
  return p;
}

// A stream with a history, images of kept frames and objects.
struct Stream {
  explicit Stream(const ImagingParams& params, std::uint64_t frames = 0)
      : session(backend, noise_source(share(linear_acquisition(8, 128)), 60), images, trace,
                {.stream = unpaced(),
                 .params = params,
                 .max_frames = frames,
                 .sinks = {&history},
                 .past = &past,
                 .analyses = AnalysisMailboxes::only(object_images)}) {}

  void review(std::size_t index, const ImagingParams& params, const std::optional<ImagingParams>& compare = {}) {
    const auto kept = history.at(index);
    ASSERT_TRUE(kept.has_value());
    session.review({.frame = kept->frame, .owner = kept->owner, .params = params, .compare = compare});
  }
  void wait_for_frames(std::uint64_t count) const {
    const std::uint64_t end = session.counts().processed + count;
    wait_until([&] { return session.counts().processed >= end; });
  }
  [[nodiscard]] std::uint64_t made() const { return std::get<ObjectCounts>(session.analysis_counts()).pictures; }

  std::unique_ptr<Backend> own = make_cpu_backend(2);
  CheckingBackend backend{*own};
  Mailbox<Image> images;
  PastImages past;
  Mailbox<ObjectImage> object_images;
  TimingTrace trace{256};
  RfHistory history{std::size_t{16} << 20};
  Session session;
};

void expect_objects_of(const ObjectImage& got, const Picture& picture) {
  const auto device = make_cpu_backend(2)->make_device<ObjectAnalysis>();
  device->begin_thread();
  const ObjectImage want = find_objects(*device, {picture.db, picture.grid}, got.params);
  EXPECT_EQ(got.stamp.sequence, picture.stamp.sequence);
  EXPECT_EQ(got.labels, want.labels);
  EXPECT_GT(got.objects.size(), 0U);
}

TEST(ObjectStream, TheLastFramesObjectsComeHoweverSoon) {
  Stream stream(object_params(ObjectKind::bright), 37);
  wait_until([&] { return stream.session.done(); });
  stream.session.stop();
  ASSERT_TRUE(stream.images.take());
  ASSERT_TRUE(stream.object_images.take());
  EXPECT_EQ(stream.object_images.front().stamp.sequence, 36U);
  expect_objects_of(stream.object_images.front(), Picture::of(stream.images.front()));
  EXPECT_EQ(stream.object_images.front().number, stream.made());
  EXPECT_LT(stream.made(), 37U) << "so fast that most are left out";
  EXPECT_EQ(stream.session.take_refusal(), "");
}

TEST(ObjectStream, OffIsOffAndOnAgainIsOn) {
  ImagingParams p = object_params(ObjectKind::dark);
  Stream stream(p);
  wait_until([&] { return stream.made() >= 2; });
  p.objects.kind = ObjectKind::off;
  stream.session.set_params(p);
  wait_until([&] { return stream.images.take() && stream.images.front().params.objects.kind == ObjectKind::off; });
  stream.wait_for_frames(300);  // an image that was in work is finished by then
  const std::uint64_t then = stream.made();
  stream.wait_for_frames(300);
  EXPECT_EQ(stream.made(), then);
  while (stream.object_images.take()) {
  }
  p.objects.kind = ObjectKind::bright;
  stream.session.set_params(p);
  wait_until([&] { return stream.object_images.take(); });
  EXPECT_EQ(stream.object_images.front().params.objects.kind, ObjectKind::bright);
  stream.session.stop();
  EXPECT_EQ(stream.session.fault(), "");
  expect_counts_add_up(stream.session.counts());
}

TEST(ObjectStream, WhileKeptFramesAreLookedAtOnlyTheyAre) {
  ImagingParams p = object_params(ObjectKind::bright);
  Stream stream(p);
  wait_until([&] { return stream.history.extent().frames >= 60 && stream.object_images.take(); });
  stream.history.hold();
  ImagingParams other = p;
  other.objects.kind = ObjectKind::dark;
  for (const std::size_t index : {3U, 40U, 11U}) {
    stream.review(index, other, p);
    wait_until([&] { return stream.past[0].take(); });
    const std::uint64_t sequence = stream.past[0].front().stamp.sequence;
    wait_until([&] {
      stream.object_images.take();
      return stream.object_images.front().stamp.sequence == sequence;
    });
    EXPECT_EQ(stream.object_images.front().params.objects.kind, ObjectKind::dark);
    expect_objects_of(stream.object_images.front(), Picture::of(stream.past[0].front()));
    wait_until([&] { return stream.past[1].take(); });
    stream.wait_for_frames(100);
    EXPECT_FALSE(stream.object_images.take()) << "neither the comparison's nor a live one";
  }
  stream.session.end_review();
  wait_until([&] { return stream.object_images.take(); });
  EXPECT_EQ(stream.object_images.front().params.objects.kind, ObjectKind::bright);
}

TEST(ObjectStream, KeptFramesAreLookedAtAfterTheEndToo) {
  ImagingParams p = object_params(ObjectKind::off);
  Stream stream(p, 200);
  wait_until([&] { return stream.session.done() && stream.history.extent().frames > 5; });
  p.objects.kind = ObjectKind::bright;
  stream.review(5, p);
  wait_until([&] { return stream.object_images.take(); });
  wait_until([&] { return stream.past[0].take(); });
  EXPECT_EQ(stream.object_images.front().stamp.sequence, stream.history.at(5)->frame.stamp.sequence);
  expect_objects_of(stream.object_images.front(), Picture::of(stream.past[0].front()));
}

TEST(ObjectStream, WithoutADeviceTheStreamGoesOnAndSaysWhy) {
  ImagingParams p = object_params(ObjectKind::off);
  Stream stream(p);
  stream.backend.no_objects = true;
  p.objects.kind = ObjectKind::bright;
  stream.session.set_params(p);
  std::string refusal;
  wait_until([&] { return !(refusal = stream.session.take_refusal()).empty(); });
  EXPECT_EQ(refusal, "No objects: no room for pictures");
  const std::uint64_t then = stream.session.counts().processed;
  wait_until([&] { return stream.session.counts().processed > then + 50; });
  EXPECT_EQ(stream.session.take_refusal(), "") << "said once";
  stream.backend.no_objects = false;
  p.objects.sigmas = 2.0;
  stream.session.set_params(p);
  wait_until([&] { return stream.object_images.take(); });
  stream.session.stop();
  EXPECT_EQ(stream.session.fault(), "");
}

}  // namespace
}  // namespace echoloop::objects_test
