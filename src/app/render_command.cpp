#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "app/commands.h"
#include "app/options/terminal.h"
#include "app/outputs/measured_values.h"
#include "app/outputs/output_files.h"
#include "app/outputs/report.h"
#include "app/render_claims.h"
#include "app/render_jobs.h"
#include "core/error.h"
#include "core/process_memory.h"
#include "core/units.h"
#include "history/export.h"

namespace echoloop {
namespace {

namespace fs = std::filesystem;

void require_render_options(const Options& o) {
  if (o.render_out.empty()) throw Error("render", "no --out given", "echoloop render FILE... --out DIR");
  require_outputs(o);
  marks_of(o);
  std::error_code error;
  fs::create_directories(o.render_out, error);
  if (error) throw Error(o.render_out.string(), error.message(), "a folder that can be written");
}

// Result of a recording's run: its exit status, or its error.
struct Ended {
  int status = 0;
  std::exception_ptr problem = nullptr;
  bool begun = false;  // outputs were made
  [[nodiscard]] bool made() const {
    return problem == nullptr && (status == 0 || status == kDoubted) && !interrupted();
  }
};

Ended run_job(const Options& options, const RenderJob& job, const ChosenBackend& chosen, int host_share) {
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
  one.host_share = host_share;
  Ended ended;
  try {
    require_outputs(one);
    require_own_images(job);
    set_aside(job);
    ended.begun = true;
    // Marks the images as this program's, in case it is killed from here on.
    for (const fs::path& array : arrays_of(job))
      write_text(description_of(array), json_text(program_json(*chosen.backend, job.source)) + "\n");
    ended.status = run_headless(one, chosen);
  } catch (const std::exception&) {
    ended.problem = std::current_exception();
  }
  return ended;
}

// Times of all runs, which tell what limits them.
class RenderLoad {
 public:
  // Adds a completed run, from its report.
  void add(const fs::path& file) {
    std::ifstream text(file);
    const nlohmann::json report = nlohmann::json::parse(text, nullptr, false);
    const auto number = [&](const char* group, const char* key) {
      const bool known = report.is_object() && report.contains(group) && report[group].contains(key);
      return known && report[group][key].is_number() ? report[group][key].get<double>() : 0.0;
    };
    const double frames = number("frames", "processed");
    kernels_s_ += 1e-3 * frames * number("timing_ms", "t_p");
    copies_s_ += 1e-3 * frames * number("timing_ms", "t_t");
  }

  // Returns one line: the shares of the time in which devices and cores worked, and the limit.
  [[nodiscard]] std::string text(std::size_t gpus) const {
    const CoreTimes cores_now = core_times();
    const double wall_s = std::max(1e-9, 1e-9 * static_cast<double>(now_ns() - begun_ns_));
    const auto percent = [](double busy, double whole) {
      return std::min(100.0, 100.0 * busy / std::max(whole, 1e-9));
    };
    const double cores = percent(cores_now.busy - cores_.busy, cores_now.all - cores_.all);
    const double devices_s = wall_s * static_cast<double>(gpus);
    constexpr double kLimit = 50.0;  // below, they wait for most of the time
    if (gpus == 0)
      return fmt::format("Limit: {} (cores busy {:.0f} % of the time)", cores < kLimit ? "disk" : "cores", cores);
    const double kernels = percent(kernels_s_, devices_s), copies = percent(copies_s_, devices_s);
    const char* limit = cores < kLimit ? "disk" : "host copies";
    if (std::max(kernels, copies) >= kLimit) limit = kernels >= copies ? "GPU" : "host copies";
    return fmt::format("Limit: {} (GPU busy {:.0f} % of the time, copies to it {:.0f} %, cores {:.0f} %)", limit,
                       kernels, copies, cores);
  }

 private:
  struct CoreTimes {
    double busy = 0.0, all = 0.0;  // in ticks
  };
  // Returns the times of all cores of the host, of all programs: they share them.
  static CoreTimes core_times() {
    std::ifstream file("/proc/stat");
    std::string word;
    CoreTimes times;
    constexpr int kKinds = 8, kIdle = 3, kDisk = 4;  // of man 5 proc_stat
    file >> word;
    double ticks = 0.0;
    for (int kind = 0; kind < kKinds && file >> ticks; ++kind) {
      times.all += ticks;
      if (kind != kIdle && kind != kDisk) times.busy += ticks;
    }
    return times;
  }

  std::int64_t begun_ns_ = now_ns();
  CoreTimes cores_ = core_times();
  double kernels_s_ = 0.0, copies_s_ = 0.0;  // of all devices
};

// The recordings of a run, a few at a time on each device: while the frames of one are beamformed, another is opened,
// its stream made, and the images of a third one written.
class RenderRun {
 public:
  RenderRun(const Options& options, const std::vector<RenderDevice>& devices)
      : options_(options), devices_(devices), jobs_(render_jobs(options)) {}

  int run() {
    make_seats();
    {
      std::vector<std::jthread> threads;
      for (const Seat& seat : seats_) threads.emplace_back([this, &seat] { take_jobs(seat); });
    }
    finish_left();
    write_table();
    print_out("Rendered {} of {} to {}", made_, counted(jobs_.size(), "recording"), options_.render_out.string());
    if (there_ > 0) print_out(", {} already there", there_);
    if (failed_ > 0) print_out(", {} failed", failed_);
    print_out("\n");
    if (made_ > 0) print_out("{}\n", load_.text(gpus_));
    // A job that was ended by a signal is to be repeated.
    return interrupted() && made_ + there_ + failed_ < jobs_.size() ? 1 : status_;
  }

 private:
  // A run at a time.
  struct Seat {
    std::size_t device = 0;
    ChosenBackend chosen;
  };

  // Makes up to three seats on each device, one round after another, as many as memory allows.
  void make_seats() {
    std::vector<std::size_t> at_once;
    for (std::size_t device = 0; device < devices_.size(); ++device) {
      seats_.push_back({device, devices_[device].make()});
      std::string& note = seats_.back().chosen.note;
      if (!note.empty()) print_error("{}\n", std::exchange(note, {}));
      const bool elsewhere = seats_.back().chosen.backend->computes_elsewhere();
      at_once.push_back(elsewhere ? 3 : 2);
      gpus_ += elsewhere ? 1 : 0;
    }
    const std::size_t most = jobs_at_once();
    if (seats_.size() > most) seats_.resize(most);
    for (std::size_t round = 1; round < 3; ++round)
      for (std::size_t device = 0; device < devices_.size() && seats_.size() < most; ++device)
        if (round < at_once[device]) seats_.push_back({device, {devices_[device].make().backend, {}}});
    const std::size_t kept = std::min(kKeptBytes, free_host_memory() / 8 / seats_.size());
    for (const Seat& seat : seats_) seat.chosen.backend->keep_host_memory(kept);
  }

  // Returns the number of parallel jobs: their files fit an eighth of free memory, as a stream needs their size.
  [[nodiscard]] std::size_t jobs_at_once() const {
    std::uintmax_t largest = 1;
    for (const RenderJob& job : jobs_) {
      std::error_code unknown;  // for a folder, or a phantom
      const std::uintmax_t bytes = fs::file_size(job.source, unknown);
      if (!unknown) largest = std::max(largest, bytes);
    }
    const std::size_t fit = free_host_memory() / 8 / largest;
    return std::max<std::size_t>(std::min(fit, jobs_.size()), 1);
  }

  std::optional<std::size_t> next_job() {
    const std::scoped_lock lock(mutex_);
    if (!returned_.empty()) {
      const std::size_t job = returned_.back();
      returned_.pop_back();
      return job;
    }
    return next_ < jobs_.size() ? std::optional(next_++) : std::nullopt;
  }

  void take_jobs(const Seat& seat) {
    while (seat.chosen.backend->usable() && !interrupted()) {
      const std::optional<std::size_t> job = next_job();
      if (!job) return;
      do_job(*job, seat, seats_.size() == 1 ? Attempt::last : Attempt::first);
    }
  }

  enum class Attempt { first, last };  // the first one beside others, which share the memory

  void do_job(std::size_t i, const Seat& seat, Attempt attempt) {
    const RenderJob& job = jobs_[i];
    Ended ended;
    try {
      bool there = is_complete(options_, job);
      if (!there) {
        fs::create_directories(job.images.parent_path());
        if (!claims_.take(job.claim)) return put(left_, i);
        there = is_complete(options_, job);  // by another program meanwhile
      }
      if (there) {
        claims_.release(job.claim);
        const std::scoped_lock lock(mutex_);
        ++there_;
        return;
      }
      print_out("{} of {}: {}\n", i + 1, jobs_.size(), job.name());
      ended = run_job(options_, job, seat.chosen, static_cast<int>(devices_.size()));
      if (ended.made())
        name_arrays(job);
      else if (ended.begun && !claims_.holds(job.claim))  // taken over: the outputs are of another program
        return put(left_, i);
      else if (ended.begun)
        set_aside(job);
    } catch (const std::exception&) {
      ended.problem = std::current_exception();
      attempt = Attempt::last;
    }
    claims_.release(job.claim);
    if (was_lost(seat, ended)) {
      put(returned_, i);
    } else if (ended.problem != nullptr && attempt == Attempt::first) {
      put(left_, i);
    } else {
      count(ended, job);
    }
  }

  void put(std::vector<std::size_t>& list, std::size_t i) {
    const std::scoped_lock lock(mutex_);
    list.push_back(i);
  }

  // Returns true if a run ended because its device was lost; says so once.
  bool was_lost(const Seat& seat, const Ended& ended) {
    if (ended.made() || seat.chosen.backend->usable()) return false;
    std::string why = "the device failed";
    try {
      if (ended.problem != nullptr) std::rethrow_exception(ended.problem);
    } catch (const Fault& fault) {
      why = fault.what();
    } catch (const Error&) {  // the recording is refused
      return false;
    } catch (const std::exception& error) {
      why = error.what();
    }
    const std::scoped_lock lock(mutex_);
    if (lost_.insert(seat.device).second)
      print_error("{} was lost: {}; its recordings go to the others\n", devices_[seat.device].name, why);
    return true;
  }

  // Runs what failed beside others, or was returned late, and waits for the jobs of other programs.
  void finish_left() {
    bool waits = false;
    while (!interrupted()) {
      std::vector<std::size_t> jobs = std::exchange(returned_, {});
      jobs.insert(jobs.end(), left_.begin(), left_.end());
      left_.clear();
      const auto seat = std::ranges::find_if(seats_, [](const Seat& s) { return s.chosen.backend->usable(); });
      if (seat == seats_.end()) return count_unmade(jobs.size() + jobs_.size() - next_);
      for (const std::size_t job : jobs)
        if (!interrupted()) do_job(job, *seat, Attempt::last);
      if (left_.empty() && returned_.empty()) return;
      if (left_.size() < jobs.size()) continue;
      if (!std::exchange(waits, true))
        print_out("Waiting for {} that other programs render\n", counted(left_.size(), "recording"));
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }

  // Reports jobs for which no device is left.
  void count_unmade(std::size_t jobs) {
    if (jobs == 0) return;
    print_error("echoloop: no device is left for {}; another run makes them\n", counted(jobs, "recording"));
    failed_ += jobs;
    status_ = 1;
  }

  [[nodiscard]] bool is_of_these_settings(const RenderJob& job) const {
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
    for (const RenderJob& job : jobs_)
      if (is_of_these_settings(job))
        measured.push_back({job.name(), read_json_object(job.values, "the measurements of an earlier run")});
    if (measured.empty()) return;
    write_measurement_table(table, marks_of(options_), measured);
    print_out("{}: {} of {}\n", table.string(), counted(measured.size(), "recording"), jobs_.size());
  }

  void count(const Ended& ended, const RenderJob& job) {
    const std::scoped_lock lock(mutex_);
    int status = ended.status;
    try {
      if (ended.problem != nullptr) std::rethrow_exception(ended.problem);
    } catch (const NoDeviceMemory& error) {
      status = std::min(say_what_ended(error), 1);  // elsewhere there may be more
    } catch (const std::exception& error) {
      status = say_what_ended(error);
    }
    if (status != 0 && status != kDoubted) ++failed_;
    if (ended.made()) ++made_;
    if (ended.made()) load_.add(job.report);
    // A fault counts most: another attempt makes what is missing, and finds the rest.
    constexpr std::array kRising = {0, kDoubted, 2, 1};
    status_ = *std::max(std::ranges::find(kRising, status_), std::ranges::find(kRising, status));
  }

  static constexpr std::size_t kKeptBytes = std::size_t{1} << 30;  // per seat

  const Options& options_;
  const std::vector<RenderDevice>& devices_;
  std::vector<RenderJob> jobs_;
  std::vector<Seat> seats_;
  std::size_t gpus_ = 0;
  RenderClaims claims_;
  std::mutex mutex_;
  // Under mutex_ while the threads run.
  std::size_t next_ = 0;               // job
  std::vector<std::size_t> returned_;  // of a lost device
  std::vector<std::size_t> left_;      // to be run alone, or in work elsewhere
  std::set<std::size_t> lost_;         // devices
  RenderLoad load_;
  int status_ = 0;
  std::size_t made_ = 0, there_ = 0, failed_ = 0;
};

// Returns the devices of --device; of all GPUs those that work.
std::vector<RenderDevice> devices_of(const Options& options) {
  std::vector<DeviceChoice> choices = options.render_devices;
  const std::size_t gpus = choices.empty() && options.backend.backend != BackendChoice::cpu ? list_gpus().size() : 0;
  const bool own = std::ranges::find(options.settings, "adaptive=own") != options.settings.end();  // compiled for one
  for (std::size_t gpu = 0; gpus > 1 && !own && gpu < gpus; ++gpu) {
    std::string why_not;
    const int number = static_cast<int>(gpu);
    if (make_cuda_backend(why_not, number) == nullptr) {
      print_error("Not used: GPU {}: {}\n", number, why_not);
      continue;
    }
    choices.push_back(options.backend);
    choices.back().gpu = number;
  }
  if (choices.empty()) choices = {options.backend};
  if (own && choices.size() > 1) throw Error("--device", "several, with --method", "one of them");
  std::vector<RenderDevice> devices;
  for (const DeviceChoice& choice : choices)
    devices.push_back({choice.gpu < 0 ? "The device" : fmt::format("GPU {}", choice.gpu),
                       [choice] { return choose_backend(choice); }});
  return devices;
}

}  // namespace

int run_render(const Options& options) {
  require_render_options(options);
  watch_interrupts();
  return run_render(options, devices_of(options));
}

int run_render(const Options& options, const std::vector<RenderDevice>& devices) {
  return RenderRun(options, devices).run();
}

}  // namespace echoloop
