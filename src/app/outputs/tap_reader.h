// A reader of the tap: its socket, the sealed memory of its frames, and what it knows. Members: under the tap's mutex;
// `stream`: the server thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "core/acquisition.h"
#include "core/frame.h"
#include "core/grid.h"
#include "core/params.h"
#include "transport/frame_arena.h"
#include "transport/message_stream.h"

namespace echoloop {

enum class TapKind : std::uint32_t { image, screen, iq, flow, spectrum, objects };
inline constexpr std::array<const char*, 6> kTapKinds = {"image", "screen", "iq", "flow", "spectrum", "objects"};

// Returns the name of the program, or of the script that it runs, and its number.
std::string program_of(std::uint64_t pid);

// Memory that this process writes and others can map for reading alone.
struct SealedMemory {
  FileDescriptor file;
  std::shared_ptr<SharedMemory> memory;  // null: there is no room for it

  static SealedMemory make(std::size_t bytes);
};

// Facts of frames of one kind; sent to a reader before the first of them.
struct TapFacts {
  std::uint32_t revision = 0;
  Grid grid;
  ImagingParams params;  // the level apart, which each frame has
  AcquisitionPtr acquisition;
  SealedMemory text;  // JSON

  [[nodiscard]] bool are_of(const Grid& other, const ImagingParams& with, const AcquisitionPtr& of) const;
  void write_text(const std::string& kind);  // once, when it is first sent; one thread
};

// One array on its way to a reader.
struct TapProduct {
  TapKind kind = TapKind::image;
  FrameStamp stamp = {};
  std::shared_ptr<TapFacts> facts = {};
  double reference_db = 0.0;
  std::size_t item_bytes = sizeof(float);
  std::uint32_t n_dims = 2;
  std::array<std::uint64_t, 3> dims{1, 1, 1};
  std::uint64_t number = 0;         // of the product, of its kind
  std::uint64_t columns_end = 0;    // of a spectrum
  std::uint64_t columns_begun = 0;  // Spectrogram::begun of these
  std::uint64_t skipped = 0;        // columns before these that are lost
  std::string more = {};            // JSON after the array

  [[nodiscard]] std::size_t array_bytes() const { return item_bytes * dims[0] * dims[1] * dims[2]; }
};

class TapReader {
 public:
  static constexpr std::size_t kBlocks = 4;  // frames that a reader may hold
  static constexpr int kUnread = 8;          // frames left unread, after which it gets no more until it asks

  struct Block {
    enum class State { free, writing, ready, held };
    State state = State::free;
    std::byte* place = nullptr;
    TapProduct product = {};
  };
  using State = Block::State;

  TapReader(FileDescriptor socket, std::string name);

  [[nodiscard]] Block* in(State state);
  [[nodiscard]] bool is_of(TapKind of) const { return greeted && !over && kind == of; }
  [[nodiscard]] bool wants() const;  // the next product
  // Returns true if a reader that gets every frame has room for one.
  [[nodiscard]] bool has_room();
  // Returns the block for this product, which an unread one gives up; null: it is lost.
  Block* begin(const TapProduct& product);
  void ask();
  // Throws BadMessage.
  void give_back(std::uint32_t block, std::uint32_t generation);
  void give(Block& block);                    // sends a ready block with what the reader must know first
  void say_why_none(const std::string& why);  // once

  [[nodiscard]] std::uint64_t sent() const { return sent_; }
  [[nodiscard]] std::uint64_t lost() const { return lost_; }

  const std::string name;  // of its program
  MessageStream stream;
  TapKind kind = TapKind::image;
  bool greeted = false, waited_for = false;
  bool asked = false, over = false;
  std::uint64_t before = 0;                          // number of the last product given, or made before the reader came
  std::uint64_t columns_end = 0, columns_begun = 0;  // of a spectrum: of the last one given

 private:
  bool make_memory(std::size_t bytes);
  void send(std::uint32_t kind_of_message, const std::vector<std::byte>& payload, int file = -1);

  int unread_ = 0;  // frames replaced since the last request
  std::uint64_t sent_ = 0, lost_ = 0;
  SealedMemory memory_;
  std::size_t block_bytes_ = 0;
  std::uint32_t generation_ = 0;     // of the memory
  std::uint32_t memory_sent_ = 0;    // generation that the reader knows
  std::uint32_t revision_sent_ = 0;  // of the facts that the reader knows
  std::string note_;                 // last reason for no frames that it knows
  std::array<Block, kBlocks> blocks_{};
};

}  // namespace echoloop
