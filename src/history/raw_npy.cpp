// Raw samples for NumPy: one array [frame][transmit][element][sample] of the recording's own type, IQ with a last axis
// (I, Q).
#include "history/file_sinks.h"
#include "history/growing_npy.h"

namespace echoloop {

std::unique_ptr<FrameFile> make_raw_npy_file(const FrameFileRequest& request) {
  const Acquisition& a = *request.acquisition;
  std::string shape =
      std::to_string(a.n_transmits()) + ", " + std::to_string(a.n_elements()) + ", " + std::to_string(a.n_samples);
  if (a.signal == SignalKind::iq) shape += ", 2";
  return make_growing_npy(request.file, {.type = a.sample_type == SampleType::int16 ? "<i2" : "<f4",
                                         .shape = std::move(shape),
                                         .bytes = a.frame_bytes()});
}

}  // namespace echoloop
