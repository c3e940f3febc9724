// What samples without a container may be, from their bytes alone: type and byte order by the smoothness of neighbours,
// the length of a line by its likeness to the next one, header and shape by numbers in the header that fit the size.
// Guesses, each with its reason; the image is the judge. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace echoloop {

struct RawNumber {  // in the first bytes
  std::size_t offset = 0;
  double value = 0.0;
  std::string meaning;  // "samples?"
};

struct RawGuess {
  std::string dtype, byte_order;
  std::size_t header_bytes = 0;
  std::vector<std::size_t> shape;  // slowest first, as a description has it
  std::vector<std::string> axes;   // likewise
  double sampling_hz = 0.0;        // of the header; 0: none
  std::string why_type, why_order, why_header, why_shape, why_sampling;
  std::vector<RawNumber> numbers;
  std::size_t line_values = 0;  // 0: not found
  std::vector<float> likeness;  // of a sample and the one `index` values later, rectified; 1 at 0
};

RawGuess guess_raw(std::span<const std::byte> file);

std::size_t raw_type_bytes(std::string_view dtype);  // of a value; 0: no such type
std::vector<std::string> raw_types();                // all, as a description names them
std::string raw_type_names();
// Values from byte `from` on, as far as they reach.
std::vector<float> raw_values(std::span<const std::byte> file, std::size_t from, std::string_view dtype,
                              std::string_view byte_order, std::size_t most);

}  // namespace echoloop
