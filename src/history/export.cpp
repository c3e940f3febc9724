#include "history/export.h"

#include "core/param_table.h"
#include "history/json_text.h"
#include "history/npy_text.h"
#include "history/part_file.h"

namespace echoloop {

namespace fs = std::filesystem;

// Padded so that the data begin at a multiple of 64.
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

}  // namespace echoloop
