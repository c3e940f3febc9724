// Video file: images in; MP4, WebM or Matroska out, by the program ffmpeg with its best available codec. Nearly
// lossless, to preserve speckle. Written under a temporary name and renamed when complete. ffmpeg is run, not linked:
// its licence (GPL in Debian) and that of NVIDIA's libraries exclude each other in one program. One thread at a time;
// encoding takes milliseconds per image, so not the window's or the stream's thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "transport/file_descriptor.h"

namespace echoloop {

struct FilmFormat {
  std::filesystem::path path;                                   // extension selects the container: .mp4, .webm, .mkv
  int width = 0, height = 0;                                    // pixels, both even
  double rate_hz = 25.0;                                        // images per second, constant
  std::vector<std::pair<std::string, std::string>> about = {};  // stored in the file: title
};

std::string why_no_films();  // empty = films can be written

// Throws Error for an invalid film name, or without a usable ffmpeg.
void check_film_name(const std::filesystem::path& path);

class Film {
 public:
  explicit Film(const FilmFormat& format);  // throws Error
  ~Film();                                  // without finish() leaves no file
  Film(const Film&) = delete;
  Film& operator=(const Film&) = delete;

  void add(std::span<const std::uint8_t> rgb);  // [height][width][3], top row first; throws Error
  // Stores `comment` in the file. Throws Error.
  void finish(const std::string& comment = {});

  [[nodiscard]] const std::string& codec() const;  // "libx264"

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Child process that reads from this one: its standard input is a socket, its output is kept. In a process group of its
// own, so that Ctrl+C in a terminal ends it only through this program. One thread at a time.
class ChildProgram {
 public:
  // The first argument is the program, searched on PATH. Throws Error if it cannot be started.
  explicit ChildProgram(const std::vector<std::string>& arguments);
  ~ChildProgram();  // kills it if it still runs
  ChildProgram(const ChildProgram&) = delete;
  ChildProgram& operator=(const ChildProgram&) = delete;

  // Returns false if the program reads no more: it has ended, or accepted nothing for a minute.
  [[nodiscard]] bool write(std::span<const std::uint8_t> bytes);
  void interrupt();                          // SIGTERM
  [[nodiscard]] std::optional<int> ended();  // exit status, as finish(); nullopt while it runs
  // Closes its input and waits for its end; returns its exit status, or 128 + the number of the signal that ended it.
  int finish();
  [[nodiscard]] std::string printed() const;  // so far, on standard output and standard error

 private:
  FileDescriptor input_, printed_;
  pid_t pid_ = -1;
};

// Returns true if PATH has this program.
bool is_on_path(const std::string& program);

}  // namespace echoloop
