#include "app/outputs/tap_reader.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "formats/live_description.h"
#include "history/export.h"
#include "source/live/live_protocol.h"

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

namespace echoloop {

// Returns the name of the program, or of the script that it runs, and its number.
std::string program_of(std::uint64_t pid) {
  std::ifstream words("/proc/" + std::to_string(pid) + "/cmdline");
  std::string name, word;
  for (int k = 0; k < 8 && std::getline(words, word, '\0'); ++k) {
    const std::filesystem::path path(word);
    const bool is_script = path.extension() == ".py" || path.extension() == ".m";
    if (k == 0 || is_script) name = path.filename().string();
    if (is_script) break;
  }
  for (char& c : name)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return name.substr(0, 40) + " (pid " + std::to_string(pid) + ")";
}

SealedMemory SealedMemory::make(std::size_t bytes) {
  SealedMemory made{FileDescriptor(::memfd_create("echoloop-tap", MFD_CLOEXEC | MFD_ALLOW_SEALING)), nullptr};
  const int file = made.file.get();
  if (file < 0 || ::ftruncate(file, static_cast<off_t>(bytes)) != 0) return {};
  made.memory = SharedMemory::map(file, bytes);
  const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL;
  if (made.memory == nullptr || ::fcntl(file, F_ADD_SEALS, seals) != 0) return {};
  return made;
}

bool TapFacts::are_of(const Grid& other, const ImagingParams& with, const AcquisitionPtr& of) const {
  ImagingParams levelled = with;
  levelled.level = params.level;
  return acquisition == of && grid == other && params == levelled;
}

void TapFacts::write_text(const std::string& kind) {
  if (text.memory != nullptr) return;
  nlohmann::json about = {
      {"kind", kind}, {"revision", revision}, {"grid", grid_json(grid)}, {"parameters", params_json(params)}};
  if (acquisition != nullptr) {
    about["acquisition"] = nlohmann::json::parse(live_description_json(*acquisition, ""), nullptr, false);
    about["frame_rate_hz"] = acquisition->frame_rate_hz;
  }
  const std::string words = json_text(about);
  text = SealedMemory::make(words.size());
  if (text.memory != nullptr) std::memcpy(text.memory->bytes().data(), words.data(), words.size());
}

TapReader::TapReader(FileDescriptor socket, std::string program)
    : name(std::move(program)), stream(std::move(socket), [](std::uint32_t) {
        return MessageStream::Limits{kMaxLiveMessage, kMaxLiveMessage};
      }) {}

TapReader::Block* TapReader::in(State state) {
  const auto at = std::ranges::find(blocks_, state, &Block::state);
  return at == blocks_.end() ? nullptr : &*at;
}

bool TapReader::wants() const {
  if (!greeted || over || std::ranges::count(blocks_, State::held, &Block::state) == kBlocks) return false;
  if (kind == TapKind::screen) return asked;  // painted for requests alone
  return waited_for || asked || unread_ < kUnread;
}

bool TapReader::has_room() { return in(State::ready) == nullptr && (in(State::free) != nullptr || block_bytes_ == 0); }

// Makes room for blocks of so many bytes. The reader keeps its mapping of the earlier ones.
bool TapReader::make_memory(std::size_t bytes) {
  constexpr std::size_t kPage = 4096;
  const std::size_t each = (bytes + bytes / 4 + kPage) / kPage * kPage;
  memory_ = SealedMemory::make(each * kBlocks);
  ++generation_;
  block_bytes_ = memory_.memory == nullptr ? 0 : each;
  for (std::size_t k = 0; k < kBlocks; ++k)
    blocks_[k] = {.place = block_bytes_ == 0 ? nullptr : memory_.memory->bytes().data() + k * each};
  return block_bytes_ > 0;
}

TapReader::Block* TapReader::begin(const TapProduct& product) {
  if (over) return nullptr;
  if (Block* const unread = in(State::ready); unread != nullptr) {
    if (!waited_for && ++unread_ >= kUnread) return nullptr;
    unread->state = State::free;
  }
  const std::size_t bytes = product.array_bytes() + product.more.size();
  // An ending stream may write while the next one begins.
  if (bytes > block_bytes_ && (in(State::writing) != nullptr || !make_memory(bytes))) return nullptr;
  Block* const block = in(State::free);
  if (block == nullptr) return nullptr;
  block->state = State::writing;
  block->product = product;
  return block;
}

void TapReader::ask() {
  Block* const stale = unread_ >= kUnread ? in(State::ready) : nullptr;
  if (stale != nullptr) stale->state = State::free;
  asked = true;
  unread_ = 0;
}

void TapReader::give_back(std::uint32_t block, std::uint32_t generation) {
  if (generation != generation_) return;  // of earlier memory
  if (block >= kBlocks || blocks_[block].state != State::held) throw BadMessage("a block that is not held");
  blocks_[block].state = State::free;
}

void TapReader::send(std::uint32_t kind_of_message, const std::vector<std::byte>& payload, int file) {
  if (!over && !stream.send(kind_of_message, payload, file)) over = true;
}

void TapReader::say_why_none(const std::string& why) {
  if (!asked || note_ == why) return;
  note_ = why;
  send(static_cast<std::uint32_t>(LiveKind::stopped), payload_of(why));
}

void TapReader::give(Block& block) {
  const TapProduct& p = block.product;
  block.state = State::held;
  asked = false;
  unread_ = 0;
  const std::uint64_t lost = kind == TapKind::spectrum ? p.skipped : p.number > before ? p.number - before - 1 : 0;
  lost_ += lost;
  ++sent_;
  before = p.number;
  columns_end = p.columns_end;
  columns_begun = p.columns_begun;
  if (revision_sent_ != p.facts->revision) {
    const SealedMemory& text = p.facts->text;
    const std::uint64_t bytes = text.memory == nullptr ? 0 : text.memory->bytes().size();
    send(static_cast<std::uint32_t>(LiveKind::describe), payload_of(p.facts->revision, std::uint32_t{0}, bytes),
         text.file.get());
    revision_sent_ = p.facts->revision;
  }
  if (memory_sent_ != generation_) {
    const std::uint64_t bytes = block_bytes_;
    send(static_cast<std::uint32_t>(LiveKind::accepted),
         payload_of(generation_, static_cast<std::uint32_t>(kBlocks), bytes, std::uint64_t{bytes * kBlocks}),
         memory_.file.get());
    memory_sent_ = generation_;
  }
  const FrameWord word{.sequence = p.stamp.sequence,
                       .acquired_ns = p.stamp.acquired_ns,
                       .device_ticks = p.stamp.sender.device_ticks,
                       .lost_so_far = lost_,
                       .bytes = p.array_bytes(),
                       .block = static_cast<std::uint32_t>(&block - blocks_.data()),
                       .generation = generation_};
  send(static_cast<std::uint32_t>(LiveKind::frames),
       payload_of(word, p.facts->revision, p.n_dims, p.dims, p.stamp.time_s, p.reference_db,
                  std::uint64_t{p.more.size()}));
}

}  // namespace echoloop
