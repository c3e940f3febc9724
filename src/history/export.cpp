#include "history/export.h"

#include <png.h>

#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <cstdio>
#include <limits>

#include "core/error.h"
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
  for (const ParamSpec& spec : param_table()) {
    if (!spec.choices.empty()) {
      json[std::string(spec.key)] = get_text(params, spec);
    } else {
      json[std::string(spec.key)] = get_number(params, spec);
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

}  // namespace echoloop
