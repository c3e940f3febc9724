#include "history/file_sinks.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "history/export.h"
#include "history/part_file.h"

namespace echoloop {

// Defined below or in other files.
std::unique_ptr<FrameFile> make_uff_file(const FrameFileRequest& request);
std::unique_ptr<FrameFile> make_raw_npy_file(const FrameFileRequest& request);

namespace {

constexpr std::array kFileSinks{
    FileSinkRow{.option = kRecordOption.data(),
                .type_name = "F.uff",
                .ending = nullptr,
                .help = "Record all raw frames as UFF (HDF5)",
                .report = "recording",
                .make = make_uff_file},
    FileSinkRow{.option = "--raw-out",
                .type_name = "F.npy",
                .ending = ".npy",
                .help = "All raw frames as an array for NumPy: [frame][transmit][element][sample], IQ with a last axis "
                        "(I, Q); with --headless",
                .report = "raw_out",
                .make = make_raw_npy_file},
};

}  // namespace

std::span<const FileSinkRow> file_sinks() { return kFileSinks; }

namespace {

constexpr std::size_t kHeadBytes = 256;  // a shape of five numbers, 20 digits each, needs 180 at most

class GrowingNpy final : public FrameFile {
 public:
  GrowingNpy(std::filesystem::path file, NpyItems items)
      : path_(std::move(file)),
        items_(std::move(items)),
        file_(make_growing_file(path_)),
        sync_(file_.room->descriptor()) {}

  void append(const RfFrame& frame) override {
    if (frame.samples.size() != items_.bytes) throw std::runtime_error("the frame size changed");
    if (const std::string why = file_.room->take(items_.bytes + kHeadBytes); !why.empty())
      throw std::runtime_error(why);
    write(frame.samples, kHeadBytes + frames_ * items_.bytes);
    ++frames_;
  }

  void flush() override {
    write_head();
    sync_.request();
    if (const std::string why = sync_.problem(); !why.empty()) throw std::runtime_error(why);
  }

  void finish() override {
    try {
      write_head();
      path_ = end_growing_file(file_, path_, frames_);
    } catch (const std::exception& problem) {
      throw std::runtime_error(growing_file_remains(file_.partial, problem.what()));
    }
  }

  [[nodiscard]] std::uint64_t frames() const override { return frames_; }
  [[nodiscard]] const std::filesystem::path& path() const override { return path_; }

 private:
  void write(std::span<const std::byte> bytes, std::size_t at) const {
    while (!bytes.empty()) {
      const ssize_t written = ::pwrite(file_.room->descriptor(), bytes.data(), bytes.size(), static_cast<off_t>(at));
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) throw std::runtime_error(disk_error_text(written < 0 ? errno : ENOSPC));
      bytes = bytes.subspan(static_cast<std::size_t>(written));
      at += static_cast<std::size_t>(written);
    }
  }

  void write_head() const {
    const std::string head = npy_head(items_.type, std::to_string(frames_) + ", " + items_.shape, kHeadBytes);
    write(std::as_bytes(std::span(head)), 0);
  }

  std::filesystem::path path_;
  NpyItems items_;
  std::uint64_t frames_ = 0;
  GrowingFile file_;
  DiskSync sync_;
};

}  // namespace

std::unique_ptr<FrameFile> make_growing_npy(const std::filesystem::path& file, NpyItems items) {
  return std::make_unique<GrowingNpy>(file, std::move(items));
}

std::unique_ptr<FrameFile> make_raw_npy_file(const FrameFileRequest& request) {
  const Acquisition& a = *request.acquisition;
  std::string shape =
      std::to_string(a.n_transmits()) + ", " + std::to_string(a.n_elements()) + ", " + std::to_string(a.n_samples);
  if (a.signal == SignalKind::iq) shape += ", 2";
  return make_growing_npy(request.file, {.type = a.sample_type == SampleType::int16 ? "<i2" : "<f4",
                                         .shape = std::move(shape),
                                         .bytes = a.frame_bytes()});
}

std::span<const AnalysisFileRow* const> analysis_files() {
  static constexpr auto kRows = rows_of_analyses<AnalysisFileRow>([]<class A>() { return &A::kFile; });
  return kRows;
}

// Files of flow images.

namespace {

// Summarises power and velocity above the threshold: median and extremes of the velocity, which stray pixels hardly
// change.
nlohmann::json summary_json(const FlowImage& flow) {
  std::vector<float> velocities;
  for (std::size_t i = 0; i < flow.power_db.size(); ++i) {
    if (static_cast<double>(flow.power_db[i]) >= flow.params.color_flow.threshold_db) {
      velocities.push_back(flow.velocity_m_s[i]);
    }
  }
  nlohmann::json json = {{"threshold_db", flow.params.color_flow.threshold_db}, {"pixels", velocities.size()}};
  if (velocities.empty()) return json;
  std::ranges::sort(velocities);
  const auto quantile = [&](double share) {
    return velocities[static_cast<std::size_t>(share * static_cast<double>(velocities.size() - 1))];
  };
  json["velocity_m_s"] = {{"p01", quantile(0.01)}, {"median", quantile(0.5)}, {"p99", quantile(0.99)}};
  return json;
}

// Returns PRF, aliasing limit, components, times, summary.
nlohmann::json flow_json(const FlowImage& flow) {
  nlohmann::json json = {
      {"frames", flow.frames},
      {"prf_hz", flow.prf_hz},
      {"received_center_hz", flow.center_hz},
      {"aliasing_m_s", flow.aliasing_m_s},
      {"reference_db", flow.reference_db},
      {"age_ms", static_cast<double>(flow.ready_ns - flow.stamp.acquired_ns) * 1e-6},
      {"times_ms",
       {{"decompose", flow.times.decompose_ms}, {"filter", flow.times.filter_ms}, {"total", flow.times.total_ms}}},
      {"above_threshold", summary_json(flow)}};
  if (!flow.singular_values.empty()) {
    json["singular_values"] = flow.singular_values;
    json["components"] = {{"first", flow.components.first}, {"last", flow.components.last}};
    json["relative_error"] = flow.relative_error;
  }
  return json;
}

// Writes float32, shape [2][nz][nx]: power in dB, velocity in m/s; for a low-rank image [3], the image in dB last. The
// JSON: as write_image_npy(), with the flow parameters and a summary of the flow.
void write_flow_npy(const std::filesystem::path& path, const FlowImage& flow, const nlohmann::json& about) {
  const bool low_rank = !flow.low_rank_db.empty();
  const std::string shape =
      std::string(low_rank ? "3, " : "2, ") + std::to_string(flow.grid.nz) + ", " + std::to_string(flow.grid.nx);
  nlohmann::json sidecar = about;
  sidecar["file"] = path.filename().string();
  sidecar["order"] = std::string("[power dB, velocity m/s positive towards the probe") +
                     (low_rank ? ", low-rank image dB]" : "]") +
                     (flow.grid.polar() ? "[i_radius][i_line], float32" : "[iz][ix], float32");
  sidecar["grid"] = grid_json(flow.grid);
  sidecar["parameters"] = params_json(flow.params);
  sidecar["frame"] = frame_json(flow.stamp);
  sidecar["flow"] = flow_json(flow);
  write_pair({{{path, npy_text(shape, {flow.power_db, flow.velocity_m_s, flow.low_rank_db})},
               {std::filesystem::path(path).replace_extension(".json"), json_text(sidecar, 1) + "\n"}}});
}

AnalysisEnd end_flow(LiveImages& live, const AnalysisCounts& counts) {
  const FlowImage& last = last_of(live.of<FlowImage>());
  const auto& n = std::get<FlowCounts>(counts);
  return end_with({{"pictures", n.pictures}, {"late", n.late}, {"restarts", n.restarts}},
                  last.number > 0 ? &last : nullptr, flow_json, write_flow_npy);
}

}  // namespace

constinit const AnalysisFileRow FlowAnalysis::kFile{
    .option = "--flow-out",
    .type_name = "F.npy",
    .ending = ".npy",
    .beside = ".json",
    .help =
        "Last flow image: float32 [2][nz][nx], power in dB and velocity in m/s (positive: towards the "
        "probe), with metadata in F.json; needs --set flow=power, velocity or low_rank (then [3]: the newest "
        "frame from the retained components, dB)",
    .report = "flow",
    .is_on = is_on<FlowAnalysis>,
    .off = "flow = off",
    .on = "--set flow=power, velocity or low_rank",
    .missing = "no ensemble of consecutive frames",
    .needs = "at least flow_frames consecutive frames in the run",
    .end = end_flow,
};

// Files of objects.

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

// Returns backgrounds, threshold, number of objects, times.
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

// Writes JSON: background, threshold, histogram and the table of objects, lengths in mm; and under the same name with
// .npy the labels, int32, shape [nz][nx].
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
  const ObjectImage& last = last_of(live.of<ObjectImage>());
  const auto& n = std::get<ObjectCounts>(counts);
  return end_with({{"pictures", n.pictures}, {"replaced", n.replaced}}, last.number > 0 ? &last : nullptr, object_json,
                  write_object_files);
}

}  // namespace

constinit const AnalysisFileRow ObjectAnalysis::kFile{
    .option = "--structure-out",
    .type_name = "F.json",
    .ending = ".json",
    .beside = ".npy",
    .help =
        "Background level and objects (area, position, mean level) of the last image, with labels in F.npy: "
        "int32 [nz][nx]; needs --set structure=bright or dark",
    .report = "structure",
    .is_on = is_on<ObjectAnalysis>,
    .off = "structure = off",
    .on = "--set structure=bright or dark",
    .missing = "no image was processed",
    .needs = "a run of at least one frame",
    .end = end_objects,
};

// Files of Doppler spectra.

namespace {

nlohmann::json number_or_null(double v) { return std::isfinite(v) ? nlohmann::json(v) : nlohmann::json(); }

// Returns minimum, median and maximum of the finite values among the kept columns.
nlohmann::json spread_json(const Spectrogram& s, const std::vector<float>& values) {
  std::vector<float> known;
  for (std::uint64_t k = s.first(); k < s.end; ++k) {
    if (const float v = values[Spectrogram::slot(k)]; std::isfinite(v)) known.push_back(v);
  }
  nlohmann::json json = {{"columns", known.size()}};
  if (known.empty()) return json;
  std::ranges::sort(known);
  json["least"] = known.front();
  json["median"] = known[known.size() / 2];
  json["greatest"] = known.back();
  return json;
}

// Returns gate, window, PRF, aliasing limit and extremes of the curves.
nlohmann::json spectrogram_json(const Spectrogram& s) {
  return {{"gate", {{"x_m", s.centre.x_m}, {"z_m", s.centre.z_m}, {"length_m", s.length_m}, {"bands", s.bands}}},
          {"window_frames", s.frames},
          {"prf_hz", s.prf_hz},
          {"column_step_s", s.step_s()},
          {"aliasing_m_s", s.aliasing_m_s},
          {"reference_db", s.reference_db},
          {"brightest_db", number_or_null(static_cast<double>(s.brightest_db))},
          {"envelope_m_s", spread_json(s, s.envelope_m_s)},
          {"mean_m_s", spread_json(s, s.mean_m_s)}};
}

// Writes float32 dB, shape [column][velocity bin], oldest column first; gaps are NaN. The JSON: axes, envelope and mean
// (null if missing), gate, and the contents of `about`.
void write_spectrogram_npy(const std::filesystem::path& path, const Spectrogram& s, const nlohmann::json& about) {
  std::vector<float> values;
  nlohmann::json times = nlohmann::json::array(), envelope = times, mean = times, velocities = times;
  for (std::uint64_t k = s.first(); k < s.end; ++k) {
    const std::span<const float> column = s.column(k);
    values.insert(values.end(), column.begin(), column.end());
    const std::size_t slot = Spectrogram::slot(k);
    times.push_back(number_or_null(s.time_s[slot]));
    envelope.push_back(number_or_null(static_cast<double>(s.envelope_m_s[slot])));
    mean.push_back(number_or_null(static_cast<double>(s.mean_m_s[slot])));
  }
  for (int i = 0; i < s.n_bins; ++i) velocities.push_back(s.velocity_m_s(i));
  const std::string shape = std::to_string(s.end - s.first()) + ", " + std::to_string(s.n_bins);
  nlohmann::json sidecar = about;
  sidecar["file"] = path.filename().string();
  sidecar["order"] = "[column][velocity], power in dB, float32; velocities positive towards the probe";
  sidecar["time_s"] = times;
  sidecar["velocity_m_s"] = velocities;
  sidecar["envelope_m_s"] = envelope;
  sidecar["mean_m_s"] = mean;
  sidecar["parameters"] = params_json(s.params);
  sidecar["frame"] = frame_json(s.stamp);
  sidecar["sonogram"] = spectrogram_json(s);
  write_pair({{{path, npy_text(shape, {values})},
               {std::filesystem::path(path).replace_extension(".json"), json_text(sidecar, 1) + "\n"}}});
}

AnalysisEnd end_spectrogram(LiveImages& live, const AnalysisCounts& counts) {
  const Spectrogram& last = last_of(live.of<Spectrogram>());
  const auto& n = std::get<SpectrogramCounts>(counts);
  return end_with({{"columns", n.columns}, {"gaps", n.gaps}, {"late", n.late}},
                  n.columns > 0 && last.number > 0 ? &last : nullptr, spectrogram_json, write_spectrogram_npy);
}

}  // namespace

constinit const AnalysisFileRow SpectrogramAnalysis::kFile{
    .option = "--sonogram-out",
    .type_name = "F.npy",
    .ending = ".npy",
    .beside = ".json",
    .help =
        "Newest 2048 spectra of the sample volume: float32 dB [column][velocity], with time and velocity axes, "
        "envelope and mean in F.json; needs --set gate=on",
    .report = "sonogram",
    .is_on = is_on<SpectrogramAnalysis>,
    .off = "gate = off",
    .on = "--set gate=on",
    .missing = "no consecutive frames for a spectrum, or the sample volume is outside the image",
    .needs = "a sample volume inside the image and at least sonogram_frames consecutive frames",
    .end = end_spectrogram,
};

}  // namespace echoloop
