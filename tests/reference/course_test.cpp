// The course recipe against the published formula in float64 (course_formula.h), on the short-course recording and on
// phantom data, on fine grids: 1e-4 relative, nearest-sample ties aside.
//
// Ties: where a position lies within 1e-3 of half way between two samples, float32 may take the other sample. Such
// pixels (up to half of them: hundreds of terms a pixel) must differ by no more than those terms can change, and are
// taken from the program before the Hilbert transform, which would otherwise spread them over their columns; everything
// else counts.
#include <gtest/gtest.h>

#include <cmath>

#include "backend/plan.h"
#include "reference/compare.h"
#include "reference/course_formula.h"
#include "source/phantom.h"

namespace echoloop::course_test {
namespace {

using namespace testing;

std::vector<double> as_double(const Acquisition& a, std::span<const std::byte> bytes) {
  std::vector<double> values(a.frame_values());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (a.sample_type == SampleType::int16) {
      std::int16_t v = 0;
      std::memcpy(&v, bytes.data() + 2 * i, 2);
      values[i] = v;
    } else {
      float v = 0;
      std::memcpy(&v, bytes.data() + 4 * i, 4);
      values[i] = static_cast<double>(v);
    }
  }
  return values;
}

double relative(double squares, double energy) { return std::sqrt(squares / energy); }

void expect_published_formula(const std::string& what, const std::shared_ptr<SeekableSource>& source,
                              ImagingParams params) {
  const Acquisition& a = *source->acquisition();
  params.formation.recipe = Recipe::course;
  ASSERT_EQ(formation_warning(a, params), "") << "the grid is too coarse for the recipe";
  const Grid grid = make_grid(params, a);
  std::vector<std::byte> slot(a.frame_bytes());
  const std::span<const std::byte> frame = source->at(0, slot);
  CourseSums expected = course_sums(a, as_double(a, frame), grid, params.formation.sound_speed_m_s);
  const std::vector<float> found =
      tap_of(source->acquisition(), params, {frame.begin(), frame.end()}, Lane::Tap::beamformed);

  double squares = 0.0, energy = 0.0, largest = 0.0;
  std::size_t ties = 0;
  for (const double v : expected.rf) largest = std::max(largest, std::abs(v));
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double off = static_cast<double>(found[i]) - expected.rf[i];
    if (expected.tie_span[i] > 0.0) {
      EXPECT_LE(std::abs(off), expected.tie_span[i] + 1e-5 * largest) << "more than its ties explain, pixel " << i;
      expected.rf[i] = static_cast<double>(found[i]);
      ++ties;
      continue;
    }
    squares += off * off;
    energy += expected.rf[i] * expected.rf[i];
  }
  EXPECT_LE(relative(squares, energy), 1e-4) << "summed RF";
  EXPECT_LT(ties, found.size() * 7 / 10);
  const double rf_error = relative(squares, energy);

  const std::vector<double> envelope = course_envelope(expected.rf, grid);
  const std::vector<Picture> pictures = process({.source = source, .params = params});
  squares = energy = 0.0;
  for (std::size_t i = 0; i < envelope.size(); ++i) {
    const double ours = std::pow(10.0, static_cast<double>(pictures.at(0).db[i]) / 20.0);
    squares += std::pow(ours - envelope[i], 2);
    energy += envelope[i] * envelope[i];
  }
  EXPECT_LE(relative(squares, energy), 1e-4) << "image";
  std::printf(
      "course recipe, %s: relative error %.2e of the summed RF, %.2e of the image (%zu of %zu pixels with ties)\n",
      what.c_str(), rf_error, relative(squares, energy), ties, found.size());
}

TEST(CourseRecipe, EqualsThePublishedFormulaOnTheShortCourseRecording) {
  constexpr const char* kFile = "pybf_field2_pw3/derived_formats/shortcourse_list_p4.pkl";
  ECHO_NEED_DATA(kFile);
  const OpenedSource opened = open_source((data_folder() / kFile).string());
  expect_published_formula("short-course recording", as_seekable(opened.source),
                           params_on(*opened.info.acquisition, {-6, 6, 41, 14, 26, 301}, 1.5, 1e6, 9e6));
}

TEST(CourseRecipe, EqualsThePublishedFormulaOnPhantomData) {
  for (const char* name : {"points", "heart"}) {
    PhantomSettings settings;
    settings.name = name;
    settings.probe = "L64";
    const std::shared_ptr<SeekableSource> source = make_phantom(settings);
    // 245 = 5 x 7 x 7 rows: an odd length, and one that is no product of 2, 3 and 5.
    expect_published_formula(name, source, params_on(*source->acquisition(), {-8, 8, 51, 9, 20, 245}, 1.5, 3e6, 7e6));
  }
}

TEST(CourseRecipe, WarnsOnItsOwnGridOnly) {
  PhantomSettings settings;
  settings.name = "points";
  const std::shared_ptr<SeekableSource> source = make_phantom(settings);
  ImagingParams params = params_on(*source->acquisition(), {-9, 9, 128, 20, 50, 128}, 1.5, 3e6, 7e6);
  EXPECT_EQ(formation_warning(*source->acquisition(), params), "") << "the analytic recipe is right on any grid";
  params.formation.recipe = Recipe::course;
  EXPECT_NE(formation_warning(*source->acquisition(), params), "");
  params.formation.grid_nz = 1000;
  EXPECT_EQ(formation_warning(*source->acquisition(), params), "");
}

// Why it warns: on a coarse grid even the brightest of several wires loses some dB.
TEST(CourseRecipe, TheWarningIsTrue) {
  PhantomSettings settings;
  settings.name = "points";
  const std::shared_ptr<SeekableSource> source = make_phantom(settings);
  const auto envelope_at_wire = [&](int nz) {
    ImagingParams params = params_on(*source->acquisition(), {-1, 1, 21, 15, 33, nz}, 1.5, 3e6, 7e6);
    params.formation.recipe = Recipe::course;
    std::vector<std::byte> slot(source->acquisition()->frame_bytes());
    const auto frame = source->at(0, slot);
    const std::vector<float> e =
        tap_of(source->acquisition(), params, {frame.begin(), frame.end()}, Lane::Tap::envelope);
    return static_cast<double>(*std::max_element(e.begin(), e.end()));
  };
  const double fine = envelope_at_wire(600), finer = envelope_at_wire(1200);
  EXPECT_NEAR(20.0 * std::log10(finer / fine), 0.0, 0.5);
  // How much is lost depends on where the coarse rows fall: the worst of a few row counts around 0.3 mm.
  double worst_db = 0.0;
  for (int nz = 52; nz < 72; ++nz) worst_db = std::min(worst_db, 20.0 * std::log10(envelope_at_wire(nz) / fine));
  EXPECT_LT(worst_db, -3.0);
  std::printf("course recipe on rows of about 0.3 mm: the brightest wire loses up to %.1f dB\n", -worst_db);
}

}  // namespace
}  // namespace echoloop::course_test
