#include "history/export.h"

#include <png.h>

#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <cstdio>
#include <limits>

#include "core/error.h"
#include "core/own_method.h"
#include "core/param_table.h"
#include "core/units.h"
#include "history/file_sinks.h"
#include "history/part_file.h"

namespace echoloop {

namespace fs = std::filesystem;

// Pads the header so that the data begin at a multiple of 64.
std::string npy_head(const std::string& type, const std::string& shape, std::size_t least_bytes) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  constexpr std::size_t kPrefix = 10;
  if (kPrefix + header.size() + 1 < least_bytes) header.append(least_bytes - kPrefix - header.size() - 1, ' ');
  header.append(63 - (kPrefix + header.size()) % 64, ' ');
  header += '\n';
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  return file + header;
}

void write_file(const fs::path& path, std::span<const std::byte> bytes) {
  PartFile file(path);
  file.write(bytes);
  file.commit();
}

void write_text(const fs::path& path, const std::string& text) { write_file(path, std::as_bytes(std::span(text))); }

void write_pair(const std::array<NamedText, 2>& files) {
  std::array<PartFile, 2> parts = {PartFile(files[0].path), PartFile(files[1].path)};
  for (std::size_t i = 0; i < 2; ++i) parts[i].write(std::as_bytes(std::span(files[i].text)));
  for (PartFile& part : parts) part.commit();
}

std::string npy_text(const std::string& shape, std::initializer_list<std::span<const float>> parts) {
  std::string file = npy_head("<f4", shape);
  for (const auto part : parts) file.append(reinterpret_cast<const char*>(part.data()), part.size_bytes());
  return file;
}

std::string npy_text(const std::string& shape, std::span<const std::int32_t> values) {
  std::string file = npy_head("<i4", shape);
  file.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  return file;
}

nlohmann::json frame_json(const FrameStamp& stamp) {
  return {{"sequence", stamp.sequence}, {"source_index", stamp.source_index}, {"time_s", stamp.time_s}};
}

void write_image_npy(const fs::path& path, const Image& image, const nlohmann::json& about) {
  const std::string shape = std::to_string(image.grid.nz) + ", " + std::to_string(image.grid.nx);
  nlohmann::json sidecar = about;
  sidecar["file"] = path.filename().string();
  sidecar["order"] =
      image.grid.polar() ? "(r, angle): image[i_radius][i_line], float32 dB" : "(z, x): image[iz][ix], float32 dB";
  sidecar["grid"] = grid_json(image.grid);
  sidecar["parameters"] = params_json(image.params);
  sidecar["frame"] = frame_json(image.stamp);
  write_pair({{{path, npy_text(shape, {image.host()})},
               {fs::path(path).replace_extension(".json"), json_text(sidecar, 1) + "\n"}}});
}

nlohmann::json params_json(const ImagingParams& params) {
  nlohmann::json json = nlohmann::json::object();
  for (const ParamSpec& spec : param_table())
    if (!spec.choices.empty())
      json[std::string(spec.key)] = get_text(params, spec);
    else
      json[std::string(spec.key)] = get_number(params, spec);
  if (const FormationParams& f = params.formation; f.adaptive == Adaptive::own && f.own != nullptr) {
    json["own_method"] = {{"name", f.own->name}, {"sha256", f.own->sha256}};
    for (const std::string& setting : own_settings(f)) {
      const std::size_t equals = setting.find('=');
      json[setting.substr(0, equals)] = std::stod(setting.substr(equals + 1));
    }
  }
  return json;
}

nlohmann::json grid_json(const Grid& grid) {
  if (const Sector& s = grid.sector; grid.polar()) {
    return {{"kind", "polar"},
            {"origin", "x = r sin(angle), z = apex_z_m + r cos(angle)"},
            {"apex_z_m", s.apex_z_m},
            {"r_first_m", s.r0_m},
            {"r_last_m", s.r1_m},
            {"nr", grid.nz},
            {"angle_first_rad", s.angle0_rad},
            {"angle_last_rad", s.angle1_rad},
            {"nangle", grid.nx}};
  }
  return {{"x_first_m", grid.x0_m}, {"x_last_m", grid.x1_m}, {"nx", grid.nx},
          {"z_first_m", grid.z0_m}, {"z_last_m", grid.z1_m}, {"nz", grid.nz}};
}

namespace {

struct Contents {
  int width = 0, height = 0;
  int bits = 8, color = PNG_COLOR_TYPE_RGB;
  double per_m_x = 0.0, per_m_z = 0.0;  // pixels; 0 = unknown
  std::vector<const std::uint8_t*> rows;
  std::vector<png_text> texts;
};

void append(png_structp png, png_bytep data, std::size_t size) {
  auto& out = *static_cast<std::vector<std::byte>*>(png_get_io_ptr(png));
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  out.insert(out.end(), bytes, bytes + size);
}

// libpng reports errors by a long jump to here: nothing in this function owns resources.
bool encode(png_structp png, png_infop info, const Contents& c, std::vector<std::byte>& file) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_write_fn(png, &file, append, nullptr);
  png_set_compression_level(png, 3);  // speckle hardly compresses
  png_set_text_compression_level(png, 0);
  png_set_IHDR(png, info, static_cast<png_uint_32>(c.width), static_cast<png_uint_32>(c.height), c.bits, c.color,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (c.per_m_x > 0.0 && c.per_m_z > 0.0) {
    png_set_pHYs(png, info, static_cast<png_uint_32>(std::lround(std::min(c.per_m_x, 2e9))),
                 static_cast<png_uint_32>(std::lround(std::min(c.per_m_z, 2e9))), PNG_RESOLUTION_METER);
  }
  if (!c.texts.empty()) png_set_text(png, info, c.texts.data(), static_cast<int>(c.texts.size()));
  png_write_info(png, info);
  for (const std::uint8_t* row : c.rows) png_write_row(png, row);
  png_write_end(png, info);
  return true;
}

// Returns an empty file if libpng fails.
std::vector<std::byte> file_of(const Contents& contents) {
  std::vector<std::byte> file;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr,
                                            [](png_structp, png_const_charp) {});  // warnings are ignored
  png_infop info = png != nullptr ? png_create_info_struct(png) : nullptr;
  const bool made = info != nullptr && encode(png, info, contents, file);
  png_destroy_write_struct(&png, &info);
  if (!made) file.clear();
  return file;
}

void write(const std::filesystem::path& path, const Contents& contents) {
  const std::vector<std::byte> file = file_of(contents);
  if (file.empty()) throw Error(path.string(), "the PNG could not be encoded", "an image of at least one pixel");
  write_file(path, file);
}

Contents contents_of(int width, int height, std::span<const std::uint8_t> rgb) {
  Contents c{.width = width, .height = height, .rows = {}, .texts = {}};
  for (int y = 0; y < height; ++y)
    c.rows.push_back(rgb.data() + 3 * static_cast<std::size_t>(y) * static_cast<std::size_t>(width));
  return c;
}

png_text text_chunk(const std::string& key, const std::string& text) {
  const bool ascii = std::all_of(text.begin(), text.end(), [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); });
  png_text chunk{};
  chunk.compression = ascii ? PNG_TEXT_COMPRESSION_NONE : PNG_ITXT_COMPRESSION_NONE;  // iTXt is UTF-8
  chunk.key = const_cast<char*>(key.c_str());
  chunk.text = const_cast<char*>(text.c_str());
  return chunk;
}

PngTexts plain_texts(PngTexts texts) {
  for (auto& [key, text] : texts) text = plain_text(text);
  return texts;
}

std::uint16_t level16(float level_db, double range_db) {
  const double share = (static_cast<double>(level_db) + range_db) / range_db;
  if (!(share > 0.0)) return 0;  // also NaN
  return static_cast<std::uint16_t>(std::lround(std::min(share, 1.0) * std::numeric_limits<std::uint16_t>::max()));
}

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

}  // namespace

void write_png(const std::filesystem::path& path, int width, int height, std::span<const std::uint8_t> rgb) {
  write(path, contents_of(width, height, rgb));
}

void write_png(const std::filesystem::path& path, const RgbImage& picture, double dpi, const PngTexts& texts) {
  constexpr double kMetresPerInch = 0.0254;
  Contents c = contents_of(picture.width, picture.height, picture.rgb);
  c.per_m_x = c.per_m_z = dpi / kMetresPerInch;
  const PngTexts plain = plain_texts(texts);
  for (const auto& [key, text] : plain) c.texts.push_back(text_chunk(key, text));
  write(path, c);
}

std::vector<std::byte> png_bytes(const RgbImage& picture) {
  return file_of(contents_of(picture.width, picture.height, picture.rgb));
}

void write_png16(const std::filesystem::path& path, const Image& image, const PngTexts& texts) {
  const Grid& g = image.grid;
  const double range_db = image.params.display.dynamic_range_db;
  std::vector<std::uint8_t> bytes;  // big endian
  bytes.reserve(2 * g.pixels());
  for (const float level_db : image.host()) {
    const std::uint16_t value = level16(level_db, range_db);
    bytes.push_back(static_cast<std::uint8_t>(value >> 8));
    bytes.push_back(static_cast<std::uint8_t>(value & 0xff));
  }
  PngTexts all = {{"Software", "Echoloop"},
                  {"Level", "dB = -" + number(range_db) + " + value * " + number(range_db) + " / 65535"},
                  {"x_first_m", number(g.x0_m)},
                  {"x_last_m", number(g.x1_m)},
                  {"z_first_m", number(g.z0_m)},
                  {"z_last_m", number(g.z1_m)}};
  const PngTexts plain = plain_texts(texts);
  all.insert(all.end(), plain.begin(), plain.end());
  Contents c{.width = g.nx, .height = g.nz, .bits = 16, .color = PNG_COLOR_TYPE_GRAY, .rows = {}, .texts = {}};
  c.per_m_x = g.nx > 1 && !g.polar() ? 1.0 / g.dx_m() : 0.0;
  c.per_m_z = g.nz > 1 && !g.polar() ? 1.0 / g.dz_m() : 0.0;
  const std::size_t row = 2 * static_cast<std::size_t>(g.nx);
  for (std::size_t at = 0; at < bytes.size(); at += row) c.rows.push_back(bytes.data() + at);
  for (const auto& [key, text] : all) c.texts.push_back(text_chunk(key, text));
  write(path, c);
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
  for (std::size_t i = 0; i < flow.power_db.size(); ++i)
    if (static_cast<double>(flow.power_db[i]) >= flow.params.color_flow.threshold_db)
      velocities.push_back(flow.velocity_m_s[i]);
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
  for (std::uint64_t k = s.first(); k < s.end; ++k)
    if (const float v = values[Spectrogram::slot(k)]; std::isfinite(v)) known.push_back(v);
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
