// Damage to texts with a grammar: whole words, numbers, strings and brackets are exchanged, repeated and omitted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formats/mutation/dice.h"
#include "formats/mutation/outline.h"

namespace echoloop::testing {

enum class Grammar { json, toml, npy_header };

std::vector<Span> text_parts(std::string_view text);
std::string edited_text(std::string text, Grammar grammar, Dice& dice);

// Omits, repeats or exchanges some of `parts`, which are consecutive or nested.
std::string with_parts_moved(const std::string& bytes, const std::vector<Span>& parts, Dice& dice);

}  // namespace echoloop::testing
