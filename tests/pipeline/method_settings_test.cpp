// Adaptive methods through the whole CPU backend: random settings, refusals, weights on screen.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "core/error.h"
#include "core/param_table.h"
#include "support/environment_variable.h"
#include "support/method_sets.h"
#include "support/one_line.h"
#include "support/sanitized.h"
#include "support/streaming.h"

namespace echoloop::method_settings_test {
namespace {

using testing::number_from_environment;
using testing::share;

// Any valid set on any frame: levels and weights are numbers, weights within their range, and no number of threads
// changes them. 10^4 sets by ECHO_METHOD_SETS.
constexpr int kSets = testing::kSanitized ? 60 : 300;

TEST(MethodSettings, AnyOfThemGiveNumbersThatNoThreadChanges) {
  const auto one = make_cpu_backend(1, CpuKernel::automatic), three = make_cpu_backend(3, CpuKernel::automatic);
  testing::MethodSets sets(3);
  const int n = number_from_environment("ECHO_METHOD_SETS", kSets);
  std::array<int, kBuiltInMethods> tried{};
  for (int round = 0; round < n; ++round) {
    const testing::MethodSets::Set set = sets.next();
    ++tried[static_cast<std::size_t>(set.params.formation.adaptive)];
    const std::vector<float> image = testing::image_of(*one, set);
    EXPECT_EQ(testing::image_of(*three, set), image) << "set " << round << ": " << set.words;
    const bool weights = shows_weight(set.params.formation);
    const float least = set.params.formation.adaptive == Adaptive::slsc ? -1.0F : 0.0F;
    for (const float v : image) {
      ASSERT_TRUE(std::isfinite(v)) << "set " << round << ": " << set.words;
      if (!weights) continue;
      ASSERT_GE(v, least) << "set " << round << ": " << set.words;
      ASSERT_LE(v, 1.0F) << "set " << round << ": " << set.words;
    }
  }
  for (std::size_t k = 1; k < tried.size(); ++k) EXPECT_GE(tried[k], n / 20) << kAdaptiveMethods[k].name;
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

void expect_refused(const ImagingParams& params, const Acquisition& acquisition, const std::string& word) {
  testing::expect_refusal([&] { validate_params(params, acquisition); }, word);
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
  other.objects.kind = ObjectKind::dark;
  expect_refused(other, a, "no levels");
  Acquisition single = a;
  single.probe.elements.resize(1);
  expect_refused(params, single, "one element");
}

}  // namespace
}  // namespace echoloop::method_settings_test
