// The speed of sound found on a simulated recording (made with 1540 m/s) and on a tissue phantom (nominally 1540).
#include "backend/sound_speed.h"

#include <gtest/gtest.h>

#include "app/outputs/measure_image.h"
#include "reference/compare.h"

namespace echoloop::sound_speed_reference_test {
namespace {

using namespace testing;

SoundSpeedResult found_on(const OpenedSource& opened) {
  ImagingParams params = default_params(*opened.info.acquisition);
  params.formation.f_number = 1.5;
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

TEST(SoundSpeed, IsFoundOnRecordings) {
  struct Row {
    const char* file;
    double low_m_s, high_m_s;
  };
  for (const Row& row :
       {Row{"simus_p42v_diverging/simus_p42v_diverging.uff", 1535.0, 1550.0},
        Row{"pybf_field2_pw3/rf_dataset.hdf5", 1535.0, 1550.0}, Row{"fk_gammex_nylon/RFdata1.mat", 1515.0, 1540.0}}) {
    ECHO_NEED_DATA(row.file);
    const SoundSpeedResult found = found_on(open_source((data_folder() / row.file).string()));
    for (const SoundSpeedCurve* curve : {&found.elements, &found.transmits}) {
      EXPECT_GE(curve->peak_m_s, row.low_m_s) << row.file;
      EXPECT_LE(curve->peak_m_s, row.high_m_s) << row.file;
      EXPECT_TRUE(curve->warnings.empty()) << row.file;
    }
    std::printf("%s: elements %.1f m/s, transmits %.1f m/s\n", row.file, found.elements.peak_m_s,
                found.transmits.peak_m_s);
  }
}

}  // namespace
}  // namespace echoloop::sound_speed_reference_test
