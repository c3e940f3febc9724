#include "app/window/import_contents.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/options/user_folders.h"
#include "core/error.h"
#include "formats/base/mapping.h"
#include "formats/own_descriptions.h"

namespace echoloop {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLeastRawBytes = 4096;  // of a file without a container that is offered as samples

std::string description_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Text, or almost: no samples.
bool mostly_text(const std::string& hex) {
  std::size_t printable = 0, n = 0;
  for (std::size_t k = 0; k + 1 < hex.size(); k += 2, ++n) {
    const int value = std::stoi(hex.substr(k, 2), nullptr, 16);
    printable += (value >= 0x20 && value < 0x7f) || value == '\n' || value == '\r' || value == '\t' ? 1 : 0;
  }
  return n > 0 && printable * 10 >= n * 9;
}

// Whether a description of another file says what this one holds: the same array, with as many axes; of bytes the type.
bool fits(const nlohmann::json& description, const fs::path& file, const ImportContents& contents) {
  const auto text_of = [&](const char* key) {
    const auto found = description.find(key);
    return found != description.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  if (!description.is_object() || !description.contains("axes") || text_of("file") == file.filename()) return false;
  if (fs::path(text_of("file")).extension() != file.extension()) return false;
  if (contents.raw) return description.contains("dtype") && description.contains("shape");
  const auto& lengths = description.contains("shape") ? description["shape"] : description["axes"];
  return std::ranges::any_of(contents.outline.entries, [&](const OutlineEntry& entry) {
    return entry.path == text_of("data") && entry.shape.size() == lengths.size() && is_sample_array(entry);
  });
}

// The newest that fits.
void take_example(const fs::path& file, ImportContents& contents) {
  constexpr int kMostLookedAt = 4096;
  constexpr std::uintmax_t kMostBytes = 1 << 18, kMostInAll = 1 << 23;
  if (contents.outline.n_files > 0) return;
  std::error_code error;
  fs::file_time_type newest = fs::file_time_type::min();
  int n = 0;
  std::uintmax_t n_bytes = 0;
  for (fs::directory_iterator at(fs::absolute(file).parent_path(), error), end; at != end && n < kMostLookedAt; ++n) {
    const fs::path path = at->path();
    at.increment(error);
    if (path.extension() != ".json" || !fs::is_regular_file(path, error)) continue;
    const std::uintmax_t size = fs::file_size(path, error);
    if (error || size > kMostBytes || (n_bytes += size) > kMostInAll) continue;
    const auto written = fs::last_write_time(path, error);
    if (error || written <= newest) continue;
    const std::string text = description_text(path);
    if (!fits(nlohmann::json::parse(text, nullptr, false, true), file, contents)) continue;
    newest = written;
    contents.example = {.name = path.filename().string(), .text = text};
  }
}

// What was guessed of one file, with the files of a folder as the slowest axis.
void put_files_first(RawGuess& raw, std::size_t n_files) {
  const auto frame = std::ranges::find(raw.axes, "frame");
  if (frame != raw.axes.end() && std::ranges::find(raw.axes, "transmit") == raw.axes.end()) *frame = "transmit";
  raw.axes.insert(raw.axes.begin(), std::ranges::find(raw.axes, "frame") == raw.axes.end() ? "frame" : "");
  raw.shape.insert(raw.shape.begin(), n_files);
}

}  // namespace

bool is_sample_array(const OutlineEntry& entry) {
  double n = 1.0;
  std::size_t n_long = 0;
  for (const std::size_t extent : entry.shape) {
    n *= static_cast<double>(extent);
    n_long += extent > 1 ? 1 : 0;
  }
  return entry.numeric && n_long >= 2 && n >= 512.0;
}

ImportContents read_contents(const fs::path& file, std::stop_token stop) {
  ImportContents contents{.outline = outline_file(file, std::move(stop)), .raw = {}};
  const OpenRequest request = request_for(file);
  if (contents.outline.entries.empty() && contents.outline.container == "raw bytes") {
    contents.raw = guess_raw(request.bytes());
    require_readable(request.bytes());
    if (request.folder != nullptr) put_files_first(*contents.raw, request.folder->files.size());
  }
  std::string name = used_description(file) ? "answers" : "";  // the first one; others are named by their files
  for (const SidecarFile& beside : sidecars_of(request.path, request.bytes())) {
    const std::string from = std::exchange(name, "");
    if (beside.path.extension() != ".json" || !contents.description.text.empty()) continue;
    const auto bytes = beside.file->bytes();
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (!describes_file(text, request.path.filename().string(), sidecar_kind(request, beside))) continue;
    if (!contents.outline.is_read || is_explicit(Json::parse(text, nullptr, false, true)))  // as for opening
      contents.description = {.name = from.empty() ? beside.path.filename().string() : from, .text = text};
  }
  if (contents.description.text.empty() && contents.outline.format.empty()) take_example(file, contents);
  return contents;
}

bool could_be_described(const fs::path& file, const ImportContents& contents) {
  const FileOutline& outline = contents.outline;
  const bool answerable = outline.refusal.empty() || outline.refusal.find("beamformed") != std::string::npos;
  if (!contents.raw) return answerable && std::ranges::any_of(outline.entries, is_sample_array);
  const std::string ending = outline.n_files > 0 ? ".raw" : file.extension().string();  // of a folder: recordings only
  const bool raw_name = ending == ".bin" || ending == ".raw" || ending == ".dat" || ending == ".rf" || ending.empty();
  return raw_name && outline.bytes >= kLeastRawBytes && !mostly_text(outline.first_bytes);
}

ImportDraft make_draft(const fs::path& file, const ImportContents& contents) {
  const std::string name = file.filename().string();
  ImportDraft draft =
      contents.raw ? ImportDraft(contents.outline, name, *contents.raw) : ImportDraft(contents.outline, name);
  if (!contents.description.text.empty())
    draft.take_description(contents.description.text, kFromDescription + contents.description.name + ".");
  if (!contents.example.text.empty())
    draft.take_description(contents.example.text, kFromExample + contents.example.name + ".");
  return draft;
}

std::string name_beside(const fs::path& file) {
  const fs::path folder = fs::absolute(file).parent_path();
  if (!why_not_writable(folder).empty()) return "";
  std::error_code error;
  const std::string whole = file.filename().string() + ".json";
  const fs::path target = fs::path(folder / file.filename()).replace_extension(".json");
  const bool of_another = fs::exists(target, error) &&
                          !describes_file(description_text(target), file.filename().string(), SidecarKind::own);
  if (fs::exists(folder / whole, error) || of_another || target.filename() == "params.json") return whole;
  return target.filename().string();
}

fs::path save_description(const fs::path& file, const ImportDraft& draft, const fs::path& own) {
  const fs::path folder = fs::absolute(file).parent_path();
  std::error_code error;
  fs::path target;
  std::string text = draft.description();
  if (const std::string name = name_beside(file); !name.empty()) {
    target = folder / name;
  } else {
    if (own.empty() || draft.outline().n_files > 0)
      throw Error(folder.string(), "a folder that cannot be written", "a folder that can, or a home folder");
    fs::create_directories(own, error);
    if (error) throw Error(own.string(), error.message(), "a folder that can be written");
    target = own / content_name(MappedFile::open(file)->bytes());
    text = draft.description(ImportDraft::Naming::any_file);
  }
  const fs::path made = target.string() + "." + std::to_string(::getpid()) + ".new";
  {
    std::ofstream out(made, std::ios::binary);
    out << text;
    out.flush();
    if (!out) {
      fs::remove(made, error);
      throw Error(target.string(), "cannot be written", "a disk with room");
    }
  }
  if (fs::exists(target, error) && description_text(target) != text)
    fs::rename(target, target.string() + ".bak", error);
  fs::rename(made, target, error);
  if (error) {
    const std::string why = error.message();
    fs::remove(made, error);
    throw Error(target.string(), why, "a folder that can be written");
  }
  return target;
}

}  // namespace echoloop
