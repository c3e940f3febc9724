// HDF5 files of arrays with plain names, for the tests of the guesses: 3 transmits, 16 elements, 256 samples.
#pragma once

#include <functional>

#include "formats/hdf5_fixture.h"
#include "formats/support.h"

namespace echoloop::test::guess {

inline const Extents kSize{.frames = 1, .transmits = 3, .elements = 16, .samples = 256};

inline void write_samples(Hdf5Fixture& file) {
  file.numbers("rf", sample_dims("tei", kSize), sample_table("tei", kSize));
}

// Writes a file that opens except for the additions of `add`; includes the transmits.
inline std::filesystem::path write(const TemporaryFolder& folder, const std::function<void(Hdf5Fixture&)>& add) {
  Hdf5Fixture file(folder.path() / "a.h5");
  write_samples(file);
  file.number("fs", 20e6);
  file.number("fc", 5e6);
  file.number("pitch", 0.3e-3);
  add(file);
  return file.close();
}

inline std::string refused(const std::function<void(Hdf5Fixture&)>& add) {
  const TemporaryFolder folder;
  return refusal(write(folder, add));
}

inline Acquisition opened(const std::function<void(Hdf5Fixture&)>& add) {
  const TemporaryFolder folder;
  const Recording recording = open_recording(write(folder, add));
  expect_samples(recording, kSize);
  return *recording.acquisition;
}

inline void angles(Hdf5Fixture& file) { file.numbers("angles", {3}, {-0.1, 0.0, 0.1}); }

}  // namespace echoloop::test::guess
