// The speed of sound found on a simulated recording (made with 1540 m/s) and on a tissue phantom (nominally 1540).
#include "backend/sound_speed.h"

#include <gtest/gtest.h>

#include "app/outputs/measured_values.h"
#include "reference/compare.h"

namespace echoloop::sound_speed_reference_test {
namespace {

using namespace testing;

SoundSpeedResult found_with(const OpenedSource& opened, const ImagingParams& params) {
  const auto frame = frame_again(*opened.source, {});
  const std::unique_ptr<Backend> backend = make_cpu_backend();
  return find_sound_speed(*backend,
                          {.acquisition = opened.info.acquisition,
                           .params = params,
                           .grid = sound_speed_grid(params, *opened.info.acquisition),
                           .pixels = {},
                           .speeds_m_s = speeds_around(params.formation.sound_speed_m_s)},
                          frame->frame);
}

SoundSpeedResult found_on(const OpenedSource& opened, const FormationParams& image) {
  ImagingParams params = default_params(*opened.info.acquisition);
  params.formation.f_number = 1.5;
  params.formation.grid_kind = image.grid_kind;
  params.formation.grid_nx = image.grid_nx;
  params.formation.grid_nz = image.grid_nz;
  return found_with(opened, params);
}

TEST(SoundSpeed, IsFoundOnRecordings) {
  struct Row {
    const char* file;
    double low_m_s, high_m_s;
  };
  for (const Row& row :
       {Row{"simus_p42v_diverging/simus_p42v_diverging.uff", 1535.0, 1545.0},
        Row{"pybf_field2_pw3/rf_dataset.hdf5", 1535.0, 1545.0}, Row{"fk_gammex_nylon/RFdata1.mat", 1521.0, 1535.0}}) {
    ECHO_NEED_DATA(row.file);
    const SoundSpeedResult found = found_on(open_source((data_folder() / row.file).string()), {});
    for (const SoundSpeedCurve* curve : {&found.elements, &found.transmits}) {
      EXPECT_GE(curve->peak_m_s, row.low_m_s) << row.file;
      EXPECT_LE(curve->peak_m_s, row.high_m_s) << row.file;
      EXPECT_TRUE(curve->warnings.empty()) << row.file;
    }
    std::printf("%s: elements %.1f m/s, transmits %.1f m/s\n", row.file, found.elements.peak_m_s,
                found.transmits.peak_m_s);
  }
}

// Of a phased array, whose default is the full aperture: 1552.7 m/s over elements, if it were searched with it.
TEST(SoundSpeed, IsFoundWithTheParametersThatARecordingOpensWith) {
  constexpr const char* kFile = "simus_p42v_diverging/simus_p42v_diverging.uff";
  ECHO_NEED_DATA(kFile);
  const OpenedSource opened = open_source((data_folder() / kFile).string());
  const ImagingParams params = default_params(*opened.info.acquisition);
  EXPECT_EQ(params.formation.f_number, 0.0);
  EXPECT_EQ(search_f_number(params), 1.5);
  const SoundSpeedResult found = found_with(opened, params);
  EXPECT_NEAR(found.elements.peak_m_s, 1540.0, 5.0);
  EXPECT_NEAR(found.transmits.peak_m_s, 1540.0, 5.0);
}

// Made with 1540 m/s. On 128 x 256 pixels the Cartesian search found 1562 m/s.
TEST(SoundSpeed, DoesNotDependOnTheGridOfTheImage) {
  constexpr const char* kFile = "simus_p42v_diverging/simus_p42v_diverging.uff";
  ECHO_NEED_DATA(kFile);
  const OpenedSource opened = open_source((data_folder() / kFile).string());
  std::vector<FormationParams> images(3);
  images[1].grid_kind = images[2].grid_kind = GridChoice::cartesian;
  images[2].grid_nx = 60;
  images[2].grid_nz = 80;
  for (const FormationParams& image : images) {
    const SoundSpeedResult found = found_on(opened, image);
    EXPECT_NEAR(found.elements.peak_m_s, 1540.0, 5.0);
    EXPECT_NEAR(found.transmits.peak_m_s, 1540.0, 5.0);
    std::printf("elements %.1f m/s, transmits %.1f m/s\n", found.elements.peak_m_s, found.transmits.peak_m_s);
  }
}

}  // namespace
}  // namespace echoloop::sound_speed_reference_test
