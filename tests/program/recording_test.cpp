// --record: what the program wrote, read by others; a program that is killed; a disk that is full.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "formats/base/acquisition_json.h"
#include "program/run_program.h"
#include "program/started_program.h"
#include "source/phantom.h"
#include "source/phantom_text.h"
#include "support/uff_file.h"
#include "test_paths.h"

namespace echoloop::recording_test {
namespace {

using namespace testing;

// With images of few pixels: they are not what is tested.
Words recording_to(const std::filesystem::path& file, const Words& more) {
  return joined(
      {"sim:points", "--headless", "--backend", "cpu", "--grid", "-5:5:16,5:25:16", "--record", file.string()}, more);
}

// Frames 0, 1, 2 ... of the phantom, bit for bit.
void expect_phantom(const UffFile& file, hsize_t frames) {
  const std::unique_ptr<SeekableSource> phantom = make_phantom(parse_phantom("points"));
  const Acquisition& a = *phantom->acquisition();
  const std::vector<std::uint64_t> numbers = file.sequence();
  ASSERT_GE(numbers.size(), frames);
  std::vector<std::byte> slot(a.frame_bytes());
  for (hsize_t i = 0; i < frames; ++i) {
    ASSERT_EQ(numbers[i], i);
    const std::span<const std::byte> made = phantom->at(i, slot);
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
  std::ofstream(folder / "a.json");  // as a shell leaves it that is to put the description there
  const Ended described = run_program({"describe", (folder / "a.uff").string()});
  EXPECT_EQ(described.status, 0) << described.err;
  EXPECT_EQ(described.out.find("// opens as Echoloop recording (UFF) without a description;"), 0U) << described.out;
}

// The last picture of a source, as --image-out writes it.
std::string picture_of(const std::string& source, int frames, const TemporaryFolder& folder, const Words& more = {}) {
  const std::filesystem::path file = folder / "picture.npy";
  const Ended ended = run_program(joined(
      {source, "--headless", "--backend", "cpu", "--frames", std::to_string(frames), "--image-out", file.string()},
      more));
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

// Phantoms of every kind of transmit and sample, by their options.
class ZeaRecording : public ::testing::TestWithParam<const char*> {};

// Removes this program's own facts from a recording, as if another program had written it.
void make_foreign(const std::filesystem::path& path) {
  const std::scoped_lock lock(hdf5_lock());
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  EXPECT_GE(H5Ldelete(file, "custom", H5P_DEFAULT), 0);
  H5Fclose(file);
}

std::vector<float> levels_of(const std::string& npy) {
  const std::size_t head = npy.find('\n') + 1;
  std::vector<float> levels((npy.size() - head) / sizeof(float));
  std::memcpy(levels.data(), npy.data() + head, levels.size() * sizeof(float));
  return levels;
}

TEST_P(ZeaRecording, OpensAgainWithTheSamePicture) {
  const TemporaryFolder folder;
  const std::string file = (folder / "a.hdf5").string();
  const Ended ended = run_program({GetParam(), "--headless", "--backend", "cpu", "--grid", "-5:5:16,5:25:16",
                                   "--record", file, "--frames", "3", "--rate", "max"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const std::vector<float> live = levels_of(picture_of(GetParam(), 3, folder));
  const std::vector<float> again = levels_of(picture_of(file, 3, folder));
  make_foreign(file);  // float32 facts, in zea's conventions, which have no bandwidth of the pulse
  const double bandwidth_hz =
      make_phantom(parse_phantom(std::string_view(GetParam()).substr(4)))->acquisition()->bandwidth_hz;
  const std::vector<float> foreign =
      levels_of(picture_of(file, 3, folder, {"--set", "bandwidth_hz=" + std::to_string(bandwidth_hz)}));
  ASSERT_EQ(live.size(), again.size());
  ASSERT_EQ(live.size(), foreign.size());
  const float top = *std::ranges::max_element(live);
  float most_again = 0.0F;
  double squares = 0.0, n = 0.0;
  for (std::size_t i = 0; i < live.size(); ++i) {
    if (live[i] < top - 40.0F) continue;
    most_again = std::max(most_again, std::abs(again[i] - live[i]));
    squares += std::pow(foreign[i] - live[i], 2);
    n += 1.0;
  }
  EXPECT_LE(most_again, 0.01F);
  EXPECT_LE(std::sqrt(squares / n), 0.05);
}

INSTANTIATE_TEST_SUITE_P(Phantoms, ZeaRecording,
                         ::testing::Values("sim:points", "sim:points,probe=L11-4v", "sim:cyst,angles_deg=-8",
                                           "sim:heart"),
                         [](const auto& info) { return "phantom_" + std::to_string(info.index); });

TEST(ProgramRecording, ZeaHoldsThePhantomInItsOrder) {
  const TemporaryFolder folder;
  const Ended ended = run_program(recording_to(folder / "a.hdf5", {"--frames", "4", "--rate", "max"}));
  ASSERT_EQ(ended.status, 0) << ended.err;
  const UffFile file(folder / "a.hdf5");
  ASSERT_TRUE(file.is_open());
  const std::unique_ptr<SeekableSource> phantom = make_phantom(parse_phantom("points"));
  const Acquisition& a = *phantom->acquisition();
  const auto n_el = static_cast<std::size_t>(a.n_elements()), n = static_cast<std::size_t>(a.n_samples);
  const auto n_tx = static_cast<std::size_t>(a.n_transmits());
  EXPECT_EQ(file.shape("/tracks/track_0/data/raw_data"), (std::vector<hsize_t>{4, n_tx, n, n_el, 1}));
  const auto samples = file.all<std::int16_t>("/tracks/track_0/data/raw_data", H5T_NATIVE_INT16);
  std::vector<std::byte> slot(a.frame_bytes());
  const auto* made = reinterpret_cast<const std::int16_t*>(phantom->at(3, slot).data());
  for (std::size_t line = 0; line < n_tx * n_el; ++line)
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_EQ(samples[((3 * n_tx + line / n_el) * n + i) * n_el + line % n_el], made[line * n + i]) << line;
  const auto delays_s = file.all<float>("/tracks/track_0/scan/t0_delays", H5T_NATIVE_FLOAT);
  for (std::size_t k = 0; k < n_tx; ++k)
    EXPECT_EQ(std::ranges::min(std::span(delays_s).subspan(k * n_el, n_el)), 0.0F) << k;
  const auto waits_s = file.all<float>("/tracks/track_0/scan/time_to_next_transmit", H5T_NATIVE_FLOAT);
  ASSERT_EQ(waits_s.size(), 4 * n_tx);
  for (const float wait_s : waits_s) EXPECT_NEAR(wait_s * a.frame_rate_hz * static_cast<double>(n_tx), 1.0, 1e-3);
}

TEST(ProgramRecording, TheFormatIsChosenApartFromTheName) {
  const TemporaryFolder folder;
  for (const auto& [name, format, own] : {std::tuple{"a.uff", "zea", "/custom/echoloop/frame_sequence"},
                                          std::tuple{"b.hdf5", "uff", "/echoloop/frame_sequence"}}) {
    const Ended ended =
        run_program(recording_to(folder / name, {"--record-format", format, "--frames", "2", "--rate", "max"}));
    ASSERT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(UffFile(folder / name).shape(own), std::vector<hsize_t>{2}) << name;
  }
  EXPECT_EQ(run_program(recording_to(folder / "c.uff", {"--record-format", "mat", "--frames", "1"})).status, 2);
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

// How often: ECHOLOOP_KILLS, or a few times.
int kills() {
  const char* wanted = std::getenv("ECHOLOOP_KILLS");
  return wanted != nullptr ? std::max(1, std::atoi(wanted)) : 6;
}

// Killed once the file is so long, at a random number of bytes: in all states of the recorder.
void kill_at(std::uintmax_t bytes, const TemporaryFolder& folder) {
  StartedProgram program(recording_to(folder / "a.uff", {"--duration", "60"}), folder);
  const std::filesystem::path partial = folder / "a.uff.partial";
  ASSERT_TRUE(program.waits_for([&] {
    std::error_code error;
    return std::filesystem::file_size(partial, error) >= bytes && !error;
  })) << program.errors();
  program.send(SIGKILL);
  ASSERT_EQ(program.end(), 128 + SIGKILL);
  ASSERT_FALSE(std::filesystem::exists(folder / "a.uff"));
}

TEST(ProgramRecording, KilledAtAnyMomentLeavesAllButTheLastSecond) {
  constexpr std::size_t kFramesOfASecond = 50;
  const std::size_t frame_bytes = make_phantom(parse_phantom("points"))->acquisition()->frame_bytes();
  std::mt19937 engine(7);
  std::uniform_int_distribution<std::size_t> moment(0, 100 * frame_bytes);
  std::size_t without_frames = 0;
  for (int i = 0; i < kills(); ++i) {
    const TemporaryFolder folder;
    const std::size_t bytes = moment(engine);
    SCOPED_TRACE("killed at " + std::to_string(bytes) + " bytes");
    kill_at(bytes, folder);
    const std::filesystem::path partial = folder / "a.uff.partial";
    // What the file's own size says is a bound from above.
    const std::size_t written = std::filesystem::file_size(partial) / frame_bytes;
    const Ended repaired = run_program({"repair", partial.string()});
    if (written <= kFramesOfASecond && repaired.status == 2) {
      EXPECT_NE(repaired.err.find("no frames"), std::string::npos) << repaired.err;
      ++without_frames;
      continue;
    }
    ASSERT_EQ(repaired.status, 0) << repaired.err;
    const UffFile file(folder / "a.uff");
    ASSERT_TRUE(file.is_open());
    EXPECT_GE(file.frames() + kFramesOfASecond, written);
    EXPECT_NE(repaired.out.find(std::to_string(file.frames()) + " frame"), std::string::npos) << repaired.out;
    expect_phantom(file, file.frames());
  }
  EXPECT_LE(2 * without_frames, static_cast<std::size_t>(kills())) << "mostly killed before the first frame";
}

TEST(ProgramRecording, RepairRefusesInOneLine) {
  const TemporaryFolder folder;
  testing::write_text_file(folder / "text.uff.partial", "text");
  for (const std::string& file : {(folder / "text.uff.partial").string(), (folder / "missing.uff").string()}) {
    const Ended ended = run_program({"repair", file});
    EXPECT_EQ(ended.status, 2);
    const auto complaints = testing::complaints_of(ended);
    ASSERT_EQ(complaints.size(), 1U) << ended.err;
    EXPECT_NE(complaints[0].find(file), std::string::npos) << complaints[0];
    EXPECT_TRUE(testing::says_what_is_accepted(complaints[0])) << complaints[0];
  }
  EXPECT_EQ(run_program({"repair"}).status, 2);
}

// Both run at once and are asked for the same file.
TEST(ProgramRecording, TwoProgramsWithOneName) {
  const TemporaryFolder folder, other;
  const Words words = recording_to(folder / "a.uff", {"--frames", "40", "--rate", "100"});
  StartedProgram first(words, folder), second(words, other);
  EXPECT_EQ(first.end(), 0) << first.errors();
  EXPECT_EQ(second.end(), 0) << second.errors();
  for (const char* name : {"a.uff", "a_2.uff"}) {
    const UffFile file(folder / name);
    ASSERT_TRUE(file.is_open()) << name;
    EXPECT_EQ(file.frames(), 40U) << name;
    expect_phantom(file, 40);
  }
}

void expect_full_disk(const Ended& ended, const std::filesystem::path& path) {
  EXPECT_EQ(ended.status, 1);
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
    const testing::ResourceLimit limit(RLIMIT_FSIZE, 24 << 20);
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
}  // namespace echoloop::recording_test
