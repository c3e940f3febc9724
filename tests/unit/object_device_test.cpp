// Objects in images on the CPU: labels of hand-made patterns and against a flood fill, the table, what does not
// count.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "backend/backend.h"
#include "backend/cpu/cpu_objects.h"
#include "support/object_images.h"
#include "support/plain_objects.h"

namespace echoloop::object_device_test {
namespace {

using namespace testing;
using Rows = std::vector<std::string>;

class ObjectDevices : public ::testing::Test {
 protected:
  ObjectDevices() : device_(make_cpu_backend(2)->make_device<ObjectAnalysis>()) { device_->begin_thread(); }

  ObjectImage find(const MadeImage& picture, const ImagingParams& params) {
    return find_objects(*device_, picture, params);
  }
  // Digits, '.' for 0.
  Rows labels_of(const Rows& rows, const ImagingParams& params = exact_params()) {
    const ObjectImage found = find(pattern_picture(rows), params);
    Rows labels = rows;
    for (std::size_t i = 0; i < found.labels.size(); ++i) {
      const std::int32_t label = found.labels[i];
      labels[i / rows[0].size()][i % rows[0].size()] = label == 0 ? '.' : static_cast<char>('0' + label);
    }
    return labels;
  }

  std::unique_ptr<ObjectDevice> device_;
};

TEST_F(ObjectDevices, PixelsThatTouchByCornersAreTwoObjects) {
  EXPECT_EQ(labels_of({"#..", ".#.", "..#"}), (Rows{"1..", ".2.", "..3"}));
  EXPECT_EQ(labels_of({"..#", ".#.", "#.."}), (Rows{"..1", ".2.", "3.."}));
}

TEST_F(ObjectDevices, ArmsThatMeetBelowAreOneObject) {
  EXPECT_EQ(labels_of({"#.#.#", "#.#.#", "###.#", "....#", "#####"}),
            (Rows{"1.1.2", "1.1.2", "111.2", "....2", "22222"}));
  EXPECT_EQ(labels_of({"..#..", ".##.#", "##..#", "#.#.#", "#####"}),
            (Rows{"..1..", ".11.1", "11..1", "1.1.1", "11111"}));
  EXPECT_EQ(labels_of({"####", "...#", "##.#", "#..#", "####"}), (Rows{"1111", "...1", "11.1", "1..1", "1111"}));
}

TEST_F(ObjectDevices, NumbersFollowTheFirstPixels) {
  EXPECT_EQ(labels_of({"...#.", "#..#.", "#....", "..###", "#...."}),
            (Rows{"...1.", "2..1.", "2....", "..333", "4...."}));
  // The arm that begins further right begins higher up.
  EXPECT_EQ(labels_of({"....#", "##..#", ".#..#", ".####", "....."}),
            (Rows{"....1", "11..1", ".1..1", ".1111", "....."}));
}

TEST_F(ObjectDevices, BordersDoNotWrap) {
  EXPECT_EQ(labels_of({"#..#", "#..#", "....", "#..#"}), (Rows{"1..2", "1..2", "....", "3..4"}));
  EXPECT_EQ(labels_of({"...#", "#..."}), (Rows{"...1", "2..."}));
  EXPECT_EQ(labels_of({"#.##."}), (Rows{"1.22."}));
  EXPECT_EQ(labels_of({"#", "#", ".", "#"}), (Rows{"1", "1", ".", "2"}));
}

TEST_F(ObjectDevices, DarkObjectsLieBelow) {
  EXPECT_EQ(labels_of({"####", "#..#", "####", ".###"}, exact_params(ObjectKind::dark)),
            (Rows{"....", ".11.", "....", "2..."}));
}

TEST_F(ObjectDevices, NothingAndEverything) {
  const ObjectImage flat = find(pattern_picture({"....", "...."}), exact_params());
  EXPECT_TRUE(flat.objects.empty());
  EXPECT_EQ(flat.found, 0U);
  EXPECT_EQ(flat.background.mean_db, -40.0);
  EXPECT_EQ(flat.background.sigma_db, 0.0);
  EXPECT_EQ(flat.labels, std::vector<std::int32_t>(8, 0));

  MadeImage empty = pattern_picture({"....", "...."});
  for (float& db : empty.db) db = -600.0F;
  empty.db[3] = std::numeric_limits<float>::quiet_NaN();
  ImagingParams smoothed = exact_params(ObjectKind::dark);
  smoothed.objects.smooth_m = 1e-3;
  const ObjectImage none = find(empty, smoothed);
  EXPECT_EQ(none.background.pixels, 0U);
  EXPECT_EQ(none.smoothed.pixels, 0U);
  EXPECT_TRUE(none.objects.empty());
  EXPECT_EQ(none.histogram.below, 7U);
  EXPECT_EQ(none.histogram.without, 1U);

  const MadeImage picture = pattern_picture(Rows(50, std::string(60, '#')));
  std::vector<std::int32_t> all(picture.db.size(), 1);
  std::vector<FoundObject> objects;
  ObjectLabels labels;
  EXPECT_EQ(labels.find(make_object_plan(exact_params(), picture.grid), picture.db, all, objects), 1U);
  EXPECT_EQ(all, std::vector<std::int32_t>(picture.db.size(), 1));
  ASSERT_EQ(objects.size(), 1U);
  EXPECT_EQ(objects[0].pixels, 3000U);
}

TEST_F(ObjectDevices, PixelsThatSayNothingBelongToNoObject) {
  MadeImage picture = pattern_picture({"......", ".####.", "......"});
  picture.db[8] = -600.0F;
  picture.db[9] = std::numeric_limits<float>::infinity();
  picture.db[0] = std::numeric_limits<float>::quiet_NaN();
  const ObjectImage bright = find(picture, exact_params());
  ASSERT_EQ(bright.objects.size(), 2U) << "parted by the two";
  EXPECT_EQ(bright.labels[7], 1);
  EXPECT_EQ(bright.labels[8], 0);
  EXPECT_EQ(bright.labels[9], 0);
  EXPECT_EQ(bright.labels[10], 2);
  EXPECT_EQ(bright.background.pixels, 15U);
  const ObjectImage dark = find(picture, exact_params(ObjectKind::dark));
  EXPECT_EQ(dark.labels[0], 0);
  EXPECT_EQ(dark.labels[8], 0);
}

// A void in the image does not spoil what lies beside it.
TEST_F(ObjectDevices, AVoidIsNoDarkObjectAndHasNoRim) {
  MadeImage picture = speckle_picture(kFlat, 3);
  for (int iz = 250; iz < 401; ++iz) {
    for (int ix = 0; ix < 30; ++ix) picture.db[static_cast<std::size_t>(iz * 101 + ix)] = -600.0F;
  }
  ImagingParams p;
  p.objects.kind = ObjectKind::dark;
  const ObjectImage found = find(picture, p);
  ASSERT_EQ(found.objects.size(), 1U) << "the dark disc";
  EXPECT_GT(found.objects[0].ix0, 40);
}

TEST_F(ObjectDevices, TableOfAnObject) {
  MadeImage picture = pattern_picture({".....", ".###.", ".#...", ".....", "...#."});
  picture.db[6] = -1.0F;
  picture.db[7] = 3.5F;
  picture.db[8] = 0.25F;
  picture.db[11] = 2.0F;
  const ObjectImage found = find(picture, exact_params());
  ASSERT_EQ(found.objects.size(), 2U);
  const FoundObject& o = found.objects[0];
  EXPECT_EQ(o.pixels, 4U);
  EXPECT_NEAR(o.area_m2, 4e-8, 1e-17);
  EXPECT_NEAR(o.centroid.x_m, 1.75e-4, 1e-15);
  EXPECT_NEAR(o.centroid.z_m, 1.25e-4, 1e-15);
  EXPECT_EQ(o.mean_db, 4.75 / 4.0);
  EXPECT_EQ(o.ix0, 1);
  EXPECT_EQ(o.ix1, 3);
  EXPECT_EQ(o.iz0, 1);
  EXPECT_EQ(o.iz1, 2);
  EXPECT_EQ(found.found, 2U);
}

TEST_F(ObjectDevices, SmallObjectsAreLeftOut) {
  const Rows rows = {"#.##.", ".....", "###.#", "....#"};
  ImagingParams p = exact_params();
  p.objects.min_area_m2 = 2e-8;  // of two pixels, as near as a double comes
  EXPECT_EQ(labels_of(rows, p), (Rows{"..11.", ".....", "222.3", "....3"}));
  p.objects.min_area_m2 = 2.1e-8;
  EXPECT_EQ(labels_of(rows, p), (Rows{".....", ".....", "111..", "....."}));
  const ObjectImage found = find(pattern_picture(rows), p);
  EXPECT_EQ(found.objects.size(), 1U);
  EXPECT_EQ(found.found, 4U);
}

TEST_F(ObjectDevices, RandomPatternsLikeAFloodFill) {
  std::mt19937 random(11);
  for (const int share : {1, 10, 30, 50, 59, 70, 90, 99}) {
    for (const auto& [nx, nz] : {std::pair{1, 37}, {64, 1}, {7, 200}, {131, 97}}) {
      Rows rows(static_cast<std::size_t>(nz), std::string(static_cast<std::size_t>(nx), '.'));
      for (std::string& row : rows) {
        for (char& c : row) c = static_cast<int>(random() % 100) < share ? '#' : '.';
      }
      const MadeImage picture = pattern_picture(rows);
      std::vector<bool> marked;
      for (const float db : picture.db) marked.push_back(db > -20.0F);
      const auto n_marked = static_cast<std::size_t>(std::ranges::count(marked, true));
      if (n_marked == marked.size()) continue;  // one level: no object
      const ObjectImage found = find(picture, exact_params());
      std::vector<std::int32_t> want;
      flood(marked, nx, nz, want);
      ASSERT_EQ(found.labels, want) << share << " % of " << nx << " x " << nz;
      std::size_t in_objects = 0;
      for (const FoundObject& o : found.objects) in_objects += o.pixels;
      EXPECT_EQ(in_objects, n_marked);
    }
  }
}

}  // namespace
}  // namespace echoloop::object_device_test
