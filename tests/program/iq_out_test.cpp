// --iq-out: the complex pixels of a run, equal to its image; with render; refused where an image has none.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "program/run_program.h"
#include "support/npy_file.h"
#include "support/recorded_data.h"
#include "support/temporary_folder.h"

namespace echoloop::iq_out_test {
namespace {

namespace fs = std::filesystem;
using namespace testing;

struct IqFile {
  std::size_t frames = 0;
  std::vector<float> values;  // (re, im) pairs of all frames
  nlohmann::json about;
};

// By the words of NumPy's format, not by the program's own reader.
IqFile read_iq(const fs::path& path) {
  IqFile file;
  const std::string text = read_text(path);
  EXPECT_NE(text.find("'descr': '<c8'"), std::string::npos) << path;
  const std::size_t shape = text.find("'shape': (");
  file.frames = std::stoull(text.substr(shape + 10));
  const std::size_t begin = text.find('\n') + 1;
  file.values.resize((text.size() - begin) / sizeof(float));
  std::memcpy(file.values.data(), text.data() + begin, text.size() - begin);
  file.about = nlohmann::json::parse(read_text(fs::path(path).replace_extension(".json")));
  return file;
}

// Its last frame against the image.
void expect_same(const IqFile& iq, const NpyImage& image) {
  const double reference_db = iq.about["iq"]["reference_db"];
  EXPECT_NEAR(iq.about["iq"]["magnitude_of_0_db"], std::pow(10.0, reference_db / 20.0),
              1e-6 * std::pow(10.0, reference_db / 20.0));
  ASSERT_EQ(iq.values.size(), 2 * iq.frames * image.values.size());
  const float* pixels = iq.values.data() + 2 * (iq.frames - 1) * image.values.size();
  for (std::size_t i = 0; i < image.values.size(); ++i) {
    const double magnitude = std::hypot(static_cast<double>(pixels[2 * i]), static_cast<double>(pixels[2 * i + 1]));
    ASSERT_NEAR(20.0 * std::log10(std::max(magnitude, 1e-30)) - reference_db, image.values[i], 1e-3) << i;
  }
}

struct IqRun {
  const char* name;
  Words words;
};

TEST(IqOut, IsTheImageOfPhantoms) {
  for (const IqRun& run : {IqRun{"delay-and-sum", {}}, IqRun{"weight", {"--set", "adaptive=coherence"}},
                           IqRun{"compounded", {"--set", "adaptive=generalized,adaptive_order=compounded"}},
                           IqRun{"pixels", {"--set", "adaptive=minimum_variance"}},
                           IqRun{"polar", {"--set", "grid_kind=polar,sector_min_rad=-0.3,sector_max_rad=0.3"}}}) {
    SCOPED_TRACE(run.name);
    const TemporaryFolder folder;
    const Ended ended =
        run_program(joined({"sim:points", "--headless", "--backend", "cpu", "--rate", "max", "--frames", "3", "--set",
                            "grid_nx=33,grid_nz=61", "--iq-out", (folder / "iq.npy").string(), "--image-out",
                            (folder / "last.npy").string(), "--report", (folder / "report.json").string()},
                           run.words));
    ASSERT_EQ(ended.status, 0) << ended.err;
    const IqFile iq = read_iq(folder / "iq.npy");
    EXPECT_EQ(iq.frames, 3U);
    EXPECT_EQ(iq.about["frames"]["count"], 3);
    EXPECT_EQ(iq.about["grid"], nlohmann::json::parse(read_text(folder / "last.json"))["grid"]);
    EXPECT_NE(iq.about["command"].get<std::string>().find("--iq-out"), std::string::npos);
    EXPECT_FALSE(iq.about.contains("image_grid"));
    EXPECT_EQ(nlohmann::json::parse(read_text(folder / "report.json"))["iq_out"]["frames"], 3);
    expect_same(iq, testing::read_npy_image(folder / "last.npy"));
  }
}

// Float and integer samples, IQ, sectors, with the parameters that they open with.
TEST(IqOut, IsTheImageOfRecordings) {
  for (const char* const file : {"fk_gammex_nylon/RFdata1.mat", "simus_p42v_diverging/simus_p42v_diverging.uff",
                                 "pybf_field2_pw3/rf_dataset.hdf5"}) {
    ECHO_NEED_DATA(file);
    const TemporaryFolder folder;
    const Ended ended =
        run_program({(data_folder() / file).string(), "--headless", "--backend", "cpu", "--frames", "1", "--iq-out",
                     (folder / "iq.npy").string(), "--image-out", (folder / "last.npy").string()});
    ASSERT_EQ(ended.status, 0) << ended.err;
    expect_same(read_iq(folder / "iq.npy"), testing::read_npy_image(folder / "last.npy"));
  }
}

// The image is interpolated from scan lines: the pixels are those of the lines, and the file says so.
TEST(IqOut, OfScanLinesHasTheirGrid) {
  constexpr const char* kFile = "simus_p42v_focused_sector";
  ECHO_NEED_DATA(kFile);
  fs::path recording;
  for (const auto& entry : fs::directory_iterator(data_folder() / kFile))
    if (entry.path().extension() == ".hdf5") recording = entry.path();
  if (recording.empty()) GTEST_SKIP() << "no recording of scan lines";
  const TemporaryFolder folder;
  const Ended ended = run_program({recording.string(), "--headless", "--backend", "cpu", "--frames", "1", "--set",
                                   "compounding=lines,grid_kind=cartesian", "--iq-out", (folder / "iq.npy").string(),
                                   "--image-out", (folder / "last.npy").string()});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const IqFile iq = read_iq(folder / "iq.npy");
  const nlohmann::json image = nlohmann::json::parse(read_text(folder / "last.json"));
  EXPECT_EQ(iq.about["image_grid"], image["grid"]);
  EXPECT_NE(iq.about["grid"], image["grid"]);
}

TEST(IqOut, IsRefusedWhereAnImageHasNoComplexPixels) {
  const TemporaryFolder folder;
  const std::string file = (folder / "iq.npy").string();
  for (const char* const set : {"adaptive=slsc", "recipe=course", "adaptive=coherence,adaptive_show=weight"}) {
    const Ended ended =
        run_program({"sim:points", "--headless", "--backend", "cpu", "--frames", "1", "--iq-out", file, "--set", set});
    EXPECT_EQ(ended.status, 2) << set;
    EXPECT_NE(ended.err.find("--iq-out: no complex pixels"), std::string::npos) << ended.err;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  }
  EXPECT_EQ(run_program({"sim:points", "--iq-out", file}).status, 2) << "without --headless";
  EXPECT_EQ(run_program({"sim:points", "--headless", "--frames", "1", "--iq-out", (folder / "iq.raw").string()}).status,
            2);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

// Neither the temporal average nor filters of the image are in them.
TEST(IqOut, IsBeforeFiltersOfTheImage) {
  const TemporaryFolder folder;
  const auto run = [&](const char* name, const Words& more) {
    const Ended ended = run_program(joined({"sim:points", "--headless", "--backend", "cpu", "--rate", "max", "--frames",
                                            "4", "--grid", "-8:8:33,5:35:61", "--iq-out", (folder / name).string()},
                                           more));
    EXPECT_EQ(ended.status, 0) << ended.err;
    return read_iq(folder / name).values;
  };
  EXPECT_EQ(run("plain.npy", {}), run("refined.npy", {"--set", "persistence_s=1,median=5x5,edge_enhancement=0.5"}));
}

TEST(Render, WritesComplexPixelsBesideTheImages) {
  const TemporaryFolder folder;
  const std::string in = (folder / "a.uff").string();
  ASSERT_EQ(
      run_program({"sim:points", "--headless", "--backend", "cpu", "--rate", "max", "--frames", "2", "--record", in})
          .status,
      0);
  const auto render = [&](const Words& more) {
    return run_program(joined({"render", folder.path().string(), "--out", (folder / "out").string(), "--backend", "cpu",
                               "--grid", "-8:8:33,5:35:61"},
                              more));
  };
  ASSERT_EQ(render({"--iq"}).status, 0);
  EXPECT_EQ(read_iq(folder / "out/a.iq.npy").frames, 2U);
  const Ended again = render({"--iq"});
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_NE(again.out.find("1 already there"), std::string::npos) << again.out;
  EXPECT_NE(again.out.find("of 1 recording "), std::string::npos)
      << "the arrays are taken for recordings: " << again.out;
  fs::remove(folder / "out/a.iq.npy");
  EXPECT_NE(render({"--iq"}).out.find("Rendered 1 of 1 recording "), std::string::npos);
  EXPECT_EQ(read_iq(folder / "out/a.iq.npy").frames, 2U);
}

}  // namespace
}  // namespace echoloop::iq_out_test
