// The command line of the design's section 7, on the built program.
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "core/facts.h"
#include "core/param_table.h"
#include "program/run_program.h"
#include "support/npy_file.h"
#include "support/recorded_data.h"

namespace echoloop::program_test {
namespace {

using namespace testing;

// A headless run on the CPU of `words`, which must succeed; its report.
nlohmann::json report_of(Words words) {
  const TemporaryFolder folder;
  const std::string report = (folder / "report.json").string();
  words.insert(words.end(), {"--headless", "--backend", "cpu", "--report", report});
  const Ended ended = run_program(words);
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_TRUE(testing::complaints_of(ended).empty()) << ended.err;
  return nlohmann::json::parse(read_text(report));
}

TEST(Program, VersionIsOneLine) {
  const Ended ended = run_program({"--version"});
  EXPECT_EQ(ended.status, 0);
  ASSERT_EQ(testing::lines_of(ended.out).size(), 1U);
  EXPECT_EQ(ended.out.rfind("echoloop ", 0), 0U) << ended.out;
}

TEST(Program, ListsItsParametersAndOptions) {
  const Ended params = run_program({"--list-params"});
  EXPECT_EQ(params.status, 0);
  for (const ParamSpec& spec : param_table()) EXPECT_NE(params.out.find(spec.key), std::string::npos) << spec.key;
  const Ended help = run_program({"--help"});
  EXPECT_EQ(help.status, 0);
  for (const char* option :
       {"--headless",    "--frames", "--duration",  "--backend", "--recipe",      "--rate",   "--no-loop",
        "--policy",      "--slots",  "--lanes",     "--streams", "--host-memory", "--preset", "--set",
        "--list-params", "--grid",   "--image-out", "--png",     "--screenshot",  "--video",  "--report",
        "--trace",       "info",     "--png16",     "--csv"}) {
    EXPECT_NE(help.out.find(option), std::string::npos) << option;
  }
}

TEST(Program, InfoAsTextAndJson) {
  const Ended text = run_program({"info", "sim:points"});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("64 elements"), std::string::npos) << text.out;
  const Ended json = run_program({"info", "sim:points", "--json"});
  ASSERT_EQ(json.status, 0) << json.err;
  const nlohmann::json about = nlohmann::json::parse(json.out);
  EXPECT_EQ(about.at("elements"), 64);
  EXPECT_EQ(about.at("sampling_hz"), 20e6);
}

TEST(Program, InfoOfARecording) {
  constexpr const char* kFile = "must_pwi_disk/PWI_disk.mat";
  ECHO_NEED_DATA(kFile);
  const Ended ended = run_program({"info", (testing::data_folder() / kFile).string(), "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const nlohmann::json about = nlohmann::json::parse(ended.out);
  EXPECT_EQ(about.at("frames"), 32);
  EXPECT_EQ(about.at("elements"), 128);
  EXPECT_EQ(about.at("sound_speed_m_s"), 1480);
  EXPECT_NEAR(about.at("t0_s")[0].get<double>(), 9.95e-6, 1e-12);
  for (const FactRow& row : kFacts) {
    EXPECT_TRUE(row.member == nullptr || about.contains(row.name)) << row.name;
  }
}

// 1024 samples, from 1 mm deep at 200 MHz to 4 m at 50 kHz; and a sampling frequency in kHz.
TEST(Program, InfoDoubtsADepthThatDoesNotSuitTheFrequency) {
  const testing::TemporaryFolder folder;
  testing::write_text_file(folder / "a.bin", std::string(std::size_t{16} * 1024 * 2, '\1'));
  const auto info = [&](double sampling_hz, double center_hz) {
    testing::write_text_file(folder / "a.json", nlohmann::json{{"file", "a.bin"},
                                                               {"dtype", "int16"},
                                                               {"axes", {"frame", "element", "time"}},
                                                               {"shape", {1, 16, 1024}},
                                                               {"t0_s", 0},
                                                               {"t_zero", "origin"},
                                                               {"fs_hz", sampling_hz},
                                                               {"c_m_s", 1540},
                                                               {"pitch_m", 1540 / center_hz},
                                                               {"tx_angles_rad", {0}},
                                                               {"fc_hz", center_hz}}
                                                    .dump());
    const Ended ended = run_program({"info", (folder / "a.bin").string()});
    EXPECT_EQ(ended.status, 0) << ended.err;
    return ended.out;
  };
  for (const double scale : {0.025, 0.25, 1.0, 10.0, 100.0})
    EXPECT_EQ(info(20e6 / scale, 5e6 / scale).find("doubt"), std::string::npos) << scale;
  EXPECT_NE(info(20e3, 5e6).find("sampling frequency"), std::string::npos);
  EXPECT_NE(info(20e6, 50e6).find("less than half of the centre frequency"), std::string::npos);
}

TEST(Program, DescribesAFileWithALineBreakInItsName) {
  const testing::TemporaryFolder folder;
  testing::write_text_file(folder / "a\nb.bin", std::string(4096, '\1'));
  const Ended ended = run_program({"describe", (folder / "a\nb.bin").string()});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.out.substr(0, 11), "// a b.bin:") << ended.out;
}

TEST(Program, AFolderIsTheSameWithASeparatorAtItsEnd) {
  const testing::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "scan");
  for (const char* name : {"scan/line1.npy", "scan/line2.npy"})
    testing::write_text_file(folder / name, testing::npy("<i2", false, "(256,)", std::string(512, '\1')));
  const std::string named = (folder / "scan").string();
  const Ended plain = run_program({"describe", named}), with = run_program({"describe", named + "/"});
  EXPECT_EQ(with.out, plain.out);
  EXPECT_NE(with.out.find(R"("file": "scan")"), std::string::npos) << with.out << with.err;
}

TEST(Program, ReportHoldsWhatTheDesignPromises) {
  const nlohmann::json report = report_of({"sim:points", "--frames", "12", "--rate", "max", "--lanes", "3", "--slots",
                                           "5", "--set", "f_number=2.25", "--grid", "-5:5:32,5:25:48"});
  for (const char* field : {"backend", "device", "source", "seconds", "frames_per_second", "bytes_per_second", "policy",
                            "slots", "lanes", "streams", "host_memory", "parameters", "version"}) {
    EXPECT_TRUE(report.contains(field)) << field;
  }
  for (const char* count : {"produced", "processed", "shown", "dropped", "overrun", "errors"}) {
    EXPECT_TRUE(report.at("frames").contains(count)) << count;
  }
  for (const char* value : {"p50", "p95", "p99", "max"}) EXPECT_GT(report.at("latency_ms").at(value), 0.0) << value;
  EXPECT_GT(report.at("latency_last_10_s_ms").at("ready").at("p95"), 0.0);
  for (const char* stage : {"produce", "upload", "condition", "beamform", "envelope", "compress"}) {
    for (const char* value : {"p50_ms", "p95_ms", "max_ms"}) EXPECT_TRUE(report.at("stages").at(stage).contains(value));
  }
  EXPECT_EQ(report.at("backend"), "CPU");
  EXPECT_EQ(report.at("source"), "sim:points");
  EXPECT_EQ(report.at("lanes"), 3);
  EXPECT_EQ(report.at("slots"), 5);
  EXPECT_EQ(report.at("frames").at("processed"), 12);
  EXPECT_EQ(report.at("parameters").at("f_number"), 2.25);
  EXPECT_EQ(report.at("parameters").at("grid_nz"), 48);
  EXPECT_GT(report.at("frames_per_second"), 0.0);
}

class EachPolicy : public ::testing::TestWithParam<const char*> {};

TEST_P(EachPolicy, CountsAreExactAtTheEnd) {
  const nlohmann::json report =
      report_of({"sim:points", "--frames", "10", "--rate", "40", "--policy", GetParam(), "--grid", "-5:5:16,5:25:16"});
  const nlohmann::json& frames = report.at("frames");
  EXPECT_EQ(report.at("policy"), GetParam());
  EXPECT_EQ(frames.at("processed"), 10);
  EXPECT_EQ(frames.at("produced").get<int>(), frames.at("processed").get<int>() + frames.at("dropped").get<int>() +
                                                  frames.at("overrun").get<int>() + frames.at("in_flight").get<int>());
}

INSTANTIATE_TEST_SUITE_P(Policies, EachPolicy, ::testing::Values("block", "error", "drop-oldest", "drop-newest"));

TEST(Program, StopsAfterItsDuration) {
  const auto begin = std::chrono::steady_clock::now();
  const nlohmann::json report = report_of({"sim:flow", "--duration", "0.7", "--grid", "-5:5:16,5:25:16"});
  EXPECT_NEAR(report.at("seconds").get<double>(), 0.7, 0.3);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  // 50 frames a second at most, paced; a busy machine may do fewer.
  EXPECT_LE(report.at("frames").at("processed"), 37);
  EXPECT_GE(report.at("frames").at("processed"), 2);
}

TEST(Program, WritesPictureSidecarPngAndTrace) {
  const TemporaryFolder folder;
  const Ended ended = run_program({"sim:cyst", "--headless", "--backend", "cpu", "--frames", "2", "--grid",
                                   "-8:8:33,5:30:51", "--image-out", (folder / "i.npy").string(), "--png",
                                   (folder / "i.png").string(), "--trace", (folder / "t.json").string()});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const testing::NpyImage image = testing::read_npy_image(folder / "i.npy");
  EXPECT_EQ(image.nx, 33);
  EXPECT_EQ(image.nz, 51);
  for (const float v : image.values) EXPECT_TRUE(std::isfinite(v));
  const nlohmann::json about = nlohmann::json::parse(read_text(folder / "i.json"));
  EXPECT_EQ(about.at("grid").at("nx"), 33);
  EXPECT_DOUBLE_EQ(about.at("grid").at("z_last_m").get<double>(), 30e-3);
  EXPECT_EQ(about.at("source"), "sim:cyst");
  EXPECT_TRUE(about.contains("version"));
  const std::string png = read_text(folder / "i.png");
  ASSERT_GT(png.size(), 100U);
  EXPECT_EQ(png.substr(0, 4), "\x89PNG");
  EXPECT_GT(nlohmann::json::parse(read_text(folder / "t.json")).at("traceEvents").size(), 10U);
  EXPECT_EQ(folder.files(), 4U) << "something temporary was left";
}

// Both have one name where a script calls everything alike: nothing of either is lost.
TEST(Program, AReportBesideThePictureHoldsItsDescriptionToo) {
  const TemporaryFolder folder;
  for (int i = 0; i < 2; ++i) {  // also over what was there
    const Ended ended =
        run_program({"sim:points", "--headless", "--backend", "cpu", "--frames", "2", "--grid", "-5:5:32,5:25:48",
                     "--image-out", (folder / "a.npy").string(), "--report", (folder / "a.json").string()});
    ASSERT_EQ(ended.status, 0) << ended.err;
    const nlohmann::json both = nlohmann::json::parse(read_text(folder / "a.json"));
    EXPECT_EQ(both.at("grid").at("nx"), 32);
    EXPECT_EQ(both.at("frame").at("sequence"), 1);
    EXPECT_EQ(both.at("frames").at("processed"), 2);
    EXPECT_EQ(both.at("policy"), "block");
    EXPECT_EQ(folder.files(), 2U);
  }
}

TEST(Program, TheSameRunMakesTheSamePicture) {
  const TemporaryFolder folder;
  for (const char* name : {"a.npy", "b.npy"}) {
    const Ended ended = run_program({"sim:heart", "--headless", "--backend", "cpu", "--frames", "3", "--rate", "max",
                                     "--grid", "-8:8:33,5:30:51", "--image-out", (folder / name).string()});
    ASSERT_EQ(ended.status, 0) << ended.err;
  }
  EXPECT_EQ(read_text(folder / "a.npy"), read_text(folder / "b.npy"));
}

TEST(Program, CourseRecipeWarnsOnItsCoarseGrid) {
  const auto warned = [](const char* grid) {
    const Ended ended = run_program(
        {"sim:points", "--headless", "--backend", "cpu", "--frames", "1", "--recipe", "course", "--grid", grid});
    EXPECT_EQ(ended.status, 0) << ended.err;
    return ended.err.find("aliases") != std::string::npos;
  };
  EXPECT_TRUE(warned("-9:9:128,20:35:128"));
  EXPECT_FALSE(warned("-9:9:64,20:25:128"));
}

TEST(Program, ARecordingWithoutLoopIsPlayedOnce) {
  constexpr const char* kFile = "must_pwi_disk/PWI_disk.mat";
  ECHO_NEED_DATA(kFile);
  const nlohmann::json report = report_of({(testing::data_folder() / kFile).string(), "--no-loop", "--rate", "max",
                                           "--duration", "60", "--grid", "-10:10:16,12:30:16"});
  EXPECT_EQ(report.at("frames").at("processed"), 32);
  EXPECT_LT(report.at("seconds"), 60.0);
}

}  // namespace
}  // namespace echoloop::program_test
