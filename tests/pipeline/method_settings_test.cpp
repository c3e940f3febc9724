// Adaptive methods through the whole CPU backend: random settings, refusals, weights on screen.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/error.h"
#include "core/param_table.h"
#include "support/environment_variable.h"
#include "support/streaming.h"

namespace echoloop::method_settings_test {
namespace {

using testing::number_from_environment;
using testing::share;

// Any value of any of the parameters, small pictures.
ImagingParams random_params(const Acquisition& a, std::mt19937& random) {
  ImagingParams params = testing::small_picture(a, 9, 40);
  const auto pick = [&random](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  FormationParams& f = params.formation;
  f.adaptive = static_cast<Adaptive>(1 + pick(6));
  f.adaptive_axis = static_cast<AdaptiveAxis>(pick(3));
  f.adaptive_order = static_cast<AdaptiveOrder>(pick(2));
  f.adaptive_strength = 0.25 * pick(5);
  f.adaptive_bins = pick(17);
  f.adaptive_root = 1.0 + 0.5 * pick(15);
  f.adaptive_lags = 1 + pick(32);
  f.adaptive_kernel_m = 0.0005 * pick(11);
  f.mv_elements = 8 + pick(121);
  f.mv_subarray = 0.1 + 0.1 * pick(5);
  f.mv_loading = std::pow(10.0, pick(8) - 4.0);
  f.adaptive_show = static_cast<AdaptiveShow>(pick(2));
  f.f_number = 0.75 * pick(4);
  f.apodization = static_cast<Apodization>(pick(5));
  return params;
}

TEST(MethodSettings, AnyOfThemGiveNumbersThatNoThreadChanges) {
  const AcquisitionPtr acquisition = share(testing::linear_acquisition(24, 300, {-8.0, 0.0, 5.0}));
  std::vector<float> frame = testing::noise(acquisition->frame_values(), 1);
  std::fill_n(frame.begin() + 7 * 300, 300, 0.0F);  // a silent element
  const std::vector<float> silence(frame.size(), 0.0F);
  const auto source = std::make_shared<testing::FrameList>(
      acquisition, std::vector<std::vector<std::byte>>{testing::to_bytes(frame), testing::to_bytes(silence)});
  std::mt19937 random(3);
  const int sets = number_from_environment("ECHO_METHOD_SETS", 60);
  for (int round = 0; round < sets; ++round) {
    const ImagingParams params = random_params(*acquisition, random);
    const auto one = testing::process({.source = source, .params = params, .frames = 2, .threads = 1});
    const auto three = testing::process({.source = source, .params = params, .frames = 2, .threads = 3});
    for (std::size_t i = 0; i < one.size(); ++i) {
      EXPECT_EQ(three[i].db, one[i].db) << "round " << round;
      for (const float v : one[i].db) ASSERT_TRUE(std::isfinite(v)) << "round " << round;
    }
  }
}

TEST(MethodSettings, WeightsOnScreenAreShares) {
  const AcquisitionPtr acquisition = share(testing::linear_acquisition(24, 300, {-8.0, 0.0, 5.0}));
  for (const auto method : {Adaptive::coherence, Adaptive::generalized, Adaptive::phase, Adaptive::slsc}) {
    ImagingParams params = testing::small_picture(*acquisition, 9, 40);
    params.formation.adaptive = method;
    params.formation.adaptive_show = AdaptiveShow::weight;
    params.refine.median = Median::three;  // acts on levels, and not here
    const auto shown = testing::process({.source = testing::noise_source(acquisition, 1), .params = params});
    params.formation.adaptive_show = AdaptiveShow::image;
    const auto image = testing::process({.source = testing::noise_source(acquisition, 1), .params = params});
    float largest = -2.0F;
    for (const float weight : shown.at(0).db) {
      EXPECT_GE(weight, method == Adaptive::slsc ? -1.0F : 0.0F);
      EXPECT_LE(weight, 1.0F);
      largest = std::max(largest, weight);
    }
    EXPECT_GT(largest, 0.0F);
    EXPECT_NE(image.at(0).db, shown.at(0).db);
  }
}

// One line, in which `word` occurs.
void expect_refused(const ImagingParams& params, const Acquisition& acquisition, const std::string& word) {
  try {
    validate_params(params, acquisition);
    ADD_FAILURE() << "accepted: " << word;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
  }
}

TEST(MethodSettings, WhatHasNoChannelsToCompareIsRefusedWithAReason) {
  const Acquisition a = testing::linear_acquisition(24, 300);  // one transmit
  ImagingParams params = testing::small_picture(a, 9, 40);
  params.formation.adaptive = Adaptive::coherence;
  EXPECT_NO_THROW(validate_params(params, a));
  ImagingParams other = params;
  other.formation.recipe = Recipe::course;
  expect_refused(other, a, "recipe=course");
  other = params;
  other.formation.adaptive_axis = AdaptiveAxis::transmits;
  expect_refused(other, a, "one transmit");
  other.formation.adaptive = Adaptive::p_das;  // always elements
  EXPECT_NO_THROW(validate_params(other, a));
  Acquisition uneven = a;
  uneven.probe.elements[3].x_m += 1e-4;
  other = params;
  other.formation.adaptive = Adaptive::slsc;
  EXPECT_NO_THROW(validate_params(other, a));
  expect_refused(other, uneven, "evenly spaced");
  other.color_flow.mode = FlowMode::power;
  expect_refused(other, a, "without phase");
  other = params;
  other.formation.adaptive_show = AdaptiveShow::weight;
  other.objects.kind = Structure::dark;
  expect_refused(other, a, "no levels");
  Acquisition single = a;
  single.probe.elements.resize(1);
  expect_refused(params, single, "one element");
}

}  // namespace
}  // namespace echoloop::method_settings_test
