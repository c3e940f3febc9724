// Where the numbers and parts of a binary file lie that its readers act on: what a structure-aware mutator edits. Read
// without the readers under test; a part that looks like structure and is none does no harm.
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
  std::vector<std::size_t> places;  // that numbers may refer to
  std::vector<Span> sealed;         // HDF5: the checksum of these bytes lies at `end`
  std::vector<Span> parts;          // that can be left out, repeated and exchanged: elements, opcodes
};

Outline hdf5_outline(std::string_view bytes);
Outline mat5_outline(std::string_view bytes);  // of a file without compressed elements
Outline pickle_outline(std::string_view bytes);
Outline zip_outline(std::string_view bytes);

std::uint32_t hdf5_checksum(std::string_view bytes);

// A number of at most 8 bytes; the bytes must be there.
std::uint64_t number_at(std::string_view bytes, const Field& field);
void put_number(std::string& bytes, const Field& field, std::uint64_t value);

// The elements of a MATLAB 5 file inflated, and deflated again as their tags then say.
std::string inflated_mat5(const std::string& bytes);
std::string deflated_mat5(const std::string& bytes);

}  // namespace echoloop::testing
