#include "app/own_builder.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <mutex>
#include <optional>
#include <random>
#include <regex>
#include <sstream>
#include <thread>

#include "app/options/folders.h"
#include "app/options/terminal.h"
#include "backend/cpu/own_code.h"
#include "backend/own_kernels.h"
#include "backend/plan.h"
#include "core/error.h"
#include "core/units.h"
#include "history/film.h"
#include "source/phantom.h"
#include "transport/file_descriptor.h"

namespace echoloop {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMost_mb = 1;
constexpr std::chrono::seconds kCompilerLimit{60}, kTrialLimit{5}, kGpuTrialLimit{15};
constexpr const char* kTrialCode = "ECHOLOOP_OWN_TRIAL";  // in a trial's process: file of what was compiled

std::atomic<bool> builds_ended{false};

// A folder for temporary files, removed at the end.
class WorkFolder {
 public:
  WorkFolder() {
    std::string name = (fs::temp_directory_path() / "echoloop-method-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw Error(name, "cannot be made", "a folder for temporary files");
    path = name;
  }
  ~WorkFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  fs::path path;
};

struct Instructions {
  const char* bytes;
  std::vector<std::string> flags;
};

// As CMakeLists.txt compiles the program's own loops.
Instructions instructions_of(std::string_view kernels) {
  if (kernels == "avx512")
    return {"64", {"-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mfma", "-mprefer-vector-width=512"}};
  if (kernels == "avx2") return {"32", {"-mavx2", "-mfma"}};
  return {"16", {}};
}

void write_file(const fs::path& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  if (!file.flush()) throw Error(path.string(), "cannot be written", "space for temporary files");
}

// Of a compiler that has ended: its status and output. The limits hold for each of its processes.
struct Compiled {
  int status = 0;
  std::string output;
};

class Compiler {
 public:
  explicit Compiler(const std::vector<std::string>& arguments) : child_(with_limits(arguments)) {}

  Compiled finish() {
    const auto end = std::chrono::steady_clock::now() + kCompilerLimit;
    std::optional<int> status;
    while (!(status = child_.ended())) {
      if (builds_ended) return {1, "error: the program ends"};
      if (std::chrono::steady_clock::now() > end)
        return {1, "error: the compiler took more than " + std::to_string(kCompilerLimit.count()) + " s"};
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return {*status, child_.printed()};
  }

 private:
  static std::vector<std::string> with_limits(std::vector<std::string> arguments) {
    const char* const limited = "ulimit -t 30; ulimit -v 4194304; LC_ALL=C exec \"$@\"";
    arguments.insert(arguments.begin(), {"sh", "-c", limited, "sh"});
    return arguments;
  }
  ChildProgram child_;
};

std::vector<CompilerMessage> messages_in(const std::string& output) {
  // FILE:LINE:COLUMN: error: TEXT of c++, FILE(LINE): error #NUMBER-D: TEXT of the compiler for GPUs
  static const std::regex kLine(
      R"(^(.*?)(?::|\()(\d+)(?::\d+|\))?: (fatal error|catastrophic error|error|warning|note)(?: #\S+)?: (.*)$)");
  std::vector<CompilerMessage> found;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::smatch part;
    if (line.size() < 2000 && std::regex_match(line, part, kLine))
      found.push_back({part[1], std::atoi(part[2].str().c_str()),
                       part[3].str().ends_with("error") ? "error" : part[3].str(), plain_text(part[4].str())});
  }
  return found;
}

// Returns the first error as FILE:LINE: message; one in the method's own file goes before others.
std::string first_error(const fs::path& file, const std::vector<CompilerMessage>& messages, const Compiled& compiled) {
  const CompilerMessage* first = nullptr;
  for (const CompilerMessage& m : messages) {
    if (m.kind != "error") continue;
    if (m.file == file.string()) return file.string() + ":" + std::to_string(m.line) + ": " + m.text;
    if (first == nullptr) first = &m;
  }
  if (first != nullptr) {
    const bool asserted = first->text.find("static assertion failed: ") == 0;
    return file.string() + ": " + (asserted ? first->text.substr(25) : first->text);
  }
  for (const std::string_view word : {"error: ", "fatal   : "}) {  // the latter of a GPU's assembler
    const std::size_t at = compiled.output.find(word), end = compiled.output.find('\n', at);
    if (at != std::string::npos)
      return file.string() + ": " + plain_text(compiled.output.substr(at + word.size(), end - at - word.size()));
  }
  return file.string() + ": the compiler ended with status " + std::to_string(compiled.status);
}

// A small image of noise, for trials.
struct TrialImage {
  std::shared_ptr<const Plan> plan;
  std::vector<Complex> lines;
  std::vector<Complex> pixels;
  std::vector<float> weights;

  TrialImage() {
    const AcquisitionPtr acquisition = make_phantom({.name = "points", .probe = "L64"})->acquisition();
    ImagingParams params = default_params(*acquisition);
    params.formation.adaptive = Adaptive::off;
    params.formation.grid_nx = 96;
    params.formation.grid_nz = 24;
    plan = make_plan(acquisition, params);
    const DasGeometry& g = plan->das->geometry;
    std::mt19937 random(1);
    std::normal_distribution<float> noise(0.0f, 100.0f);
    lines.resize(static_cast<std::size_t>(g.n_tx) * static_cast<std::size_t>(g.n_el) *
                 static_cast<std::size_t>(g.n_line));
    for (Complex& v : lines) v = {noise(random), noise(random)};
    pixels.resize(plan->das->tables->grid.pixels());
    weights.resize(pixels.size());
  }
};

MethodSettings trial_settings(const OwnMethodCode& method) {
  MethodSettings settings{.method = Adaptive::own, .rows = 1, .neighbours = 2};
  for (int k = 0; k < method.parameters; ++k)
    settings.own[static_cast<std::size_t>(k)] = static_cast<float>(method.parameter[k].value);
  return settings;
}

// Time of a call, the least of three.
template <class Call>
double least_seconds(const Call& call) {
  double least = 1e9;
  for (int i = 0; i < 3; ++i) {
    const std::int64_t before = now_ns();
    call();
    least = std::min(least, static_cast<double>(now_ns() - before) * 1e-9);
  }
  return least;
}

// What the trial's process answers: its cost relative to delay-and-sum, or why the method cannot be used.
struct Trial {
  double relative_cost = 0.0;
  std::string problem;
};

Trial try_here(const fs::path& library, TrialImage& image, WorkerPool& pool, MethodScratch& scratch) {
  const OwnLibrary code(library);
  const MethodSettings settings = trial_settings(code.described());
  const DasInput input{image.plan->das->geometry, image.lines.data()};
  Trial trial;
  const double own_s =
      least_seconds([&] { code.run(pool, settings, input, scratch, image.pixels.data(), image.weights.data()); });
  trial.problem = code.fault();
  // The coherence factor's loops read the same channels: by the program's own executor.
  const double plain_s = least_seconds([&] {
    method_das(pool, cpu_kernels(CpuKernel::automatic), {.method = Adaptive::coherence}, input, scratch,
               image.pixels.data(), image.weights.data());
  });
  trial.relative_cost = own_s / std::max(plain_s, 1e-9);
  return trial;
}

// Objects that the code makes when it is loaded, and ends when it is not, are tried too. What it prints is dropped.
Trial try_in_child(const fs::path& library) {
  TrialImage image;
  WorkerPool pool(1);
  MethodScratch scratch;
  scratch.own.resize(1);
  OwnLibrary::guard_thread();
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Error("trial", "no pipe", "a system with free file descriptors");
  FileDescriptor from(ends[0]), to(ends[1]);
  const FileDescriptor nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  const pid_t child = ::fork();
  if (child < 0) throw Error("trial", "no process", "a system that can start another process");
  if (child == 0) {
    for (const int out : {STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere.get(), out);
    Trial trial;
    try {
      trial = try_here(library, image, pool, scratch);
    } catch (const Error& error) {
      trial.problem = error.what();
    }
    const std::string text = std::to_string(trial.relative_cost) + " " + trial.problem;
    const bool written = ::write(to.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
    ::_exit(written ? 0 : 1);
  }
  to = FileDescriptor();
  std::string answer;
  const auto end = std::chrono::steady_clock::now() + kTrialLimit;
  bool in_time = true;
  for (bool open = true; open && in_time;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    pollfd ready{.fd = from.get(), .events = POLLIN, .revents = 0};
    in_time =
        !builds_ended && left.count() > 0 && ::poll(&ready, 1, std::min(100, static_cast<int>(left.count()))) >= 0;
    if (!in_time || ready.revents == 0) continue;
    char bytes[4096];
    const ssize_t got = ::read(from.get(), bytes, sizeof bytes);
    open = got > 0;
    if (open) answer.append(bytes, static_cast<std::size_t>(got));
  }
  if (!in_time) ::kill(child, SIGKILL);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (!in_time)
    return {0.0, "the method took more than " + std::to_string(kTrialLimit.count()) + " s for a small image"};
  const std::size_t space = answer.find(' ');
  if (space == std::string::npos) return {0.0, "the method ended its process"};
  return {std::atof(answer.c_str()), answer.substr(space + 1)};
}

struct Cached {
  fs::path file;
  OwnBuild build;
};
constexpr std::size_t kMostCached = 8;
std::vector<Cached>& cache() {
  static std::vector<Cached> builds;
  return builds;
}

std::string read_source(const fs::path& file) {
  std::error_code error;
  const std::string accepted = "the file of a method, in the form of echoloop method --new FILE";
  if (fs::is_directory(file, error)) throw Error(file.string(), "a folder", accepted);
  std::string text = read_small_file(file, kMost_mb, accepted);
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) throw Error(file.string(), "an empty file", accepted);
  return text;
}

std::shared_ptr<OwnMethod> method_of(const fs::path& file, const std::string& source) {
  auto method = std::make_shared<OwnMethod>();
  method->name = file.stem().string();
  method->file = file;
  method->sha256 = sha256(source);
  method->source = source;
  return method;
}

std::shared_ptr<OwnMethod> describe(const fs::path& file, const std::string& source,
                                    std::shared_ptr<const OwnLibrary> code) {
  auto method = method_of(file, source);
  const OwnMethodCode& described = code->described();
  method->replaces = described.replaces;
  method->rows = described.rows;
  for (int k = 0; k < described.parameters; ++k) {
    const OwnParameterText& p = described.parameter[k];
    method->parameters.push_back({p.name, p.unit, p.help, p.min, p.max, p.value});
  }
  method->code = std::move(code);
  return method;
}

// The two objects of a method.
enum class OwnPart { rows, pixels };

std::vector<std::string> compiler_words(OwnPart part) {
  const Instructions isa = instructions_of(cpu_kernels(CpuKernel::automatic).name);
  std::vector<std::string> words = {"c++",
                                    "-std=c++20",
                                    "-DNDEBUG",
                                    "-fPIC",
                                    "-Wall",
                                    "-Wextra",
                                    "-isystem",
                                    own_method_headers().string(),
                                    "-fno-gnu-unique",
                                    "-fno-exceptions",
                                    "-fmax-errors=20",
                                    "-fdiagnostics-color=never",
                                    "-DECHO_ISA=own",
                                    "-DECHO_VECTOR_BYTES=" + std::string(isa.bytes)};
  if (part == OwnPart::pixels) {
    words.insert(words.end(), {"-O3", std::string("-DECHO_OWN_NAME=") + kOwnPixels});
  } else {
    words.insert(words.end(), {"-O3", "-fno-math-errno", "-fno-trapping-math", "-DECHO_OWN_ROWS",
                               std::string("-DECHO_OWN_NAME=") + kOwnRows});
    words.insert(words.end(), isa.flags.begin(), isa.flags.end());
  }
  return words;
}

constexpr std::string_view part_name(OwnPart part) { return part == OwnPart::rows ? "rows" : "pixels"; }

// Headers that prepare_own_methods() has precompiled; null: none.
std::mutex precompiled_mutex;
std::shared_ptr<const WorkFolder> precompiled_folder;

std::shared_ptr<const WorkFolder> precompiled() {
  const std::scoped_lock lock(precompiled_mutex);
  return precompiled_folder;
}

OwnBuild compile(const fs::path& file, const std::string& source) {
  const WorkFolder work;
  const fs::path copy = work.path / "method.h", unit = work.path / "unit.cpp", library = work.path / "method.so";
  write_file(copy, "#line 1 \"" + file.string() + "\"\n" + source);
  write_file(unit, "#include \"backend/cpu/own_method_kernel.h\"\n");
  const auto headers = precompiled();
  const auto start = [&](OwnPart part) {
    std::vector<std::string> words = compiler_words(part);
    if (headers != nullptr) words.insert(words.end(), {"-include", (headers->path / part_name(part)).string() + ".h"});
    // In rows, only line-by-line imaging runs the pixels of sums over channels.
    if (part == OwnPart::pixels && source.find("struct Sums") != std::string::npos) words.emplace_back("-O1");
    words.insert(words.end(), {"-iquote", file.parent_path().string(), "-DECHO_OWN_SOURCE=\"" + copy.string() + "\"",
                               "-c", unit.string(), "-o", (work.path / part_name(part)).string() + ".o"});
    return std::make_unique<Compiler>(words);
  };
  const auto rows = start(OwnPart::rows), pixels = start(OwnPart::pixels);
  Compiled compiled = pixels->finish();
  const Compiled also = rows->finish();
  if (compiled.status == 0) compiled = also;
  OwnBuild build;
  build.messages = messages_in(compiled.output);
  if (compiled.status == 0) {
    compiled = Compiler({"c++", "-shared", "-Wl,--allow-multiple-definition", "-o", library.string(),
                         (work.path / "rows.o").string(), (work.path / "pixels.o").string()})
                   .finish();
  }
  if (compiled.status != 0) {
    build.problem = first_error(file, build.messages, compiled);
    return build;
  }
  const Trial trial = try_in_child(library);
  build.relative_cost = trial.relative_cost;
  if (trial.problem.empty())
    build.method = describe(file, source, std::make_shared<const OwnLibrary>(library));
  else
    build.problem = file.string() + ": " + trial.problem;
  return build;
}

// Runs the code on a small image in a process of its own, with a context of its own on the GPU; a kernel without an end
// ends with it. Returns why the method cannot be used, or nothing.
std::string try_on_gpu(const fs::path& file, const std::string& machine_code, int gpu) {
  const WorkFolder work;
  const fs::path code = work.path / "method.cubin";
  write_file(code, machine_code);
  ChildProgram child({"env", std::string(kTrialCode) + "=" + code.string(), program_file().string(),
                      "sim:points,probe=L64", "--headless", "--backend", "cuda", "--device", std::to_string(gpu),
                      "--frames", "1", "--rate", "max", "--grid", "-10:10:96,5:30:24", "--method", file.string()});
  const auto end = std::chrono::steady_clock::now() + kGpuTrialLimit;
  std::optional<int> status;
  while (!(status = child.ended())) {
    if (builds_ended || std::chrono::steady_clock::now() > end)
      return "the method took more than " + std::to_string(kGpuTrialLimit.count()) + " s for a small image";
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  if (*status == 0) return {};
  std::string last;
  std::istringstream lines(child.printed());
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("echoloop: ")) last = line.substr(10);
  if (last.starts_with(file.string() + ": ")) last = last.substr(file.string().size() + 2);
  return last.empty() ? "the method ended its process" : last.substr(0, last.find("; delay-and-sum"));
}

OwnBuild compile_for_gpu(const fs::path& file, const std::string& source, int gpu) {
  const OwnKernelSource own{file, source, own_method_headers(), gpu};
  OwnBuild build;
  OwnKernelCode made;
  const char* const trial = std::getenv(kTrialCode);
  if (trial != nullptr)
    made.machine_code = read_small_file(trial, 64, "machine code");
  else
    made = compile_own_kernels(own);
  build.messages = messages_in(made.log);
  if (made.machine_code.empty()) {
    build.problem = first_error(file, build.messages, {1, made.log});
    return build;
  }
  if (const std::string why = trial != nullptr ? "" : try_on_gpu(file, made.machine_code, gpu); !why.empty()) {
    build.problem = file.string() + ": " + why;
    return build;
  }
  auto method = method_of(file, source);
  method->kernels = load_own_kernels(own, made.machine_code);
  method->parameters = method->kernels->parameters();
  method->replaces = method->kernels->replaces();
  method->rows = method->kernels->rows();
  build.registers = method->kernels->registers();
  build.spilled_bytes = method->kernels->spilled_bytes();
  build.method = method;
  return build;
}

// Returns why the method is no longer called; empty: it is.
std::string fault_of(const OwnMethod& method) {
  if (method.process != nullptr) return {};
  return method.code != nullptr ? method.code->fault() : method.kernels->fault();
}

}  // namespace

fs::path own_method_headers() {
  const fs::path installed = share_folder() / "include";
  std::error_code ignored;
  return fs::exists(installed / "dsp" / "methods" / "own.h", ignored) ? installed : share_folder() / "src";
}

void end_own_builds() { builds_ended = true; }
void allow_own_builds() { builds_ended = false; }

void prepare_own_methods() {
  if (precompiled() != nullptr) return;
  const auto folder = std::make_shared<const WorkFolder>();
  std::vector<std::unique_ptr<Compiler>> compilers;
  for (const OwnPart part : {OwnPart::rows, OwnPart::pixels}) {
    const std::string header = (folder->path / part_name(part)).string() + ".h";
    write_file(header,
               "#include \"backend/cpu/method_parts.h\"\n#include \"backend/cpu/own_method_code.h\"\n"
               "#include \"backend/cpu/row_parts.h\"\n#include \"backend/cpu/row_pixels.h\"\n"
               "#include \"dsp/methods/own.h\"\n");
    std::vector<std::string> words = compiler_words(part);
    words.insert(words.end(), {"-x", "c++-header", header, "-o", header + ".gch"});
    compilers.push_back(std::make_unique<Compiler>(words));
  }
  bool made = true;
  for (const auto& compiler : compilers) made = compiler->finish().status == 0 && made;
  const std::scoped_lock lock(precompiled_mutex);
  if (made) precompiled_folder = folder;
}

OwnBuild build_own_method(const fs::path& named, OwnTarget gpu) {
  const std::int64_t begun = now_ns();
  OwnBuild build;
  try {
    const fs::path file = fs::absolute(named).lexically_normal();
    const std::string source = read_source(file);
    const auto known = std::ranges::find_if(cache(), [&](const Cached& c) {
      return c.file == file && (c.build.method->kernels != nullptr) == gpu.has_value() &&
             c.build.method->source == source && fault_of(*c.build.method).empty();
    });
    if (known != cache().end()) return known->build;
    if (!gpu && !is_on_path("c++"))
      throw Error(file.string(), "no C++ compiler (c++) on PATH", "one: apt-get install g++");
    build = gpu ? compile_for_gpu(file, source, *gpu) : compile(file, source);
    build.seconds = static_cast<double>(now_ns() - begun) * 1e-9;
    // A method with headers of its own is compiled again: they may have changed.
    if (build.method != nullptr && source.find("#include \"") == source.rfind("#include \"")) {
      if (cache().size() == kMostCached) cache().erase(cache().begin());
      cache().push_back({file, build});
    }
  } catch (const std::exception& error) {
    build.problem = error.what();
  }
  build.seconds = static_cast<double>(now_ns() - begun) * 1e-9;
  return build;
}

void take_own_method(const fs::path& file, OwnTarget gpu) {
  const OwnBuild build = build_own_method(file, gpu);
  if (build.method == nullptr) throw Error::from_line(build.problem);
  load_own_method(build.method);
}

std::string own_method_fault() {
  const auto method = loaded_own_method();
  if (method == nullptr) return {};
  const std::string fault = fault_of(*method);
  return fault.empty() ? "" : method->file.string() + ": " + fault;
}

}  // namespace echoloop
