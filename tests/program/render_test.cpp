// `echoloop render` on several devices and machines: parts, folders, runs that share an output folder, lost devices.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/commands.h"
#include "app/render_claims.h"
#include "program/run_program.h"
#include "program/started_program.h"
#include "support/checking_backend.h"
#include "support/temporary_folder.h"

namespace echoloop::render_test {
namespace {

namespace fs = std::filesystem;
using namespace testing;

constexpr const char* kGrid = "-8:8:33,5:35:61";

void record(const fs::path& file, int frames) {
  fs::create_directories(file.parent_path());
  ASSERT_EQ(run_program({"sim:points", "--headless", "--backend", "cpu", "--rate", "max", "--grid", kGrid, "--frames",
                         std::to_string(frames), "--record", file.string()})
                .status,
            0);
}

// Files below a folder with size and hash of the arrays; reports have times and devices, descriptions the time of
// writing.
std::map<std::string, std::string> files_of(const fs::path& folder) {
  std::map<std::string, std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const bool array = entry.path().extension() == ".npy";
    const std::string content = array ? read_text(entry.path()) : "";  // a failure prints its size and hash alone
    found[entry.path().lexically_relative(folder).string()] =
        array ? std::to_string(content.size()) + "/" + std::to_string(std::hash<std::string>()(content)) : "";
  }
  return found;
}

std::size_t count_ending(const fs::path& folder, const std::string& ending) {
  std::error_code none;
  std::size_t n = 0;
  for (auto entry = fs::directory_iterator(folder, none); !none && entry != fs::end(entry); entry.increment(none))
    n += entry->path().string().ends_with(ending) ? 1 : 0;
  return n;
}

enum class Work { short_one, long_one };  // long: the program is stopped amid a recording

// Six recordings of one content, of equal names in two folders.
class Recordings {
 public:
  explicit Recordings(int frames, Work work = Work::short_one)
      : grid_(work == Work::short_one ? kGrid : "-9:9:257,2:36:401") {
    record(in() / "a" / "r0.uff", frames);
    for (const char* const name : {"a/r1.uff", "a/r2.uff", "b/r0.uff", "b/c/r1.uff", "b/s.uff"}) {
      fs::create_directories((in() / name).parent_path());
      fs::copy_file(in() / "a" / "r0.uff", in() / name);
    }
  }
  static constexpr std::size_t kCount = 6;
  [[nodiscard]] fs::path in() const { return folder / "in"; }
  [[nodiscard]] Words words(const std::string& out, const Words& more = {}) const {
    return joined({"render", in().string(), "--out", (folder / out).string(), "--backend", "cpu", "--grid", grid_},
                  more);
  }
  [[nodiscard]] Ended render(const std::string& out, const Words& more = {}) const {
    return run_program(words(out, more));
  }
  [[nodiscard]] std::map<std::string, std::string> outputs(const std::string& out) const {
    return files_of(folder / out);
  }
  TemporaryFolder folder;

 private:
  std::string grid_;
};

std::size_t rendered(const Ended& ended) {
  const std::size_t at = ended.out.find("Rendered ");
  EXPECT_NE(at, ended.out.npos) << ended.out << ended.err;
  return at == ended.out.npos ? 0 : std::stoul(ended.out.substr(at + 9));
}

TEST(RenderParts, TogetherAreTheWhole) {
  const Recordings r(3);
  write_text_file(r.in() / "broken.uff", "no recording");
  const Words root = {"--root", r.in().string()};
  ASSERT_EQ(r.render("whole", root).status, 2);
  std::size_t made = 0, failed = 0;
  for (const char* const part : {"1/3", "2/3", "3/3"}) {
    const Ended ended = r.render("parts", joined(root, {"--part", part}));
    failed += ended.status == 2 ? 1 : 0;
    EXPECT_TRUE(ended.status == 0 || ended.status == 2) << ended.err;
    made += rendered(ended);
  }
  EXPECT_EQ(made, Recordings::kCount);
  EXPECT_EQ(failed, 1U);
  EXPECT_EQ(r.outputs("parts"), r.outputs("whole"));
  const Ended beyond = r.render("beyond", {"--part", "9/9"});
  EXPECT_EQ(beyond.status, 0) << beyond.err;
  EXPECT_EQ(rendered(beyond), 0U);
}

TEST(RenderParts, RefusedInOneLine) {
  const TemporaryFolder folder;
  for (const char* const part :
       {"0/3", "4/3", "a/b", "1/0", "1", "1/", "/3", "1/3x", "-1/3", "1/99999999999999999999"}) {
    const Ended ended = run_program({"render", "sim:cyst", "--out", (folder / "out").string(), "--part", part});
    EXPECT_EQ(ended.status, 2) << part;
    EXPECT_TRUE(ended.err.starts_with("echoloop: --part")) << ended.err;
    EXPECT_EQ(lines_of(ended.err).size(), 1U) << ended.err;
  }
}

TEST(RenderRoot, NamesKeepTheFolders) {
  const Recordings r(2);
  const Ended all = r.render("all", {"--root", r.in().string() + "/"});
  ASSERT_EQ(all.status, 0) << all.err;
  for (const char* const name : {"a/r0.npy", "a/r1.npy", "a/r2.npy", "b/r0.npy", "b/c/r1.npy", "b/s.npy"})
    EXPECT_TRUE(fs::exists(r.folder / "all" / name)) << name;
  // A name does not depend on the others.
  const Ended one = run_program({"render", (r.in() / "b/c/../r0.uff").string(), "--root", r.in().string(), "--out",
                                 (r.folder / "one").string(), "--backend", "cpu", "--grid", kGrid});
  ASSERT_EQ(one.status, 0) << one.err;
  EXPECT_EQ(read_text(r.folder / "one/b/r0.npy"), read_text(r.folder / "all/b/r0.npy"));
  const Ended again = r.render("all", {"--root", r.in().string()});
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(rendered(again), 0U);
}

TEST(RenderRoot, RefusesOthers) {
  const Recordings r(1);
  for (const std::string& source : {r.in().string(), (r.in() / "a/../b/s.uff").string(), std::string("sim:cyst")}) {
    const Ended ended = run_program({"render", source, "--root", (r.in() / "a").string(), "--out",
                                     (r.folder / "out").string(), "--backend", "cpu"});
    EXPECT_EQ(ended.status, 2);
    EXPECT_NE(ended.err.find("not below --root"), ended.err.npos) << ended.err;
    EXPECT_EQ(lines_of(ended.err).size(), 1U) << ended.err;
  }
  fs::copy_file(r.in() / "a/r0.uff", r.in() / "a/r0.h5");  // both a/r0.npy
  EXPECT_EQ(r.render("out", {"--root", r.in().string()}).status, 2);
}

// Another attempt makes what a fault left out, and finds the bad recording again.
TEST(RenderStatus, AFaultCountsMoreThanABadRecording) {
  const Recordings r(1);
  write_text_file(r.in() / "broken.uff", "no recording");
  fs::create_directories(r.folder / "out");
  write_text_file(r.folder / "out/a", "in place of a folder");
  const Ended ended = r.render("out", {"--root", r.in().string()});
  EXPECT_EQ(ended.status, 1) << ended.err;
  EXPECT_NE(ended.err.find("broken.uff"), ended.err.npos) << ended.err;
  EXPECT_EQ(rendered(ended), 3U);
  fs::remove(r.folder / "out/a");
  EXPECT_EQ(r.render("out", {"--root", r.in().string()}).status, 2);
}

TEST(RenderTogether, EachArrayOnce) {
  const Recordings r(20);
  ASSERT_EQ(r.render("alone").status, 0);
  write_text_file(r.in() / "broken.uff", "no recording");
  std::array<Ended, 2> ended;
  {
    std::vector<std::jthread> programs;
    for (Ended& each : ended) programs.emplace_back([&] { each = r.render("both"); });
  }
  std::size_t made = 0;
  for (const Ended& each : ended) {
    EXPECT_EQ(each.status, 2) << each.err;
    EXPECT_EQ(complaints_of(each).size(), 1U) << each.err;
    made += rendered(each);
  }
  EXPECT_EQ(made, Recordings::kCount);
  EXPECT_EQ(r.outputs("both"), r.outputs("alone"));  // no second name, no claim
}

TEST(RenderTogether, TheOtherCompletesWhatAKilledOneLeft) {
  const Recordings r(40, Work::long_one);
  ASSERT_EQ(r.render("alone").status, 0);
  const fs::path out = r.folder / "both";
  const TemporaryFolder errors;
  StartedProgram killed(r.words("both"), errors);
  ASSERT_TRUE(killed.waits_for([&] { return count_ending(out, ".npy.partial") == 2; }));
  killed.send(SIGSTOP);
  const std::size_t done = count_ending(out, ".report.json");
  Ended other;
  {
    const std::jthread program([&] { other = r.render("both"); });
    // It makes all but the two that the other holds, and waits for these, at most until their claims are old.
    EXPECT_TRUE(holds_within(std::chrono::seconds(600),
                             [&] { return count_ending(out, ".report.json") >= Recordings::kCount - 2; }));
    killed.send(SIGKILL);
    (void)killed.end();
  }
  EXPECT_EQ(other.status, 0) << other.err;
  EXPECT_EQ(rendered(other), Recordings::kCount - done);
  std::map<std::string, std::string> made = r.outputs("both");
  std::erase_if(made, [](const auto& file) { return file.first.find(".incomplete.") != file.first.npos; });
  EXPECT_EQ(made, r.outputs("alone"));
}

// A program that was stopped, as by a scheduler, comes back after another has taken its recording over.
TEST(RenderTogether, AStoppedOneReturns) {
  const Recordings r(1);
  const TemporaryFolder files;
  const std::string in = (files / "x.uff").string();
  record(in, 100);
  const auto words = [&](const char* out) {
    return Words{"render", in, "--out", (files / out).string(), "--backend", "cpu"};
  };
  ASSERT_EQ(run_program(words("alone")).status, 0);
  StartedProgram stopped(words("both"), files);
  ASSERT_TRUE(stopped.waits_for([&] { return fs::exists(files / "both/x.npy.partial"); }));
  stopped.send(SIGSTOP);
  const auto age = RenderClaims::kLongest + std::chrono::seconds(5);
  fs::last_write_time(files / "both/x.claim", fs::file_time_type::clock::now() - age);
  const Ended other = run_program(words("both"));
  EXPECT_EQ(other.status, 0) << other.err;
  EXPECT_EQ(rendered(other), 1U);
  stopped.send(SIGCONT);
  EXPECT_EQ(stopped.end(), 0) << stopped.errors();
  std::map<std::string, std::string> made = files_of(files / "both");
  std::erase_if(made, [](const auto& file) { return file.first.find(".incomplete.") != file.first.npos; });
  EXPECT_EQ(made, files_of(files / "alone"));
}

TEST(RenderTogether, ASignalLeavesNoClaim) {
  const Recordings r(40, Work::long_one);
  const fs::path out = r.folder / "out";
  StartedProgram program(r.words("out"), r.folder);
  ASSERT_TRUE(program.waits_for([&] { return count_ending(out, ".npy.partial") == 2; }));
  EXPECT_EQ(count_ending(out, ".claim"), 2U);
  program.send(SIGTERM);
  EXPECT_EQ(program.end(), 1) << program.errors();  // to be repeated
  EXPECT_EQ(count_ending(out, ".claim"), 0U);
  EXPECT_EQ(r.render("out").status, 0);
  EXPECT_EQ(count_ending(out, ".report.json"), Recordings::kCount);
}

// Stands in for a GPU: a CPU backend whose device can be lost at a frame, with all backends of it.
class StandIn final : public Backend {
 public:
  struct Device {
    std::atomic<bool> lost{false};
    std::atomic<int> frames{0};
    int lost_at = -1;  // number of frames; -1: never
  };
  explicit StandIn(Device& device) : device_(device) {}
  [[nodiscard]] std::string name() const override { return cpu_->name(); }
  [[nodiscard]] std::string device() const override { return cpu_->device(); }
  std::unique_ptr<HostMemoryBlock> allocate_host(std::size_t bytes, HostMemory kind) override {
    return cpu_->allocate_host(bytes, kind);
  }
  std::unique_ptr<PageLock> page_lock(std::span<const std::byte> memory) override { return cpu_->page_lock(memory); }
  std::unique_ptr<Lane> make_lane(int number, const LaneSettings& settings) override {
    require();
    return checking_.make_lane(number, settings);
  }
  std::unique_ptr<AnalysisDevice> make_analysis_device(std::size_t analysis) override {
    return cpu_->make_analysis_device(analysis);
  }
  [[nodiscard]] DeviceMemory memory() const override { return cpu_->memory(); }
  [[nodiscard]] bool usable() const override { return !device_.lost; }

 private:
  void require() const {
    if (device_.lost) throw std::runtime_error("injected: unspecified launch failure");
  }

  Device& device_;
  std::unique_ptr<Backend> cpu_ = make_cpu_backend(1);
  CheckingBackend checking_{*cpu_, [this](const RfFrame&) {
                              if (device_.frames++ == device_.lost_at) device_.lost = true;
                              require();
                              return true;
                            }};
};

struct Rendered {
  int status = 0;
  std::string out, err;
};

Rendered render_on(std::vector<StandIn::Device>& devices, const Words& words) {
  Words all = joined({"echoloop"}, words);
  std::vector<char*> argv;
  for (std::string& word : all) argv.push_back(word.data());
  const Options options = parse_command_line(static_cast<int>(argv.size()), argv.data());
  std::vector<RenderDevice> made;
  for (std::size_t i = 0; i < devices.size(); ++i)
    made.push_back({"GPU " + std::to_string(i), [&device = devices[i]] {
                      return ChosenBackend{.backend = std::make_unique<StandIn>(device), .note = {}};
                    }});
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  Rendered rendered;
  fs::create_directories(options.render_out);
  rendered.status = run_render(options, made);
  rendered.out = ::testing::internal::GetCapturedStdout();
  rendered.err = ::testing::internal::GetCapturedStderr();
  return rendered;
}

TEST(RenderDevices, DivideOneList) {
  const Recordings r(10);
  ASSERT_EQ(r.render("alone").status, 0);
  std::vector<StandIn::Device> devices(3);
  const Rendered ended = render_on(devices, r.words("out"));
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(r.outputs("out"), r.outputs("alone"));
  for (const StandIn::Device& device : devices) EXPECT_GT(device.frames, 0);
  EXPECT_NE(ended.out.find("\nLimit: "), ended.out.npos) << ended.out;
}

TEST(RenderDevices, OthersTakeTheRecordingsOfALostOne) {
  const Recordings r(10);
  write_text_file(r.in() / "broken.uff", "no recording");
  ASSERT_EQ(r.render("alone").status, 2);
  for (const int lost_at : {0, 3, 15}) {
    std::vector<StandIn::Device> devices(2);
    devices[1].lost_at = lost_at;
    const std::string out = "out" + std::to_string(lost_at);
    const Rendered ended = render_on(devices, r.words(out));
    EXPECT_EQ(ended.status, 2) << ended.err;  // of the broken one
    EXPECT_TRUE(devices[1].lost);
    const std::size_t said = ended.err.find("GPU 1 was lost: ");
    EXPECT_NE(said, ended.err.npos) << ended.err;
    EXPECT_EQ(ended.err.find("launch failure", ended.err.find('\n', said)), ended.err.npos) << ended.err;
    EXPECT_NE(ended.err.find("launch failure"), ended.err.npos) << ended.err;
    EXPECT_NE(ended.out.find("Rendered 6 of 7"), ended.out.npos) << ended.out;
    std::map<std::string, std::string> made = r.outputs(out);
    std::erase_if(made, [](const auto& file) { return file.first.find(".incomplete.") != file.first.npos; });
    EXPECT_EQ(made, r.outputs("alone"));
  }
}

TEST(RenderDevices, WithoutAnyTheRestIsAFault) {
  const Recordings r(10);
  std::vector<StandIn::Device> devices(2);
  for (StandIn::Device& device : devices) device.lost_at = 5;
  const Rendered ended = render_on(devices, r.words("out"));
  EXPECT_EQ(ended.status, 1);
  EXPECT_NE(ended.err.find("no device is left for "), ended.err.npos) << ended.err;
  EXPECT_EQ(count_ending(r.folder / "out", ".claim"), 0U);
  const Ended again = r.render("out");
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(count_ending(r.folder / "out", ".report.json"), Recordings::kCount);
}

TEST(RenderDevices, AreNamedByTheOption) {
  const TemporaryFolder folder;
  const Words words = {"render", "sim:points", "--out", (folder / "out").string(), "--frames", "1", "--device"};
  EXPECT_EQ(run_program(joined(words, {"cpu"})).status, 0);
  for (const char* const device : {"x", "cuda:", "cuda:x", "0,", "0,0", "0,all", "-1", "cpu,cpu", "0,auto"}) {
    const Ended ended = run_program(joined(words, {device}));
    EXPECT_EQ(ended.status, 2) << device;
    EXPECT_TRUE(ended.err.starts_with("echoloop: --device")) << ended.err;
    EXPECT_EQ(lines_of(ended.err).size(), 1U) << ended.err;
  }
}

}  // namespace
}  // namespace echoloop::render_test
