// Valid examples of hdf5_fixture.h: the same acquisition in four formats.
#include <cmath>
#include <cstdio>

#include "formats/hdf5_fixture.h"

namespace echoloop::test {
namespace {

double element_x(int element, const Extents& n) { return (element - 0.5 * (n.elements - 1)) * kPitch_m; }

// Returns `n_axes` rows of elements: x first, zeros after.
std::vector<double> geometry_rows(std::size_t n_axes, const Extents& n) {
  std::vector<double> rows(n_axes * static_cast<std::size_t>(n.elements), 0.0);
  for (int e = 0; e < n.elements; ++e) rows[static_cast<std::size_t>(e)] = element_x(e, n);
  return rows;
}

std::vector<double> coordinates(double tilt = 0.0) {
  std::vector<double> all;
  for (int r = 0; r < kMapRows; ++r)
    for (int c = 0; c < kMapColumns; ++c) all.insert(all.end(), {1e-3 * c + tilt * r, 0.0, 5e-3 + 1e-3 * r});
  return all;
}

std::vector<double> ramp(std::size_t n) {
  std::vector<double> values;
  for (std::size_t k = 0; k < n; ++k) values.push_back(0.5 * static_cast<double>(k));
  return values;
}

void texts(Hdf5Fixture& file, const std::string& path, const std::vector<const char*>& values) {
  const hid_t type = H5Tcopy(H5T_C_S1), links = H5Pcreate(H5P_LINK_CREATE);
  H5Tset_size(type, H5T_VARIABLE);
  H5Pset_create_intermediate_group(links, 1);
  const hsize_t n = values.size();
  const hid_t space = H5Screate_simple(1, &n, nullptr);
  const hid_t data = H5Dcreate2(file.file(), path.c_str(), type, space, links, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  H5Dclose(data);
  H5Sclose(space);
  H5Tclose(type);
  H5Pclose(links);
}

}  // namespace

std::vector<double> wave_angles(int n_transmits) {
  std::vector<double> angles;
  for (int k = 0; k < n_transmits; ++k) angles.push_back(0.1 * (k - 0.5 * (n_transmits - 1)));
  return angles;
}

void uff_object(Hdf5Fixture& file, const std::string& path, const char* kind, bool array) {
  file.remove(path);
  file.group(path);
  file.attribute(path, "class", kind);
  file.attribute(path, "array", array ? 1.0 : 0.0);
}

void uff_wave(Hdf5Fixture& file, int index, double wavefront, double distance, double azimuth, double delay) {
  char name[32];
  std::snprintf(name, sizeof(name), "sequence_%04d", index);
  const std::string path = std::string("channel_data/sequence/") + name;
  uff_object(file, path, "uff.wave");
  uff_object(file, path + "/source", "uff.point");
  file.number(path + "/wavefront", wavefront);
  file.number(path + "/source/distance", distance);
  file.number(path + "/source/azimuth", azimuth);
  file.number(path + "/delay", delay);
}

void write_uff(Hdf5Fixture& file, const Extents& n) {
  file.attribute("/", "version", "v1.2.0");
  uff_object(file, "channel_data", "uff.channel_data");
  file.number("channel_data/sampling_frequency", kSampling_hz);
  file.number("channel_data/sound_speed", kSpeed_m_s);
  file.number("channel_data/initial_time", 2e-6);
  file.number("channel_data/modulation_frequency", 0.0);
  file.number("channel_data/PRF", 3000.0);
  uff_object(file, "channel_data/pulse", "uff.pulse");
  file.number("channel_data/pulse/center_frequency", kCenter_hz);
  uff_object(file, "channel_data/probe", "uff.probe");
  file.numbers("channel_data/probe/geometry", {7, static_cast<hsize_t>(n.elements)}, geometry_rows(7, n));
  uff_object(file, "channel_data/sequence", "uff.wave", true);
  const auto angles = wave_angles(n.transmits);
  for (int k = 0; k < n.transmits; ++k) uff_wave(file, k + 1, 0.0, HUGE_VAL, angles[static_cast<std::size_t>(k)], 0.0);
  file.numbers("channel_data/data", sample_dims("ftei", n), sample_table("ftei", n));
}

void write_picmus(Hdf5Fixture& file, const Extents& n) {
  const std::string us = "US/US_DATASET0000";
  file.group(us);
  file.enum_attribute(us, "type", {"US", "SR"}, 0);
  file.enum_attribute(us, "signal_format", {"RF", "IQ"}, 0);
  file.enum_attribute(us, "subtype", {"STA", "CPW", "VS", "BS"}, 1);
  file.numbers(us + "/sound_speed", {1}, {kSpeed_m_s});
  file.numbers(us + "/initial_time", {1}, {2e-6});
  file.numbers(us + "/sampling_frequency", {1}, {kSampling_hz});
  file.numbers(us + "/PRF", {1}, {3000.0});
  file.numbers(us + "/modulation_frequency", {1}, {0.0});
  file.numbers(us + "/angles", {static_cast<hsize_t>(n.transmits)}, wave_angles(n.transmits));
  file.numbers(us + "/probe_geometry", {3, static_cast<hsize_t>(n.elements)}, geometry_rows(3, n));
  file.numbers(us + "/data/real", sample_dims("ftei", n), sample_table("ftei", n));
  file.numbers(us + "/data/imag", sample_dims("ftei", n), sample_table("ftei", n, 1));
}

void write_pybf(Hdf5Fixture& file, const Extents& n) {
  const DatasetPlan real64{.type = H5T_IEEE_F64LE, .chunk = {}};
  file.numbers("data/f_sampling", {1, 1}, {kSampling_hz}, real64);
  file.numbers("data/correction_time_shift", {1, 1}, {-2e-6}, real64);
  file.numbers("data/fps", {1, 1}, {1000.0}, real64);
  file.numbers("data/tx_mode/PW_3_6", {1, static_cast<hsize_t>(n.transmits)}, wave_angles(n.transmits), real64);
  file.numbers("trans_params/f_central", {1, 1}, {kCenter_hz}, real64);
  file.numbers("trans_params/x_pitch", {1, 1}, {kPitch_m}, real64);
  file.numbers("trans_params/x_num_of_elements", {1, 1}, {static_cast<double>(n.elements)}, real64);
  const auto all = sample_table("ftei", n);
  const auto shot_size = static_cast<std::ptrdiff_t>(n.elements * n.samples);
  for (int k = 0; k < n.frames * n.transmits; ++k) {
    const std::string path =
        "data/rf_data/frame_" + std::to_string(k / n.transmits + 1) + "/shot_" + std::to_string(k % n.transmits + 1);
    file.numbers(path, sample_dims("ei", n), {all.begin() + k * shot_size, all.begin() + (k + 1) * shot_size},
                 {.type = H5T_STD_I16LE, .chunk = {}});
  }
}

void write_zea(Hdf5Fixture& file, const Extents& n) {
  const auto n_tx = static_cast<hsize_t>(n.transmits), n_el = static_cast<hsize_t>(n.elements);
  file.attribute("/", "description", "a test", TextKind::variable);
  file.numbers("data/raw_data", sample_dims("ftieq", n), sample_table("ftieq", n));
  file.numbers("scan/sampling_frequency", {}, {kSampling_hz}, {.type = H5T_IEEE_F64LE, .chunk = {}});
  file.numbers("scan/center_frequency", {}, {kCenter_hz});
  file.numbers("scan/sound_speed", {}, {kSpeed_m_s});
  std::vector<double> geometry, delays, initial;
  for (int e = 0; e < n.elements; ++e) geometry.insert(geometry.end(), {element_x(e, n), 0.0, 0.0});
  for (const double angle : wave_angles(n.transmits)) {
    // First firing, |x_end sin a| / c before the wave passes the centre.
    const double first_s = -std::abs(element_x(0, n) * std::sin(angle)) / kSpeed_m_s;
    for (int e = 0; e < n.elements; ++e) delays.push_back(element_x(e, n) * std::sin(angle) / kSpeed_m_s - first_s);
    initial.push_back(2e-6 - first_s);
  }
  file.numbers("scan/probe_geometry", {n_el, 3}, geometry);
  file.numbers("scan/t0_delays", {n_tx, n_el}, delays);
  file.numbers("scan/tx_apodizations", {n_tx, n_el}, std::vector<double>(n_tx * n_el, 1.0));
  file.numbers("scan/initial_times", {n_tx}, initial);
  file.numbers("scan/polar_angles", {n_tx}, wave_angles(n.transmits));
  file.numbers("scan/focus_distances", {n_tx}, std::vector<double>(n_tx, 0.0));
  file.numbers("scan/time_to_next_transmit", {static_cast<hsize_t>(n.frames), n_tx},
               std::vector<double>(static_cast<std::size_t>(n.frames) * n_tx, 1.0 / 3000.0));
}

void mfmc_probe(Hdf5Fixture& file, const std::vector<double>& x_m) {
  file.attribute("/", "TYPE", "MFMC", TextKind::null_terminated);
  file.attribute("/", "VERSION", "2.0.0", TextKind::null_terminated);
  file.group("PROBE<1>");
  file.attribute("PROBE<1>", "TYPE", "PROBE", TextKind::null_terminated);
  file.attribute("PROBE<1>", "CENTRE_FREQUENCY", kCenter_hz);
  std::vector<double> positions;
  for (const double x : x_m) positions.insert(positions.end(), {x, 0.0, 0.0});
  file.numbers("PROBE<1>/ELEMENT_POSITION", {x_m.size(), 3}, positions, {.type = H5T_IEEE_F64LE, .chunk = {}});
  file.group("SEQUENCE<1>");
  file.attribute("SEQUENCE<1>", "TYPE", "SEQUENCE", TextKind::null_terminated);
  file.attribute("SEQUENCE<1>", "TIME_STEP", 1.0 / kSampling_hz);
  file.attribute("SEQUENCE<1>", "START_TIME", 2e-6);
  file.attribute("SEQUENCE<1>", "SPECIMEN_VELOCITY", std::vector<double>{0.5 * kSpeed_m_s, kSpeed_m_s});
  file.references("SEQUENCE<1>/PROBE_LIST", {"PROBE<1>"});
}

void mfmc_law(Hdf5Fixture& file, int number, const std::vector<double>& elements, const std::vector<double>& delays_s) {
  const std::string law = "SEQUENCE<1>/LAW<" + std::to_string(number) + ">";
  file.group(law);
  file.attribute(law, "TYPE", "LAW", TextKind::null_terminated);
  file.numbers(law + "/ELEMENT", {elements.size()}, elements, {.type = H5T_STD_I32LE, .chunk = {}});
  file.references(law + "/PROBE", std::vector<std::string>(elements.size(), "PROBE<1>"));
  if (!delays_s.empty())
    file.numbers(law + "/DELAY", {delays_s.size()}, delays_s, {.type = H5T_IEEE_F64LE, .chunk = {}});
}

void mfmc_scans(Hdf5Fixture& file, const std::vector<int>& sent, const std::vector<int>& received) {
  const auto names = [](const std::vector<int>& numbers) {
    std::vector<std::string> laws;
    for (const int number : numbers) laws.push_back("SEQUENCE<1>/LAW<" + std::to_string(number) + ">");
    return laws;
  };
  file.references("SEQUENCE<1>/TRANSMIT_LAW", names(sent));
  file.references("SEQUENCE<1>/RECEIVE_LAW", names(received));
}

// Laws 1, 2 ... receive with one element each; the following ones transmit the plane waves.
void write_mfmc(Hdf5Fixture& file, const Extents& n) {
  std::vector<double> x_m, all;
  for (int e = 0; e < n.elements; ++e) x_m.push_back(element_x(e, n)), all.push_back(e + 1);
  mfmc_probe(file, x_m);
  for (int e = 0; e < n.elements; ++e) mfmc_law(file, e + 1, {e + 1.0}, {});
  const auto angles = wave_angles(n.transmits);
  for (int k = 0; k < n.transmits; ++k) {
    std::vector<double> delays_s;
    for (const double x : x_m) delays_s.push_back(x * std::sin(angles[static_cast<std::size_t>(k)]) / kSpeed_m_s);
    mfmc_law(file, n.elements + k + 1, all, delays_s);
  }
  std::vector<int> sent, received;
  for (int e = 0; e < n.elements; ++e) {
    for (int k = 0; k < n.transmits; ++k) sent.push_back(n.elements + k + 1), received.push_back(e + 1);
  }
  mfmc_scans(file, sent, received);
  const std::vector<hsize_t> dims = sample_dims("feti", n);
  file.numbers("SEQUENCE<1>/MFMC_DATA", {dims[0], dims[1] * dims[2], dims[3]}, sample_table("feti", n),
               {.type = H5T_STD_I16LE, .chunk = {}});
}

void write_zea_contents(Hdf5Fixture& file, const Extents& n) {
  write_zea(file, n);
  const std::string data = "data/";
  const hsize_t rows = kMapRows, columns = kMapColumns;
  file.numbers(data + "sos_map/values", {2, rows, columns}, ramp(2 * kMapRows * kMapColumns));
  file.numbers(data + "sos_map/coordinates", {rows, columns, 3}, coordinates());
  file.text(data + "sos_map/unit", "m/s");
  file.numbers(data + "sos_map/timestamps", {2}, {0.0, 0.02});
  file.numbers(data + "sos_map/start_time_offset", {}, {0.001});
  file.numbers(data + "segmentation/values", {1, rows, columns, 2}, ramp(2 * kMapRows * kMapColumns),
               {.type = H5T_STD_U8LE, .chunk = {}});
  file.numbers(data + "segmentation/coordinates", {rows, columns, 3}, coordinates());
  texts(file, data + "segmentation/labels", {"left", "right"});
  file.numbers(data + "nowhere/values", {1, rows, columns}, ramp(kMapRows * kMapColumns));
  file.numbers(data + "unequal/values", {1, rows, columns}, ramp(kMapRows * kMapColumns));
  file.numbers(data + "unequal/coordinates", {rows, columns - 1, 3},
               std::vector<double>(kMapRows * (kMapColumns - 1) * 3));
  file.number(data + "foo/bar", 1.0);
  file.numbers("metadata/ecg/samples", {5}, {0, 1, 2, 1, 0});
  file.number("metadata/ecg/sampling_frequency", 250.0);
  file.number("metadata/ecg/start_time_offset", -0.05);
  file.numbers("metadata/breath/samples", {3, 1}, {1, 2, 3});
  file.numbers("metadata/breath/timestamps", {3}, {0.0, 0.1, 0.3});
  file.numbers("metadata/back/samples", {3}, {1, 2, 3});
  file.numbers("metadata/back/timestamps", {3}, {0.2, 0.1, 0.3});
  file.numbers("metadata/probe_pose/translation", {2, 3}, {0, 0, 0, 1e-3, 2e-3, 3e-3});
  file.numbers("metadata/probe_pose/rotation", {2, 4}, {1, 0, 0, 0, std::cos(0.2), 0, std::sin(0.2), 0});
  file.number("metadata/probe_pose/sampling_frequency", 100.0);
  texts(file, "metadata/annotations/view", {"a", "b"});
  file.text("metadata/credit", "a laboratory");
  file.number("metadata/odd", 3.0);
  const auto n_frames = static_cast<hsize_t>(n.frames), n_tx = static_cast<hsize_t>(n.transmits);
  file.numbers("metrics/quality", {n_frames}, std::vector<double>(n_frames, 0.5));
  file.numbers("metrics/other", {n_frames + 1}, std::vector<double>(n_frames + 1, 0.5));
  file.number("custom/temperature", 21.5);
  file.number("scan/something_new", 1.0);
  file.numbers("scan/time_to_next_transmit", {n_frames, n_tx}, std::vector<double>(n_frames * n_tx, 0.01));
  file.number("stray", 7.0);
}

}  // namespace echoloop::test
