// The reader process as seen by its parent: started, connected, waited for with a deadline, and terminated with this
// object, without zombies or orphans. Internal to src/formats.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "core/error.h"
#include "formats/base/open_request.h"
#include "formats/sandbox/message_channel.h"
#include "transport/file_descriptor.h"
#include "transport/frame_arena.h"

namespace echoloop {

enum class ReaderTask { open, outline, map };

class ReaderChild {
 public:
  explicit ReaderChild(const OpenRequest& request,
                       ReaderTask task = ReaderTask::open);  // on request.file. Throws Error
  ~ReaderChild();                                            // kills it
  ReaderChild(const ReaderChild&) = delete;
  ReaderChild& operator=(const ReaderChild&) = delete;

  // Sets the final size of the shared memory. Once, before the first command. Throws Error.
  std::shared_ptr<SharedMemory> share(std::size_t size);

  // Time limit of one message. A stop is noticed within 20 ms and the end of the program within 0.3 s: throws Error.
  struct Patience {
    std::chrono::steady_clock::time_point deadline;
    std::stop_token stop;
  };
  // Has no effect if the process is gone: receive() reports its end. Throws Error, and ends the process, if the process
  // does not read until the deadline, or if sending was stopped.
  void send(MessageKind kind, std::span<const std::byte> payload, const Patience& patience);
  // Returns the next message. Throws Error, and ends the process, if the process died, is silent until the deadline
  // though it had CPU time, or sends invalid messages. If stopped between two messages, the process continues.
  ReaderMessage receive(const Patience& patience);

  // Kills the process; returns the Error that it `did` something forbidden.
  [[nodiscard]] Error give_up(const std::string& did);

 private:
  std::function<void()> watch(const Patience& patience, const char* did);
  std::optional<int> end();  // kills and reaps the process

  std::string what_;
  FileDescriptor socket_;
  MessageChannel channel_;
  FileDescriptor memory_;
  pid_t pid_ = -1;
  std::string ended_for_;  // the reason, for messages about later frames
};

// Start of the reader process, common to both sides, and its settings for tests. Internal to src/formats.

inline constexpr const char* kReaderProcessOption = "--reader-process";  // argv[1]; argv[2] names the file
inline constexpr const char* kReaderOutlineOption = "--reader-outline";  // instead of it: reports the file's content
inline constexpr const char* kReaderMapOption = "--reader-map";  // instead of it: reads a map (MessageKind::read_map)
// argv[3]; argv[4] are the properties of reading as lines; followed by the names of the sidecars, open as descriptors
// from kReaderSidecars on, and for a folder, after kFolderWord, by the names of its files, open as the next
// descriptors.
inline constexpr const char* kFolderWord = "--folder";
inline constexpr const char *kSandboxedOption = "--sandboxed", *kUnsandboxedOption = "--unsandboxed";
inline constexpr int kReaderSocket = 3, kReaderFile = 4, kReaderMemory = 5, kReaderSidecars = 6;
inline constexpr std::size_t kMostSidecars = kMostDumpParts + 8;

// argv[1] alone; the exit status is kSandboxAnswer and these bits.
inline constexpr const char* kSandboxQuestion = "--sandbox";
inline constexpr int kSandboxAnswer = 64, kHasSeccomp = 1, kHasLandlock = 2, kHasNamespaces = 4, kIsStaticProgram = 8,
                     kHasProcesses = 16;

// Base of exit statuses for a signal: kDiedOf + its number. The first process of a PID namespace ignores signals that
// would end other processes, so it handles the signals of resource limits and exits itself.
inline constexpr int kDiedOf = 128;

// Returns the allowed time to unpack a file: deflate expands at most 1032 times, and matio's data are unpacked twice.
inline std::chrono::milliseconds unpacking_time(std::size_t file_bytes) {
  constexpr std::size_t kUnpackedPerMs = 200'000, kMost_ms = 20'000;
  return std::chrono::milliseconds(std::min(file_bytes * 1032 / kUnpackedPerMs, kMost_ms));
}

// Settings mostly for tests, which are not the program and use short waits. Set before anything is opened.
struct ReaderSettings {
  std::filesystem::path program;  // empty: echoloop-reader in the program's folder, or installed
  bool unsandboxed = false;       // open files also if the system has no sandbox
  bool read_ahead = true;         // frames after the requested one
  std::size_t memory_budget = 0;  // bytes of frames kept; 0: a quarter of free memory, at most 2 GiB
  std::size_t at_once_bytes = std::size_t{16} << 20;   // larger ones are read on demand, if single frames can be
  std::size_t run_bytes = std::size_t{1} << 20;        // streamed: smaller frames are read in runs of this size
  std::chrono::milliseconds opening_patience{10'000};  // without progress; more for big files
  std::chrono::milliseconds frame_patience{5'000};
  std::function<bool()> ending = [] { return false; };  // stop_reading_when()
};
ReaderSettings& reader_settings();

// Returns the path of a program of this project: in this program's folder, or installed.
std::filesystem::path installed_program(const char* name);
std::filesystem::path reader_program();  // per the settings

}  // namespace echoloop
