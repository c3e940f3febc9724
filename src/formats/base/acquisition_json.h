// An Acquisition as JSON text, and back with every bit: numbers are written with as many digits as bring the same
// double back. Why: UFF and other formats round numbers to singles and cannot say all that we know (element delays,
// normals, bandwidth, frame rate); what we write ourselves carries this text beside them, and our reader prefers it.
//
// In a recording of ours (history/uff_repair.h) the HDF5 group /echoloop holds
//   acquisition     one string (UTF-8): this text, all lengths in m, times in s, frequencies in Hz, angles in rad:
//     {"version": 1,
//      "probe": {"name", "kind": "linear"|"convex"|"phased", "pitch_m", "element_width_m",
//                "element_x_m": [..], "element_z_m": [..], "element_normal_rad": [..]},
//      "transmits": [{"kind": "plane"|"diverging"|"focused"|"delays", "angle_rad", "source_x_m", "source_z_m", "t0_s",
//                     "aperture_m",                      absent: unknown
//                     "element_delays_s": [..]}],        kind delays only; null = a silent element (NaN)
//      "n_samples", "sample_type": "int16"|"float32", "signal": "rf"|"iq", "sampling_hz", "center_hz", "bandwidth_hz",
//      "demod_hz", "sound_speed_m_s", "frame_rate_hz", "assumptions": [{"text", "fact"}]}
//   parameters      one string: JSON {key: value} of the imaging parameters when the recording began
//   frame_sequence  uint64 (frames): number of each frame in the stream that was recorded; holes: frames not recorded
//   acquired_ns     int64 (frames): its moment of publication, ns of the recording machine's steady clock
//   of a scanner besides, each with one number a frame:
//   device_time_s   float64: time of acquisition, by the scanner's clock, from the stream's first frame on
//   device_ticks    uint64: that clock as the sender sent it; `device_hz` ticks in a second, 0: no such clock
//   lost_at_sender  uint64: frames that the sender had lost in the stream so far
//   missing         uint64: frames so far that nothing accounts for
//   not_recorded    uint64: frames of the stream that the disk was too slow for
// and the attributes device_hz (of a scanner), version (of the program), recorded_at (local time, ISO 8601).
// The samples are /channel_data/data, [frame][transmit][element][sample], int16 or float32, in one chunk a frame; IQ:
// the two datasets data/real and data/imag of that shape. Frames = the smallest first dimension of these datasets: in a
// file whose writer was killed the last flush may have reached one and not the other.
#pragma once

#include <optional>
#include <string>

#include "core/acquisition.h"

namespace echoloop {

[[nodiscard]] std::string acquisition_to_json(const Acquisition& acquisition);

// Empty when the text is not of this form or describes what cannot be (Acquisition::validate): a reader then makes do
// with what the file's own format says.
[[nodiscard]] std::optional<Acquisition> acquisition_from_json(const std::string& text);

}  // namespace echoloop
