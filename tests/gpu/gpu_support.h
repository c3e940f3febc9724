// Shared by the GPU tests: a fixture that skips without a GPU, small acquisitions of every kind, frames of noise or of
// echoes, one frame through a backend stage by stage, and measures of difference.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"

namespace echoloop::gpu_test {

// Both backends, made once for the whole program. Skips, with the reason, without a usable GPU.
class GpuTest : public ::testing::Test {
 protected:
  void SetUp() override;
  static Backend& cpu();
  static Backend& gpu();
};

enum class Scene { noise, points };

// One acquisition and its imaging parameters; the name is the test's.
struct Case {
  std::string name;
  int n_el = 65;
  int n_tx = 5;
  int n_samples = 997;
  int nx = 33;
  int nz = 47;
  ProbeKind probe = ProbeKind::linear;
  TransmitKind transmit = TransmitKind::plane;
  SampleType type = SampleType::float32;
  SignalKind signal = SignalKind::rf;
  double sampling_hz = 20e6;
  double f_number = 1.5;
  Apodization apodization = Apodization::boxcar;
  Directivity directivity = Directivity::off;
  Recipe recipe = Recipe::analytic;
  Precision precision = Precision::fp32;
  Scene scene = Scene::noise;
  double amplitude = 1000.0;  // of the samples; int16 rounds them
  GridChoice grid = GridChoice::cartesian;
  Compounding compounding = Compounding::coherent;
  Adaptive adaptive = Adaptive::off;
  AdaptiveAxis adaptive_axis = AdaptiveAxis::elements;
  AdaptiveOrder adaptive_order = AdaptiveOrder::each_transmit;
  int adaptive_bins = 2;
  TransmitCone cone = TransmitCone::off;
};

inline void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

// Cases of the analytic recipe (analytic_cases.cpp).
std::span<const Case> analytic_cases();
// Cases on polar grids.
std::span<const Case> sector_cases();
// Cases of the analytic recipe in single precision only.
std::span<const Case> scan_line_cases();
std::span<const Case> adaptive_cases();

inline constexpr double kCenterHz = 5e6;

AcquisitionPtr make_acquisition(const Case& c);
ImagingParams make_params(const Case& c, const Acquisition& acquisition);
std::shared_ptr<const Plan> make_case_plan(const Case& c);

// Makes a deterministic frame: the same bytes for the same seed on every machine.
std::vector<std::byte> make_frame(const Case& c, const Acquisition& acquisition, unsigned seed = 1);

struct Result {
  std::vector<float> conditioned, beamformed, envelope, db;
};

// Queues a whole frame without waiting.
void start_frame(Lane& lane, const std::shared_ptr<const Plan>& plan, std::span<const std::byte> samples,
                 std::uint64_t sequence = 0);
// Returns the image of a lane whose frame has finished.
std::vector<float> host_image(Lane& lane);
// Processes one frame in a fresh lane, with all intermediate results.
Result run_frame(Backend& backend, const std::shared_ptr<const Plan>& plan, std::span<const std::byte> samples);
// Same as run_frame(), the image only.
std::vector<float> run_picture(Backend& backend, const std::shared_ptr<const Plan>& plan,
                               std::span<const std::byte> samples, StreamMode mode = StreamMode::overlap);

// Returns ||a - b|| / ||b|| over elements of `width` floats; the numerator omits the `n_worst` most different elements.
double relative_l2(const std::vector<float>& a, const std::vector<float>& b, int width = 1, std::size_t n_worst = 0);

// Returns the largest |a - b| where b is above `floor_db` below its maximum, without the `n_worst` largest.
double largest_difference_db(const std::vector<float>& a, const std::vector<float>& b, double floor_db,
                             std::size_t n_worst = 0);

}  // namespace echoloop::gpu_test
