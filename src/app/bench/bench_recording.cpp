#include "app/bench/bench_recording.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "app/options/terminal.h"
#include "core/error.h"
#include "core/units.h"
#include "history/file_sinks.h"
#include "history/recorder.h"

namespace echoloop {
namespace {

namespace fs = std::filesystem;

constexpr int kRecordingTurns = 3;
constexpr double kRecordingSeconds = 1.0;            // of a turn
constexpr std::uintmax_t kRoom = 16'000'000'000;     // bytes; a turn writes as much as the disk takes in its time
constexpr std::uint64_t kMostBytes = 8'000'000'000;  // of a turn

// A folder of this process, gone with the object.
class BenchFolder {
 public:
  BenchFolder() : path_(fs::temp_directory_path() / fmt::format("echoloop-bench-{}", ::getpid())) {
    fs::create_directory(path_);
  }
  ~BenchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  BenchFolder(const BenchFolder&) = delete;
  BenchFolder& operator=(const BenchFolder&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

double disk_rate(const BenchRun& run, const fs::path& file) {
  const int to = ::open(file.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  if (to < 0) throw Error(file.string(), "cannot be written", "a folder for temporary files that can be");
  const std::size_t bytes = run.source->acquisition()->frame_bytes();
  const std::int64_t begin_ns = now_ns();
  std::uint64_t frames = 0;
  bool whole = true;
  while (whole && seconds_since(begin_ns) < kRecordingSeconds && frames * bytes < kMostBytes) {
    const std::span<const std::byte> samples = run.source->at(frames, {});
    whole = ::write(to, samples.data(), bytes) == static_cast<ssize_t>(bytes);
    ++frames;
  }
  const double rate = static_cast<double>(frames) / seconds_since(begin_ns);
  ::close(to);
  fs::remove(file);
  if (!whole) throw Error(file.string(), "a write failed", "a disk with room for 16 GB");
  return rate;
}

// Under `block`: the stream waits for the file.
double recording_rate(const BenchRun& run, const fs::path& file, int lanes) {
  const AcquisitionPtr& acquisition = run.source->acquisition();
  Mailbox<Image> images;
  TimingTrace trace;
  Recorder recorder(nullptr);
  recorder.start(file_sinks().front().make({.file = file, .acquisition = acquisition, .about = {.version = "bench"}}),
                 acquisition->frame_bytes());
  StreamSettings stream;
  stream.rate_hz = kRateMax;
  stream.lanes = lanes;
  stream.policy = RingPolicy::block;
  double rate = 0.0;
  {
    Session session(
        run.backend, run.source, images, trace,
        {.stream = stream, .params = run.bench_case.params, .host_copy = HostCopy::none, .sinks = {&recorder}});
    while (recorder.status().frames == 0 && !session.done()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const std::int64_t begin_ns = now_ns();
    const std::uint64_t begin = recorder.status().frames;
    const auto enough = [&] {
      return seconds_since(begin_ns) >= kRecordingSeconds || recorder.status().bytes >= kMostBytes || session.done();
    };
    while (!enough()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    rate = static_cast<double>(recorder.status().frames - begin) / seconds_since(begin_ns);
    session.stop();
  }
  recorder.finish();
  const RecorderStatus status = recorder.status();
  if (!status.problem.empty()) throw Error(file.string(), status.problem, "a disk with room for 16 GB");
  if (status.not_recorded > 0)
    throw Error(file.string(), "frames are missing in the file", "all of a stream that waits");
  fs::remove(status.path);
  return rate;
}

}  // namespace

std::optional<RecordingFigures> bench_recording(const BenchRun& run, int lanes) {
  const BenchFolder folder;
  if (const std::uintmax_t room = fs::space(folder.path()).available; room < kRoom) {
    print_error("recording: skipped: {:.1f} GB are free in {}, 16 GB are needed\n", static_cast<double>(room) * 1e-9,
                folder.path().parent_path().string());
    return std::nullopt;
  }
  std::vector<double> recorded, written;
  for (int turn = 0; turn < kRecordingTurns; ++turn) {
    written.push_back(disk_rate(run, folder.path() / "blocks"));
    recorded.push_back(recording_rate(run, folder.path() / "frames.uff", lanes));
  }
  return RecordingFigures{.frames_per_second = median(recorded), .disk_frames_per_second = median(written)};
}

}  // namespace echoloop
