#include "app/window/import_raw_state.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "gui/state/number_text.h"

namespace echoloop {

ImportRaw raw_state(const ImportDraft& draft, const RawGuess& guess, const std::string& first_bytes,
                    const std::map<std::string, std::string>& refused) {
  ImportRaw raw;
  raw.on = true;
  raw.dtype = draft.word("dtype");
  raw.byte_order = draft.word("byte_order");
  raw.why_type = draft.reason("dtype");
  raw.why_order = draft.reason("byte_order");
  raw.why_header = draft.reason("header_bytes");
  raw.types = raw_types();
  raw.header_bytes = draft.whole("header_bytes");
  raw.described_bytes = draft.raw_bytes();
  raw.file_bytes = draft.outline().bytes;
  std::string product;
  const std::vector<std::size_t> shape = draft.shape();
  for (auto extent = shape.rbegin(); extent != shape.rend(); ++extent) product += std::to_string(*extent) + " × ";
  const bool whole = raw.described_bytes == raw.file_bytes;
  raw.account = fmt::format("{} + {}{} = {} bytes, {}", raw.header_bytes, product, raw_type_bytes(raw.dtype),
                            grouped(raw.described_bytes),
                            whole ? "the whole file"
                            : raw.described_bytes < raw.file_bytes
                                ? grouped(raw.file_bytes - raw.described_bytes) + " bytes left over"
                                : grouped(raw.described_bytes - raw.file_bytes) + " bytes more than the file holds");
  for (std::size_t k = 0; k + 1 < first_bytes.size(); k += 2)
    raw.first.push_back(static_cast<std::uint8_t>(std::stoi(first_bytes.substr(k, 2), nullptr, 16)));
  for (const RawNumber& number : guess.numbers) raw.numbers.push_back({number.offset, number.value, number.meaning});
  raw.likeness = guess.likeness;
  raw.line_values = guess.line_values;
  const auto refusal = [&](const char* key) { return refused.contains(key) ? refused.at(key) : std::string(); };
  raw.type_error = refusal("dtype");
  raw.header_error = refusal("header_bytes");
  return raw;
}

}  // namespace echoloop
