// A video on disk: images in, MP4, WebM or Matroska out, by the program ffmpeg with the best codec that it offers.
// Nearly lossless, because speckle is what is looked at. Written beside its place and renamed when it is complete.
// ffmpeg is run, not linked: its licence (GPL in Debian) and that of NVIDIA's libraries exclude each other in one
// program. One thread at a time; encoding takes milliseconds an image, so not the window's or the stream's.
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
  std::filesystem::path path;  // its extension chooses the container: .mp4, .webm, .mkv
  int width = 0, height = 0;   // pixels, both even
  double rate_hz = 25.0;       // images a second, constant
  std::vector<std::pair<std::string, std::string>> about = {};  // kept in the file: title
};

std::string why_no_films();  // empty = films can be written

// Throws Error for a name that no film can have, or when nothing here can write one.
void check_film_name(const std::filesystem::path& path);

class Film {
 public:
  explicit Film(const FilmFormat& format);  // throws Error
  ~Film();                                  // without finish() nothing is left
  Film(const Film&) = delete;
  Film& operator=(const Film&) = delete;

  void add(std::span<const std::uint8_t> rgb);  // [height][width][3], top row first; throws Error
  // Keeps `comment` in the file. Throws Error.
  void finish(const std::string& comment = {});

  [[nodiscard]] const std::string& codec() const;  // "libx264"

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Another program that reads from this one: its standard input is a socket, what it prints is kept. In a process group
// of its own, so that Ctrl+C in a terminal ends it only by way of this program. One thread at a time.

class ChildProgram {
 public:
  // The first argument is the program, looked for on PATH. Throws Error where it cannot be started.
  explicit ChildProgram(const std::vector<std::string>& arguments);
  ~ChildProgram();  // killed, if it still runs
  ChildProgram(const ChildProgram&) = delete;
  ChildProgram& operator=(const ChildProgram&) = delete;

  // False where the program reads no more: it has ended, or took nothing for a minute.
  [[nodiscard]] bool write(std::span<const std::uint8_t> bytes);
  void interrupt();                          // SIGTERM
  [[nodiscard]] std::optional<int> ended();  // its exit status, as of finish(); nothing while it runs
  // Ends its input and waits for its end: its exit status, or 128 + the number of the signal that ended it.
  int finish();
  [[nodiscard]] std::string printed() const;  // on standard output and standard error, until now

 private:
  FileDescriptor input_, printed_;
  pid_t pid_ = -1;
};

// Whether PATH holds such a program.
bool is_on_path(const std::string& program);

}  // namespace echoloop
