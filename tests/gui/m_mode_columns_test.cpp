// Where the M-mode's columns lie in time: gaps where frames are missing, the same clock whatever the order in which
// they come, bounded memory.
#include "gui/overlay/m_mode_columns.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace echoloop::m_mode_columns_test {
namespace {

constexpr double kRate_hz = 200.0;

std::shared_ptr<const LineOrigin> origin(int rows, int column = 3) {
  static const AcquisitionPtr acquisition = [] {
    auto a = std::make_shared<Acquisition>();
    a->frame_rate_hz = kRate_hz;
    return a;
  }();
  LineOrigin o;
  o.grid = {.x0_m = 0.0, .x1_m = 1.0, .z0_m = 0.0, .z1_m = 1.0, .nx = 10, .nz = rows};
  o.column = column;
  o.acquisition = acquisition;
  return std::make_shared<const LineOrigin>(o);
}

LineColumn column(std::uint64_t frame, const std::shared_ptr<const LineOrigin>& of) {
  LineColumn c;
  c.stamp = {.sequence = frame,
             .source_index = frame,
             .acquired_ns = static_cast<std::int64_t>(1000 + frame),
             .time_s = static_cast<double>(frame) / kRate_hz};
  c.origin = of;
  c.levels_db.assign(static_cast<std::size_t>(of->grid.nz), static_cast<float>(frame));
  return c;
}

void add(MModeColumns& columns, std::uint64_t frame, const std::shared_ptr<const LineOrigin>& of) {
  LineColumn c = column(frame, of);
  columns.add(c);
}

TEST(MModeColumns, FollowEachOtherAndMissingFramesAreAGap) {
  MModeColumns columns;
  const auto line = origin(5);
  for (std::uint64_t frame = 0; frame < 40; ++frame) {
    if (frame < 20 || frame >= 30) add(columns, frame, line);
  }
  ASSERT_EQ(columns.size(), 30U);
  for (std::size_t i = 0; i + 1 < columns.size(); ++i) {
    const double step_s = columns.time_s(i + 1) - columns.time_s(i);
    EXPECT_NEAR(step_s, (i == 19 ? 11.0 : 1.0) / kRate_hz, 1e-9) << i;
    // Ten frames, 50 ms, are missing behind the twentieth: it stands for itself only.
    EXPECT_NEAR(columns.until_s(i), columns.time_s(i) + 1.0 / kRate_hz, 1e-9) << i;
  }
}

// A source that processing cannot follow: every second frame is dropped, and the ones that came stand for both.
TEST(MModeColumns, ALowerRateIsNoGap) {
  MModeColumns columns;
  const auto line = origin(5);
  for (std::uint64_t frame = 0; frame < 60; frame += 2 + frame % 3 / 2) add(columns, frame, line);
  for (std::size_t i = 0; i + 1 < columns.size(); ++i) EXPECT_EQ(columns.until_s(i), columns.time_s(i + 1)) << i;
}

TEST(MModeColumns, NewestFirstGivesTheSameClock) {
  MModeColumns forward, backward;
  const auto line = origin(5);
  std::vector<std::uint64_t> frames;
  for (std::uint64_t frame = 100; frame < 160; ++frame) {
    if (frame % 17 != 0) frames.push_back(frame);
  }
  for (const std::uint64_t frame : frames) add(forward, frame, line);
  std::ranges::reverse(frames);
  for (const std::uint64_t frame : frames) add(backward, frame, line);
  ASSERT_EQ(forward.size(), backward.size());
  for (std::size_t i = 0; i < forward.size(); ++i) {
    EXPECT_EQ(forward.at(i).stamp.sequence, backward.at(i).stamp.sequence);
    EXPECT_NEAR(forward.time_s(i), backward.time_s(i), 1e-9);
    EXPECT_NEAR(forward.until_s(i), backward.until_s(i), 1e-9);
    EXPECT_EQ(forward.at(i).levels_db, backward.at(i).levels_db);
  }
}

TEST(MModeColumns, AStreamThatIsStartedAgainGoesOnBehindAGap) {
  MModeColumns columns;
  const auto line = origin(5);
  for (std::uint64_t frame = 0; frame < 20; ++frame) {
    LineColumn c = column(frame, line);
    c.stamp.sequence = frame % 10;
    columns.add(c);
  }
  for (std::size_t i = 0; i + 1 < columns.size(); ++i) {
    EXPECT_GT(columns.time_s(i + 1), columns.time_s(i));
    EXPECT_EQ(columns.until_s(i) < columns.time_s(i + 1) - 1e-9, i == 9) << i;
  }
}

TEST(MModeColumns, AreFoundReplacedAndBounded) {
  MModeColumns columns;
  const auto line = origin(8192);
  const std::size_t room = MModeColumns::capacity(line->grid);
  EXPECT_EQ(room * 8192 * sizeof(float), MModeColumns::kBytes);
  for (std::uint64_t frame = 0; frame < room + 10; ++frame) add(columns, frame, line);
  EXPECT_EQ(columns.size(), room);
  EXPECT_EQ(columns.at(0).stamp.sequence, 10U) << "the oldest go";
  const FrameStamp known = column(50, line).stamp;
  ASSERT_NE(columns.find(known), nullptr);
  EXPECT_EQ(columns.find(known)->levels_db.front(), 50.0f);
  LineColumn again = column(50, line);
  again.levels_db.assign(8192, -7.0f);
  columns.add(again);
  EXPECT_EQ(columns.size(), room);
  EXPECT_EQ(columns.find(known)->levels_db.front(), -7.0f);
  EXPECT_EQ(columns.find(column(2, line).stamp), nullptr);
  EXPECT_EQ(columns.index_at(columns.time_s(33)), std::optional<std::size_t>(33));
  EXPECT_FALSE(columns.index_at(columns.time_s(0) - 1.0).has_value());
  add(columns, 3, origin(8192, 4));
  EXPECT_EQ(columns.size(), 1U) << "another line begins anew";
}

}  // namespace
}  // namespace echoloop::m_mode_columns_test
