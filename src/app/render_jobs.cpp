#include "app/render_jobs.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <numeric>
#include <set>
#include <system_error>
#include <utility>

#include "app/opening/source_kinds.h"
#include "app/outputs/output_files.h"
#include "app/outputs/report.h"
#include "core/error.h"
#include "formats/base/format_table.h"
#include "history/part_file.h"

namespace echoloop {
namespace {

namespace fs = std::filesystem;

bool may_have_tracks(const Options& options, const std::string& source) {
  const std::string ending = fs::path(source).extension();
  return is_file_source(source) && (ending == ".hdf5" || ending == ".h5") && !options.facts.contains("track");
}

// Returns the tracks of a file to be rendered: all, or the one that the user chose; {""}: not several. A file that
// cannot be opened has one job, which reports it.
std::vector<std::string> tracks_to_render(const Options& options, const std::string& source) {
  if (!may_have_tracks(options, source)) return {""};
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

// Returns the names of the recordings: of all, so that they are the same in every part.
std::vector<std::string> names_of(const Options& options, const std::vector<std::string>& sources) {
  const auto plain = [](const std::string& source) {
    std::string name = is_file_source(source) ? fs::path(source).stem().string() : source;
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == ':' || c == '/'; }, '_');
    return name;
  };
  const auto whole = [](const std::string& path) {
    return fs::absolute(without_last_separator(path)).lexically_normal();
  };
  std::map<std::string, int> uses;
  for (const std::string& source : sources) ++uses[plain(source)];
  std::vector<std::string> names;
  for (const std::string& source : sources) {
    std::string name = plain(source);
    if (const fs::path& root = options.render_root; !root.empty()) {
      const fs::path below = is_file_source(source) ? whole(source).lexically_relative(whole(root)) : fs::path();
      if (below.empty() || below == "." || *below.begin() == "..")
        throw Error(source, "not below --root " + root.string(), "recordings below it");
      name = (below.parent_path() / name).string();
    } else if (uses[name] > 1) {
      const fs::path path = fs::path(source).lexically_normal();
      name = path.parent_path().filename().string() + "_" + path.filename().string();
    }
    names.push_back(std::move(name));
  }
  return names;
}

// Returns true for the sources of --part, of the sorted list.
std::vector<bool> part_of(const Options& options, const std::vector<std::string>& sources) {
  std::vector<std::size_t> sorted(sources.size());
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  std::ranges::sort(sorted, {}, [&](std::size_t i) { return sources[i]; });
  std::vector<bool> part(sources.size());
  for (std::size_t i = options.render_part.index - 1; i < sorted.size(); i += options.render_part.of)
    part[sorted[i]] = true;
  return part;
}

}  // namespace

std::vector<RenderJob> render_jobs(const Options& options) {
  const std::vector<std::string> sources = sources_of(options);
  const std::vector<std::string> names = names_of(options, sources);
  const std::vector<bool> part = part_of(options, sources);
  std::vector<RenderJob> jobs;
  std::set<std::string> taken;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::string& source = sources[i];
    if (!part[i] && may_have_tracks(options, source)) continue;  // not opened here
    for (const std::string& track : tracks_to_render(options, source)) {
      const std::string own = track.empty() ? names[i] : names[i] + "_" + file_part(track);
      if (!taken.insert(own).second)
        throw Error(source, "another recording would be written to " + own + ".npy, too",
                    "recordings of different names, or one run each");
      if (options.render_iq && !taken.insert(own + ".iq").second)
        throw Error(source, "another recording is written to " + own + ".iq.npy", "one run each");
      if (!part[i]) continue;
      const auto file = [&](const char* ending) { return options.render_out / (own + ending); };
      jobs.push_back({source, file(".npy"), file(".report.json"), file(".measurements.json"), file(".claim"),
                      options.render_iq ? file(".iq.npy") : fs::path(), track});
    }
  }
  return jobs;
}

fs::path description_of(const fs::path& array) { return fs::path(array).replace_extension(".json"); }

std::vector<fs::path> arrays_of(const RenderJob& job) {
  return job.iq.empty() ? std::vector{job.images} : std::vector{job.images, job.iq};
}

void require_own_images(const RenderJob& job) {
  for (const fs::path& array : arrays_of(job)) {
    const fs::path described = description_of(array);
    if ((fs::exists(array) || fs::exists(described)) && !is_of_program(described))
      throw Error(array.string(), "this name is taken by a file that is not of an earlier run", "another folder");
  }
}

namespace {

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

}  // namespace

void set_aside(const RenderJob& job) {
  std::error_code ignored;
  fs::remove(job.report, ignored);
  fs::remove(job.values, ignored);
  for (const fs::path& array : arrays_of(job)) set_aside(array);
}

Options options_of(const Options& options, const RenderJob& job) {
  Options one = options;
  if (!job.track.empty()) one.facts["track"] = job.track;
  return one;
}

void name_arrays(const RenderJob& job) {
  std::ifstream file(job.report);
  const nlohmann::json report = nlohmann::json::parse(file, nullptr, false);
  for (const auto& [key, array] : {std::pair{"images_out", job.images}, std::pair{"iq_out", job.iq}}) {
    if (!report.is_object() || !report.contains(key)) continue;
    const fs::path written = report[key].value("path", "");
    if (array.empty() || written.empty() || written == array) continue;
    fs::rename(written, array);
    fs::rename(description_of(written), description_of(array));
  }
}

bool is_complete(const Options& options, const RenderJob& job) {
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

}  // namespace echoloop
