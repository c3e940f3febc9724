// The M-mode's columns are the images' own columns, bit for bit: of every processed frame, and of kept frames that are
// beamformed again.
#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "app/review/history_requests.h"
#include "gui/overlay/m_mode_columns.h"
#include "support/streaming.h"

namespace echoloop::m_mode_test {
namespace {

using testing::Picture;
using testing::wait_until;

constexpr int kFrames = 120;

struct Case {
  const char* name;
  Recipe recipe = Recipe::analytic;
  bool sector = false;
  double persistence_s = 0.0;
};

AcquisitionPtr rated_acquisition() {
  Acquisition a = testing::linear_acquisition(8, 128);
  a.frame_rate_hz = 100.0;
  return testing::share(std::move(a));
}

ImagingParams params_of(const Acquisition& a, const Case& c) {
  ImagingParams p = c.sector ? testing::small_sector(a, 33, 121) : testing::small_picture(a);
  p.formation.recipe = c.recipe;
  p.refine.persistence_s = c.persistence_s;
  return p;
}

// The column of `picture` that `column` is of.
std::vector<float> column_of(const Picture& picture, int column) {
  std::vector<float> levels;
  for (int iz = 0; iz < picture.grid.nz; ++iz) levels.push_back(picture.at(column, iz));
  return levels;
}

// A stream whose source waits until the line is set, with all images and all columns.
struct Rig {
  explicit Rig(const ImagingParams& params, const AcquisitionPtr& acquisition)
      : source(waiting_source(acquisition)),
        session(*backend, source, images, trace,
                {.stream = testing::unpaced(),
                 .params = params,
                 .max_frames = kFrames,
                 .on_image =
                     [this](const Image& image) {
                       pictures.push_back(Picture::of(image));
                       ++processed;
                     },
                 .sinks = {&history},
                 .past = &past,
                 .analyses = {.line = &line}}) {}
  ~Rig() { go = true; }
  // The producer runs from the constructor on, and waits with the first frame.
  std::shared_ptr<testing::FrameList> waiting_source(const AcquisitionPtr& acquisition) {
    auto list = testing::noise_source(acquisition, kFrames);
    list->before = [this](std::uint64_t) {
      while (!go) std::this_thread::yield();
    };
    return list;
  }
  void run(PlanePoint at) {
    session.look_at_line(at);
    go = true;
    wait_until([&] { return processed == kFrames; });
    wait_until([&] { return session.done(); });
    line.drain([&](LineColumn& column) { columns.push_back(column); });
  }

  std::atomic<bool> go{false};
  std::atomic<int> processed{0};
  std::shared_ptr<testing::FrameList> source;
  std::unique_ptr<Backend> backend = make_cpu_backend(2);
  Mailbox<Image> images;
  PastImages past;
  LineQueue line;
  TimingTrace trace{256};
  RfHistory history{std::size_t{64} << 20};
  std::vector<Picture> pictures;
  std::vector<LineColumn> columns;
  Session session;
};

class MModeColumnsOf : public ::testing::TestWithParam<Case> {};

TEST_P(MModeColumnsOf, EveryProcessedFrameAreTheImagesOwn) {
  const AcquisitionPtr a = rated_acquisition();
  const ImagingParams params = params_of(*a, GetParam());
  Rig rig(params, a);
  const PlanePoint at{0.4 * params.formation.lateral_max_m, 0.6 * params.formation.depth_max_m};
  rig.run(at);
  ASSERT_EQ(rig.pictures.size(), static_cast<std::size_t>(kFrames));
  ASSERT_EQ(rig.columns.size(), rig.pictures.size()) << "one for each, none left out";
  for (std::size_t i = 0; i < rig.columns.size(); ++i) {
    const LineColumn& column = rig.columns[i];
    const Picture& picture = rig.pictures[i];
    ASSERT_EQ(column.stamp.sequence, picture.stamp.sequence) << "in acquisition order";
    EXPECT_EQ(column.stamp.time_s, picture.stamp.time_s);
    EXPECT_EQ(column.origin->grid, picture.grid);
    EXPECT_EQ(column.origin->params, picture.params);
    ASSERT_EQ(column.origin->column, line_column(picture.grid, at));
    ASSERT_EQ(column.levels_db, column_of(picture, column.origin->column)) << "frame " << column.stamp.sequence;
  }
  EXPECT_EQ(rig.line.late(), 0U);
}

// A line that was never looked at live.
TEST_P(MModeColumnsOf, KeptFramesAreTheImagesOwnNewestFirst) {
  Case c = GetParam();
  c.persistence_s = 0.0;  // kept frames are processed alone
  const AcquisitionPtr a = rated_acquisition();
  const ImagingParams params = params_of(*a, c);
  Rig rig(params, a);
  rig.go = true;
  wait_until([&] { return rig.processed == kFrames; });
  rig.history.hold();
  WindowState state;
  state.params = params;
  state.view.inspected = PlanePoint{0.2 * params.formation.lateral_min_m, 0.5 * params.formation.depth_max_m};
  state.view.m_mode.wanted = true;
  const auto strip = std::make_shared<MModeColumns>();
  MModeColumns& columns = *strip;
  state.image.m_mode.columns = strip;
  std::vector<std::uint64_t> order;
  MModeReview review(rig.history, rig.past.line);
  wait_until([&] {
    rig.past.line.drain([&](LineColumn& column) {
      order.push_back(column.stamp.sequence);
      columns.add(column);
    });
    review.update(state, rig.session, MModeReview::Moment::frozen);
    return !state.image.m_mode.progress.under_way && columns.size() == state.image.m_mode.progress.all;
  });
  const std::vector<FrameStamp> kept = rig.history.stamps();
  ASSERT_EQ(columns.size(), kept.size());
  EXPECT_EQ(state.image.m_mode.progress.done, kept.size());
  EXPECT_TRUE(std::ranges::is_sorted(order, std::greater())) << "newest first";
  std::map<std::uint64_t, const Picture*> live;
  for (const Picture& picture : rig.pictures) live[picture.stamp.sequence] = &picture;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const LineColumn& column = columns.at(i);
    EXPECT_EQ(column.stamp.sequence, kept[i].sequence);
    ASSERT_TRUE(live.contains(column.stamp.sequence));
    const Picture& picture = *live[column.stamp.sequence];
    ASSERT_EQ(column.levels_db, column_of(picture, line_column(picture.grid, *state.view.inspected))) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Images, MModeColumnsOf,
                         ::testing::Values(Case{.name = "Cartesian"}, Case{.name = "Sector", .sector = true},
                                           Case{.name = "Averaged", .persistence_s = 0.1},
                                           Case{.name = "Course", .recipe = Recipe::course}),
                         [](const auto& info) { return info.param.name; });

TEST(MModeOverKeptFrames, IsCancelledAndResumed) {
  const AcquisitionPtr a = rated_acquisition();
  const ImagingParams params = params_of(*a, {.name = ""});
  Rig rig(params, a);
  rig.go = true;
  wait_until([&] { return rig.processed == kFrames; });
  rig.history.hold();
  WindowState state;
  state.params = params;
  state.view.inspected = PlanePoint{0.0, 0.5 * params.formation.depth_max_m};
  state.view.m_mode.wanted = true;
  const auto strip = std::make_shared<MModeColumns>();
  MModeColumns& columns = *strip;
  state.image.m_mode.columns = strip;
  MModeReview review(rig.history, rig.past.line);
  const auto turn = [&] {
    rig.past.line.drain([&](LineColumn& column) { columns.add(column); });
    review.update(state, rig.session, MModeReview::Moment::frozen);
  };
  wait_until([&] {
    turn();
    return columns.size() >= 3;
  });
  state.view.m_mode.cancelled = true;
  const std::size_t most = columns.size() + 4;  // what was asked for still comes
  wait_until([&] {
    turn();
    return !state.image.m_mode.progress.under_way;
  });
  for (int i = 0; i < 50; ++i) turn();
  EXPECT_LE(columns.size(), most);
  EXPECT_LT(columns.size(), rig.history.stamps().size());
  state.view.m_mode.cancelled = false;
  wait_until([&] {
    turn();
    return columns.size() == rig.history.stamps().size();
  });
  turn();
  EXPECT_FALSE(state.image.m_mode.progress.under_way);
}

TEST(LineQueueBetweenThreads, NothingIsTornOrLostSilently) {
  LineQueue queue;
  constexpr std::uint64_t kColumns = 20000;
  const auto origin = std::make_shared<const LineOrigin>();
  std::uint64_t got = 0, next = 0;
  std::thread writer([&] {
    std::vector<float> levels(37);
    for (std::uint64_t i = 0; i < kColumns; ++i) {
      std::ranges::fill(levels, static_cast<float>(i));
      queue.push({.sequence = i}, origin, levels);
    }
  });
  bool ended = false;
  const auto drain = [&] {
    queue.drain([&](LineColumn& column) {
      EXPECT_GE(column.stamp.sequence, next);
      next = column.stamp.sequence + 1;
      for (const float level : column.levels_db) ASSERT_EQ(level, static_cast<float>(column.stamp.sequence));
      ++got;
    });
  };
  wait_until([&] {
    drain();
    ended = got + queue.late() == kColumns;
    return ended;
  });
  writer.join();
  EXPECT_TRUE(ended) << got << " + " << queue.late();
}

}  // namespace
}  // namespace echoloop::m_mode_test
