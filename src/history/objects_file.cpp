// Objects on disk.
#include <vector>

#include "history/analysis_files.h"
#include "history/export.h"
#include "history/json_text.h"
#include "history/npy_text.h"

namespace echoloop {
namespace {

nlohmann::json background_json(const Background& b) {
  if (b.pixels == 0) return {{"pixels", 0}};
  return {{"median_db", b.median_db}, {"mean_db", b.mean_db},     {"sigma_db", b.sigma_db},    {"pixels", b.pixels},
          {"rounds", b.rounds},       {"lowest_db", b.lowest_db}, {"highest_db", b.highest_db}};
}

nlohmann::json objects_json(const std::vector<FoundObject>& objects) {
  nlohmann::json json = nlohmann::json::array();
  for (const FoundObject& o : objects) {
    json.push_back({{"label", json.size() + 1},
                    {"area_mm2", o.area_m2 * 1e6},
                    {"x_mm", o.centroid.x_m * 1e3},
                    {"z_mm", o.centroid.z_m * 1e3},
                    {"mean_db", o.mean_db},
                    {"pixels", o.pixels},
                    {"columns", {o.ix0, o.ix1}},
                    {"rows", {o.iz0, o.iz1}}});
  }
  return json;
}

// Backgrounds, threshold, number of objects, times.
nlohmann::json object_json(const ObjectImage& s) {
  nlohmann::json json = {
      {"background", background_json(s.background)},
      {"smoothed_background", background_json(s.smoothed)},
      {"objects", s.objects.size()},
      {"found_with_small_ones", s.found},
      {"age_ms", static_cast<double>(s.ready_ns - s.stamp.acquired_ns) * 1e-6},
      {"times_ms",
       {{"background", s.times.background_ms}, {"objects", s.times.objects_ms}, {"total", s.times.total_ms}}}};
  if (s.smoothed.pixels > 0) json["threshold_db"] = s.threshold_db;
  return json;
}

// JSON: background, threshold, histogram and the table of objects, lengths in mm; beside it the same name with .npy:
// labels, int32, shape [nz][nx].
void write_object_files(const std::filesystem::path& path, const ObjectImage& s, const nlohmann::json& about) {
  const std::filesystem::path labels = std::filesystem::path(path).replace_extension(".npy");
  const std::string shape = std::to_string(s.grid.nz) + ", " + std::to_string(s.grid.nx);
  nlohmann::json json = about;
  json["labels"] = labels.filename().string();
  json["order"] = s.grid.polar() ? "labels[i_radius][i_line], int32: 0, or the object's label"
                                 : "labels[iz][ix], int32: 0, or the object's label";
  json["grid"] = grid_json(s.grid);
  json["parameters"] = params_json(s.params);
  json["frame"] = frame_json(s.stamp);
  json["structure"] = object_json(s);
  json["histogram"] = {{"first_db", s.histogram.first_db}, {"step_db", s.histogram.step_db},
                       {"counts", s.histogram.counts},     {"below", s.histogram.below},
                       {"above", s.histogram.above},       {"without", s.histogram.without}};
  json["objects"] = objects_json(s.objects);
  write_pair({{{labels, npy_text(shape, s.labels)}, {path, json_text(json, 1) + "\n"}}});
}

AnalysisEnd end_objects(LiveImages& live, const AnalysisCounts& counts) {
  const ObjectImage& last = last_of(live.objects);
  const auto& n = counts.objects;
  return end_with({{"pictures", n.pictures}, {"replaced", n.replaced}}, last.number > 0 ? &last : nullptr, object_json,
                  write_object_files);
}

}  // namespace

extern const AnalysisFileRow kObjectsFile;
constinit const AnalysisFileRow kObjectsFile{
    .option = "--structure-out",
    .type_name = "F.json",
    .ending = ".json",
    .beside = ".npy",
    .help =
        "Background level and objects (area, position, mean level) of the last image, with labels in F.npy: "
        "int32 [nz][nx]; needs --set structure=bright or dark",
    .report = "structure",
    .is_on = [](const ImagingParams& p) { return p.objects.kind != ObjectKind::off; },
    .off = "structure = off",
    .on = "--set structure=bright or dark",
    .missing = "no image was processed",
    .needs = "a run of at least one frame",
    .end = end_objects,
};

}  // namespace echoloop
