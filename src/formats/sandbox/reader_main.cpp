#include "formats/sandbox/reader_main.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <new>
#include <string_view>

#include "core/error.h"
#include "core/process_memory.h"
#include "formats/base/mapping.h"
#include "formats/sandbox/message_channel.h"

namespace echoloop {
namespace {

constexpr auto kProgressEvery = std::chrono::milliseconds(50);
// CPU time without progress: damaged metadata can let a library iterate over billions of missing pieces. More for large
// files, which may be unpacked completely.
constexpr std::size_t kListing_s = 3, kOpening_s = 6, kBytesPerSecond = 20'000'000;

std::size_t file_size(int fd) {
  struct stat info {};
  return ::fstat(fd, &info) == 0 && info.st_size > 0 ? static_cast<std::size_t>(info.st_size) : 0;
}

// Reports the progress to the viewer every 50 ms at most and restarts the alarm.
class Progress {
 public:
  explicit Progress(MessageChannel& channel) : channel_(channel) {}
  void operator()(double fraction) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < kProgressEvery) return;
    last_ = now;
    start_reader_alarm();
    channel_.send(MessageKind::progress, encode_number(fraction));
  }

 private:
  MessageChannel& channel_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Maps the shared pages into which frames are read; the viewer has set their size.
std::span<std::byte> map_shared_memory() {
  const std::size_t size = file_size(kReaderMemory);
  void* const data = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, kReaderMemory, 0);
  if (data == MAP_FAILED) throw std::bad_alloc();
  return {static_cast<std::byte*>(data), size};
}

void read_all(MessageChannel& channel, const LibraryRecording& recording, std::span<std::byte> memory) {
  const std::size_t frame_bytes = recording.acquisition->frame_bytes();
  Progress progress(channel);
  for (std::uint64_t frame = 0; frame < recording.frame_count; ++frame) {
    try {
      recording.read_frame(frame, memory.subspan(static_cast<std::size_t>(frame) * frame_bytes, frame_bytes));
    } catch (const UnreadableFrame&) {
      if (frame == 0) throw;
      channel.send(MessageKind::all_ready, encode_number(static_cast<double>(frame)));
      return;
    }
    progress(static_cast<double>(frame + 1) / static_cast<double>(recording.frame_count));
  }
  channel.send(MessageKind::all_ready);
}

void refuse(MessageChannel& channel, const std::string& what) {
  try {
    throw;
  } catch (const Error& error) {
    channel.send(MessageKind::refused, encode_text(error.what()));
  } catch (const std::bad_alloc&) {
    const std::size_t most = memory_limit();
    const Error error(what,
                      "needs more memory than the reader process may allocate (" + std::to_string(most >> 20) + " MiB)",
                      "an undamaged file, or more free memory");
    channel.send(MessageKind::refused, encode_text(error.what()));
  } catch (const std::exception& error) {
    const Error line(what, std::string("damaged content (") + error.what() + ")", "an undamaged file");
    channel.send(MessageKind::refused, encode_text(line.what()));
  }
}

void serve(MessageChannel& channel, const LibraryRecording& recording, const std::string& what,
           const SandboxParts& parts) {
  std::span<std::byte> memory;
  for (;;) {
    const std::optional<ReaderMessage> message = channel.receive(stop_reader_alarm);
    if (!message) return;
    start_reader_alarm();
    if (memory.empty()) {
      memory = map_shared_memory();
      // The thread that opened the file may end while frames are read; the closed socket ends this process.
      if (message->kind == MessageKind::read_frames && !parts.processes) ::prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0);
    }
    if (message->kind == MessageKind::read_all) {
      read_all(channel, recording, memory);
    } else if (message->kind == MessageKind::read_frames) {
      const FrameRun run = decode_run(message->payload);
      const std::size_t frame_bytes = recording.acquisition->frame_bytes();
      try {
        std::uint64_t frame = run.first;
        for (const std::uint64_t offset : run.offsets)
          recording.read_frame(frame++, memory.subspan(static_cast<std::size_t>(offset), frame_bytes));
        channel.send(MessageKind::frames_ready, encode_run({.first = run.first, .offsets = {}}));
      } catch (...) {
        refuse(channel, what);
      }
    }
  }
}

// Returns the data size of this process before it reads the file.
std::size_t data_bytes_so_far() {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  for (int field = 0; field < 6; ++field) file >> pages;
  return file ? pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

// Returns the limits. Heap: the unpacked size of a packed file (deflate expands at most 1032 times), and again for its
// frames, but at most half of the free memory.
SandboxLimits sandbox_limits(std::span<const int> files) {
  constexpr std::size_t kLeast = std::size_t{256} << 20, kPerFileByte = std::size_t{2} * 1032;
  const auto installed =
      static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::size_t file_bytes = 0;
  for (const int file : files) file_bytes += file_size(file);
  const std::size_t wanted = std::max(kLeast, std::min(file_bytes, installed) * kPerFileByte);
  return {.memory_bytes = data_bytes_so_far() + std::min(wanted, free_host_memory() / 2),
          .mapped_bytes = installed + 2 * file_bytes,
          .files = {files.begin(), files.end()}};
}

// Returns the files that may describe an array: already open, named on the command line.
std::vector<SidecarFile> take_sidecars(std::span<char* const> names) {
  std::vector<SidecarFile> sidecars;
  for (std::size_t k = 0; k < names.size(); ++k)
    sidecars.push_back({names[k], MappedFile::adopt(kReaderSidecars + static_cast<int>(k), names[k])});
  return sidecars;
}

// Files named on the command line after its fixed words.
struct GivenFiles {
  std::span<char*const> sidecars, folder;
  [[nodiscard]] int first_of_folder() const { return kReaderSidecars + static_cast<int>(sidecars.size()); }
  [[nodiscard]] int end() const { return first_of_folder() + static_cast<int>(folder.size()); }
};

GivenFiles given_files(std::span<char* const> names) {
  const auto word = std::ranges::find_if(names, [](const char* name) { return std::string_view(name) == kFolderWord; });
  const auto n_sidecars = static_cast<std::size_t>(word - names.begin());
  return {.sidecars = names.first(std::min(n_sidecars, kMostSidecars)),
          .folder = names.subspan(std::min(n_sidecars + 1, names.size()))};
}

std::shared_ptr<const RecordedFolder> take_folder(const GivenFiles& given, const SandboxParts& parts) {
  if (given.folder.empty()) return nullptr;
  auto folder = std::make_shared<RecordedFolder>();
  int file = given.first_of_folder();
  for (const char* const name : given.folder)
    folder->files.push_back({.path = name, .path_to_open = path_in_sandbox(file++, parts)});
  return folder;
}

}  // namespace

bool is_reader_process(int argc, char** argv) {
  return argc >= 5 &&
         (std::string_view(argv[1]) == kReaderProcessOption || std::string_view(argv[1]) == kReaderOutlineOption ||
          std::string_view(argv[1]) == kReaderMapOption);
}

bool is_sandbox_question(int argc, char** argv) { return argc == 2 && std::string_view(argv[1]) == kSandboxQuestion; }

int answer_sandbox_question(int linked) {
  const int file = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);  // instead of a recording
  const SandboxParts parts = enter_reader_sandbox(sandbox_limits(std::span(&file, 1)));
  return kSandboxAnswer | (parts.seccomp ? kHasSeccomp : 0) | (parts.landlock ? kHasLandlock : 0) |
         (parts.namespaces ? kHasNamespaces : 0) | (parts.processes ? kHasProcesses : 0) | linked;
}

int run_reader_process(int argc, char** argv, const LibraryOpener& open, const LibraryOutline& outline,
                       const LibraryMap& map) {
  if (file_size(kReaderFile) == 0) return 2;  // not started by a viewer
  const GivenFiles given = given_files(std::span(argv, static_cast<std::size_t>(argc)).subspan(5));
  ::close_range(static_cast<unsigned>(given.end()), ~0U, 0);
  std::vector<int> files{kReaderFile};
  for (int file = given.first_of_folder(); file < given.end(); ++file) files.push_back(file);
  const SandboxParts parts = enter_reader_sandbox(sandbox_limits(files));
  start_reader_alarm();
  const std::string what = argv[2];
  MessageChannel channel(kReaderSocket);
  try {
    if (!parts.seccomp && !parts.landlock && std::string_view(argv[3]) != kUnsandboxedOption) {
      channel.send(MessageKind::no_sandbox);
      ::_exit(0);
    }
    Progress progress(channel);
    const std::filesystem::path path = path_in_sandbox(kReaderFile, parts);
    const OpenRequest request{.path = what,
                              .file = MappedFile::open(path),
                              .path_to_open = path,
                              .sidecars = take_sidecars(given.sidecars),
                              .progress = [&](double fraction) { progress(fraction); },
                              .stop = {},
                              .folder = take_folder(given, parts),
                              .properties = properties_of_lines(argv[4])};
    const bool listing = std::string_view(argv[1]) == kReaderOutlineOption;
    const std::size_t size = request.bytes().size();
    const auto unpacking_s =
        static_cast<std::size_t>(std::chrono::ceil<std::chrono::seconds>(unpacking_time(size)).count());
    limit_computing((listing ? kListing_s : kOpening_s) + size / kBytesPerSecond + unpacking_s);
    if (listing) {
      channel.send(MessageKind::outline, encode_text(outline ? outline(request) : "{}"));
      ::_exit(0);
    }
    if (std::string_view(argv[1]) == kReaderMapOption) {
      if (const std::optional<ReaderMessage> message = channel.receive(); message && map)
        channel.send(MessageKind::map, encode_map(map(request, decode_map_request(message->payload))));
      ::_exit(0);
    }
    LibraryRecording recording = open(request);
    require_readable(request.bytes());
    recording.read_frame = [read = std::move(recording.read_frame), file = request.file](std::uint64_t index,
                                                                                         std::span<std::byte> out) {
      read(index, out);
      require_readable(file->bytes());
    };
    if (!recording.described_file.empty()) {
      channel.send(MessageKind::described, encode_text(recording.described_file));
      ::_exit(0);
    }
    channel.send(MessageKind::opened, encode_opened(recording));
    serve(channel, recording, what, parts);
  } catch (...) {
    refuse(channel, what);
  }
  ::_exit(0);  // no destructors of libraries that may be corrupted
}

}  // namespace echoloop
