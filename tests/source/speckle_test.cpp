// What the signals are like: Rayleigh speckle, a dark cyst, a bright inclusion, noise and attenuation as asked for.
#include <gtest/gtest.h>

#include "phantom_testing.h"

namespace echoloop::speckle_test {
namespace {

using testing::Das;
using testing::frame_of;
using testing::line_of;
using testing::rms;

constexpr double kFNumber = 1.5;

struct Area {
  double x0_mm, x1_mm, z0_mm, z1_mm;
};

// Adds the envelope over an area, the depth's 1/sqrt(range) taken out.
void collect(const Das& das, const Area& area, std::vector<double>& envelope) {
  for (double z = area.z0_mm; z < area.z1_mm; z += 0.1) {
    for (double x = area.x0_mm; x < area.x1_mm; x += 0.2) {
      envelope.push_back(std::abs(das.at(x * 1e-3, z * 1e-3, kFNumber)) * std::sqrt(std::max(z, 8.0)));
    }
  }
}

TEST(Speckle, EnvelopeOfTheCystPhantomIsRayleigh) {
  std::vector<double> envelope;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    PhantomSettings settings{.name = "cyst", .noise_db = -60.0, .attenuation_db_cm_mhz = 0.0, .seed = seed};
    const auto source = make_phantom(settings);
    const Das das(*source->acquisition(), frame_of(*source, 0));
    collect(das, {-5.0, 5.0, 8.5, 11.0}, envelope);
    collect(das, {-4.0, 2.0, 21.5, 27.0}, envelope);
  }
  const double n = static_cast<double>(envelope.size());
  const double mean = std::accumulate(envelope.begin(), envelope.end(), 0.0) / n;
  double square = 0.0;
  for (const double value : envelope) square += (value - mean) * (value - mean);
  EXPECT_NEAR(mean / std::sqrt(square / n), 1.91, 0.15);  // sqrt(pi / (4 - pi)) = 1.913
}

double level_db(const Das& das, const PhantomDisc& disc, double share) {
  double power = 0.0;
  int n = 0;
  for (double dz = -disc.radius_m; dz <= disc.radius_m; dz += 0.15e-3) {
    for (double dx = -disc.radius_m; dx <= disc.radius_m; dx += 0.15e-3) {
      if (std::hypot(dx, dz) > share * disc.radius_m) continue;
      power += std::norm(das.at(disc.center.x_m + dx, disc.center.z_m + dz, kFNumber));
      ++n;
    }
  }
  return 10.0 * std::log10(power / n);
}

TEST(Speckle, CystIsDarkAndInclusionBrightWhileTheyMove) {
  const PhantomSettings settings{.name = "cyst"};
  const auto source = make_phantom(settings);
  for (const std::uint64_t index : {0U, 60U, 100U, 350U}) {
    const Das das(*source->acquisition(), frame_of(*source, index));
    const double tissue_db = level_db(das, {{-1.0e-3, 24.5e-3}, 2.2e-3}, 1.0);
    // Not darker: three angles 6 degrees apart have transmit lobes 3 mm beside the main one.
    EXPECT_LT(level_db(das, cyst_phantom_cyst(settings, index), 0.7), tissue_db - 16.0) << index;
    const double inclusion_db = level_db(das, cyst_phantom_inclusion(settings, index), 0.7);
    EXPECT_NEAR(inclusion_db, tissue_db + 12.0, 2.5) << index;
  }
}

// Two frames of the same state of the breathing differ by noise alone (twice its variance).
double noise_of(double noise_db) {
  const auto source = make_phantom({.name = "cyst", .noise_db = noise_db});
  const auto a = frame_of(*source, 3);
  const auto b = frame_of(*source, 203);
  std::vector<std::int16_t> difference(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) difference[i] = static_cast<std::int16_t>(a[i] - b[i]);
  return rms(difference) / std::numbers::sqrt2;
}

TEST(Speckle, NoiseIsAsStrongAsAskedFor) {
  EXPECT_EQ(noise_of(-300.0), 0.0);
  EXPECT_NEAR(noise_of(0.0) / noise_of(-20.0), 10.0, 0.2);
  // Against the speckle of the middle elements around mid depth, at 19.7 mm or sample 512.
  const auto source = make_phantom({.name = "cyst", .noise_db = -300.0, .attenuation_db_cm_mhz = 0.0});
  const auto frame = frame_of(*source, 0);
  std::vector<std::int16_t> middle;
  for (int e = 16; e < 48; ++e) {
    const auto line = line_of(*source->acquisition(), frame, 1, e).subspan(350, 325);
    middle.insert(middle.end(), line.begin(), line.end());
  }
  EXPECT_NEAR(20.0 * std::log10(noise_of(-10.0) / rms(middle)), -10.0, 2.0);
}

TEST(Speckle, NoiseIsWhiteAndNewInEveryFrame) {
  const auto source = make_phantom({.name = "cyst", .noise_db = 0.0});
  const auto clean = make_phantom({.name = "cyst", .noise_db = -300.0});
  const auto pure = [&](std::uint64_t index) {
    auto noise = frame_of(*source, index);
    const auto signal = frame_of(*clean, index);
    for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = static_cast<std::int16_t>(noise[i] - signal[i]);
    return noise;
  };
  const auto a = pure(0);
  const auto b = pure(1);
  EXPECT_LT(std::abs(testing::correlation(a, b)), 0.01);  // 196608 values: standard error 0.0023
  for (const std::size_t lag : {1U, 2U, 1024U}) {
    const std::vector<std::int16_t> shifted(a.begin() + static_cast<std::ptrdiff_t>(lag), a.end());
    const std::vector<std::int16_t> rest(a.begin(), a.end() - static_cast<std::ptrdiff_t>(lag));
    EXPECT_LT(std::abs(testing::correlation(shifted, rest)), 0.01) << lag;
  }
}

TEST(Speckle, AttenuationTakesItsDecibels) {
  const auto plain = make_phantom({.name = "cyst", .noise_db = -300.0, .attenuation_db_cm_mhz = 0.0});
  const auto lossy = make_phantom({.name = "cyst", .noise_db = -300.0, .attenuation_db_cm_mhz = 0.3});
  const auto a = frame_of(*plain, 0);
  const auto b = frame_of(*lossy, 0);
  for (const std::size_t sample : {200U, 500U, 800U}) {
    const auto before = line_of(*plain->acquisition(), a, 1, 20).subspan(sample - 20, 40);
    const auto after = line_of(*lossy->acquisition(), b, 1, 20).subspan(sample - 20, 40);
    const double path_cm = static_cast<double>(sample) / 20e6 * 154000.0;  // there and back
    EXPECT_NEAR(20.0 * std::log10(rms(after) / rms(before)), -0.3 * 5.0 * path_cm, 0.5) << sample;
  }
}

}  // namespace
}  // namespace echoloop::speckle_test
