// Singular values and energy curve of a real cineloop: those that numpy finds in the same beamformed frames. numpy runs
// beside the test, where there is one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "app/opening/source_kinds.h"
#include "backend/flow_engine.h"
#include "core/param_table.h"
#include "dsp/flow.h"
#include "support/energy_curve.h"
#include "support/ensembles.h"
#include "support/recorded_data.h"
#include "support/temporary_folder.h"

namespace echoloop::disk_energy_test {
namespace {

using namespace testing;

constexpr const char* kFile = "must_pwi_disk/PWI_disk.mat";
constexpr int kFrames = 32;

// A python that has numpy; empty: none.
std::string python_with_numpy() {
  for (const std::string name : {"python3", "/usr/bin/python3"}) {
    if (std::system((name + " -c 'import numpy' 2>/dev/null").c_str()) == 0) return name;
  }
  return {};
}

// Singular values of float32 pairs [frame][pixel] in `file`, by numpy in double precision.
std::vector<double> singular_values_by_numpy(const std::string& python, const std::filesystem::path& file) {
  const std::string script = fmt::format(
      "import numpy as np; x = np.fromfile('{}', np.complex64).reshape({}, -1).T.astype(complex); "
      "print(*np.linalg.svd(x, compute_uv=False))",
      file.string(), kFrames);
  const std::filesystem::path answer = std::filesystem::path(file).replace_extension(".txt");
  EXPECT_EQ(std::system(fmt::format("{} -c \"{}\" > {}", python, script, answer.string()).c_str()), 0);
  std::ifstream in(answer);
  return {std::istream_iterator<double>(in), {}};
}

TEST(EnergyOfTheDisk, IsNumpys) {
  ECHO_NEED_DATA(kFile);
  const std::string python = python_with_numpy();
  if (python.empty()) GTEST_SKIP() << "no python3 with numpy here";
  const OpenedSource opened = open_source((data_folder() / kFile).string());
  const AcquisitionPtr& acquisition = opened.info.acquisition;
  ImagingParams params = default_params(*acquisition);
  params.color_flow.mode = FlowMode::power;
  params.color_flow.frames = kFrames;
  const auto backend = make_cpu_backend(2);
  const auto plan = make_plan(acquisition, params, nullptr, backend->multiprocessors());
  const std::size_t pixels = plan->das->tables->grid.pixels();
  const auto lane = backend->make_lane(0, StreamMode::serial);
  const auto device = backend->make_device<FlowAnalysis>();
  device->begin_thread();
  device->reserve(kFrames, pixels);
  const TemporaryFolder folder;
  std::ofstream file(folder / "ensemble.bin", std::ios::binary);
  std::vector<std::byte> slot(acquisition->frame_bytes());
  lane->set_plan(plan);
  for (int t = 0; t < kFrames; ++t) {
    lane->upload({.stamp = {}, .samples = opened.source->seekable()->at(static_cast<std::uint64_t>(t), slot)});
    lane->condition();
    lane->beamform();
    const PixelView view = lane->pixels();
    ASSERT_EQ(view.count, pixels);
    device->store(t, view);
    file.write(reinterpret_cast<const char*>(view.values), static_cast<std::streamsize>(pixels * sizeof(Complex)));
  }
  file.close();
  const Decomposition d = device->decompose(slots_from(0, kFrames, kFrames), 0);
  const std::vector<double> want = singular_values_by_numpy(python, folder / "ensemble.bin");
  ASSERT_EQ(want.size(), static_cast<std::size_t>(kFrames));
  const std::vector<double> energy = testing::energy_curve(d.singular_values),
                            wanted_energy = testing::energy_curve(want);
  double off = 0.0;
  double tail_off = 0.0;  // what is left after k components, as a share of itself: where the curve is near 1
  for (std::size_t k = 0; k < want.size(); ++k) {
    EXPECT_NEAR(d.singular_values[k], want[k], 1e-3 * want[k]) << k + 1;
    EXPECT_NEAR(energy[k], wanted_energy[k], 1e-4) << k + 1;
    off = std::max(off, std::abs(energy[k] - wanted_energy[k]));
    if (k + 1 < want.size()) {
      tail_off = std::max(tail_off, std::abs((1.0 - energy[k]) / (1.0 - wanted_energy[k]) - 1.0));
    }
  }
  EXPECT_LT(tail_off, 2e-3);
  std::printf(
      "disk: %zu pixels, %d frames: energy curve within %.1e of numpy's, its tail within %.1e of itself; "
      "component 1 has %.1f %%, 8 have %.1f %%\n",
      pixels, kFrames, off, tail_off, 100.0 * energy[0], 100.0 * energy[7]);
}

}  // namespace
}  // namespace echoloop::disk_energy_test
