// Transmits in which many elements send at once, each with a sign of its own (Hadamard's codes): the recording of
// single elements is a sum of them. Internal to src/formats.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace echoloop::verasonics {

struct Code {
  std::vector<std::size_t> elements;  // that send alone when it is undone, one a transmit
  std::vector<float> inverse;         // [undone transmit][sent transmit]; empty: nothing is coded
};

// `weights` of each transmit, by element. Nothing is coded when no transmit has weights of both signs. Throws Error
// when one has and the rows are no orthogonal code of as many transmits as elements.
Code code_of(const std::string& what, const std::vector<std::vector<double>>& weights);

// Undoes the code of [transmit][element][row], in place.
void decode_lines(const Code& code, std::size_t n_elements, std::size_t n_rows, std::span<float> lines);

}  // namespace echoloop::verasonics
