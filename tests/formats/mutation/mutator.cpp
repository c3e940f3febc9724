#include "formats/mutation/mutator.h"

#include <algorithm>
#include <iterator>

#include "formats/mutation/text_edits.h"
#include "formats/support.h"

namespace echoloop::testing {

namespace {

constexpr std::size_t kFileHead = 4096;  // most of a file's structure

Outline outline_of(FileKind kind, std::string_view bytes) {
  switch (kind) {
    case FileKind::hdf5:
      return hdf5_outline(bytes);
    case FileKind::mat5:
      return mat5_outline(bytes);
    case FileKind::npz:
      return zip_outline(bytes);
    case FileKind::pickle:
      return pickle_outline(bytes);
    case FileKind::npy:
    case FileKind::preset:
      return {};
  }
  return {};
}

// Edits the text after the magic and its length (version 1).
std::string edited_npy(std::string bytes, Dice& dice) {
  const Field length{8, 2};
  if (bytes.size() < 10) return bytes;
  const std::size_t size = std::min<std::size_t>(number_at(bytes, length), bytes.size() - 10);
  const std::string header = edited_text(bytes.substr(10, size), Grammar::npy_header, dice);
  bytes.replace(10, size, header);
  if (!dice.one_in(5)) put_number(bytes, length, header.size());
  return bytes;
}

}  // namespace

Mutator::Mutator(std::vector<Fixture> fixtures, unsigned seed) : fixtures_(std::move(fixtures)), dice_(seed) {
  for (std::size_t k = 0; k < fixtures_.size(); ++k) {
    Fixture& fixture = fixtures_[k];
    if (fixture.kind == FileKind::mat5) fixture.bytes = inflated_mat5(fixture.bytes);
    of_kind_[fixture.kind].push_back(k);
  }
}

Mutant Mutator::next() {
  const auto kind = std::next(of_kind_.begin(), static_cast<std::ptrdiff_t>(dice_.below(of_kind_.size())));
  Fixture& fixture = fixtures_[dice_.any_of(kind->second)];
  Mutant mutant{.kind = fixture.kind, .bytes = fixture.bytes, .description = fixture.description};
  const bool in_description = !fixture.description.empty() && !dice_.one_in(3);
  if (in_description) {
    for (std::size_t k = 1 + dice_.below(3); k > 0; --k) {
      mutant.description = edited_text(std::move(mutant.description), Grammar::json, dice_);
    }
  } else if (!dice_.one_in(8)) {
    mutant.bytes = damaged(fixture);
  }
  if (dice_.one_in(6)) {
    for (std::size_t k = 1 + dice_.below(3); k > 0 && !mutant.bytes.empty(); --k) mutate(mutant.bytes);
  }
  return mutant;
}

std::string Mutator::damaged(Fixture& fixture) {
  switch (fixture.kind) {
    case FileKind::npy:
      return edited_npy(fixture.bytes, dice_);
    case FileKind::npz:
      return dice_.one_in(3) ? damaged_numbers(fixture) : damaged_archive(fixture);
    case FileKind::preset: {
      std::string text = fixture.bytes;
      for (std::size_t k = 1 + dice_.below(4); k > 0; --k) text = edited_text(std::move(text), Grammar::toml, dice_);
      return text;
    }
    case FileKind::mat5: {
      const std::string bytes = damaged_numbers(fixture);
      return dice_.one_in(2) ? deflated_mat5(bytes) : bytes;
    }
    case FileKind::hdf5:
    case FileKind::pickle:
      return damaged_numbers(fixture);
  }
  return fixture.bytes;
}

// Edits numbers first, which moves no part; then the checksums; then, in some files, the parts.
std::string Mutator::damaged_numbers(Fixture& fixture) {
  if (!fixture.outline) fixture.outline = outline_of(fixture.kind, fixture.bytes);
  const Outline& outline = *fixture.outline;
  std::string bytes = fixture.bytes;
  if (outline.numbers.empty()) return bytes;
  for (std::size_t k = 1 + dice_.below(3); k > 0; --k)
    edit_number(bytes, dice_.any_of(outline.numbers), outline.places);
  for (const Span& part : outline.sealed) {
    put_number(bytes, {part.end, 4}, hdf5_checksum(std::string_view(bytes).substr(part.begin, part.end - part.begin)));
  }
  return !outline.parts.empty() && dice_.one_in(3) ? with_parts_moved(bytes, outline.parts, dice_) : bytes;
}

// Packs the archive again, with correct checksums.
std::string Mutator::damaged_archive(const Fixture& fixture) {
  std::vector<test::ZipEntry> entries;
  for (const ArchiveMember& member : fixture.members) {
    entries.push_back({.name = member.name, .content = member.content, .deflate = dice_.one_in(2)});
  }
  if (entries.empty()) return fixture.bytes;
  test::ZipEntry& entry = entries[dice_.below(entries.size())];
  if (dice_.one_in(6)) {
    entry.name = dice_.any_of(entries).name;
  } else {
    entry.content = damaged_member(entry.content);
  }
  return test::zip(entries);
}

std::string Mutator::damaged_member(const std::string& content) {
  return content.starts_with('\x93') ? edited_npy(content, dice_) : edited_text(content, Grammar::json, dice_);
}

std::size_t Mutator::place(const std::string& bytes) {
  return dice_.one_in(3) ? dice_.below(bytes.size()) : dice_.below(std::min(bytes.size(), kFileHead));
}

void Mutator::mutate(std::string& bytes) {
  const std::size_t at = place(bytes), length = std::min(bytes.size() - at, 1 + dice_.below(256));
  switch (dice_.below(6)) {
    case 0:
      for (std::size_t k = 0, n = 1 + dice_.below(16); k < n; ++k) {
        char& byte = bytes[place(bytes)];
        byte = static_cast<char>(byte ^ (1 << dice_.below(8)));
      }
      return;
    case 1:
      bytes.resize(dice_.one_in(4) ? at : bytes.size() - std::min(bytes.size() - 1, dice_.below(bytes.size() / 4 + 2)));
      return;
    case 2: {
      const std::string& other = dice_.one_in(2) ? dice_.any_of(fixtures_).bytes : bytes;
      if (other.empty()) return;
      bytes.replace(at, length, std::string(other, dice_.below(other.size()), 1 + dice_.below(512)));
      return;
    }
    case 3: {
      const std::size_t kind = dice_.below(3);
      for (std::size_t k = 0; k < length; ++k) {
        bytes[at + k] = static_cast<char>(kind == 0 ? 0 : kind == 1 ? 255 : dice_.below(256));
      }
      return;
    }
    default:
      return edit_size(bytes);
  }
}

// `places`: alternative targets of the number.
void Mutator::edit_number(std::string& bytes, const Field& field, const std::vector<std::size_t>& places) {
  if (bytes.size() < field.at + field.bytes) return;
  const std::uint64_t value = number_at(bytes, field);
  const std::uint64_t wanted[] = {0,
                                  1,
                                  value + 1,
                                  value - 1,
                                  2 * value,
                                  ~value,
                                  ~0ULL,
                                  0x7fffffffU,
                                  0x80000000U,
                                  0x100000000ULL,
                                  1ULL << 62,
                                  1ULL << 63,
                                  bytes.size(),
                                  bytes.size() - value,
                                  0xffffU,
                                  field.at,
                                  value / 2,
                                  value ^ (1ULL << dice_.below(64)),
                                  dice_.below(16)};
  const bool elsewhere = !places.empty() && dice_.one_in(5);
  put_number(bytes, field, elsewhere ? dice_.any_of(places) : dice_.any_of(wanted));
}

// Edits a number of 2, 4 or 8 bytes at a plausible place.
void Mutator::edit_size(std::string& bytes) {
  const std::size_t size = std::size_t{2} << dice_.below(3);
  if (bytes.size() < size) return;
  edit_number(bytes, {std::min(place(bytes), bytes.size() - size) / 2 * 2, size}, {});
}

}  // namespace echoloop::testing
