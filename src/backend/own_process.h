// Own method in another process of this user, e.g. a Python function: gets an array of each frame and returns its
// pixels. Frames that it does not answer in time keep delay-and-sum.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/frame.h"
#include "dsp/complex.h"

namespace echoloop {

struct Plan;

// rf: samples as acquired, [transmit][element][sample], of I/Q data with pairs; lines: conditioned, complex, the same
// order; channels: delayed and turned, complex, [nz][nx][element], summed over transmits; iq: beamformed, complex,
// [nz][nx]; image: dB before display, [nz][nx].
enum class OwnInput : std::uint32_t { rf, lines, channels, iq, image };
inline constexpr std::array<std::string_view, 5> kOwnInputs = {"rf", "lines", "channels", "iq", "image"};

enum class OwnItem : std::uint32_t { int16, float32, complex64 };  // of an array
[[nodiscard]] inline std::size_t bytes_of(OwnItem item) {
  return item == OwnItem::int16 ? 2 : item == OwnItem::float32 ? 4 : 8;
}

inline constexpr double kLiveMethodLimit_s = 0.2, kMethodLimit_s = 10.0;  // of the wait for an answer

// A frame, or rows of it, for the process.
struct OwnRequest {
  const Plan& plan;
  const FrameStamp& stamp;
  double reference_db = 0.0;  // of OwnInput::image
  double limit_s = kMethodLimit_s;
  OwnItem item = OwnItem::complex64;
  std::vector<std::uint64_t> shape;  // at most four sides
  int first_row = 0, rows = 0;       // of the image, that are asked for
};
[[nodiscard]] inline std::size_t bytes_of(const OwnRequest& request) {
  std::size_t bytes = bytes_of(request.item);
  for (const std::uint64_t side : request.shape) bytes *= static_cast<std::size_t>(side);
  return bytes;
}

// Pixels of the process: amplitudes have no phase. Of OwnInput::image: levels in dB. Of a method with labels: these.
struct OwnAnswer {
  std::vector<Complex> pixels;
  std::vector<float> levels;
  std::vector<std::uint8_t> labels;
};

// Memory of a GPU for an array and its answer, which another process opens by CUDA IPC.
class SharedDeviceMemory {
 public:
  struct Names {
    std::uint64_t id = 0;  // of this memory, in this program
    std::uint32_t device = 0;
    std::uint64_t in_bytes = 0, out_bytes = 0;
    std::array<std::byte, 64> in{}, out{}, filled{};  // cudaIpcMemHandle_t twice, cudaIpcEventHandle_t
  };
  virtual ~SharedDeviceMemory() = default;
  [[nodiscard]] virtual const Names& names() const = 0;
  [[nodiscard]] virtual std::span<std::byte> in() = 0;
  // Makes work that is queued later wait for an event of the other process, by its cudaIpcEventHandle_t.
  virtual void follow(const std::array<std::byte, 64>& event) = 0;
};

enum class OwnResult : std::uint32_t { none = 0, amplitudes = 1, pixels = 2, labels = 3 };  // float32, complex64, uint8

// An array that was handed over.
struct OwnAsk {
  std::uint64_t number = 0;              // 0: none
  SharedDeviceMemory* memory = nullptr;  // null: in memory of the host
};

class OwnProcess {
 public:
  using Fill = std::function<void(std::span<std::byte> to)>;
  using Interrupted = std::function<bool()>;
  virtual ~OwnProcess() = default;
  [[nodiscard]] virtual OwnInput input() const = 0;
  // Names of the labels of its mask; empty: it makes pixels.
  [[nodiscard]] virtual std::span<const std::string> labels() const { return {}; }
  // Returns true if it computes in the memory of a GPU.
  [[nodiscard]] virtual bool on_device() const { return false; }

  // Hands an array that `fill` writes to the process: in `memory`, where `fill` queues it, or, null, in memory of the
  // host. Arrays are computed in their order. Returns no number if the process has ended, or is still at work on an
  // array whose answer was late: the frame is counted. Any thread.
  virtual OwnAsk hand(const OwnRequest& request, const Fill& fill, SharedDeviceMemory* memory) = 0;
  // Waits for an answer, which then is in the memory of `ask`, or appended to `answer`: labels always. `interrupted`,
  // asked every 2 ms, ends the wait: nullopt. none: it is late, the function has raised an exception or the process has
  // ended; the frame is counted. Any thread.
  virtual std::optional<OwnResult> take(const OwnAsk& ask, const Interrupted& interrupted, OwnAnswer& answer) = 0;
  virtual void drop(const OwnAsk& ask) = 0;  // the answer is not wanted
  // An answer in memory of a device was not used: so many of its values are no finite numbers. Known once the frame is
  // finished.
  virtual void refuse(unsigned /*values*/) {}
};

}  // namespace echoloop
