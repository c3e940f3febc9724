// Command embedded in an image, a figure or a video of the program.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/film_file.h"
#include "support/temporary_folder.h"

namespace echoloop::testing {

// Reads from PNG the text "Command", as tEXt in ASCII or as iTXt in UTF-8.
inline std::string command_in_png(const std::string& bytes) {
  const std::string key("Command\0", 8);
  const std::size_t at = bytes.find(key);
  if (at == std::string::npos || at < 8) return {};
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };
  const std::size_t length = byte(at - 8) << 24 | byte(at - 7) << 16 | byte(at - 6) << 8 | byte(at - 5);
  const std::size_t head = bytes.compare(at - 4, 4, "tEXt") == 0 ? key.size() : key.size() + 4;  // no language
  return bytes.substr(at + head, length - head);
}

inline std::string command_in_svg(const std::string& text) {
  const std::size_t begin = text.find("<desc>") + 6;
  std::string command = text.substr(begin, text.find("</desc>") - begin);
  for (const auto& [entity, character] : {std::pair{"&lt;", "<"}, std::pair{"&quot;", "\""}, std::pair{"&amp;", "&"}}) {
    for (std::size_t at = 0; (at = command.find(entity, at)) != std::string::npos; ++at)
      command.replace(at, std::string(entity).size(), character);
  }
  return command;
}

// Reads from PDF the subject: in brackets, or if it has brackets or a backslash itself in hexadecimal digits of UTF-16.
inline std::string command_in_pdf(const std::string& bytes) {
  const std::string plain = "/Subject (", coded = "/Subject <FEFF";
  if (const std::size_t at = bytes.rfind(plain); at != std::string::npos)
    return bytes.substr(at + plain.size(), bytes.find(')', at) - at - plain.size());
  const std::size_t at = bytes.rfind(coded);
  std::string command;
  for (std::size_t i = at + coded.size(); at != std::string::npos && bytes[i] != '>'; i += 4)
    command += static_cast<char>(std::stoi(bytes.substr(i, 4), nullptr, 16));
  return command;
}

inline std::string command_in(const std::filesystem::path& file) {
  const std::string ending = file.extension().string();
  if (ending == ".png") return command_in_png(read_text(file));
  if (ending == ".svg") return command_in_svg(read_text(file));
  if (ending == ".pdf") return command_in_pdf(read_text(file));
  return read_film(file).comment;
}

}  // namespace echoloop::testing
