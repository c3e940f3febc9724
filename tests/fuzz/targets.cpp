#include "fuzz/targets.h"

#include <array>

#include "app/options/preset.h"
#include "core/error.h"
#include "core/param_table.h"
#include "formats/base/format_table.h"
#include "formats/containers/archives.h"
#include "formats/live_description.h"
#include "formats/readers/description.h"
#include "source/live/live_protocol.h"
#include "transport/message_stream.h"

namespace echoloop::fuzz {

extern volatile double read_values;  // prevents removal of the reads
volatile double read_values = 0.0;

namespace {

template <class Read>
bool survives(Read&& read) {
  try {
    read();
    return true;
  } catch (const Error&) {
    return false;
  }
}

OpenRequest request_for(const char* name, std::span<const std::byte> input) {
  return {.path = name, .file = MappedFile::borrow(input), .path_to_open = {}, .progress = {}, .stop = {}};
}

// Reads every byte promised by the recording.
void touch(const LibraryRecording& recording) {
  unsigned sum = 0;
  std::vector<std::byte> frame(recording.acquisition->frame_bytes());
  for (const std::uint64_t index : {std::uint64_t{0}, recording.frame_count - 1}) {
    recording.read_frame(index, frame);
    for (const std::byte b : frame) sum += static_cast<unsigned>(b);
  }
  read_values = sum;
}

}  // namespace

bool read_pickle(std::span<const std::byte> input) {
  return survives([&] { touch(read_short_course_pickle(request_for("fuzz.pkl", input))); });
}

bool read_npy_array(std::span<const std::byte> input) {
  return survives([&] {
    const NpyFile file = read_npy("fuzz.npy", input);
    if (file.is_text) return;
    const std::size_t n = file.array.count();
    if (n == 0) return;
    read_values = file.array.real_at(0) + file.array.real_at(n - 1);
    // Axes of an array of any rank, as in a description.
    constexpr std::array kAxes{Axis::frame, Axis::transmit, Axis::element, Axis::time};
    if (file.array.shape.size() < 2 || file.array.shape.size() > kAxes.size()) return;
    const auto first = kAxes.end() - static_cast<std::ptrdiff_t>(file.array.shape.size());
    const SampleSource source = sample_source("fuzz.npy", file.array, {first, kAxes.end()});
    read_values = static_cast<double>(source.frames.size());
  });
}

bool read_npz_archive(std::span<const std::byte> input) {
  if (!looks_like_zip(input)) return false;
  return survives([&] { touch(open_library_recording(request_for("fuzz.npz", input))); });
}

// The first byte selects the described array.
bool read_description(std::span<const std::byte> input) {
  if (input.empty()) return false;
  static const std::array<std::byte, 2 * 3 * 8 * 16 * 4> samples{};
  const std::array<std::vector<std::size_t>, 4> shapes{{{8, 16}, {3, 8, 16}, {2, 3, 8, 16}, {3, 16, 8, 2}}};
  const auto choice = static_cast<unsigned>(input[0]) % 8;
  ArrayView array;
  array.type = choice < 4 ? NumberType{NumberKind::signed_integer, 2, ByteOrder::little}
                          : NumberType{NumberKind::real, 4, ByteOrder::little};
  array.shape = shapes[choice % 4];
  array.bytes = std::span(samples).first(array.count() * array.type.bytes);
  return survives([&] {
    const Sidecar sidecar{.what = "fuzz.json", .meta = parse_description("fuzz.json", input.subspan(1))};
    touch(described_recording(request_for("fuzz.npy", array.bytes), array, sidecar, nullptr));
  });
}

bool read_preset_text(std::span<const std::byte> input) {
  return survives([&] {
    ImagingParams params;
    const std::string_view text(reinterpret_cast<const char*>(input.data()), input.size());
    for (const std::string& setting : preset_settings(parse_preset("fuzz.toml", text))) set_from_text(params, setting);
    (void)parse_preset("fuzz.toml", preset_toml(parse_preset("fuzz.toml", text)));
  });
}

bool read_live(std::span<const std::byte> input) {
  if (input.empty()) return false;
  const std::span<const std::byte> payload = input.subspan(1);
  try {
    switch (static_cast<unsigned>(input[0]) % 4) {
      case 0:
        read_values = static_cast<double>(decode_hello(payload).name.size());
        return true;
      case 1:
        read_values = static_cast<double>(decode_words(payload).size());
        return true;
      case 2:
        read_values = static_cast<double>(decode_text(payload).size() + decode_ping(payload).number);
        return true;
      default:
        break;
    }
    const LiveDescribe asked = decode_describe(payload);
    return survives([&] {
      const LiveDescription described = describe_live("fuzz", asked.json, LikeFiles::refused);
      constexpr std::size_t kMost = std::size_t{1} << 20;
      const std::size_t bytes = described.layout->frame_bytes(), out = described.acquisition->frame_bytes();
      if (bytes > kMost || out > kMost) return;
      std::vector<std::byte> frame(bytes), converted(out);
      described.layout->convert(frame, converted);
      read_values = static_cast<double>(converted.back());
    });
  } catch (const BadMessage&) {
    return false;
  }
}

}  // namespace echoloop::fuzz
