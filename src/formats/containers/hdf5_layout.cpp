#include "formats/containers/hdf5_layout.h"

#include <algorithm>
#include <bit>
#include <string_view>

#include "core/error.h"

namespace echoloop::hdf5 {
namespace {

constexpr std::uint64_t kMaxChunkBytes = std::uint64_t{1} << 30;
constexpr std::size_t kMaxMessages = 4096, kMaxHeaderBlocks = 64;

}  // namespace

// Bob Jenkins' lookup3 (hashlittle), the checksum of HDF5's metadata.
std::uint32_t metadata_checksum(std::span<const unsigned char> bytes) {
  std::uint32_t a = 0xdeadbeefU + static_cast<std::uint32_t>(bytes.size()), b = a, c = a;
  if (bytes.empty()) return c;
  const auto add = [&](std::size_t at, std::size_t n) {
    std::uint32_t* const words[] = {&a, &b, &c};
    for (std::size_t k = 0; k < n; ++k)
      *words[k / 4] += static_cast<std::uint32_t>(bytes[at + k]) << static_cast<unsigned>(8 * (k % 4));
  };
  std::size_t at = 0;
  for (; bytes.size() - at > 12; at += 12) {
    add(at, 12);
    a -= c, a ^= std::rotl(c, 4), c += b;
    b -= a, b ^= std::rotl(a, 6), a += c;
    c -= b, c ^= std::rotl(b, 8), b += a;
    a -= c, a ^= std::rotl(c, 16), c += b;
    b -= a, b ^= std::rotl(a, 19), a += c;
    c -= b, c ^= std::rotl(b, 4), b += a;
  }
  add(at, bytes.size() - at);
  c ^= b, c -= std::rotl(b, 14);
  a ^= c, a -= std::rotl(c, 11);
  b ^= a, b -= std::rotl(a, 25);
  c ^= b, c -= std::rotl(b, 16);
  a ^= c, a -= std::rotl(c, 4);
  b ^= a, b -= std::rotl(a, 14);
  c ^= b, c -= std::rotl(b, 24);
  return c;
}

Block block(const FileBytes& file, std::uint64_t address, std::uint64_t size) {
  require(size <= kMaxMetadataBlock && address <= file.size && size <= file.size - address);
  Block bytes(static_cast<std::size_t>(size));
  require(file.read(address, bytes));
  return bytes;
}

// Returns a block of `size` bytes without the checksum that ends it.
Block checked_block(const FileBytes& file, std::uint64_t address, std::uint64_t size) {
  require(size >= kChecksumBytes);
  Block bytes = block(file, address, size);
  const auto content = std::span<const unsigned char>(bytes).first(bytes.size() - kChecksumBytes);
  require(Cursor(std::span<const unsigned char>(bytes).last(kChecksumBytes)).number(kChecksumBytes) ==
          metadata_checksum(content));
  bytes.resize(bytes.size() - kChecksumBytes);
  return bytes;
}

std::uint64_t checked_product(std::uint64_t a, std::uint64_t b) {
  require(b == 0 || a <= kUndefined / b);
  return a * b;
}

namespace {

struct Message {
  unsigned kind = 0, flags = 0;
  Block body;
};

// Returns the messages of an object header of version 2, with those of its continuations.
std::vector<Message> messages_at(const FileBytes& file, std::uint64_t address) {
  constexpr unsigned kTimes = 0x20, kLimits = 0x10, kOrder = 0x04, kSizeBits = 0x03, kContinuation = 16;
  constexpr std::size_t kLongestPrefix = 4 + 2 + 16 + 4 + 8;
  require(address < file.size);
  const Block start = block(file, address, std::min<std::uint64_t>(kLongestPrefix, file.size - address));
  Cursor prefix(start);
  if (start.size() < 4 || start[0] != 'O') throw Unsupported{"an object header of version 1"};
  prefix.expect("OHDR", 2);
  const unsigned flags = prefix.byte();
  static_cast<void>(prefix.take(((flags & kTimes) != 0 ? 16U : 0U) + ((flags & kLimits) != 0 ? 4U : 0U)));
  const std::uint64_t size = prefix.number(std::size_t{1} << (flags & kSizeBits));
  require(size <= kMaxMetadataBlock);
  const std::size_t prefix_size = start.size() - prefix.left();
  std::vector<Block> blocks{checked_block(file, address, prefix_size + size + kChecksumBytes)};
  blocks[0].erase(blocks[0].begin(), blocks[0].begin() + static_cast<std::ptrdiff_t>(prefix_size));
  const std::size_t head = (flags & kOrder) != 0 ? 6 : 4;
  std::vector<Message> found;
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    require(blocks.size() <= kMaxHeaderBlocks);
    const Block content = blocks[k];
    for (Cursor in(content); in.left() >= head;) {
      Message message;
      message.kind = in.byte();
      const std::uint64_t length = in.number(2);
      message.flags = in.byte();
      static_cast<void>(in.take(head - 4));
      const auto body = in.take(length);
      message.body.assign(body.begin(), body.end());
      if (message.kind == kContinuation) {
        Cursor to(body);
        const std::uint64_t at = to.number(8), bytes = to.number(8);
        Block next = checked_block(file, at, bytes);
        require(next.size() >= 4 && std::string_view(reinterpret_cast<const char*>(next.data()), 4) == "OCHK");
        next.erase(next.begin(), next.begin() + 4);
        blocks.push_back(std::move(next));
      } else {
        found.push_back(std::move(message));
      }
      require(found.size() <= kMaxMessages);
    }
  }
  return found;
}

const Block* body_of(const std::vector<Message>& messages, unsigned kind) {
  constexpr unsigned kShared = 0x02;
  for (const Message& message : messages) {
    if (message.kind != kind) continue;
    if ((message.flags & kShared) != 0) throw Unsupported{"a message shared with other objects"};
    return &message.body;
  }
  return nullptr;
}

// Extents of a dataset, and the limits that its index is made for.
struct Space {
  std::vector<hsize_t> extents, limits;
};

Space read_space(const Block& body) {
  Cursor in(body);
  const unsigned version = in.byte(), rank = in.byte(), flags = in.byte();
  require((version == 1 || version == 2) && rank >= 1 && rank <= kMaxAxes);
  static_cast<void>(in.take(version == 1 ? 5 : 1));
  Space space;
  for (unsigned k = 0; k < rank; ++k) space.extents.push_back(in.number(8));
  for (unsigned k = 0; k < rank; ++k) space.limits.push_back((flags & 1U) != 0 ? in.number(8) : space.extents[k]);
  for (unsigned k = 0; k < rank; ++k) require(space.extents[k] <= space.limits[k]);
  return space;
}

std::vector<StoredFilter> read_filters(const Block& body) {
  constexpr unsigned kFirstNamed = 256, kMostFilters = 32;
  Cursor in(body);
  if (in.byte() != 2) throw Unsupported{"a list of filters of version 1"};
  const unsigned n = in.byte();
  require(n <= kMostFilters);
  std::vector<StoredFilter> filters;
  for (unsigned k = 0; k < n; ++k) {
    StoredFilter filter{.id = static_cast<H5Z_filter_t>(in.number(2)), .values = {}};
    const std::uint64_t name = filter.id >= static_cast<H5Z_filter_t>(kFirstNamed) ? in.number(2) : 0;
    static_cast<void>(in.number(2));  // flags: an optional filter that was not applied is in the mask of a chunk
    const std::uint64_t n_values = in.number(2);
    static_cast<void>(in.take(name));
    for (std::uint64_t v = 0; v < n_values; ++v) filter.values.push_back(static_cast<unsigned>(in.number(4)));
    filters.push_back(std::move(filter));
  }
  return filters;
}

Block read_fill(const Block& body) {
  constexpr unsigned kDefined = 0x20;
  Cursor in(body);
  if (in.byte() != 3 || (in.byte() & kDefined) == 0) return {};
  const auto value = in.take(in.number(4));
  return {value.begin(), value.end()};
}

struct LayoutHead {  // of a chunked layout message, up to its index
  unsigned version = 0, flags = 0, index = 0;
  std::vector<hsize_t> chunk;
  std::uint64_t value_bytes = 0;
};

LayoutHead read_head(Cursor& in, std::size_t rank) {
  constexpr unsigned kChunked = 2;
  LayoutHead head;
  head.version = in.byte();
  if (head.version != 4 && head.version != 5) throw Unsupported{"a layout of version " + std::to_string(head.version)};
  require(in.byte() == kChunked);
  head.flags = in.byte();
  const unsigned n = in.byte(), field = in.byte();
  require(n == rank + 1 && field >= 1 && field <= 8);
  for (unsigned k = 0; k < n; ++k) {
    head.chunk.push_back(in.number(field));
    require(head.chunk.back() > 0);
  }
  head.value_bytes = head.chunk.back();
  head.chunk.pop_back();
  head.index = in.byte();
  return head;
}

ChunkedLayout parse(const FileBytes& file, std::uint64_t address) {
  constexpr unsigned kSpace = 1, kType = 3, kFill = 5, kLayout = 8, kFilters = 11, kRawEdges = 0x01, kSizeOfOne = 0x02,
                     kSingle = 1;
  const std::vector<Message> messages = messages_at(file, address);
  const Block *const space_body = body_of(messages, kSpace), *const type = body_of(messages, kType),
                     *const layout_body = body_of(messages, kLayout);
  require(space_body != nullptr && type != nullptr && layout_body != nullptr);
  const Space space = read_space(*space_body);
  ChunkedLayout layout{.extents = space.extents, .chunk = {}, .type = *type, .fill = {}, .filters = {}, .chunks = {}};
  if (const Block* const fill = body_of(messages, kFill)) layout.fill = read_fill(*fill);
  if (const Block* const filters = body_of(messages, kFilters)) layout.filters = read_filters(*filters);
  Cursor in(*layout_body);
  const LayoutHead head = read_head(in, space.extents.size());
  layout.chunk = head.chunk;
  layout.raw_edges = (head.flags & kRawEdges) != 0;
  IndexForm form{.chunk = layout.chunk, .grid = {}};
  form.filtered = !layout.filters.empty();
  require(head.index != kSingle || form.filtered == ((head.flags & kSizeOfOne) != 0));
  form.chunk_bytes = head.value_bytes;
  for (const hsize_t extent : layout.chunk) form.chunk_bytes = checked_product(form.chunk_bytes, extent);
  require(form.chunk_bytes <= kMaxChunkBytes);
  if (head.version == 4)
    form.size_bytes =
        std::min<std::size_t>(8, 1 + (static_cast<std::size_t>(std::bit_width(form.chunk_bytes)) + 7) / 8);
  for (std::size_t k = 0; k < space.limits.size(); ++k)
    form.grid.push_back(space.limits[k] == kUndefined ? kUndefined : (space.limits[k] - 1) / layout.chunk[k] + 1);
  for (const hsize_t limit : space.limits) require(limit > 0);
  for (StoredChunk& chunk : read_chunk_index(file, form, head.index, in)) {
    bool inside = true;
    for (std::size_t k = 0; k < layout.extents.size(); ++k) inside = inside && chunk.at[k] < layout.extents[k];
    if (!inside) continue;  // of a larger array, before its extents were reduced
    require(chunk.bytes > 0 && chunk.bytes <= kMaxChunkBytes && chunk.address < file.size &&
            chunk.bytes <= file.size - chunk.address);
    layout.chunks.push_back(std::move(chunk));
  }
  return layout;
}

}  // namespace

ChunkedLayout read_chunked_layout(const std::string& where, const FileBytes& file, std::uint64_t address) {
  try {
    return parse(file, address);
  } catch (const Damaged&) {
    throw Error(where, "a damaged list of chunks", kUndamaged);
  } catch (const Unsupported& unsupported) {
    throw Error(where, "chunk index not supported (" + unsupported.found + ")",
                "single chunk, implicit, fixed array, extensible array or version-2 B-tree",
                "convert with the h5repack of HDF5 2.0 or newer");
  }
}

}  // namespace echoloop::hdf5
