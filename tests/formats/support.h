// Shared by the format tests: location of the real recordings, temporary files, and writers of small files that are
// independent of the readers under test.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "formats/open_recording.h"
#include "support/npy_file.h"
#include "support/one_line.h"
#include "support/recorded_data.h"
#include "support/temporary_folder.h"

namespace echoloop::test {

using testing::contains;
using testing::npy;
using testing::read_text;
using testing::TemporaryFolder;

// Returns true if the reader made an assumption with these words.
bool assumes(const Acquisition& a, const std::string& words);
std::span<const std::byte> bytes_of(std::string_view text);

// Returns the Error of opening `path`: one line, beginning with the path; "" if it opened, which fails the test.
std::string refusal(const std::filesystem::path& path);
// Tries every n-th of the variants of a damaged file, each with a reader process: an odd number, so that every place of
// a word is hit; larger under the sanitizer, where opening is several times slower.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr std::size_t kEveryNth = 11;
inline constexpr std::size_t kEveryNthText = 7;  // of those that this process parses itself
#else
inline constexpr std::size_t kEveryNth = 3;
inline constexpr std::size_t kEveryNthText = 1;
#endif

// Opens every shorter version of `content` (every `step` bytes, of these every kEveryNth): all must be refused with an
// Error.
void expect_every_truncation_refused(const std::string& name, const std::string& content, std::size_t step = 1);

double sample(const Recording& recording, std::uint64_t frame, int transmit, int element, int sample, int value = 0);
double frame_sum(const Recording& recording, std::uint64_t frame);

// Returns the seconds of processor time of this process and its children, independent of other load.
double computing_time_s();

// Returns values as little-endian bytes (reversed: big-endian).
enum class Endian { little, big };
template <class T>
std::string packed(const std::vector<T>& values, Endian endian = Endian::little) {
  std::string bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  if (endian == Endian::big) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(k * sizeof(T)),
                   bytes.begin() + static_cast<std::ptrdiff_t>((k + 1) * sizeof(T)));
    }
  }
  return bytes;
}

struct ZipEntry {
  std::string name, content;
  bool deflate = false;
};
std::string zip(const std::vector<ZipEntry>& entries);

namespace pkl {  // pickle of protocol 4, opcode by opcode
std::string text(const std::string& value);
std::string integer(std::int64_t value);
std::string real(double value);
std::string bytes(const std::string& value);
std::string array(const std::string& dtype, char order, const std::vector<std::int64_t>& shape, const std::string& data,
                  bool fortran = false);
std::string dict(const std::vector<std::pair<std::string, std::string>>& items);
std::string list(const std::vector<std::string>& items);
std::string file(const std::string& root);
std::string context(const std::vector<float>& angles);
std::string recording();  // 2 frames x 2 transmits x 3 elements x 4 samples, float32, 0, 1, 2, ...
}  // namespace pkl

}  // namespace echoloop::test
