// Ensembles on the CPU: decomposition, reconstruction and wall filters against numpy and scipy (reference/), the
// sliding Gram matrix against a fresh one, every instruction set, any number of threads.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "backend/flow_engine.h"
#include "support/energy_curve.h"
#include "support/ensembles.h"
#include "support/streaming.h"
#include "test_paths.h"

namespace echoloop::flow_device_test {
namespace {

using namespace testing;

class FlowDevices : public ::testing::TestWithParam<CpuKernel> {
 protected:
  FlowDevices() : backend_(make_cpu_backend(2, GetParam())), device_(backend_->make_device<FlowAnalysis>()) {
    device_->begin_thread();
  }

  // Frames 0 .. n-1 in slots from `first` on, around the ring.
  std::vector<int> fill(const testing::Ensemble& e, int n_slots, int first = 0) {
    device_->reserve(n_slots, e.n_pixels);
    for (int t = 0; t < e.n_frames; ++t) device_->store((first + t) % n_slots, e.frame(t));
    return slots_from(first, e.n_frames, n_slots);
  }

  std::unique_ptr<Backend> backend_;
  std::unique_ptr<FlowDevice> device_;
};

nlohmann::json reference() {
  std::ifstream file(ECHO_SOURCE_DIR "/tests/reference/flow_reference.json");
  return nlohmann::json::parse(file);
}

// Power and velocity (scale 1: the angle of R1) of the first pixels.
void expect_picture(FlowDevice& device, std::span<const int> slots, const nlohmann::json& want, double tolerance) {
  FlowImage image;
  device.apply(slots, {.reference_db = 0.0, .scale_m_s = 1.0, .keep = 0.0, .low_rank = false}, image);
  for (std::size_t p = 0; p < 5; ++p) {
    const double power = want.at("power")[p];
    EXPECT_NEAR(std::pow(10.0, static_cast<double>(image.power_db[p]) / 10.0), power, tolerance * power) << p;
    const auto& r1 = want.at("r1")[p];
    EXPECT_NEAR(image.velocity_m_s[p], std::atan2(r1[1].get<double>(), r1[0].get<double>()), 5.0 * tolerance) << p;
  }
}

TEST_P(FlowDevices, TheEnsembleIsThatOfTheReference) {
  const testing::Ensemble e = tissue_and_blood(600, 24);
  const nlohmann::json first = reference().at("first");
  for (int t = 0; t < 3; ++t) {
    EXPECT_EQ(static_cast<double>(e.at(0, t).re), first[static_cast<std::size_t>(t)][0].get<double>());
  }
}

TEST_P(FlowDevices, SingularValuesAndEnergiesAreNumpys) {
  const testing::Ensemble e = tissue_and_blood(600, 24);
  const auto slots = fill(e, 30, 13);
  const Decomposition d = device_->decompose(slots, 0);
  const nlohmann::json want = reference();
  const std::vector<double> energy = testing::energy_curve(d.singular_values);
  for (std::size_t k = 0; k < 24; ++k) {
    // The smallest lie 55 dB below the largest: products of floats.
    EXPECT_NEAR(d.singular_values[k], want.at("singular_values")[k].get<double>(), 2e-3 * d.singular_values[k]) << k;
    EXPECT_NEAR(energy[k], want.at("energy")[k].get<double>(), 1e-7) << k;
  }
}

TEST_P(FlowDevices, ErrorOfAReconstructionIsTheTail) {
  const testing::Ensemble e = tissue_and_blood(1301, 24);  // blocks do not fit
  const auto slots = fill(e, 24);
  const Decomposition d = device_->decompose(slots, 0);
  for (const int rank : {1, 2, 3, 11, 12, 13, 23}) {
    device_->keep_components(d, {.first = 1, .last = rank});
    const double error = relative_difference(device_->filtered(slots), e.x);
    const double tail = reconstruction_error(d.singular_values, {.first = 1, .last = rank});
    EXPECT_NEAR(error, tail, 1e-3 * tail) << "rank " << rank;
  }
  device_->keep_components(d, {.first = 1, .last = 24});
  EXPECT_LT(relative_difference(device_->filtered(slots), e.x), 1e-6) << "all of them";
}

TEST_P(FlowDevices, WallFiltersAreScipys) {
  const testing::Ensemble e = tissue_and_blood(600, 24);
  const auto slots = fill(e, 40, 29);
  ImagingParams p;
  p.color_flow.wall_filter = WallFilter::fir;
  device_->set_matrix(wall_matrix(p, 24), 24);
  expect_picture(*device_, slots, reference().at("fir"), 1e-3);
  p.color_flow.wall_filter = WallFilter::polynomial;
  p.color_flow.wall_order = 2;
  device_->set_matrix(wall_matrix(p, 24), 24);
  expect_picture(*device_, slots, reference().at("polynomial_2"), 1e-3);
  const Decomposition d = device_->decompose(slots, 0);
  device_->keep_components(d, {.first = 2, .last = 2});
  expect_picture(*device_, slots, reference().at("component_2"), 1e-3);
}

TEST_P(FlowDevices, SlidingGivesWhatAFreshStartGives) {
  const testing::Ensemble e = tissue_and_blood(700, 64);
  const int n = 32;
  device_->reserve(40, e.n_pixels);
  for (int t = 0; t < n; ++t) device_->store(t, e.frame(t));
  device_->decompose(slots_from(0, n, 40), 0);
  for (int end = n + 7; end <= 64; end += 7) {
    for (int t = end - 7; t < end; ++t) device_->store(t % 40, e.frame(t));
    const auto slots = slots_from(end - n, n, 40);
    const Decomposition slid = device_->decompose(slots, n - 7);
    const auto fresh = make_cpu_backend(1, GetParam())->make_device<FlowAnalysis>();
    fresh->begin_thread();
    fresh->reserve(n, e.n_pixels);
    for (int t = 0; t < n; ++t) fresh->store(t, e.frame(end - n + t));
    const Decomposition want = fresh->decompose(slots_from(0, n, n), 0);
    for (std::size_t k = 0; k < static_cast<std::size_t>(n); ++k) {
      EXPECT_NEAR(slid.singular_values[k], want.singular_values[k], 1e-6 * want.singular_values[k]);
    }
  }
}

TEST_P(FlowDevices, ThreadsDoNotMatter) {
  const testing::Ensemble e = tissue_and_blood(5000, 17);
  std::vector<Decomposition> made;
  for (const int threads : {1, 2, 5}) {
    const auto backend = make_cpu_backend(threads, GetParam());
    const auto device = backend->make_device<FlowAnalysis>();
    device->begin_thread();
    device->reserve(17, e.n_pixels);
    for (int t = 0; t < 17; ++t) device->store(t, e.frame(t));
    made.push_back(device->decompose(slots_from(0, 17, 17), 0));
  }
  EXPECT_EQ(made[0].singular_values, made[1].singular_values);
  EXPECT_EQ(made[0].singular_values, made[2].singular_values);
}

TEST_P(FlowDevices, PersistenceFadesThePictureBefore) {
  const testing::Ensemble loud = tissue_and_blood(100, 16);
  testing::Ensemble silent = loud;
  for (Complex& v : silent.x) v = 0.1f * v;
  ImagingParams unfiltered;
  unfiltered.color_flow.wall_filter = WallFilter::none;
  device_->set_matrix(wall_matrix(unfiltered, 16), 16);
  FlowImage first, second;
  const auto slots = fill(loud, 16);
  device_->apply(slots, {.scale_m_s = 1.0}, first);
  for (int t = 0; t < 16; ++t) device_->store(t, silent.frame(t));
  device_->apply(slots, {.scale_m_s = 1.0, .keep = 0.5}, second);
  // (1 + 0.01) / 2 of the power
  for (std::size_t p = 0; p < 100; ++p) EXPECT_NEAR(second.power_db[p] - first.power_db[p], -2.967f, 1e-3f);
}

// Not a limit: the figure for who reads the log (target: 60 ms).
TEST_P(FlowDevices, AnEnsembleOf32FramesTakes) {
  const testing::Ensemble e = tissue_and_blood(128 * 192, 32);
  const auto slots = fill(e, 40);
  FlowImage image;
  const auto ms = [&](int n_known) {
    const std::int64_t begin = now_ns();
    const Decomposition d = device_->decompose(slots, n_known);
    device_->keep_components(d, {.first = 2, .last = 32});
    device_->apply(slots, {.scale_m_s = 1.0}, image);
    return static_cast<double>(now_ns() - begin) * 1e-6;
  };
  double all = 1e9;
  double slid = 1e9;
  for (int i = 0; i < 5; ++i) all = std::min(all, ms(0));
  for (int i = 0; i < 5; ++i) slid = std::min(slid, ms(24));
  std::printf("128 x 192 x 32, %s: %.1f ms, sliding by 8: %.1f ms\n", backend_->device().c_str(), all, slid);
  EXPECT_EQ(image.power_db.size(), e.n_pixels);
}

INSTANTIATE_TEST_SUITE_P(Kernels, FlowDevices, ::testing::ValuesIn(cpu_kernels_here()), [](const auto& info) {
  return std::string(info.param == CpuKernel::portable ? "portable"
                     : info.param == CpuKernel::avx2   ? "avx2"
                                                       : "avx512");
});

}  // namespace
}  // namespace echoloop::flow_device_test
