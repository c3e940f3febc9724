// Sector recordings against their references: images on both grids, and the figures of metrics.json: where points
// are, how wide, and how a cyst stands out. The README of each recording says what it is.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/error.h"
#include "dsp/scan.h"
#include "measure/levels.h"
#include "measure/point_spread.h"
#include "reference/compare.h"
#include "reference/regions.h"

namespace echoloop::sector_test {
namespace {

using namespace testing;

constexpr double kLimit_db = 0.2;
constexpr double kShare = 0.03;  // by which measured figures may differ from the stated ones
constexpr double kDegree = kRadiansPerDegree;

nlohmann::json metrics_of(const std::string& folder) {
  return nlohmann::json::parse(testing::read_text(data_folder() / folder / "reference/metrics.json"));
}

// A recording that this build has no reader for is not here: empty.
std::optional<OpenedSource> open_if_readable(const std::string& file, std::string& why_not) {
  try {
    return open_source((data_folder() / file).string());
  } catch (const Error& error) {
    why_not = error.what();
    return std::nullopt;
  }
}

#define ECHO_OPEN(name, file)                               \
  std::string name##_why_not;                               \
  const auto name = open_if_readable(file, name##_why_not); \
  if (!name) GTEST_SKIP() << "cannot be opened: " << name##_why_not

Picture picture_of(const OpenedSource& opened, const ImagingParams& params) {
  return process({.source = opened.source, .params = params}).at(0);
}

// A point of metrics.json, on a fine image of its own.
void expect_point(const OpenedSource& opened, ImagingParams p, const nlohmann::json& point) {
  const double x_mm = point.at("true_mm")[0], z_mm = point.at("true_mm")[1];
  constexpr double kStep_mm = 0.02;
  p.formation.grid_kind = GridChoice::cartesian;
  p.formation.grid_nx = 351;
  p.formation.grid_nz = 121;
  p.formation.lateral_min_m = (x_mm - 175 * kStep_mm) * 1e-3,
  p.formation.lateral_max_m = (x_mm + 175 * kStep_mm) * 1e-3;
  p.formation.depth_min_m = (z_mm - 60 * kStep_mm) * 1e-3, p.formation.depth_max_m = (z_mm + 60 * kStep_mm) * 1e-3;
  const Picture picture = picture_of(opened, p);
  const std::optional<PointSpread> spread = measure_point(levels_of(picture), {x_mm * 1e-3, z_mm * 1e-3}, 0.5e-3);
  ASSERT_TRUE(spread);
  EXPECT_NEAR(spread->peak.x_m * 1e3, x_mm, 0.1);
  EXPECT_NEAR(spread->peak.z_m * 1e3, z_mm, 0.05);
  const double lateral_mm = spread->lateral.fwhm_m * 1e3, axial_mm = spread->axial.fwhm_m * 1e3;
  EXPECT_NEAR(lateral_mm / point.at("lateral_fwhm_mm").get<double>(), 1.0, kShare);
  EXPECT_NEAR(axial_mm / point.at("axial_fwhm_mm").get<double>(), 1.0, kShare);
  std::printf("point (%.1f, %.1f) mm: off by %+.3f, %+.3f mm; widths %.3f x %.3f mm, stated %.3f x %.3f mm\n", x_mm,
              z_mm, spread->peak.x_m * 1e3 - x_mm, spread->peak.z_m * 1e3 - z_mm, lateral_mm, axial_mm,
              point.at("lateral_fwhm_mm").get<double>(), point.at("axial_fwhm_mm").get<double>());
}

// Levels below the brightest pixel that the reference has; not a number where it has none.
std::vector<float> with_own_level(std::vector<float> db, const std::vector<float>& reference) {
  float top = -1e9f;
  for (std::size_t i = 0; i < db.size(); ++i) {
    if (std::isfinite(reference[i])) top = std::max(top, db[i]);
  }
  for (std::size_t i = 0; i < db.size(); ++i) db[i] = std::isfinite(reference[i]) ? db[i] - top : reference[i];
  return db;
}

// The cysts of params.json stand out as stated. metrics.json does not tell its regions; these, found by search, give
// its numbers on the reference image within half a percent: the inner 0.8 of the radius, and the ring 2 to 5 mm
// outside. It has 256 bins where gCNR here takes as many as the pixels allow, and its CNR is over the mean variance,
// not the sum.
// `share_of_stated`: how far from metrics.json; its image is of coarse radii, which smooth speckle.
void expect_cysts(const Picture& picture, const std::string& folder, const std::vector<float>& wanted,
                  double share_of_stated) {
  const nlohmann::json truth =
      nlohmann::json::parse(testing::read_text(data_folder() / folder / "params.json")).at("truth");
  const nlohmann::json metrics = metrics_of(folder);
  const std::vector<float> ours = with_own_level(picture.db, wanted);
  for (const char* name : {"anechoic_cyst", "hyperechoic"}) {
    const nlohmann::json& cyst = truth.at(name);
    const PlanePoint centre{cyst.at("centre_m")[0], cyst.at("centre_m")[1]};
    const double radius_m = cyst.at("radius_m");
    const RegionPixels in = disk(picture.grid, centre, 0.8 * radius_m);
    const RegionPixels ring =
        without(disk(picture.grid, centre, radius_m + 5e-3), disk(picture.grid, centre, radius_m + 2e-3));
    const PairStats found = compare_regions(levels_of(ours, picture.grid), in, ring);
    const PairStats of_reference = compare_regions(levels_of(wanted, picture.grid), in, ring);
    const nlohmann::json& stated = metrics.at(name);
    const double gcnr = stated.at("gcnr"), cnr = stated.at("cnr").get<double>() / std::sqrt(2.0);
    EXPECT_NEAR(found.gcnr, of_reference.gcnr, 0.02) << name;
    for (const PairStats& pair : {found, of_reference}) {
      EXPECT_NEAR(pair.gcnr / gcnr, 1.0, share_of_stated) << name;
      EXPECT_NEAR(pair.cnr / cnr, 1.0, share_of_stated) << name;
      EXPECT_NEAR(pair.contrast_db, stated.at("contrast_db").get<double>(), 0.3) << name;
    }
    std::printf("%s, %s: gCNR %.4f (reference picture %.4f, stated %.4f), CNR %.3f (%.3f, %.3f), contrast %.2f dB\n",
                folder.c_str(), name, found.gcnr, of_reference.gcnr, gcnr, found.cnr, of_reference.cnr, cnr,
                found.contrast_db);
  }
}

// Another image's levels on the grid `to`, bilinear in the amplitude.
Picture converted(const Picture& from, const Grid& to) {
  Picture out = from;
  out.grid = to;
  out.db.clear();
  const ScanGeometry scan{scan_axes(from.grid), scan_axes(to)};
  for (int iz = 0; iz < to.nz; ++iz) {
    for (int ix = 0; ix < to.nx; ++ix) {
      const float v = scan_pixel(
          scan, ix, iz, [&](int at) { return std::pow(10.0f, 0.05f * from.db[static_cast<std::size_t>(at)]); });
      out.db.push_back(20.0f * std::log10(std::max(v, 1e-30f)));
    }
  }
  return out;
}

ImagingParams diverging_params(const Acquisition& a) {
  return params_on(a, {-60, 60, 301, 8, 97, 300}, 0.0, 272000, 5168000);
}

constexpr const char* kDiverging = "simus_p42v_diverging/simus_p42v_diverging.uff";
constexpr const char* kFocused = "simus_p42v_focused_sector/simus_p42v_focused_sector.hdf5";

TEST(Diverging, EqualsTheReferenceOnBothGrids) {
  ECHO_NEED_DATA(kDiverging);
  ECHO_OPEN(opened, kDiverging);
  ImagingParams p = diverging_params(*opened->info.acquisition);
  const std::string folder = "simus_p42v_diverging/reference/";
  const auto frames = process({.source = opened->source, .params = p, .frames = 8});
  expect_close("diverging, cartesian", frames.at(0), folder + "cartesian_frame000_db.npy", kLimit_db);
  expect_cysts(frames.at(0), "simus_p42v_diverging",
               read_reference(folder + "cartesian_frame000_db.npy", frames.at(0).grid), kShare);
  expect_close("diverging, cartesian, frame 7", frames.at(7), folder + "cartesian_frame007_db.npy", kLimit_db);
  p.formation.grid_kind = GridChoice::polar;
  p.formation.grid_nx = 169, p.formation.grid_nz = 400;
  p.formation.sector_min_rad = -42 * kDegree, p.formation.sector_max_rad = 42 * kDegree;
  p.formation.depth_min_m = 0.01, p.formation.depth_max_m = 0.095;
  expect_close("diverging, polar", picture_of(*opened, p), folder + "polar_frame000_db.npy", kLimit_db);
}

TEST(Diverging, PointsAreInPlaceAndAsSharp) {
  ECHO_NEED_DATA(kDiverging);
  ECHO_OPEN(opened, kDiverging);
  const nlohmann::json metrics = metrics_of("simus_p42v_diverging");
  for (const nlohmann::json& point : metrics.at("points")) {
    expect_point(*opened, diverging_params(*opened->info.acquisition), point);
  }
}

TEST(FocusedSector, EqualsTheReferenceOnBothGrids) {
  ECHO_NEED_DATA(kFocused);
  ECHO_OPEN(opened, kFocused);
  ImagingParams p = params_on(*opened->info.acquisition, {-56, 56, 281, 8, 96, 300}, 0.0, 272000, 5168000);
  const std::string folder = "simus_p42v_focused_sector/reference/";
  const Picture direct = picture_of(*opened, p);
  p.formation.grid_kind = GridChoice::polar;
  p.formation.grid_nx = 0, p.formation.grid_nz = 400;
  p.formation.depth_min_m = 0.01, p.formation.depth_max_m = 0.095;
  const Picture lines = picture_of(*opened, p);
  ASSERT_EQ(lines.grid.nx, 37);
  expect_close("focused, scan lines", lines, folder + "scanlines_db.npy", kLimit_db);
  // The reference was interpolated between radii 0.38 wavelengths apart: so are these. The direct image's lines are
  // finer, and an envelope's dips deeper; it is held against finer ones.
  const std::vector<float> reference = read_reference(folder + "cartesian_db.npy", direct.grid);
  const Picture coarse = converted(lines, direct.grid);
  const Difference from_coarse = compare(coarse.db, with_own_level(reference, reference));
  EXPECT_LE(from_coarse.rms_db, kLimit_db);
  expect_cysts(coarse, "simus_p42v_focused_sector", reference, kShare);
  p.formation.grid_nz = 2501;
  const Picture fine = converted(picture_of(*opened, p), direct.grid);
  const Difference from_fine = compare(direct.db, with_own_level(fine.db, reference));
  EXPECT_LE(from_fine.rms_db, kLimit_db);
  const std::vector<float> wanted = with_own_level(fine.db, reference);
  expect_cysts(direct, "simus_p42v_focused_sector", wanted, 0.08);
  const Difference of_reference = compare(reference, wanted);
  EXPECT_LT(from_fine.rms_db, 0.1 * of_reference.rms_db);  // the direct image is the better one
  std::printf(
      "focused, cartesian: rms %.4f dB from the reference's radii; from 2501 radii: direct %.4f dB, the "
      "reference %.4f dB\n",
      from_coarse.rms_db, from_fine.rms_db, of_reference.rms_db);
  const nlohmann::json metrics = metrics_of("simus_p42v_focused_sector");
  for (const int z_mm : {20, 35, 90}) {
    const std::optional<PointSpread> spread = measure_point(levels_of(lines), {0.0, z_mm * 1e-3}, 1.5e-3);
    ASSERT_TRUE(spread);
    const nlohmann::json& stated = metrics.at("point_z" + std::to_string(z_mm));
    EXPECT_NEAR(spread->peak.x_m / (z_mm * 1e-3 * 2.0 * kDegree), 0.0, 0.1);  // of the distance of two lines
    EXPECT_NEAR(spread->peak.z_m * 1e3, stated.at("found_r_mm").get<double>(),
                0.11);  // half a step: its brightest pixel
    EXPECT_NEAR(spread->axial.fwhm_m * 1e3 / stated.at("axial_fwhm_mm").get<double>(), 1.0, kShare);
    std::printf("focused, point at %d mm: axial width %.4f mm, stated %.4f mm\n", z_mm, spread->axial.fwhm_m * 1e3,
                stated.at("axial_fwhm_mm").get<double>());
  }
}

// On rows and columns too, straight from the scan lines; fine ones, for the reference's radii are 0.2 mm apart.
TEST(FocusedSector, PointsAreInPlaceAndAsSharpOnCartesianGrids) {
  ECHO_NEED_DATA(kFocused);
  ECHO_OPEN(opened, kFocused);
  const nlohmann::json metrics = metrics_of("simus_p42v_focused_sector");
  constexpr double kStep_mm = 0.02;
  for (const int z_mm : {20, 35, 90}) {
    const double half_mm = 75 * kStep_mm;
    const Picture picture = picture_of(
        *opened,
        params_on(*opened->info.acquisition, {-1, 1, 51, z_mm - half_mm, z_mm + half_mm, 151}, 0.0, 272000, 5168000));
    const std::optional<PointSpread> spread = measure_point(levels_of(picture), {0.0, z_mm * 1e-3}, 1e-3);
    ASSERT_TRUE(spread);
    const double found_mm = spread->peak.z_m * 1e3, width_mm = spread->axial.fwhm_m * 1e3;
    const nlohmann::json& point = metrics.at("point_z" + std::to_string(z_mm));
    EXPECT_NEAR(found_mm, z_mm, 0.05);
    EXPECT_NEAR(width_mm / point.at("axial_fwhm_mm").get<double>(), 1.0, 0.1);
    std::printf("point at %d mm: found at %.2f mm, %.3f mm wide (reference %.2f, %.3f)\n", z_mm, found_mm, width_mm,
                point.at("found_r_mm").get<double>(), point.at("axial_fwhm_mm").get<double>());
  }
}

TEST(ConvexSector, PointsAreInPlaceAndAsSharp) {
  constexpr const char* kFile = "simus_c52v_convex/rf.npy";
  ECHO_NEED_DATA(kFile);
  ECHO_OPEN(opened, kFile);
  const ImagingParams p = params_on(*opened->info.acquisition, {-70, 70, 301, -5, 105, 331}, 1.2, 357000, 6783000);
  const nlohmann::json metrics = metrics_of("simus_c52v_convex");
  for (const nlohmann::json& point : metrics.at("points")) expect_point(*opened, p, point);
}

// The sector that the program chooses by itself shows the same image: scan conversion of its pixels to the
// reference's, within what bilinear interpolation leaves.
TEST(ConvexSector, TheAutomaticGridShowsThePointsOnTheirMarks) {
  constexpr const char* kFile = "simus_c52v_convex/rf.npy";
  ECHO_NEED_DATA(kFile);
  ECHO_OPEN(opened, kFile);
  const Picture picture = picture_of(*opened, default_params(*opened->info.acquisition));
  ASSERT_TRUE(picture.grid.polar());
  const nlohmann::json metrics = metrics_of("simus_c52v_convex");
  for (const nlohmann::json& point : metrics.at("points")) {
    const double x = point.at("true_mm")[0].get<double>() * 1e-3, z = point.at("true_mm")[1].get<double>() * 1e-3;
    const GridPlace place = picture.grid.place(x, z);
    const int column = static_cast<int>(std::lround(place.column)), row = static_cast<int>(std::lround(place.row));
    int best_column = column, best_row = row;
    for (int iz = row - 5; iz <= row + 5; ++iz) {
      for (int ix = column - 5; ix <= column + 5; ++ix) {
        if (picture.at(ix, iz) > picture.at(best_column, best_row)) best_column = ix, best_row = iz;
      }
    }
    const PlanePoint found = picture.grid.point(best_column, best_row);
    EXPECT_NEAR(found.x_m, x, 0.3e-3);
    EXPECT_NEAR(found.z_m, z, 0.2e-3);
  }
}

// Levels of speckle between the beams against those on the beams, in bands of depth; eight columns a beam. The
// recording has 37 beams 2 degrees apart, focused at 60 mm, where they lie 2.1 mm apart and have their first null after
// 1.8 mm: midway both are 5 dB down (sinc). A Hann window over three beams evens that out, the others in part.
TEST(FocusedSector, ConesLeaveNoStripes) {
  const char* const file = "simus_p42v_focused_sector/simus_p42v_focused_sector.hdf5";
  ECHO_NEED_DATA(file);
  ECHO_OPEN(opened, file);
  constexpr double kOverlap_db = 1.0;
  struct Row {
    TransmitCone cone;
    double focus_db;
  };
  for (const auto& [cone, focus_db] :
       {Row{TransmitCone::boxcar, 5.0}, Row{TransmitCone::hann, 1.0}, Row{TransmitCone::tukey, 2.5}}) {
    ImagingParams p = default_params(*opened->info.acquisition);
    p.transmits.cone = cone;
    p.formation.grid_nx = 36 * 8 + 1;
    p.formation.grid_nz = 500;
    const Picture picture = picture_of(*opened, p);
    const Grid& g = picture.grid;
    for (int band = 0; band < 5; ++band) {
      std::vector<double> level(static_cast<std::size_t>(g.nx));
      for (int ix = 0; ix < g.nx; ++ix) {
        double power = 0.0;
        for (int iz = 50 + band * 80; iz < 130 + band * 80; ++iz) {
          power += std::pow(10.0, 0.1 * static_cast<double>(picture.db[static_cast<std::size_t>(iz * g.nx + ix)]));
        }
        level[static_cast<std::size_t>(ix)] = 10.0 * std::log10(power);
      }
      // Less the mean over one beam spacing about the column.
      double by_place[8] = {}, count[8] = {};
      for (std::size_t ix = 8; ix + 8 < level.size(); ++ix) {
        double around = 0.0;
        for (std::size_t k = ix - 4; k < ix + 4; ++k) around += (level[k] + level[k + 1]) / 16.0;
        by_place[ix % 8] += level[ix] - around;
        count[ix % 8] += 1.0;
      }
      double low = 1e9, high = -1e9;
      for (int k = 0; k < 8; ++k) {
        low = std::min(low, by_place[k] / count[k]);
        high = std::max(high, by_place[k] / count[k]);
      }
      std::printf("cone %d, band %d: %.2f dB from the darkest to the brightest place between beams\n",
                  static_cast<int>(cone), band, high - low);
      EXPECT_LT(high - low, band < 2 ? kOverlap_db : focus_db) << static_cast<int>(cone) << ", band " << band;
    }
  }
}

}  // namespace
}  // namespace echoloop::sector_test
