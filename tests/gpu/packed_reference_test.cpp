// Recordings against their reference images through the tuned path, with the bounds of tests/reference.
#include "core/units.h"
#include "gpu/gpu_support.h"
#include "reference/compare.h"

namespace echoloop::gpu_test::packed_reference_test {
namespace {

using testing::GridMillimetres;

struct Recording {
  const char* name;
  const char* file;
  const char* reference;
  GridMillimetres grid;
  double f_number;
  double low_hz;
  double high_hz;
  double limit_db;
  GridChoice kind = GridChoice::cartesian;  // polar: x is directions in degrees, z distances from the apex
};

class PackedReference : public GpuTest, public ::testing::WithParamInterface<Recording> {};

TEST_P(PackedReference, EqualsTheReference) {
  const Recording& r = GetParam();
  ECHO_NEED_DATA(r.file);
  const OpenedSource opened = open_source((testing::data_folder() / r.file).string());
  const AcquisitionPtr& acquisition = opened.info.acquisition;
  ImagingParams params = testing::params_on(*acquisition, r.grid, r.f_number, r.low_hz, r.high_hz);
  params.formation.precision = Precision::fp16;
  if (r.kind == GridChoice::polar) {
    params.formation.grid_kind = GridChoice::polar;
    params.formation.sector_min_rad = r.grid.x0 * kPi / 180.0;
    params.formation.sector_max_rad = r.grid.x1 * kPi / 180.0;
  }
  ASSERT_NE(make_plan(acquisition, params)->packed, nullptr);
  const auto pictures = testing::process({.source = opened.source, .params = params, .backend = &gpu()});
  testing::expect_close(r.file, pictures.at(0), r.reference, r.limit_db);
}

const Recording kRecordings[] = {
    {"Pybf",
     "pybf_field2_pw3/derived_formats/shortcourse_list_p4.pkl",
     "pybf_field2_pw3/derived_formats/reference_128el_db.npy",
     {-14, 14, 281, 2, 44, 400},
     1.0,
     1208300,
     9208300,
     0.2},
    {"Gammex",
     "fk_gammex_nylon/RFdata1.mat",
     "fk_gammex_nylon/reference/image_db.npy",
     {-19, 19, 257, 5, 100, 400},
     1.5,
     2.5e6,
     7.5e6,
     0.2},
    {"Convex",
     "simus_c52v_convex/rf.npy",
     "simus_c52v_convex/reference/cartesian_db.npy",
     {-70, 70, 301, -5, 105, 331},
     1.2,
     357000,
     6783000,
     0.2},
    {"Disk",
     "must_pwi_disk/PWI_disk.mat",
     "must_pwi_disk/reference/frame000_db.npy",
     {-12.5, 12.5, 251, 10.0, 35.0, 251},
     1.5,
     5e6 - 5e6 / 3.0,
     5e6 + 5e6 / 3.0,
     0.5},
    {"Diverging",
     "simus_p42v_diverging/simus_p42v_diverging.uff",
     "simus_p42v_diverging/reference/cartesian_frame000_db.npy",
     {-60, 60, 301, 8, 97, 300},
     0.0,
     272000,
     5168000,
     0.2},
    {"DivergingOnASector",
     "simus_p42v_diverging/simus_p42v_diverging.uff",
     "simus_p42v_diverging/reference/polar_frame000_db.npy",
     {-42, 42, 169, 10, 95, 400},
     0.0,
     272000,
     5168000,
     0.2,
     GridChoice::polar},
};

INSTANTIATE_TEST_SUITE_P(Recordings, PackedReference, ::testing::ValuesIn(kRecordings),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace echoloop::gpu_test::packed_reference_test
