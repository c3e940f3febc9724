// Acquisition as JSON text and back, without loss: numbers have enough digits to restore the same double. Reason: UFF
// and other formats round numbers to single precision and lack facts (element delays, normals, bandwidth, frame rate);
// files of this program contain this text in addition, and their reader prefers it.
//
// Recordings of this program (history/hdf5_recording.h) have an HDF5 group /echoloop with
//   acquisition     one string (UTF-8): this text, all lengths in m, times in s, frequencies in Hz, angles in rad:
//     {"version": 1,
//      "probe": {"name", "kind": "linear"|"convex"|"phased", "pitch_m", "element_width_m",
//                "element_x_m": [..], "element_z_m": [..], "element_normal_rad": [..]},
//      "transmits": [{"kind": "plane"|"diverging"|"focused"|"delays", "angle_rad", "source_x_m", "source_z_m", "t0_s",
//                     "aperture_m",                      absent: unknown
//                     "element_delays_s": [..]}],        kind delays only; null = a silent element (NaN)
//      "n_samples", "sample_type": "int16"|"float32", "signal": "rf"|"iq", "sampling_hz", "center_hz", "bandwidth_hz",
//      "demod_hz", "sound_speed_m_s", "frame_rate_hz", "assumptions": [{"text", "fact"}]}
//   parameters      one string: JSON {key: value} of the imaging parameters at the start of the recording
//   frame_sequence  uint64 (frames): number of each frame in the recorded stream; gaps: frames not recorded
//   acquired_ns     int64 (frames): time of publication, ns of the recording machine's steady clock
//   additionally for a scanner, each with one number per frame:
//   device_time_s   float64: time of acquisition by the scanner's clock, since the stream's first frame
//   device_ticks    uint64: that clock as sent by the sender, at `device_hz` ticks per second; 0: no such clock
//   lost_at_sender  uint64: frames lost by the sender in the stream so far
//   missing         uint64: frames lost so far without a known cause
//   not_recorded    uint64: frames of the stream lost because the disk was too slow
// and the attributes device_hz (of a scanner), version (of the program), recorded_at (local time, ISO 8601).
// The samples are /channel_data/data, [frame][transmit][element][sample], int16 or float32, in one chunk per frame; for
// IQ the two datasets data/real and data/imag of that shape. Frames = the smallest first dimension of these datasets:
// if the writer was killed, its last flush may have reached only some of them.
#pragma once

#include <optional>
#include <string>

#include "core/acquisition.h"

namespace echoloop {

[[nodiscard]] std::string acquisition_to_json(const Acquisition& acquisition);

// Returns nullopt if the text has another form or an invalid acquisition (Acquisition::validate): a reader then uses
// the facts of the file's own format.
[[nodiscard]] std::optional<Acquisition> acquisition_from_json(const std::string& text);

}  // namespace echoloop
