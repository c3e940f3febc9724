#include "formats/sandbox/reader_child.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "transport/message_stream.h"

extern char** environ;

namespace echoloop {
namespace {

constexpr const char* kMayAccept = "an undamaged file";
constexpr const char* kProbably = "probably a library failed on damaged content";
constexpr timeval kBetweenLooks{.tv_sec = 0, .tv_usec = 20'000};  // between two checks of the deadline
constexpr auto kEndsByItself = std::chrono::milliseconds(500);
constexpr auto kEndsWhenTold = std::chrono::milliseconds(100);
// Extra time on a busy machine, where a process may get no CPU time before the deadline; limited to a second of
// computing.
constexpr auto kMostGrace = std::chrono::seconds(50);
constexpr auto kTurn = std::chrono::seconds(1);
constexpr auto kWhenEnding = std::chrono::milliseconds(300);  // maximum wait while the program ends

[[noreturn]] void cannot(const std::string& what, const std::string& doing) {
  throw Error(what, doing + ": " + std::strerror(errno), "a system that can start another process");
}

// Returns a copy with a number above the child's descriptors, so that no dup2 overwrites a file still to be moved.
FileDescriptor out_of_the_way(const OpenRequest& request, int fd) {
  const std::size_t n_moved = 16 + (request.folder == nullptr ? 0 : request.folder->files.size());
  FileDescriptor copy(::fcntl(fd, F_DUPFD_CLOEXEC, static_cast<int>(n_moved)));
  if (copy.get() < 0 && (errno == EINVAL || errno == EMFILE)) {
    rlimit most{};
    ::getrlimit(RLIMIT_NOFILE, &most);
    throw Error(request.what(), "at most " + std::to_string(most.rlim_cur) + " files may be open at once",
                std::to_string(4 * n_moved) + " or more: ulimit -n 1024");
  }
  if (copy.get() < 0) cannot(request.what(), "no free file descriptor");
  return copy;
}

// Returns the process that reads, if the started process only waits for it (reader_sandbox.cpp).
pid_t working_process(pid_t started) {
  const std::string name = std::to_string(started);
  std::ifstream children("/proc/" + name + "/task/" + name + "/children");
  pid_t child = 0;
  return children >> child ? child : started;
}

std::chrono::nanoseconds computing_time(pid_t pid) {
  clockid_t clock{};
  timespec time{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &time) != 0) return {};
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

// Returns true if the process is runnable or waits for the disk. A sleeping process waits for nothing that will come.
bool wants_its_turn(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  const std::string line(std::istreambuf_iterator<char>(file), {});
  const std::size_t name_end = line.rfind(") ");
  return name_end != std::string::npos && name_end + 2 < line.size() &&
         (line[name_end + 2] == 'R' || line[name_end + 2] == 'D');
}

// Returns the text of a signal that ended the process, with its cause.
std::string signal_text(int signal) {
  const char* const reason = signal == SIGKILL   ? "killed, probably for lack of memory"
                             : signal == SIGXCPU ? "too much computing time"
                             : signal == SIGALRM ? "too much time"
                             : signal == SIGSYS  ? "a forbidden system call"
                             : signal == SIGBUS  ? "part of the file cannot be read"
                             : signal == SIGSEGV ? "an invalid memory access"
                             : signal == SIGABRT ? "aborted by a library"
                                                 : "a fault";
  return "signal " + std::to_string(signal) + ": " + reason;
}

// Killed processes that had not ended at the last check, on a busy system or with an unresponsive disk. Reaped later.
// Any thread.
class Killed {
 public:
  void add(pid_t pid) {
    const std::lock_guard lock(mutex_);
    pids_.push_back(pid);
  }
  void collect() {
    const std::lock_guard lock(mutex_);
    std::erase_if(pids_, [](pid_t pid) { return ::waitpid(pid, nullptr, WNOHANG) != 0; });
  }

 private:
  std::mutex mutex_;
  std::vector<pid_t> pids_;
};
Killed& killed() {
  static Killed all;
  return all;
}

// Waits until the process has ended, without reaping it, but no longer than `most`.
void wait_for_end(pid_t pid, std::chrono::milliseconds most) {
  siginfo_t info{};
  const auto until = std::chrono::steady_clock::now() + most;
  while (::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT | WNOHANG) == 0 && info.si_pid == 0 &&
         std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

struct ReaderStart {
  std::vector<std::string> words;       // program and arguments
  std::vector<FileDescriptor> sources;  // of the child's files, from kReaderSocket on

  void add(const OpenRequest& request, int fd, const std::filesystem::path& path) {
    sources.push_back(out_of_the_way(request, fd));
    words.push_back(path.string());
  }
};

// By ReaderTask.
constexpr std::array kTaskOptions{kReaderProcessOption, kReaderOutlineOption, kReaderMapOption};

ReaderStart reader_start(const OpenRequest& request, ReaderTask task, int socket, int memory) {
  ReaderStart start;
  start.words = {reader_program().string(), kTaskOptions[static_cast<std::size_t>(task)], request.what(),
                 reader_settings().unsandboxed ? kUnsandboxedOption : kSandboxedOption,
                 property_lines(request.properties)};
  for (const int fd : {socket, request.file->descriptor(), memory})
    start.sources.push_back(out_of_the_way(request, fd));
  for (const SidecarFile& sidecar : std::span(request.sidecars).first(std::min(request.sidecars.size(), kMostSidecars)))
    start.add(request, sidecar.file->descriptor(), sidecar.path);
  if (request.folder == nullptr) return start;
  start.words.emplace_back(kFolderWord);
  for (const FolderFile& file : request.folder->files) start.add(request, file.descriptor.get(), file.path);
  return start;
}

// Starts the process; returns 0, or the error's number.
int start_process(ReaderStart& start, pid_t& pid) {
  std::vector<char*> arguments;
  for (std::string& word : start.words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
#if defined(ECHO_SANITIZED)  // contains the sanitizer's options
  char* const* const environment = environ;
#else
  char* const environment[] = {nullptr};  // without keys and folders of the user
#endif
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO})
    posix_spawn_file_actions_addopen(&files, standard, "/dev/null", O_RDWR, 0);
#if !defined(ECHO_SANITIZED)  // hides messages of a library: the Error's line replaces them
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_RDWR, 0);
#endif
  for (std::size_t k = 0; k < start.sources.size(); ++k)
    posix_spawn_file_actions_adddup2(&files, start.sources[k].get(), kReaderSocket + static_cast<int>(k));
  posix_spawnattr_t attributes;  // default signals of a new program, regardless of those blocked by this thread
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const int failed = posix_spawn(&pid, start.words[0].c_str(), &files, &attributes, arguments.data(), environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return failed;
}

}  // namespace

ReaderChild::ReaderChild(const OpenRequest& request, ReaderTask task) : what_(request.what()) {
  killed().collect();
  memory_ = FileDescriptor(::memfd_create("echoloop frames", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  int ends[2] = {-1, -1};
  if (memory_.get() < 0 || ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    cannot(what_, "the reader process cannot be started");
  socket_ = FileDescriptor(ends[0]);
  channel_ = MessageChannel(socket_.get());
  for (const int direction : {SO_RCVTIMEO, SO_SNDTIMEO})
    ::setsockopt(socket_.get(), SOL_SOCKET, direction, &kBetweenLooks, sizeof kBetweenLooks);
  const FileDescriptor childs_end(ends[1]);
  ReaderStart start = reader_start(request, task, childs_end.get(), memory_.get());
  errno = start_process(start, pid_);
  if (errno != 0) {
    pid_ = -1;
    cannot(what_, "the reader process " + start.words[0] + " cannot be started");
  }
}

ReaderChild::~ReaderChild() { end(); }

// Ends and reaps the process. Returns its status if it had ended by itself; nullopt if killed here, or earlier.
std::optional<int> ReaderChild::end() {
  if (pid_ < 0) return std::nullopt;
  socket_ = FileDescriptor();
  int status = 0;
  const bool ended = ::waitpid(pid_, &status, WNOHANG) == pid_;
  if (!ended) {
    ::kill(pid_, SIGTERM);  // a process that only waits kills and reaps the one that reads
    wait_for_end(pid_, kEndsWhenTold);
    ::kill(pid_, SIGKILL);
    wait_for_end(pid_, kEndsByItself);  // one blocked by an unresponsive disk ends when the disk responds
    if (::waitpid(pid_, nullptr, WNOHANG) == 0) killed().add(pid_);
  }
  pid_ = -1;
  return ended ? std::optional(status) : std::nullopt;
}

Error ReaderChild::give_up(const std::string& did) {
  // A process that closed its socket is about to exit: its own status is more informative than our SIGKILL.
  if (pid_ >= 0 && did.empty()) wait_for_end(pid_, kEndsByItself);
  const std::optional<int> status = end();
  const int signal = did.empty() && status && WIFSIGNALED(*status) ? WTERMSIG(*status) : 0;
  if (!did.empty()) {
    ended_for_ = did;
    return {what_, "the reader process " + did + " and was terminated", kMayAccept, kProbably};
  }
  if (status) ended_for_ = signal > 0 ? signal_text(signal) : "exit status " + std::to_string(WEXITSTATUS(*status));
  const bool library = signal != SIGKILL && signal != SIGBUS;
  return {what_, "the reader process stopped" + (status ? " (" + ended_for_ + ")" : ""), kMayAccept,
          library ? kProbably : ""};
}

std::shared_ptr<SharedMemory> ReaderChild::share(std::size_t size) {
  if (!seal(memory_.get(), size)) throw give_up("refused to share memory");
  std::shared_ptr<SharedMemory> mapped = SharedMemory::map(memory_.get(), size);
  if (mapped == nullptr) cannot(what_, "needs " + std::to_string(size >> 20) + " MiB of memory");
  return mapped;
}

// Returns a function to call while waiting for a message: ends the process after the deadline.
std::function<void()> ReaderChild::watch(const Patience& patience, const char* did) {
  const auto begin = std::chrono::steady_clock::now();
  return [this, &patience, did, begin, computed = std::optional<std::chrono::nanoseconds>()]() mutable {
    const auto now = std::chrono::steady_clock::now();
    const bool stopped = patience.stop.stop_requested() || (now - begin > kWhenEnding && reader_settings().ending());
    if (stopped) {
      ended_for_ = "reading was stopped";
      throw Error(what_, ended_for_, "a complete read");
    }
    if (now < patience.deadline) return;
    const pid_t working = working_process(pid_);
    if (!computed) computed = computing_time(working);
    const bool had_its_turn = !wants_its_turn(working) || computing_time(working) - *computed > kTurn;
    if (had_its_turn || now > patience.deadline + kMostGrace) throw give_up(did);
  };
}

void ReaderChild::send(MessageKind kind, std::span<const std::byte> payload, const Patience& patience) {
  if (pid_ < 0) return;
  try {
    channel_.send(kind, payload, watch(patience, "did not read in time"));
  } catch (...) {
    end();  // part of the message may have been sent
    throw;
  }
}

ReaderMessage ReaderChild::receive(const Patience& patience) {
  if (pid_ < 0) {
    throw Error(what_, "the reader process stopped earlier" + (ended_for_.empty() ? "" : " (" + ended_for_ + ")"),
                "the file opened again");
  }
  const std::function<void()> look = watch(patience, "did not answer in time");
  try {
    look();
    std::optional<ReaderMessage> message = channel_.receive(look);
    if (message) return std::move(*message);
  } catch (const BadMessage& bad) {
    throw give_up(std::string("sent an invalid message (") + bad.what() + ")");
  } catch (...) {
    if (channel_.cut()) end();
    throw;
  }
  throw give_up("");
}

ReaderSettings& reader_settings() {
  static ReaderSettings settings;
  return settings;
}

std::filesystem::path installed_program(const char* name) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path here = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  const fs::path beside = here / name;
  return fs::exists(beside, ignored) ? beside : here.parent_path() / "libexec" / "echoloop" / name;
}

std::filesystem::path reader_program() {
  return reader_settings().program.empty() ? installed_program("echoloop-reader") : reader_settings().program;
}

}  // namespace echoloop
