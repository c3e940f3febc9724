// Examples of own methods that are delay-and-sum, as any backend calls them: the five steps and the short course's
// kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dsp/das.h"
#include "dsp/methods/das_channels.h"
#include "dsp/methods/own.h"
#include "unit/method_scene.h"

// A file's names are those of its namespace `echoloop`; here each has one of its own.
#define ECHO_EXAMPLE(name)    \
  namespace name::echoloop {  \
  using namespace ::echoloop; \
  }
// clang-format off
ECHO_EXAMPLE(das_1)
namespace das_1 {
#include "../../assets/methods/das_1_plain.h"
}
ECHO_EXAMPLE(das_2)
namespace das_2 {
#include "../../assets/methods/das_2_transmits.h"
}
ECHO_EXAMPLE(das_3)
namespace das_3 {
#include "../../assets/methods/das_3_aperture.h"
}
ECHO_EXAMPLE(das_4)
namespace das_4 {
#include "../../assets/methods/das_4_loops.h"
}
ECHO_EXAMPLE(das_5)
namespace das_5 {
#include "../../assets/methods/das_5_sums.h"
}
ECHO_EXAMPLE(course_1)
namespace course_1 {
#include "../../assets/methods/course_linear.h"
}
ECHO_EXAMPLE(course_2)
namespace course_2 {
#include "../../assets/methods/course_nearest.h"
}
ECHO_EXAMPLE(course_3)
namespace course_3 {
#include "../../assets/methods/course_constant.h"
}
// clang-format on

namespace echoloop::method_examples_test {
namespace {

constexpr float kRounding = 2e-5f;

// The largest difference from delay-and-sum, as a share of the largest pixel.
template <class Example>
float difference_of(const Example& method, testing::MethodScene& scene) {
  const DasGeometry& g = scene.geometry;
  float largest = 0.0f, difference = 0.0f;
  for (int iz = 0; iz < g.nz; ++iz) {
    for (int ix = 0; ix < g.nx; ++ix) {
      const Complex expected = das_pixel<DasForm::general>(g, scene.lines.data(), ix, iz);
      const MethodPixel made = method(DasChannels<DasForm::general>(g, scene.lines.data(), ix, iz));
      EXPECT_NEAR(made.weight, 1.0f, 1e-6f);
      largest = std::max(largest, magnitude(expected));
      difference = std::max(difference, magnitude(made.sum + -1.0f * expected));
    }
  }
  return difference / largest;
}

// Oversampled, as recordings are: neighbours are nearly equal.
void smooth(testing::MethodScene& scene) {
  const auto n = static_cast<std::size_t>(scene.size.n_samples);
  for (std::size_t i = 0; i < scene.lines.size(); ++i) {
    const auto turn = 0.002f * static_cast<float>(i % n);
    scene.lines[i] = {std::cos(turn), std::sin(turn)};
  }
}

TEST(MethodExamples, StepsAreDelayAndSum) {
  for (const float f_number : {0.0f, 1.5f}) {
    testing::MethodScene scene({.n_tx = 6, .n_rows = 3}, false, f_number, 1.0f);
    EXPECT_LT(difference_of(das_1::echoloop::Plain{}, scene), kRounding);
    EXPECT_LT(difference_of(das_2::echoloop::Transmits{}, scene), kRounding);
    EXPECT_LT(difference_of(das_3::echoloop::Aperture{}, scene), kRounding);
    EXPECT_LT(difference_of(das_4::echoloop::Exchanged{}, scene), kRounding);
    EXPECT_LT(difference_of(das_5::echoloop::InSums{}, scene), kRounding);
    EXPECT_LT(difference_of(course_3::echoloop::CourseConstant{}, scene), kRounding);
  }
}

TEST(MethodExamples, KernelsOfTheCourseInterpolateOrTakeTheNearestSample) {
  testing::MethodScene scene({.n_tx = 6, .n_rows = 3, .n_samples = 600}, false, 0.0f, 1.0f);
  EXPECT_LT(difference_of(course_1::echoloop::CourseLinear{}, scene), kRounding);
  EXPECT_GT(difference_of(course_2::echoloop::CourseNearest{}, scene), 0.05f) << "samples of noise";
  smooth(scene);
  EXPECT_LT(difference_of(course_2::echoloop::CourseNearest{}, scene), 1.1e-3f) << "half a step of the phase";
}

}  // namespace
}  // namespace echoloop::method_examples_test
