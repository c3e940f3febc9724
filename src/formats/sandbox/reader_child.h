// The reader process as its parent holds it: started, spoken to, waited for no longer than it deserves, and gone with
// this object - never a zombie, never an orphan at work. Internal to src/formats.
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

enum class ReaderTask { open, outline };

class ReaderChild {
 public:
  explicit ReaderChild(const OpenRequest& request,
                       ReaderTask task = ReaderTask::open);  // on request.file. Throws Error
  ~ReaderChild();                                            // kills it
  ReaderChild(const ReaderChild&) = delete;
  ReaderChild& operator=(const ReaderChild&) = delete;

  // Gives the shared memory its size, for good. Once, before the first command. Throws Error.
  std::shared_ptr<SharedMemory> share(std::size_t size);

  // How long one message may take. A stop, and the end of the program, are heard within 20 ms and 0.3 s: an Error.
  struct Patience {
    std::chrono::steady_clock::time_point deadline;
    std::stop_token stop;
  };
  // Does nothing when the process is gone: receive() says how it ended. Throws Error, and the process is gone, when the
  // process does not read until the deadline, or when sending was stopped.
  void send(MessageKind kind, std::span<const std::byte> payload, const Patience& patience);
  // The next message. Throws Error, and the process is gone, when the process died, says nothing until the deadline
  // though it had its turn, or says nonsense. When it was stopped between two messages, the process goes on.
  ReaderMessage receive(const Patience& patience);

  // Kills it; the Error that says that it `did` something it must not.
  [[nodiscard]] Error give_up(const std::string& did);

 private:
  void spawn(const OpenRequest& request, ReaderTask task);
  std::function<void()> watch(const Patience& patience, const char* did);
  std::optional<int> end();  // kills and collects it

  std::string what_;
  FileDescriptor socket_;
  MessageChannel channel_;
  FileDescriptor memory_;
  pid_t pid_ = -1;
  std::string ended_for_;  // the reason, for messages about later frames
};

// How the reader process is started, on which both sides agree, and what tests set of it. Internal to src/formats.

inline constexpr const char* kReaderProcessOption = "--reader-process";  // argv[1]; argv[2] names the file
inline constexpr const char* kReaderOutlineOption = "--reader-outline";  // in its place: says what the file holds
// argv[3]; the names of the sidecars follow, whose files are open from kReaderSidecars on, and of a folder, after
// kFolderWord, the names of its files, which are open behind them.
inline constexpr const char* kFolderWord = "--folder";
inline constexpr const char *kSandboxedOption = "--sandboxed", *kUnsandboxedOption = "--unsandboxed";
inline constexpr int kReaderSocket = 3, kReaderFile = 4, kReaderMemory = 5, kReaderSidecars = 6;
inline constexpr std::size_t kMostSidecars = 8;

// argv[1] alone; the exit status is kSandboxAnswer and these bits.
inline constexpr const char* kSandboxQuestion = "--sandbox";
inline constexpr int kSandboxAnswer = 64, kHasSeccomp = 1, kHasLandlock = 2, kHasNamespaces = 4, kIsStaticProgram = 8,
                     kHasProcesses = 16;

// An exit status from here on: died of the signal of that number less kDiedOf. The first process of a name space
// ignores the signals that would end any other one, so it takes those that limits send and ends by itself.
inline constexpr int kDiedOf = 128;

// That a file may take to be unpacked: deflate makes 1032 bytes of one at most, and matio's data are unpacked twice.
inline std::chrono::milliseconds unpacking_time(std::size_t file_bytes) {
  constexpr std::size_t kUnpackedPerMs = 200'000, kMost_ms = 20'000;
  return std::chrono::milliseconds(std::min(file_bytes * 1032 / kUnpackedPerMs, kMost_ms));
}

// Mostly for tests, which are not the program and do not want to wait. Set before anything is opened.
struct ReaderSettings {
  std::filesystem::path program;  // empty: echoloop-reader beside this program, or where it is installed
  bool unsandboxed = false;       // open files also where the system offers no sandbox
  bool read_ahead = true;         // frames after the one that is wanted
  std::size_t memory_budget = 0;  // bytes of frames that are kept; 0: a quarter of what is free, at most 2 GiB
  std::size_t at_once_bytes = std::size_t{16} << 20;   // more are read when they are wanted, if single frames can be
  std::size_t run_bytes = std::size_t{1} << 20;        // streamed: smaller frames are read in runs of so much
  std::chrono::milliseconds opening_patience{10'000};  // without progress; more for big files
  std::chrono::milliseconds frame_patience{5'000};
  std::function<bool()> ending = [] { return false; };  // stop_reading_when()
};
ReaderSettings& reader_settings();

// A program that belongs to this one: beside it, or where it is installed.
std::filesystem::path installed_program(const char* name);
std::filesystem::path reader_program();  // as the settings say

}  // namespace echoloop
