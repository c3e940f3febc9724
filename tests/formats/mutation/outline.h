// Numbers and parts of a binary file that affect its readers, for a structure-aware mutator. Found without the readers
// under test; false positives do no harm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace echoloop::testing {

struct Field {  // a little-endian number
  std::size_t at = 0, bytes = 0;
};
struct Span {
  std::size_t begin = 0, end = 0;
};

struct Outline {
  std::vector<Field> numbers;
  std::vector<std::size_t> places;  // possible targets of numbers
  std::vector<Span> sealed;         // HDF5: the checksum of these bytes is at `end`
  std::vector<Span> parts;          // elements and opcodes that can be omitted, repeated and exchanged
};

Outline hdf5_outline(std::string_view bytes);
Outline mat5_outline(std::string_view bytes);  // of a file without compressed elements
Outline pickle_outline(std::string_view bytes);
Outline zip_outline(std::string_view bytes);

std::uint32_t hdf5_checksum(std::string_view bytes);

// Reads or writes a number of at most 8 bytes, which must exist.
std::uint64_t number_at(std::string_view bytes, const Field& field);
void put_number(std::string& bytes, const Field& field, std::uint64_t value);

// Inflate the elements of a MATLAB 5 file, and deflate them again with matching tags.
std::string inflated_mat5(const std::string& bytes);
std::string deflated_mat5(const std::string& bytes);

}  // namespace echoloop::testing
