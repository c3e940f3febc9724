#include <algorithm>
#include <atomic>
#include <cctype>
#include <exception>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "app/commands.h"
#include "app/opening/source_kinds.h"
#include "app/options/terminal.h"
#include "app/outputs/measured_values.h"
#include "app/outputs/output_files.h"
#include "app/outputs/report.h"
#include "core/error.h"
#include "core/process_memory.h"
#include "core/units.h"
#include "formats/base/format_table.h"
#include "history/export.h"
#include "history/part_file.h"

namespace echoloop {
namespace {

namespace fs = std::filesystem;

struct Job {
  std::string source;
  fs::path images, report;  // report: exists once the run is complete
  fs::path values;          // of --measurements
  fs::path iq = {};         // complex pixels; empty: not requested
  std::string track = {};   // of a file with several; empty: the only one

  [[nodiscard]] std::string name() const { return track.empty() ? source : source + ", track " + track; }
};

// Returns the tracks of a file to be rendered: all, or the one that the user chose; {""}: not several. A file that
// cannot be opened has one job, which reports it.
std::vector<std::string> tracks_to_render(const Options& options, const std::string& source) {
  const std::string ending = fs::path(source).extension();
  const bool may_have = is_file_source(source) && (ending == ".hdf5" || ending == ".h5");
  if (!may_have || options.facts.contains("track")) return {""};
  try {
    std::vector<std::string> tracks = tracks_of(source);
    return tracks.empty() ? std::vector<std::string>{""} : tracks;
  } catch (const Error&) {
    return {""};
  }
}

// Returns a label as part of a file name.
std::string file_part(std::string label) {
  std::ranges::replace_if(
      label, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-'; }, '_');
  return label;
}

// Returns the files of a folder and its subfolders, by name, with the extension of a format. Descriptions (.json) are
// no recordings, nor are the images of an earlier run.
std::vector<std::string> recordings_in(const fs::path& folder) {
  const std::vector<std::string_view> endings = recording_endings();
  std::vector<std::string> found;
  std::error_code error;
  for (auto entry = fs::recursive_directory_iterator(folder, error); !error && entry != fs::end(entry);
       entry.increment(error)) {
    const std::string ending = entry->path().extension();
    const bool readable = std::find(endings.begin(), endings.end(), ending) != endings.end() && ending != ".json";
    const bool image = ending == ".npy" && is_of_program(fs::path(entry->path()).replace_extension(".json"));
    if (!readable || image || is_dump_part(entry->path()) || !entry->is_regular_file()) continue;
    const bool dump = entry->path().filename() == kDumpList;  // named by its folder
    found.push_back((dump ? entry->path().parent_path() : entry->path()).string());
  }
  if (error) throw Error(folder.string(), error.message(), "a folder that can be read");
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::string> sources_of(const RenderOptions& options) {
  std::vector<std::string> sources;
  for (const std::string& named : options.render_files) {
    std::error_code error;
    if (!is_file_source(named) || !fs::is_directory(named, error)) {
      sources.push_back(named);
      continue;
    }
    const std::vector<std::string> found = recordings_in(named);
    if (found.empty()) throw Error(named, "no recording in this folder", "recordings: " + format_names());
    sources.insert(sources.end(), found.begin(), found.end());
  }
  return sources;
}

// Returns jobs with output NAME.npy; recordings of the same name get that of their folder as a prefix.
std::vector<Job> jobs_of(const Options& options) {
  const std::vector<std::string> sources = sources_of(options);
  const auto plain = [](const std::string& source) {
    std::string name = is_file_source(source) ? fs::path(source).stem().string() : source;
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == ':' || c == '/'; }, '_');
    return name;
  };
  std::map<std::string, int> uses;
  for (const std::string& source : sources) ++uses[plain(source)];
  std::vector<Job> jobs;
  std::set<std::string> names;
  for (const std::string& source : sources) {
    std::string name = plain(source);
    if (uses[name] > 1) {
      const fs::path path = fs::path(source).lexically_normal();
      name = path.parent_path().filename().string() + "_" + path.filename().string();
    }
    for (const std::string& track : tracks_to_render(options, source)) {
      const std::string own = track.empty() ? name : name + "_" + file_part(track);
      if (!names.insert(own).second)
        throw Error(source, "another recording would be written to " + own + ".npy, too",
                    "recordings of different names, or one run each");
      if (options.render_iq && !names.insert(own + ".iq").second)
        throw Error(source, "another recording is written to " + own + ".iq.npy", "one run each");
      const auto file = [&](const char* ending) { return options.render_out / (own + ending); };
      jobs.push_back({source, file(".npy"), file(".report.json"), file(".measurements.json"),
                      options.render_iq ? file(".iq.npy") : fs::path(), track});
    }
  }
  return jobs;
}

void require_render_options(const Options& o) {
  if (o.render_out.empty()) throw Error("render", "no --out given", "echoloop render FILE... --out DIR");
  require_outputs(o);
  marks_of(o);
  std::error_code error;
  fs::create_directories(o.render_out, error);
  if (error) throw Error(o.render_out.string(), error.message(), "a folder that can be written");
}

fs::path description_of(const fs::path& array) { return fs::path(array).replace_extension(".json"); }

std::vector<fs::path> arrays_of(const Job& job) {
  return job.iq.empty() ? std::vector{job.images} : std::vector{job.images, job.iq};
}

// Throws Error for existing output files that are not from this program: they are never overwritten.
void require_own_images(const Job& job) {
  for (const fs::path& array : arrays_of(job)) {
    const fs::path described = description_of(array);
    if ((fs::exists(array) || fs::exists(described)) && !is_of_program(described))
      throw Error(array.string(), "this name is taken by a file that is not of an earlier run", "another folder");
  }
}

void set_aside(const fs::path& array) {
  std::error_code ignored;
  const fs::path described = description_of(array);
  if (!fs::exists(described, ignored)) return;
  const auto keep = [&](const fs::path& file, const char* ending) {
    fs::rename(file, fs::path(array).replace_extension(ending), ignored);
  };
  for (int n = 1; fs::exists(partial_name(array, n), ignored); ++n)  // from a killed program
    if (!is_growing(partial_name(array, n))) keep(partial_name(array, n), ".incomplete.npy");
  if (!fs::exists(array, ignored)) {
    fs::remove(described, ignored);
    return;
  }
  keep(array, ".incomplete.npy");
  keep(described, ".incomplete.json");
}

// Keeps the newest outputs of an incomplete run under another name, so that they do not count as complete.
void set_aside(const Job& job) {
  std::error_code ignored;
  fs::remove(job.report, ignored);
  fs::remove(job.values, ignored);
  for (const fs::path& array : arrays_of(job)) set_aside(array);
}

// Returns the options of one recording's run.
Options options_of(const Options& options, const Job& job) {
  Options one = options;
  if (!job.track.empty()) one.facts["track"] = job.track;
  return one;
}

// Returns true for a completed run. Throws Error if its images were made with other settings.
bool is_complete(const Options& options, const Job& job) {
  std::error_code ignored;
  const auto is_there = [&ignored](const fs::path& file) { return fs::exists(file, ignored); };
  if (!is_there(job.report) || !std::ranges::all_of(arrays_of(job), is_there)) return false;
  if (!options.files["--measurements"].empty() && !is_there(job.values)) return false;
  std::ifstream file(job.report);
  const nlohmann::json report = nlohmann::json::parse(file, nullptr, false);
  const nlohmann::json given = given_json(options_of(options, job));
  if (report.is_object() && report.value("given", given) == given) return true;
  throw Error(job.images.string(), "made with other settings than those given now",
              "another --out, or this file deleted");
}

// Result of a recording's run: its exit status, or its error.
struct Ended {
  int status = 0;
  std::exception_ptr problem;
};

Ended run_job(const Options& options, const Job& job, const ChosenBackend& chosen) {
  Options one = options_of(options, job);
  one.headless = true;
  one.source = job.source;
  one.files["--images-out"] = job.images;
  one.files["--iq-out"] = job.iq;
  one.files["--report"] = job.report;
  if (!options.files["--measurements"].empty()) one.files["--measurements"] = job.values;
  one.stream.policy = RingPolicy::block;
  one.stream.rate_hz = kRateMax;
  one.stream.loop = false;
  Ended ended;
  bool begun = false;
  try {
    require_outputs(one);
    require_own_images(job);
    set_aside(job);
    begun = true;
    // Marks the images as this program's, in case it is killed from here on.
    for (const fs::path& array : arrays_of(job))
      write_text(description_of(array), json_text(program_json(*chosen.backend, job.source)) + "\n");
    ended.status = run_headless(one, chosen);
  } catch (const std::exception&) {
    ended.problem = std::current_exception();
  }
  if (begun && ((ended.status != 0 && ended.status != kDoubted) || ended.problem != nullptr || interrupted()))
    set_aside(job);
  return ended;
}

// The recordings of a run, a few at a time: while the frames of one are beamformed, another is opened, its stream made,
// and the images of a third one written.
class RenderRun {
 public:
  explicit RenderRun(const Options& options) : options_(options), jobs_(jobs_of(options)) {}

  int run() {
    std::vector<ChosenBackend> backends;  // one per stream
    backends.push_back(choose_backend(options_.backend));
    if (!backends.front().note.empty()) print_error("{}\n", std::exchange(backends.front().note, {}));
    const std::size_t at_once = jobs_at_once(backends.front().backend->computes_elsewhere() ? 3 : 2);
    while (backends.size() < at_once) backends.push_back({choose_backend(options_.backend).backend, {}});
    {
      std::vector<std::jthread> threads;
      for (const ChosenBackend& chosen : backends) {
        chosen.backend->keep_host_memory(kKeptBytes);
        threads.emplace_back([this, &chosen, alone = at_once == 1] { take_jobs(chosen, alone); });
      }
    }
    // Retries failures that may be due to shared memory.
    for (const std::size_t i : to_run_alone_)
      if (!interrupted()) count(run_job(options_, jobs_[i], backends.front()));
    write_table();
    print_out("Rendered {} of {} to {}", made_, counted(jobs_.size(), "recording"), options_.render_out.string());
    if (there_ > 0) print_out(", {} already there", there_);
    if (failed_ > 0) print_out(", {} failed", failed_);
    print_out("\n");
    return status_;
  }

 private:
  // Returns the number of parallel jobs: their files fit an eighth of free memory, as a stream needs their size.
  [[nodiscard]] std::size_t jobs_at_once(std::size_t most) const {
    std::uintmax_t largest = 1;
    for (const Job& job : jobs_) {
      std::error_code unknown;  // for a folder, or a phantom
      const std::uintmax_t bytes = fs::file_size(job.source, unknown);
      if (!unknown) largest = std::max(largest, bytes);
    }
    const std::size_t fit = free_host_memory() / 8 / largest;
    return std::max<std::size_t>(std::min({fit, most, jobs_.size()}), 1);
  }

  void take_jobs(const ChosenBackend& chosen, bool alone) {
    for (std::size_t i = 0; (i = next_++) < jobs_.size() && !interrupted();) {
      const Job& job = jobs_[i];
      try {
        if (is_complete(options_, job)) {
          const std::scoped_lock lock(mutex_);
          ++there_;
          continue;
        }
      } catch (const std::exception&) {
        count({.problem = std::current_exception()});
        continue;
      }
      print_out("{} of {}: {}\n", i + 1, jobs_.size(), job.name());
      const Ended ended = run_job(options_, job, chosen);
      if (ended.problem == nullptr || alone) {
        count(ended);
        continue;
      }
      const std::scoped_lock lock(mutex_);
      to_run_alone_.push_back(i);
    }
  }

  [[nodiscard]] bool is_of_these_settings(const Job& job) const {
    try {
      return is_complete(options_, job);
    } catch (const std::exception&) {  // reported before
      return false;
    }
  }

  // Writes the table from the files of all complete recordings, also earlier ones; if none, keeps an old table.
  void write_table() {
    const fs::path& table = options_.files["--measurements"];
    if (table.empty() || interrupted()) return;
    std::vector<MeasuredRecording> measured;
    for (const Job& job : jobs_)
      if (is_of_these_settings(job))
        measured.push_back({job.name(), read_json_object(job.values, "the measurements of an earlier run")});
    if (measured.empty()) return;
    write_measurement_table(table, marks_of(options_), measured);
    print_out("{}: {} of {}\n", table.string(), counted(measured.size(), "recording"), jobs_.size());
  }

  void count(const Ended& ended) {
    const std::scoped_lock lock(mutex_);
    int status = ended.status;
    try {
      if (ended.problem != nullptr) std::rethrow_exception(ended.problem);
    } catch (const std::exception& error) {
      status = say_what_ended(error);
    }
    const bool made = status == 0 || status == kDoubted;
    if (!made) ++failed_;
    if (made && !interrupted()) ++made_;
    status_ = std::max(status_, status);
  }

  static constexpr std::size_t kKeptBytes = std::size_t{1} << 30;  // per backend

  const Options& options_;
  std::vector<Job> jobs_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  // Under mutex_ while the threads run.
  std::vector<std::size_t> to_run_alone_;  // after failures in parallel runs
  int status_ = 0, made_ = 0, there_ = 0, failed_ = 0;
};

}  // namespace

int run_render(const Options& options) {
  require_render_options(options);
  watch_interrupts();
  return RenderRun(options).run();
}

}  // namespace echoloop
