// Objects without a window: what the program writes and reports, what it refuses, and that all of it is what
// scipy.ndimage makes of the same pictures.
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>

#include "backend/backend.h"
#include "history/export.h"
#include "program/run_program.h"
#include "support/analysis_file.h"
#include "support/npy_file.h"
#include "support/object_images.h"
#include "support/recorded_data.h"
#include "test_paths.h"

namespace echoloop::objects_test {
namespace {

using namespace testing;

Words run_of(const std::string& source, const Words& more) {
  return joined({source, "--headless", "--backend", "cpu", "--rate", "max", "--frames", "2"}, more);
}

TEST(ObjectFiles, ObjectsAndReport) {
  const TemporaryFolder folder;
  const Ended ended = run_program(
      run_of("sim:points", {"--grid", "-9:9:181,2:36:341", "--set", "structure=bright", "--structure-out",
                            (folder / "wires.json").string(), "--report", (folder / "report.json").string()}));
  ASSERT_EQ(ended.status, 0) << ended.err;
  const std::string file = read_text(folder / "wires.npy");
  EXPECT_NE(file.find("'descr': '<i4', 'fortran_order': False, 'shape': (341, 181)"), std::string::npos);
  const nlohmann::json told = nlohmann::json::parse(read_text(folder / "wires.json"));
  EXPECT_EQ(told.at("labels"), "wires.npy");
  EXPECT_EQ(told.at("grid").at("nx"), 181);
  EXPECT_EQ(told.at("frame").at("sequence"), 1) << "the last one";
  EXPECT_EQ(told.at("parameters").at("structure"), "bright");
  ASSERT_GT(told.at("objects").size(), 8U);
  const auto wire = std::ranges::find_if(told.at("objects"), [](const nlohmann::json& o) {
    return std::hypot(o.at("x_mm").get<double>() - 0.0, o.at("z_mm").get<double>() - 10.0) < 0.1;
  });
  EXPECT_NE(wire, told.at("objects").end()) << "at 0, 10 mm";
  const nlohmann::json report = nlohmann::json::parse(read_text(folder / "report.json")).at("structure");
  EXPECT_GE(report.at("pictures"), 1);
  EXPECT_EQ(report.at("last").at("objects"), told.at("objects").size());
  EXPECT_EQ(report.at("last").at("background"), told.at("structure").at("background"));
  EXPECT_EQ(folder.files(), 3U);
}

// The near field, where the level rises with depth, is no dark object; neither is speckle.
TEST(ObjectFiles, DarkObjectsOfTheCystPhantomAreItsTwoCysts) {
  const TemporaryFolder folder;
  for (const char* grid : {"", "-9.6:9.6:94,2:37.8:175", "-9.6:9.6:376,2:37.8:700", "-9.6:9.6:188,8:30:220",
                           "-9.6:9.6:188,0.5:37.8:360"}) {
    SCOPED_TRACE(grid);
    Words more = {"--set", "structure=dark", "--structure-out", (folder / "cysts.json").string()};
    if (*grid != 0) more.insert(more.end(), {"--grid", grid});
    const Ended ended = run_program(run_of("sim:cyst", more));
    ASSERT_EQ(ended.status, 0) << ended.err;
    const nlohmann::json objects = nlohmann::json::parse(read_text(folder / "cysts.json")).at("objects");
    ASSERT_EQ(objects.size(), 2U);
    EXPECT_NEAR(objects[0].at("z_mm").get<double>(), 13.0, 0.3);
    EXPECT_NEAR(objects[0].at("area_mm2").get<double>(), 3.7, 0.6);
    EXPECT_NEAR(objects[1].at("z_mm").get<double>(), 17.0, 0.3);
    EXPECT_NEAR(objects[1].at("area_mm2").get<double>(), 28.0, 2.0);
  }
}

TEST(ObjectFiles, WhatCannotBeIsSaidInOneLine) {
  const TemporaryFolder folder;
  const auto refused = [&](const Words& more, const std::string& naming) {
    const Ended ended = run_program(run_of("sim:points", more));
    EXPECT_EQ(ended.status, 2) << naming;
    EXPECT_NE(ended.err.find(naming), std::string::npos) << ended.err;
    EXPECT_EQ(lines_of(ended.err).size(), 1U) << ended.err;
    EXPECT_EQ(folder.files(), 0U);
  };
  refused({"--structure-out", (folder / "a.json").string()}, "--set structure=bright or dark");
  refused({"--set", "structure=bright", "--structure-out", (folder / "a.npy").string()}, ".json");
  refused({"--set", "structure=bright", "--structure-out", (folder / "no" / "a.json").string()}, "existing folder");
  refused({"--set", "structure=grey"}, "bright");
}

std::string python_with_scipy() {
  for (const char* candidate : {"python3", "/usr/bin/python3"}) {
    if (std::system((std::string(candidate) + " -c 'import scipy.ndimage' 2>/dev/null").c_str()) == 0) return candidate;
  }
  return {};
}

int compare_with_scipy(const std::string& python, const TemporaryFolder& folder) {
  const std::string script = ECHO_SOURCE_DIR "/tests/program/objects_scipy.py";
  return std::system((python + " " + script + " " + (folder / "").string()).c_str());
}

void write_found(ObjectDevice& device, MadeImage& picture, const ImagingParams& params, const std::string& name) {
  ObjectImage found = find_objects(device, picture, params);
  found.params = params;
  found.grid = picture.grid;
  write_analysis_file("--structure-out", std::move(found), name + ".json");
  write_image_npy(name + "_picture.npy", image_of(picture, params), nlohmann::json::object());
}

TEST(ObjectsScipy, FiftyRandomPictures) {
  const std::string python = python_with_scipy();
  if (python.empty()) GTEST_SKIP() << "no scipy here (python3-scipy)";
  const TemporaryFolder folder;
  const auto device = make_cpu_backend(2)->make_device<ObjectAnalysis>();
  device->begin_thread();
  std::mt19937 random(5);
  for (int n = 0; n < 50; ++n) {
    MadeImage picture;
    picture.grid = n % 5 == 4 ? fan() : kFlat;
    picture.grid.nx = 2 + static_cast<int>(random() % 200);
    picture.grid.nz = 2 + static_cast<int>(random() % 300);
    const unsigned percent = 2 + static_cast<unsigned>(n) * 2;  // 2 to 100
    for (std::size_t i = 0; i < picture.grid.pixels(); ++i) {
      const float level = random() % 100 < percent ? -5.0F : -45.0F;
      picture.db.push_back(level + static_cast<float>(random() % 1000) * 0.005F);
      if (n % 3 == 0 && random() % 50 == 0) picture.db.back() = i % 2 == 0 ? -600.0F : std::nanf("");
    }
    ImagingParams p = exact_params(n % 2 == 0 ? ObjectKind::bright : ObjectKind::dark);
    if (n % 7 == 3) p.objects.min_area_m2 = 0.03e-6;
    write_found(*device, picture, p, (folder / ("random_" + std::to_string(n))).string());
  }
  EXPECT_EQ(compare_with_scipy(python, folder), 0);
}

TEST(ObjectsScipy, PicturesOfRecordings) {
  const std::string python = python_with_scipy();
  if (python.empty()) GTEST_SKIP() << "no scipy here (python3-scipy)";
  const TemporaryFolder folder;
  int n = 0;
  for (const char* file :
       {"fk_gammex_nylon/RFdata1.mat", "must_pwi_disk/PWI_disk.mat", "pybf_field2_pw3/rf_dataset.hdf5",
        "simus_c52v_convex/rf_must.mat", "simus_p42v_diverging/simus_p42v_diverging.uff",
        "simus_p42v_focused_sector/simus_p42v_focused_sector.hdf5"}) {
    ECHO_NEED_DATA(file);
    for (const Words& set :
         {Words{"structure=bright", "structure_trend=keep", "structure_smooth_m=0", "structure_sigmas=1"},
          Words{"structure=dark", "structure_sigmas=1.5"}}) {
      const std::string name = (folder / ("recording_" + std::to_string(n++))).string();
      Words words = {"--structure-out", name + ".json", "--image-out", name + "_picture.npy"};
      for (const std::string& one : set) words.insert(words.end(), {"--set", one});
      const Ended ended = run_program(run_of((data_folder() / file).string(), words));
      ASSERT_EQ(ended.status, 0) << file << ": " << ended.err;
    }
  }
  EXPECT_EQ(compare_with_scipy(python, folder), 0);
}

TEST(ObjectsScipy, ReferenceImages) {
  const std::string python = python_with_scipy();
  if (python.empty()) GTEST_SKIP() << "no scipy here (python3-scipy)";
  const TemporaryFolder folder;
  const auto device = make_cpu_backend(2)->make_device<ObjectAnalysis>();
  device->begin_thread();
  int n = 0;
  for (const char* file : {"fk_gammex_nylon/reference/image_db.npy", "must_pwi_disk/reference/frame000_db.npy",
                           "pybf_field2_pw3/derived_formats/reference_128el_db.npy"}) {
    ECHO_NEED_DATA(file);
    NpyImage image = read_npy_image(data_folder() / file);
    MadeImage picture{std::move(image.values), kFlat};
    picture.grid.nx = image.nx;
    picture.grid.nz = image.nz;
    for (const ObjectKind wanted : {ObjectKind::bright, ObjectKind::dark}) {
      ImagingParams p;
      p.objects.kind = wanted;
      p.objects.trend = LevelTrend::keep;
      p.objects.smooth_m = 0.0;
      p.objects.sigmas = 1.0;
      p.objects.min_area_m2 = 0.01e-6;
      write_found(*device, picture, p, (folder / ("reference_" + std::to_string(n++))).string());
    }
  }
  EXPECT_EQ(compare_with_scipy(python, folder), 0);
}

}  // namespace
}  // namespace echoloop::objects_test
