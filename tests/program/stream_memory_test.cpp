// Memory of streams of long frames: estimated before they are made, and refused in a line where there is not so much.
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "backend/plan.h"
#include "formats/open_recording.h"
#include "program/live_viewer.h"
#include "support/npy_file.h"
#include "support/one_line.h"
#include "support/resource_limit.h"

namespace echoloop::stream_memory_test {
namespace {

using namespace testing;

constexpr int kElements = 8;

// Frames of zeros, which take no disk.
std::string long_recording(const TemporaryFolder& folder, std::size_t n_samples, std::size_t frames) {
  const std::filesystem::path file = folder / (std::to_string(n_samples) + ".npy");
  const std::string head =
      npy("<i2", false, "(" + std::to_string(frames) + ", 1, 8, " + std::to_string(n_samples) + ")", "");
  std::ofstream(file, std::ios::binary) << head;
  std::filesystem::resize_file(file, head.size() + frames * kElements * n_samples * 2);
  std::ofstream(file.string() + ".json") << R"({"axes": ["frame", "transmit", "element", "time"], "fs_hz": 20e6,
    "fc_hz": 5e6, "c_m_s": 1540, "pitch_m": 3e-4, "t0_s": 0, "t_zero": "origin", "frame_rate_hz": 10,
    "tx": [{"kind": "plane", "angle_rad": 0}]})";
  return file.string();
}

double peak_mb(const std::string& file, int frames, int lanes) {
  const Ended ended = run_program({file, "--headless", "--backend", "cpu", "--frames", std::to_string(frames),
                                   "--lanes", std::to_string(lanes), "--set", "grid_nx=64", "--set", "grid_nz=64"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  return static_cast<double>(ended.peak_kb) * 1.024e-3;
}

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)  // which take memory and address space themselves
TEST(StreamMemory, TheEstimateIsThatOfTheProgramForHalfDoubleAndTenTimesTheLength) {
  const TemporaryFolder folder;
  constexpr std::size_t kSamples = std::size_t{1} << 18;
  const double little_mb = peak_mb(long_recording(folder, 1024, 3), 3, 1);
  const int threads = static_cast<int>(std::thread::hardware_concurrency());
  for (const auto& [n_samples, lanes] :
       {std::pair{kSamples / 2, 1}, {kSamples, 1}, {kSamples, 3}, {2 * kSamples, 1}, {10 * kSamples, 1}}) {
    const std::string file = long_recording(folder, n_samples, 3);
    const AcquisitionPtr acquisition = open_recording(file).acquisition;
    ImagingParams params = default_params(*acquisition);
    params.formation.grid_nx = params.formation.grid_nz = 64;
    const StreamBytes bytes = estimate_stream(*acquisition, params, threads);
    const double mapped = 3.0 * static_cast<double>(acquisition->frame_bytes());  // pages of the recording
    const double estimate_mb = 1e-6 * static_cast<double>(bytes.plan + static_cast<std::size_t>(lanes) * bytes.lane);
    const double took_mb = peak_mb(file, 3, lanes) - little_mb - 1e-6 * mapped;
    std::printf("%zu samples, %d lanes: estimated %.1f MB, took %.1f MB\n", n_samples, lanes, estimate_mb, took_mb);
    EXPECT_LE(took_mb, 1.1 * estimate_mb + 40.0) << n_samples << " samples, " << lanes << " lanes";
    EXPECT_GE(took_mb, 0.6 * estimate_mb - 40.0) << n_samples << " samples, " << lanes << " lanes";
  }
}

constexpr rlim_t kLimit = rlim_t{6} << 30;

TEST(StreamMemory, ARecordingThatDoesNotFitIsRefusedInALine) {
  const TemporaryFolder folder;
  const std::string file = long_recording(folder, std::size_t{1} << 24, 2);
  const ResourceLimit limit(RLIMIT_AS, kLimit / 2);
  for (const Words& words :
       {Words{file, "--headless", "--frames", "1"}, Words{"render", file, "--out", (folder / "out").string()}}) {
    const Ended ended = run_program(joined(words, {"--backend", "cpu"}));
    EXPECT_EQ(ended.status, 2) << ended.err;
    EXPECT_TRUE(testing::contains(ended.err, "of memory needed (8 slots: 0.0 MB, 3 lanes on the CPU: ")) << ended.err;
    EXPECT_EQ(complaints_of(ended).size(), 1U) << ended.err;
  }
}

TEST(StreamMemory, ADescriptionThatDoesNotFitIsRefusedAndTheNextOneIsWelcome) {
  std::unique_ptr<live_test::Viewer> viewer;
  {
    const ResourceLimit limit(RLIMIT_AS, kLimit);
    viewer = std::make_unique<live_test::Viewer>(Words{"--frames", "3"});
  }
  const std::string large =
      live_test::kSmall +
      "from echoloop import Refused\n"
      "for samples, words in (16777216, 'a sixteenth of'), (8388608, 'a stream of which takes'):\n"
      "    scan['shape'] = [1, 8, samples]\n"
      "    try:\n"
      "        Sender(scan, 'live:test', timeout=60)\n"
      "        exit(4)\n"
      "    except Refused as line:\n"
      "        if words not in str(line): exit(str(line))\n";
  EXPECT_EQ(live_test::run_python(large), 0);
  EXPECT_EQ(live_test::run_python(live_test::kSmall + "with Sender(scan, 'live:test', timeout=60) as s:\n"
                                                      "    for k in range(3): s.send(frame)\n"),
            0);
  EXPECT_EQ(viewer->program->end(), 0) << viewer->program->errors();
  EXPECT_TRUE(testing::contains(viewer->program->errors(), "Description refused:"));
}
#endif

}  // namespace
}  // namespace echoloop::stream_memory_test
