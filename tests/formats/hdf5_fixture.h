// Small HDF5 files for the format tests, written with the library itself: a general writer, and one valid example of
// each format for a test to modify. Samples are a known function of their indices.
#pragma once

#include <hdf5.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "formats/support.h"

namespace echoloop::test {

struct DatasetPlan {
  hid_t type = H5T_IEEE_F32LE;
  std::vector<hsize_t> chunk;  // empty: contiguous
  int deflate = 0;
};

enum class TextKind { null_terminated, null_padded, space_padded, variable };

class Hdf5Fixture {
 public:
  // A relative path is in a folder removed with the fixture.
  explicit Hdf5Fixture(const std::filesystem::path& path, hsize_t user_block = 0);
  ~Hdf5Fixture();
  Hdf5Fixture(const Hdf5Fixture&) = delete;
  Hdf5Fixture& operator=(const Hdf5Fixture&) = delete;

  // Paths are from the root; missing groups are made, existing objects are replaced.
  void group(const std::string& path);
  void numbers(const std::string& path, const std::vector<hsize_t>& dims, const std::vector<double>& values,
               const DatasetPlan& plan = {});
  void number(const std::string& path, double value) { numbers(path, {1, 1}, {value}); }
  void text(const std::string& path, const std::string& value);  // a fixed-length string
  void empty(const std::string& path, const std::vector<hsize_t>& dims, const DatasetPlan& plan = {});  // never written
  void remove(const std::string& path);
  void attribute(const std::string& path, const char* name, const std::string& value,
                 TextKind kind = TextKind::null_padded);
  void attribute(const std::string& path, const char* name, double value);
  void attribute(const std::string& path, const char* name, const std::vector<double>& values);
  void references(const std::string& path, const std::vector<std::string>& targets);  // "": none
  void enum_attribute(const std::string& path, const char* name, const std::vector<const char*>& members, int value);

  [[nodiscard]] hid_t file() const { return file_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  std::filesystem::path close();

 private:
  std::optional<TemporaryFolder> folder_;
  std::filesystem::path path_;
  hid_t file_ = -1;
};

struct Extents {
  int frames = 2, transmits = 3, elements = 4, samples = 6, values = 1;
};
double sample_value(int frame, int transmit, int element, int index, int value);
// Returns all samples in the order of `axes`, slowest first: f t e i q. `value`: of an array without q.
std::vector<double> sample_table(const std::string& axes, const Extents& n, int value = 0);
std::vector<hsize_t> sample_dims(const std::string& axes, const Extents& n);
// Expects every sample of every frame to be sample_value() times `scale`.
void expect_samples(const Recording& recording, const Extents& n, double scale = 1.0);

// Valid examples: elements 0.3 mm apart about x = 0, fs 20 MHz, fc 5 MHz, c 1500 m/s, angles or sources below.
inline constexpr double kPitch_m = 0.3e-3, kSampling_hz = 20e6, kCenter_hz = 5e6, kSpeed_m_s = 1500.0;
void write_uff(Hdf5Fixture& file, const Extents& n = {});     // plane waves of -0.1, 0, 0.1 rad; initial_time 2 us
void write_picmus(Hdf5Fixture& file, const Extents& n = {});  // the same, RF
void write_pybf(Hdf5Fixture& file, const Extents& n = {});    // the same
void write_zea(Hdf5Fixture& file, const Extents& n = {});     // the same; time from the first firing, 2 us later
// The zea example with maps of kMapRows x kMapColumns, signals and members of other kinds.
inline constexpr int kMapRows = 5, kMapColumns = 4;
void write_zea_contents(Hdf5Fixture& file, const Extents& n = {});
void write_mfmc(Hdf5Fixture& file, const Extents& n = {});  // the same; A-scans by element, then transmit
// Parts of MFMC, in this order: a probe with an empty sequence; laws 1, 2 ... of elements from 1, `delays_s` empty:
// none; the laws of each A-scan. The caller writes MFMC_DATA of SEQUENCE<1>.
void mfmc_probe(Hdf5Fixture& file, const std::vector<double>& x_m);
void mfmc_law(Hdf5Fixture& file, int number, const std::vector<double>& elements, const std::vector<double>& delays_s);
void mfmc_scans(Hdf5Fixture& file, const std::vector<int>& sent, const std::vector<int>& received);
void write_urx(Hdf5Fixture& file, const Extents& n = {});    // one group; the waves fire 1 us after the event began
void write_ipasc(Hdf5Fixture& file, const Extents& n = {});  // one wavelength for each transmit
// Parts of URX: a further group with its data; path of an event; transmit or receive setup, one element a channel.
void urx_group(Hdf5Fixture& file, int number, const std::string& label, const Extents& n);
std::string urx_event(int group, int event);
void urx_setup(Hdf5Fixture& file, const std::string& path, const std::vector<int>& elements, double time_offset_s);
std::vector<double> wave_angles(int n_transmits);
void uff_object(Hdf5Fixture& file, const std::string& path, const char* kind, bool array = false);
void uff_wave(Hdf5Fixture& file, int index, double wavefront, double distance, double azimuth, double delay);

}  // namespace echoloop::test
