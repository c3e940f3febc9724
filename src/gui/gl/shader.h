// A program of one vertex and one fragment shader read from files; read again when a file changes on disk.
// A version that does not compile is reported in one line and the last good one stays. UI thread only.
#pragma once

#include <array>
#include <filesystem>
#include <string>

namespace echoloop {

class Shader {
 public:
  // Reads `name`.vert and `name`.frag from `folder`; the words of `define` (may be empty) are defined in both.
  // Throws Error when they are missing or do not compile.
  Shader(const std::filesystem::path& folder, const std::string& name, const std::string& define);
  ~Shader();
  Shader(const Shader&) = delete;
  Shader& operator=(const Shader&) = delete;

  // Whether a file's time is another than at the last look; the files are looked at no more than twice a second.
  [[nodiscard]] bool files_changed();
  // Reads the files again. Returns why the last valid program stays in use; empty when the new one is in use.
  [[nodiscard]] std::string reload();

  void use() const;
  [[nodiscard]] int uniform(const char* name) const;  // -1 when the shader does not use it

 private:
  using Times = std::array<std::filesystem::file_time_type, 2>;
  [[nodiscard]] Times times() const;

  std::array<std::filesystem::path, 2> files_;
  std::string define_;
  unsigned int program_ = 0;
  Times seen_;
  std::int64_t looked_ns_ = 0;
};

}  // namespace echoloop
