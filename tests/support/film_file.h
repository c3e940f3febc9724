// Reads a video back with ffmpeg, as a player would.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

namespace echoloop::testing {

struct FilmFile {
  int width = 0, height = 0;
  double rate_hz = 0.0;
  std::string title, comment;
  std::vector<std::vector<std::uint8_t>> luma;  // of each image, [height][width], 16 to 235

  // Returns gray as written, 0 to 255.
  [[nodiscard]] double gray(std::size_t picture, int x, int y) const {
    return (luma[picture][static_cast<std::size_t>(y * width + x)] - 16.0) * 255.0 / 219.0;
  }
};

// Returns the output of a shell command.
inline std::string printed_by(const std::string& command) {
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  std::string all, part(1 << 16, '\0');
  for (std::size_t n = 0; (n = std::fread(part.data(), 1, part.size(), pipe)) > 0;) all.append(part, 0, n);
  EXPECT_EQ(::pclose(pipe), 0) << command;
  return all;
}

inline FilmFile read_film(const std::filesystem::path& path) {
  FilmFile film;
  const std::string file = " 'file:" + path.string() + "'";
  // One line per value: "width=96", "avg_frame_rate=20/1", "TAG:title=Steps" (upper case in Matroska).
  std::istringstream facts(printed_by(
      "ffprobe -v error -show_entries stream=width,height,avg_frame_rate:format_tags -of default=nw=1" + file));
  for (std::string line; std::getline(facts, line);) {
    const std::size_t equals = line.find('=');
    const std::string key = line.substr(0, equals), value = line.substr(equals + 1);
    if (key == "width") film.width = std::stoi(value);
    if (key == "height") film.height = std::stoi(value);
    if (key == "avg_frame_rate") film.rate_hz = std::stod(value) / std::stod(value.substr(value.find('/') + 1));
    if (key == "TAG:title" || key == "TAG:TITLE") film.title = value;
    if (key == "TAG:comment" || key == "TAG:COMMENT") film.comment = value;
  }
  // Stored values unchanged: "gray" with the range of the file.
  const std::string luma = printed_by("ffmpeg -v error -i" + file +
                                      " -vf extractplanes=y -fps_mode passthrough -f rawvideo -pix_fmt gray -");
  const std::size_t size = static_cast<std::size_t>(film.width) * static_cast<std::size_t>(film.height);
  for (std::size_t at = 0; size > 0 && at + size <= luma.size(); at += size)
    film.luma.emplace_back(luma.begin() + static_cast<std::ptrdiff_t>(at),
                           luma.begin() + static_cast<std::ptrdiff_t>(at + size));
  return film;
}

}  // namespace echoloop::testing
