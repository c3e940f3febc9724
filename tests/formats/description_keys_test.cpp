// Each key of a description has an effect: a file opens otherwise with it than without it, or with another value.
#include <set>

#include "core/facts.h"
#include "formats/base/acquisition_json.h"
#include "formats/readers/description_json.h"
#include "formats/support.h"

namespace echoloop {
namespace {

using namespace test;

constexpr int kTransmits = 3, kElements = 4, kSamples = 64;

struct KeyCase {
  const char* key;
  Json with;                      // what is changed of the description; null: left out
  Json without = Json::object();  // likewise, before it
  const char* file = "a.npz";
  const char* description = "a.json";
  const char* opens = nullptr;  // what is opened, if not the file
};

Json base_of(const std::string& file) {
  Json base = {{"file", file},       {"fs_hz", 20e6},
               {"fc_hz", 5e6},       {"pitch_m", 3e-4},
               {"t_zero", "origin"}, {"tx_angles_rad", {-0.1, 0.0, 0.15}},
               {"t0_s", 1e-6},       {"axes", {"transmit", "element", "time"}}};
  if (file == "a.npz") base["data"] = "rf";
  if (file == "a.bin") base.update({{"dtype", "int16"}, {"shape", {kTransmits, kElements, kSamples}}});
  return base;
}

// Without numbers of three transmits, which keys of one kind of wave replace.
Json waves(const char* key, Json value) { return {{"tx_angles_rad", nullptr}, {key, std::move(value)}}; }

const std::vector<KeyCase>& key_cases() {
  static const Json kLaws = {{0.0, 1e-7, 3e-7, nullptr}, {nullptr, 1e-7, 0.0, 4e-7}, {0.0, 2e-7, 1e-7, 3e-7}};
  static const Json kPlaces = {-5e-4, -1e-4, 2e-4, 6e-4};
  static const Json kPlaced = {{"pitch_m", nullptr}, {"element_x_m", kPlaces}};
  static const Json kTraces = {
      {"axes", {"trace", "frame", "time"}}, {"tx_angles_rad", nullptr}, {"tx_of_trace", {1, 2, 3}},
      {"rx_of_trace", {1, 2, 4}},           {"n_elements", kElements},  {"t_zero", "first_firing"}};
  static const Json kIq = {{"imag", "imag"}, {"demod_hz", 5e6}};
  static const std::vector<KeyCase> kCases = {
      {"file", {{"file", "a.npz"}}, {{"file", nullptr}}, "a.npz", "b.json", "b.json"},
      {"data", {{"data", "other"}}},
      {"imag", kIq},
      {"axes", {{"axes", {"element", "transmit", "time"}}}, {{"data", "square"}}},
      {"offset", {{"offset", 128}}, {{"data", "unsigned"}}},
      {"dtype", {{"dtype", "uint16"}, {"offset", 32768}}, {{"offset", nullptr}}, "a.bin"},
      {"byte_order", {{"byte_order", "big"}}, Json::object(), "a.bin"},
      {"header_bytes", {{"header_bytes", 64}}, {{"shape", {kTransmits, kElements, kSamples / 2}}}, "a.bin"},
      {"frame_header_bytes",
       {{"frame_header_bytes", 32}},
       {{"axes", {"frame", "transmit", "element", "time"}}, {"shape", {2, kTransmits, kElements, 16}}},
       "a.bin"},
      {"shape", {{"shape", {kTransmits, kElements, kSamples / 2}}}, Json::object(), "a.bin"},
      {"fs_hz", {{"fs_hz", 25e6}}},
      {"time_s", {{"fs_hz", nullptr}, {"t0_s", nullptr}, {"time_s", "times"}}},
      {"fc_hz", {{"fc_hz", 6e6}}},
      {"bandwidth_hz", {{"bandwidth_hz", 3e6}}},
      {"demod_hz", {{"demod_hz", 5.5e6}}, kIq},
      {"c_m_s", {{"c_m_s", 1480}}},
      {"t0_s", {{"t0_s", {1e-6, 2e-6, 3e-6}}}},
      {"t_zero", {{"t_zero", "first_firing"}}},
      {"frame_rate_hz", {{"frame_rate_hz", 25}}},
      {"prf_hz", {{"prf_hz", 3000}}},
      {"pitch_m", {{"pitch_m", 2e-4}}},
      {"n_elements", {{"n_elements", kElements + 1}}},  // refused
      {"radius_m", {{"radius_m", 0.05}}},
      {"element_x_m", kPlaced},
      {"element_z_m", {{"element_z_m", {0.0, 1e-4, 2e-4, 0.0}}}, kPlaced},
      {"element_normal_rad", {{"element_normal_rad", {-0.1, 0.0, 0.1, 0.2}}}, kPlaced},
      {"element_pos_m", {{"pitch_m", nullptr}, {"element_pos_m", "places"}}},
      {"element_width_m", {{"element_width_m", 2.7e-4}}},
      {"name", {{"name", "L11-4v"}}},
      {"tx", waves("tx", {{{"kind", "plane"}, {"angle_rad", 0.1}},
                          {{"kind", "diverging"}, {"source_m", {1e-3, -9e-3}}},
                          {{"kind", "element"}, {"element", 2}}})},
      {"tx_angles_rad", {{"tx_angles_rad", {-0.2, 0.0, 0.15}}}},
      {"virtual_source_m", waves("virtual_source_m", {{-5e-3, -12e-3}, {0.0, -13e-3}, {5e-3, -12e-3}})},
      {"tx_foci_m", waves("tx_foci_m", {{-5e-3, 40e-3}, {0.0, 40e-3}, {5e-3, 40e-3}})},
      {"tx_delays_s", waves("tx_delays_s", kLaws)},
      {"element_delays_s", waves("element_delays_s", kLaws)},
      {"tx_apod", {{"tx_apod", {{1, 1, 0, 0}, {1, 1, 1, 1}, {0, 0, 1, 1}}}}},
      {"tx_elements", waves("tx_elements", {1, 2, 4})},
      {"tx_of_trace", {{"tx_of_trace", {1, 4, 3}}}, kTraces},
      {"rx_of_trace", {{"rx_of_trace", {2, 4, 3}}}, kTraces},
      {"tx_mirrored", {{"tx_mirrored", true}}},
      {"element_order", {{"element_order", {2, 1, 4, 3}}}},
      {"element_sign", {{"element_sign", {1, -1, 1, -1}}}},
      {"conjugate", {{"conjugate", true}}, kIq},
      {"time_reversed", {{"time_reversed", true}}},
      {"assumed", {{"assumed", {"fc_hz"}}}},
      {"cured", {{"cured", {"fc_hz"}}}}};
  return kCases;
}

std::string array_of(int n, int factor) {
  std::vector<std::int16_t> values;
  for (int k = 0; k < n; ++k) values.push_back(static_cast<std::int16_t>(k * factor % 251 - 125));
  return packed(values);
}

void write_files(const TemporaryFolder& folder) {
  constexpr int n = kTransmits * kElements * kSamples;
  const std::string shape = "(3, 4, 64)";
  std::vector<double> times_s;
  for (int k = 0; k < kSamples; ++k) times_s.push_back(2e-6 + k / 25e6);
  folder.write("a.npz",
               zip({{"rf.npy", npy("<i2", false, shape, array_of(n, 7))},
                    {"imag.npy", npy("<i2", false, shape, array_of(n, 11))},
                    {"other.npy", npy("<i2", false, shape, array_of(n, 13))},
                    {"square.npy", npy("<i2", false, "(3, 3, 64)", array_of(9 * kSamples, 7))},
                    {"unsigned.npy", npy("<u2", false, shape, array_of(n, 7))},
                    {"times.npy", npy("<f8", false, "(64,)", packed(times_s))},
                    {"places.npy", npy("<f8", false, "(4, 2)",
                                       packed(std::vector<double>{-4e-4, 0, -1e-4, 1e-5, 2e-4, 0, 5e-4, 0}))}}));
  folder.write("a.bin", array_of(n, 7));
}

// All that is read, or why not.
std::string opened(const std::filesystem::path& path) {
  try {
    const Recording recording = open_recording(path);
    const std::span<const std::byte> frame = recording.frame(0);
    return acquisition_to_json(*recording.acquisition) +
           std::string(reinterpret_cast<const char*>(frame.data()), frame.size());
  } catch (const Error& error) {
    return error.what();
  }
}

std::string opened_with(const KeyCase& tried, const Json& change) {
  const TemporaryFolder folder;
  write_files(folder);
  Json description = base_of(tried.file);
  for (const Json* part : {&tried.without, &change}) description.merge_patch(*part);
  folder.write(tried.description, description.dump());
  std::string result = opened(folder.path() / (tried.opens != nullptr ? tried.opens : tried.file));
  const std::string where = folder.path().string();  // not the same twice
  for (std::size_t at = 0; (at = result.find(where)) != std::string::npos;) result.erase(at, where.size());
  return result;
}

TEST(DescriptionKeys, EachHasAnEffect) {
  std::set<std::string> tried, known;
  for (const KeyCase& one : key_cases()) {
    tried.insert(one.key);
    const std::string without = opened_with(one, Json::object()), with = opened_with(one, one.with);
    EXPECT_NE(with, without) << one.key;
    EXPECT_EQ(with.starts_with('{'), std::string_view(one.key) != "n_elements") << one.key << ": " << with;
  }
  for (const FactRow& key : description_keys()) known.insert(key.key);
  EXPECT_EQ(tried, known);
}

}  // namespace
}  // namespace echoloop
