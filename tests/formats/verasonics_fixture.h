// Verasonics workspaces generated for the tests, written with the MATLAB library itself: geometry in wavelengths,
// channels in the order of the connector, events out of order, and time zero from chosen numbers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "formats/support.h"

namespace echoloop::test::verasonics {

inline constexpr std::size_t kElements = 8, kColumns = 16, kSamples = 32, kFrames = 3;
inline constexpr double kFrequency_mhz = 5.0, kSpeed_m_s = 1500.0, kPitchWavelengths = 1.0;
inline constexpr double kWavelength_m = kSpeed_m_s / (kFrequency_mhz * 1e6);

struct Workspace {
  std::vector<double> angles_rad = {-0.1, 0.1};
  double focus = 0.0;  // wavelengths
  std::string units = "wavelengths";
  bool with_receive = true, with_delays = true, with_peak = true;
  std::vector<double> connector = {9, 10, 11, 12, 13, 14, 15, 16};
  double start_depth = 4.0, lens = 0.5, peak = 1.25;  // wavelengths
  double end_sample_excess = 0.0;
  enum class Container { v5, v73 } container = Container::v5;
  std::string name = "RcvData", sample_mode = {};  // sample_mode: instead of decimSampleRate
  int buffer = 1;                                  // 2: after an empty one
  bool one_by_one = false;                         // TX(k) fires element 3 k alone
  bool with_notes = true;                          // Steer and focus
  bool as_double = false;
  int last_frame = 0;                             // of Resource.RcvBuffer; 0: missing
  bool one_transmit = false;                      // both shots of a frame by TX(1)
  double wait_us = 0.0;                           // SeqControl timeToNextAcq of every shot; 0: no SeqControl
  bool switched = false;                          // Trans.HVMux: shot k by elements 4 k to 4 k + 3 on channels 1 to 4
  std::vector<std::vector<double>> weights = {};  // Apod of each TX, with delays of 0
  std::vector<double> focal_point = {};           // of every TX, wavelengths; contradicts focus
  std::vector<double> peaks = {};                 // of TW(k), transmitted by TX(k), instead of `peak`
  std::size_t n_columns = kColumns;               // of RcvData
  std::string inside = {};                        // name of a struct that holds all variables; empty: none
  bool reshaped = false;                          // RcvData: one frame, rows x channels x acquisitions
  bool dump = false;                              // Parameters.mat and RF_data_1.bin instead of RcvData
  bool in_cells = false;                          // arrays of structs as cells of structs, as scipy writes lists
};

inline double element_x(std::size_t e) { return (static_cast<double>(e) - 3.5) * kPitchWavelengths; }  // wavelengths

inline std::int16_t sample_at(std::size_t r, std::size_t column, std::size_t page) {
  return static_cast<std::int16_t>(r + 100 * column + 5000 * page);
}

// Returns the first row: the second shot of each frame precedes the first.
inline std::size_t first_row(std::size_t shot) { return shot == 0 ? kSamples : 0; }

inline double value_at(const Recording& r, std::size_t frame, std::size_t shot, std::size_t element, std::size_t k) {
  return sample(r, frame, static_cast<int>(shot), static_cast<int>(element), static_cast<int>(k));
}

std::filesystem::path write_workspace(const std::filesystem::path& folder, const Workspace& workspace);

inline Recording open_workspace(const Workspace& workspace) {
  const TemporaryFolder folder;
  return open_recording(write_workspace(folder.path(), workspace));
}
inline std::string refused_workspace(const Workspace& workspace) {
  const TemporaryFolder folder;
  return refusal(write_workspace(folder.path(), workspace));
}

}  // namespace echoloop::test::verasonics
