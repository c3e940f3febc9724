// The five chunk indices of HDF5: HDF5 File Format Specification 4.0, sections III.A.2 and VII.
#include <algorithm>
#include <bit>
#include <functional>
#include <optional>

#include "formats/containers/hdf5_layout.h"

namespace echoloop::hdf5 {
namespace {

constexpr std::size_t kMaxTreeDepth = 16;
constexpr std::uint64_t kMaxListedChunks = std::uint64_t{1} << 22;

// Entries of a chunk index.
struct Entry {
  std::uint64_t address = kUndefined, bytes = 0;
  std::uint32_t mask = 0;
};

// File and form of an index, and the entries of an array.
struct IndexFile : IndexForm {
  const FileBytes& file;

  [[nodiscard]] std::size_t entry_bytes() const { return filtered ? 8 + size_bytes + 4 : 8; }
  [[nodiscard]] Entry entry(Cursor& in) const {
    Entry found{.address = in.number(8), .bytes = chunk_bytes};
    if (filtered) found.bytes = in.number(size_bytes), found.mask = static_cast<std::uint32_t>(in.number(4));
    return found;
  }
  void entries(Cursor& in, std::uint64_t n, std::vector<Entry>& out) const {
    require(n <= kMaxListedChunks && out.size() + n <= kMaxListedChunks);
    for (std::uint64_t k = 0; k < n; ++k) out.push_back(entry(in));
  }
  // Reads n entries stored in pages of their own checksums, beginning at `address`; `written(page)`: false is a page
  // that was never written.
  void pages(std::uint64_t address, std::uint64_t n, std::uint64_t per_page,
             const std::function<bool(std::uint64_t)>& written, std::vector<Entry>& out) const {
    for (std::uint64_t page = 0; page * per_page < n; ++page) {
      const std::uint64_t here = std::min(per_page, n - page * per_page), size = here * entry_bytes() + kChecksumBytes;
      require(out.size() + here <= kMaxListedChunks);
      if (written(page)) {
        const Block bytes = checked_block(file, address, size);
        Cursor in(bytes);
        entries(in, here, out);
      } else {
        out.resize(out.size() + static_cast<std::size_t>(here));
      }
      address += size;
    }
  }
};

bool bit_of(std::span<const unsigned char> bits, std::uint64_t index) {
  require(index / 8 < bits.size());
  return (bits[static_cast<std::size_t>(index / 8)] & (0x80U >> (index % 8))) != 0;
}

std::vector<Entry> fixed_array(const IndexFile& form, std::uint64_t address, std::uint64_t n_expected) {
  const Block header = checked_block(form.file, address, 28);
  Cursor in(header);
  in.expect("FAHD", 0);
  const unsigned client = in.byte(), entry_bytes = in.byte(), page_bits = in.byte();
  const std::uint64_t n = in.number(8), at = in.number(8);
  require(client == (form.filtered ? 1U : 0U) && entry_bytes == form.entry_bytes() && page_bits < 32);
  require(n == n_expected && n <= kMaxListedChunks);
  std::vector<Entry> found;
  if (at == kUndefined) return std::vector<Entry>(static_cast<std::size_t>(n));
  const std::uint64_t per_page = std::uint64_t{1} << page_bits;
  const bool paged = n > per_page;
  const std::uint64_t bitmap = paged ? ((n + per_page - 1) / per_page + 7) / 8 : 0;
  const std::uint64_t size = 4 + 2 + 8 + bitmap + (paged ? 0 : n * entry_bytes) + kChecksumBytes;
  const Block data = checked_block(form.file, at, size);
  Cursor body(data);
  body.expect("FADB", 0);
  require(body.byte() == client && body.number(8) == address);
  const auto bits = body.take(bitmap);
  if (paged)
    form.pages(
        at + size, n, per_page, [&](std::uint64_t page) { return bit_of(bits, page); }, found);
  else
    form.entries(body, n, found);
  return found;
}

// Reads the extensible array at `address`; its blocks double in size, as section VII.D of the specification defines.
class ExtensibleArray {
 public:
  ExtensibleArray(const IndexFile& form, std::uint64_t address) : form_(form), address_(address) {
    const Block header = checked_block(form.file, address, 72);
    Cursor in(header);
    in.expect("EAHD", 0);
    client_ = in.byte();
    const unsigned entry_bytes = in.byte();
    max_bits_ = in.byte(), in_index_ = in.byte(), least_entries_ = in.byte(), least_pointers_ = in.byte();
    page_bits_ = in.byte();
    static_cast<void>(in.take(4 * std::size_t{8}));
    n_ = in.number(8);  // entries that were set
    static_cast<void>(in.take(8));
    index_ = in.number(8);
    require(client_ == (form.filtered ? 1U : 0U) && entry_bytes == form.entry_bytes());
    require(max_bits_ >= 1 && max_bits_ <= 64 && page_bits_ < 32 && std::has_single_bit(least_entries_) &&
            std::has_single_bit(least_pointers_));
    require(static_cast<unsigned>(std::bit_width(least_entries_)) - 1 <= max_bits_);
    require(n_ <= kMaxListedChunks);
  }

  std::vector<Entry> read() {
    if (index_ == kUndefined || n_ == 0) return {};
    const unsigned levels = 2 + max_bits_ - static_cast<unsigned>(std::bit_width(least_entries_));
    const unsigned direct = 2 * (static_cast<unsigned>(std::bit_width(least_pointers_)) - 1);  // without super blocks
    require(direct <= levels);
    const std::uint64_t n_blocks = 2 * (std::uint64_t{least_pointers_} - 1), n_super = levels - direct;
    const Block bytes = checked_block(
        form_.file, index_,
        4 + 2 + 8 + std::uint64_t{in_index_} * form_.entry_bytes() + 8 * (n_blocks + n_super) + kChecksumBytes);
    Cursor in(bytes);
    in.expect("EAIB", 0);
    require(in.byte() == client_ && in.number(8) == address_);
    form_.entries(in, in_index_, found_);
    for (unsigned level = 0; level < levels && found_.size() < n_; ++level) {
      require(level < 48);
      n_in_block_ = (std::uint64_t{1} << ((level + 1) / 2)) * least_entries_;
      const std::uint64_t n_here = std::uint64_t{1} << (level / 2);
      if (level >= direct) {
        read_super(in.number(8), n_here);
      } else {
        if (n_in_block_ > (std::uint64_t{1} << page_bits_)) throw Unsupported{"an extensible array of small pages"};
        for (std::uint64_t k = 0; k < n_here && found_.size() < n_; ++k) read_data(in.number(8), {}, 0);
      }
    }
    found_.resize(std::min<std::size_t>(found_.size(), static_cast<std::size_t>(n_)));
    return std::move(found_);
  }

 private:
  [[nodiscard]] std::uint64_t offset_bytes() const { return (max_bits_ + 7) / 8; }
  [[nodiscard]] std::uint64_t pages() const {
    const std::uint64_t per_page = std::uint64_t{1} << page_bits_;
    return n_in_block_ > per_page ? n_in_block_ / per_page : 0;
  }

  void skip(std::uint64_t n) {
    found_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(n_, found_.size() + n)));
  }

  void read_super(std::uint64_t at, std::uint64_t n_blocks) {
    if (at == kUndefined) return skip(checked_product(n_blocks, n_in_block_));
    const std::uint64_t bits_bytes = n_blocks * ((pages() + 7) / 8);
    const Block bytes =
        checked_block(form_.file, at, 4 + 2 + 8 + offset_bytes() + bits_bytes + 8 * n_blocks + kChecksumBytes);
    Cursor in(bytes);
    in.expect("EASB", 0);
    require(in.byte() == client_ && in.number(8) == address_);
    static_cast<void>(in.take(offset_bytes()));
    const auto bits = in.take(bits_bytes);
    for (std::uint64_t k = 0; k < n_blocks && found_.size() < n_; ++k) read_data(in.number(8), bits, k * pages());
  }

  void read_data(std::uint64_t at, std::span<const unsigned char> bits, std::uint64_t first_bit) {
    if (at == kUndefined) return skip(n_in_block_);
    const std::uint64_t prefix = 4 + 2 + 8 + offset_bytes();
    const bool paged = pages() > 0;
    const std::uint64_t size = prefix + (paged ? 0 : n_in_block_ * form_.entry_bytes()) + kChecksumBytes;
    const Block bytes = checked_block(form_.file, at, size);
    Cursor in(bytes);
    in.expect("EADB", 0);
    require(in.byte() == client_ && in.number(8) == address_);
    static_cast<void>(in.take(offset_bytes()));
    if (!paged) return form_.entries(in, n_in_block_, found_);
    form_.pages(
        at + size, n_in_block_, std::uint64_t{1} << page_bits_,
        [&](std::uint64_t page) { return bit_of(bits, first_bit + page); }, found_);
  }

  const IndexFile& form_;
  std::uint64_t address_, index_ = kUndefined, n_ = 0, n_in_block_ = 0;
  unsigned client_ = 0, max_bits_ = 0, in_index_ = 0, least_entries_ = 0, least_pointers_ = 0, page_bits_ = 0;
  std::vector<Entry> found_;
};

StoredChunk chunk_at(const Entry& entry, std::vector<hsize_t> at) {
  return {.address = entry.address, .bytes = entry.bytes, .mask = entry.mask, .at = std::move(at)};
}

// Reads the version-2 B-tree at `address`, whose records have the place of each chunk.
class ChunkTree {
 public:
  ChunkTree(const IndexFile& form, std::uint64_t address) : form_(form) {
    constexpr unsigned kPlain = 10, kFiltered = 11;
    const Block header = checked_block(form.file, address, 38);
    Cursor in(header);
    in.expect("BTHD", 0);
    kind_ = in.byte();
    node_bytes_ = in.number(4), record_bytes_ = in.number(2), depth_ = in.number(2);
    static_cast<void>(in.take(2));
    root_ = in.number(8), n_root_ = in.number(2), n_ = in.number(8);
    require(kind_ == (form.filtered ? kFiltered : kPlain) && depth_ <= kMaxTreeDepth && n_ <= kMaxListedChunks);
    require(record_bytes_ == form.entry_bytes() + 8 * form.grid.size() && node_bytes_ > kPrefix + record_bytes_ &&
            node_bytes_ <= kMaxMetadataBlock);
    std::uint64_t most = (node_bytes_ - kPrefix) / record_bytes_, all = most;
    leaf_count_bytes_ = field_bytes(most);
    total_bytes_.push_back(0);
    for (std::uint64_t level = 1; level <= depth_; ++level) {
      const std::uint64_t pointer = 8 + leaf_count_bytes_ + total_bytes_.back();
      require(node_bytes_ > kPrefix + pointer);
      most = (node_bytes_ - kPrefix - pointer) / (record_bytes_ + pointer);
      all = checked_product(most + 1, all) + most;
      total_bytes_.push_back(field_bytes(all));
    }
  }

  std::vector<StoredChunk> read() {
    if (root_ != kUndefined && n_ > 0) read_node(root_, n_root_, static_cast<std::size_t>(depth_));
    require(found_.size() == n_);
    return std::move(found_);
  }

 private:
  static constexpr std::uint64_t kPrefix = 10;  // signature, version, type, checksum

  static std::size_t field_bytes(std::uint64_t most) {
    return most == 0 ? 1 : (static_cast<std::size_t>(std::bit_width(most)) - 1) / 8 + 1;
  }

  void read_node(std::uint64_t at, std::uint64_t n, std::size_t depth) {
    const std::size_t total = depth > 1 ? total_bytes_[depth - 1] : 0;
    const std::uint64_t pointers = depth > 0 ? (n + 1) * (8 + leaf_count_bytes_ + total) : 0;
    require(kPrefix + n * record_bytes_ + pointers <= node_bytes_);
    const Block bytes = checked_block(form_.file, at, kPrefix + n * record_bytes_ + pointers);
    Cursor in(bytes);
    in.expect(depth > 0 ? "BTIN" : "BTLF", 0);
    require(in.byte() == kind_ && found_.size() + n <= n_);
    for (std::uint64_t k = 0; k < n; ++k) {
      const Entry entry = form_.entry(in);
      std::vector<hsize_t> place;
      for (const hsize_t extent : form_.chunk) place.push_back(checked_product(in.number(8), extent));
      found_.push_back(chunk_at(entry, std::move(place)));
    }
    if (depth == 0) return;
    for (std::uint64_t k = 0; k <= n; ++k) {
      const std::uint64_t child = in.number(8), n_child = in.number(leaf_count_bytes_);
      static_cast<void>(in.number(total));
      read_node(child, n_child, depth - 1);
    }
  }

  const IndexFile& form_;
  unsigned kind_ = 0;
  std::uint64_t node_bytes_ = 0, record_bytes_ = 0, depth_ = 0, root_ = kUndefined, n_root_ = 0, n_ = 0;
  std::size_t leaf_count_bytes_ = 1;
  std::vector<std::size_t> total_bytes_;
  std::vector<StoredChunk> found_;
};

// Returns the place of entry `index`: the unlimited axis, if any, is the slowest.
std::vector<hsize_t> place_of(const IndexFile& form, std::uint64_t index) {
  std::vector<hsize_t> at(form.grid.size(), 0);
  std::optional<std::size_t> unlimited;
  for (std::size_t k = form.grid.size(); k-- > 0;) {
    if (form.grid[k] == kUndefined) {
      require(!unlimited);
      unlimited = k;
      continue;
    }
    at[k] = index % form.grid[k] * form.chunk[k];
    index /= form.grid[k];
  }
  if (unlimited) at[*unlimited] = checked_product(index, form.chunk[*unlimited]);
  return at;
}

std::vector<StoredChunk> with_places(const IndexFile& form, const std::vector<Entry>& entries) {
  std::vector<StoredChunk> chunks;
  for (std::size_t k = 0; k < entries.size(); ++k)
    if (entries[k].address != kUndefined) chunks.push_back(chunk_at(entries[k], place_of(form, k)));
  return chunks;
}

}  // namespace

std::vector<StoredChunk> read_chunk_index(const FileBytes& file, const IndexForm& of, unsigned kind, Cursor& in) {
  const IndexFile form{of, file};
  std::uint64_t n = 1;
  if (kind <= 3)
    for (const std::uint64_t chunks : form.grid) require(chunks != kUndefined), n = checked_product(n, chunks);
  switch (kind) {
    case 1: {
      Entry one{.address = kUndefined, .bytes = form.chunk_bytes};
      require(n == 1);
      if (form.filtered) one.bytes = in.number(8), one.mask = static_cast<std::uint32_t>(in.number(4));
      one.address = in.number(8);
      return with_places(form, {one});
    }
    case 2: {
      const std::uint64_t first = in.number(8);
      require(!form.filtered && n <= kMaxListedChunks);
      std::vector<Entry> all;
      for (std::uint64_t k = 0; k < n && first != kUndefined; ++k)
        all.push_back({.address = first + k * form.chunk_bytes, .bytes = form.chunk_bytes});
      return with_places(form, all);
    }
    case 3: {
      static_cast<void>(in.byte());  // bits of a page: also in the header of the array
      const std::uint64_t at = in.number(8);
      return at == kUndefined ? std::vector<StoredChunk>{} : with_places(form, fixed_array(form, at, n));
    }
    case 4: {
      static_cast<void>(in.take(5));
      const std::uint64_t at = in.number(8);
      return at == kUndefined ? std::vector<StoredChunk>{} : with_places(form, ExtensibleArray(form, at).read());
    }
    case 5: {
      static_cast<void>(in.take(6));
      const std::uint64_t at = in.number(8);
      return at == kUndefined ? std::vector<StoredChunk>{} : ChunkTree(form, at).read();
    }
    default:
      throw Unsupported{"chunk index " + std::to_string(kind)};
  }
}

}  // namespace echoloop::hdf5
