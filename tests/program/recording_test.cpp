// --record: what the program wrote, read by others; a program that is killed; a disk that is full.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "core/phantom_settings.h"
#include "formats/acquisition_json.h"
#include "program/run_program.h"
#include "source/phantom.h"
#include "support/uff_file.h"
#include "test_paths.h"

namespace echoloop {
namespace {

using testing::Ended;
using testing::Opened;
using testing::read_text;
using testing::run_program;
using testing::TemporaryFolder;
using testing::UffFile;
using Words = std::vector<std::string>;

Words recording_to(const std::filesystem::path& file, Words more) {
  Words words = {"sim:points", "--headless", "--backend", "cpu", "--record", file.string()};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Frames 0, 1, 2 ... of the phantom, bit for bit.
void expect_phantom(const UffFile& file, hsize_t frames) {
  const std::unique_ptr<Source> phantom = make_phantom(parse_phantom("points"));
  const Acquisition& a = *phantom->acquisition();
  const std::vector<std::uint64_t> numbers = file.sequence();
  ASSERT_GE(numbers.size(), frames);
  std::vector<std::byte> slot(a.frame_bytes());
  for (hsize_t i = 0; i < frames; ++i) {
    ASSERT_EQ(numbers[i], i);
    const std::span<const std::byte> made = phantom->produce(i, slot);
    const std::vector<std::byte> read = file.frame(i, a);
    ASSERT_TRUE(std::equal(made.begin(), made.end(), read.begin(), read.end())) << "frame " << i;
  }
}

TEST(ProgramRecording, HoldsThePhantomBitForBit) {
  const TemporaryFolder folder;
  const Ended ended = run_program(recording_to(
      folder / "a.uff", {"--frames", "40", "--rate", "max", "--report", (folder / "report.json").string()}));
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_NE(ended.out.find("a.uff: recorded 40 frames"), std::string::npos) << ended.out;
  const nlohmann::json report = nlohmann::json::parse(read_text(folder / "report.json"))["recording"];
  EXPECT_EQ(report["path"], (folder / "a.uff").string());
  EXPECT_EQ(report["frames"], 40);
  EXPECT_EQ(report["not_recorded"], 0);
  EXPECT_GT(report["seconds"].get<double>(), 0.0);
  EXPECT_GT(report["most_behind_s"].get<double>(), 0.0);
  const UffFile file(folder / "a.uff");
  ASSERT_TRUE(file.is_open());
  ASSERT_EQ(file.frames(), 40U);
  expect_phantom(file, 40);
  const auto acquisition = acquisition_from_json(file.text("/echoloop/acquisition"));
  ASSERT_TRUE(acquisition.has_value());
  EXPECT_EQ(report["bytes"].get<std::size_t>(), 40 * acquisition->frame_bytes());
  EXPECT_EQ(folder.files(), 2U);
}

// The last picture of a source, as --image-out writes it.
std::string picture_of(const std::string& source, int frames, const TemporaryFolder& folder) {
  const std::filesystem::path file = folder / "picture.npy";
  const Ended ended = run_program(
      {source, "--headless", "--backend", "cpu", "--frames", std::to_string(frames), "--image-out", file.string()});
  EXPECT_EQ(ended.status, 0) << ended.err;
  return read_text(file);
}

TEST(ProgramRecording, OpensAgainWithTheSamePicture) {
  const TemporaryFolder folder;
  const std::string file = (folder / "a.uff").string();
  ASSERT_EQ(run_program(recording_to(file, {"--frames", "9", "--rate", "max"})).status, 0);
  EXPECT_EQ(picture_of(file, 9, folder), picture_of("sim:points", 9, folder));
  // A recording of the recording.
  const std::string again = (folder / "b.uff").string();
  ASSERT_EQ(run_program({file, "--headless", "--backend", "cpu", "--frames", "9", "--record", again}).status, 0);
  EXPECT_EQ(picture_of(again, 9, folder), picture_of("sim:points", 9, folder));
}

TEST(ProgramRecording, NeverReplacesAFile) {
  const TemporaryFolder folder;
  const std::string file = (folder / "a.uff").string();
  const auto record = [&](const char* frames) {
    return run_program(
        recording_to(file, {"--frames", frames, "--rate", "max", "--report", (folder / "report.json").string()}));
  };
  for (const char* frames : {"3", "5", "4"}) ASSERT_EQ(record(frames).status, 0);
  EXPECT_EQ(UffFile(file).frames(), 3U);
  EXPECT_EQ(UffFile(folder / "a_2.uff").frames(), 5U);
  EXPECT_EQ(UffFile(folder / "a_3.uff").frames(), 4U);
  const nlohmann::json report = nlohmann::json::parse(read_text(folder / "report.json"))["recording"];
  EXPECT_EQ(report["path"], (folder / "a_3.uff").string());
}

// The program, started and left running.
pid_t start_program(Words words) {
  words.insert(words.begin(), ECHO_PROGRAM);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  return posix_spawn(&child, ECHO_PROGRAM, nullptr, nullptr, argv.data(), environ) == 0 ? child : 0;
}

TEST(ProgramRecording, KilledAtAnyMomentLeavesAllButTheLastSecond) {
  std::mt19937 engine(7);
  std::uniform_int_distribution<int> moment_ms(900, 2500);
  for (int i = 0; i < 5; ++i) {
    const TemporaryFolder folder;
    const auto rate = 50;
    const pid_t child = start_program(recording_to(folder / "a.uff", {"--duration", "60"}));
    ASSERT_NE(child, 0);
    const std::filesystem::path partial = folder / "a.uff.partial";
    while (!std::filesystem::exists(partial)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const int ms = moment_ms(engine);
    std::this_thread::sleep_for(std::chrono::milliseconds(ms));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_FALSE(std::filesystem::exists(folder / "a.uff"));
    const UffFile file(partial, Opened::killed);
    ASSERT_TRUE(file.is_open()) << "killed after " << ms << " ms";
    // The source's clock begins a moment after the file: what the file's own size says came is a bound from above.
    const auto size = std::filesystem::file_size(partial);
    const auto frame = parse_phantom("points");
    const std::size_t bytes = make_phantom(frame)->acquisition()->frame_bytes();
    const std::size_t written = size / bytes;
    EXPECT_GE(file.frames() + rate, written) << "killed after " << ms << " ms";
    if (written > static_cast<std::size_t>(rate)) {
      EXPECT_GT(file.frames(), 0U);
    }
    expect_phantom(file, file.frames());
  }
}

void expect_full_disk(const Ended& ended, const std::filesystem::path& path) {
  EXPECT_EQ(ended.status, 2);
  const std::vector<std::string> complaints = testing::complaints_of(ended);
  ASSERT_EQ(complaints.size(), 1U) << ended.err;
  EXPECT_NE(complaints[0].find("the recording ended early"), std::string::npos) << complaints[0];
  const UffFile file(path);
  ASSERT_TRUE(file.is_open());
  EXPECT_GT(file.frames(), 0U);
  EXPECT_LT(file.frames(), 400U);
  expect_phantom(file, file.frames());
  EXPECT_FALSE(std::filesystem::exists(path.string() + ".partial"));
}

TEST(ProgramRecording, AFullDiskIsOneLineAndKeepsWhatWasWritten) {
  const TemporaryFolder folder;
  Ended ended;
  {
    const testing::FileSizeLimit limit(24 << 20);
    ended = run_program(recording_to(folder / "a.uff", {"--frames", "400", "--rate", "max"}));
  }
  expect_full_disk(ended, folder / "a.uff");
}

TEST(ProgramRecording, AFullDiskThatIsReallyFull) {
  const TemporaryFolder folder;
  const std::string disk = (folder / "disk").string();
  std::filesystem::create_directory(disk);
  if (std::system(("mount -t tmpfs -o size=24m none " + disk + " 2>/dev/null").c_str()) != 0) {
    GTEST_SKIP() << "no disk of 24 MB can be mounted here: that takes root";
  }
  const Ended ended = run_program(recording_to(disk + "/a.uff", {"--frames", "400", "--rate", "max"}));
  expect_full_disk(ended, disk + "/a.uff");
  EXPECT_NE(ended.err.find("the disk is full"), std::string::npos) << ended.err;
  EXPECT_EQ(std::system(("umount " + disk).c_str()), 0);
}

TEST(ProgramRecording, RefusesWhatCannotBeWritten) {
  const Ended ended = run_program(recording_to("/nowhere/a.uff", {"--frames", "1"}));
  EXPECT_EQ(ended.status, 2);
  EXPECT_EQ(testing::lines_of(ended.err).size(), 1U) << ended.err;
  EXPECT_NE(ended.err.find("/nowhere"), std::string::npos) << ended.err;
}

TEST(ProgramRecording, H5pyFindsWhatItShould) {
  std::string python;
  for (const char* candidate : {"python3", "/usr/bin/python3"}) {
    if (std::system((std::string(candidate) + " -c 'import h5py' 2>/dev/null").c_str()) == 0) python = candidate;
  }
  if (python.empty()) GTEST_SKIP() << "no h5py here (python3-h5py)";
  const TemporaryFolder folder;
  const std::string file = (folder / "a.uff").string();
  ASSERT_EQ(run_program(recording_to(file, {"--frames", "12", "--rate", "max"})).status, 0);
  testing::write_text_file(folder / "look.py", R"(
import json, sys, h5py
f = h5py.File(sys.argv[1], 'r')
text = lambda v: v.decode() if isinstance(v, bytes) else v
assert text(f.attrs['version'][0]).startswith('v1.')
c = f['channel_data']
assert text(c.attrs['class']) == 'uff.channel_data' and c.attrs['array'][0] == 0
d = c['data']
about = json.loads(text(f['echoloop/acquisition'][()]))
n = (12, len(about['transmits']), len(about['probe']['element_x_m']), about['n_samples'])
assert d.shape == n and d.chunks == (1,) + n[1:] and d.maxshape[0] is None, (d.shape, d.chunks)
assert c['sampling_frequency'].shape == (1, 1) and c['sampling_frequency'].dtype == 'float32'
assert c['probe/geometry'].shape == (7, n[2])
assert list(f['echoloop/frame_sequence'][:]) == list(range(12))
assert d[11].any()
print('ok')
)");
  EXPECT_EQ(std::system((python + " " + (folder / "look.py").string() + " " + file).c_str()), 0);
}

}  // namespace
}  // namespace echoloop
