#include "gui/gl/shader.h"

#include <glad/gl.h>

#include <fstream>
#include <sstream>
#include <utility>

#include "core/error.h"
#include "core/units.h"

namespace echoloop {
namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find_first_of("\r\n")); }

std::string read_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in || text.str().empty()) throw Error(file.string(), "not readable", "a GLSL shader");
  return text.str();
}

unsigned int compile(GLenum kind, const std::filesystem::path& file, const std::string& define) {
  std::string text = read_text(file);
  const std::size_t first = text.find('\n');  // after #version
  if (first != std::string::npos) {
    std::istringstream words(define);
    std::string lines, word;
    while (words >> word) lines += "#define " + word + "\n";
    text.insert(first + 1, lines + "#line 2\n");
  }
  const char* source = text.c_str();
  const unsigned int shader = glCreateShader(kind);
  glShaderSource(shader, 1, &source, nullptr);
  glCompileShader(shader);
  int good = 0;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
  if (good != 0) return shader;
  char log[512] = {};
  glGetShaderInfoLog(shader, sizeof log, nullptr, log);
  glDeleteShader(shader);
  throw Error(file.string(), first_line(log), "a shader that compiles");
}

unsigned int link(const std::array<std::filesystem::path, 2>& files, const std::string& define) {
  const unsigned int vertex = compile(GL_VERTEX_SHADER, files[0], define);
  unsigned int fragment = 0;
  try {
    fragment = compile(GL_FRAGMENT_SHADER, files[1], define);
  } catch (...) {
    glDeleteShader(vertex);
    throw;
  }
  const unsigned int program = glCreateProgram();
  glAttachShader(program, vertex);
  glAttachShader(program, fragment);
  glLinkProgram(program);
  glDeleteShader(vertex);
  glDeleteShader(fragment);
  int good = 0;
  glGetProgramiv(program, GL_LINK_STATUS, &good);
  if (good != 0) return program;
  char log[512] = {};
  glGetProgramInfoLog(program, sizeof log, nullptr, log);
  glDeleteProgram(program);
  throw Error(files[1].string(), first_line(log), "a shader that links");
}

}  // namespace

Shader::Shader(const std::filesystem::path& folder, const std::string& name, const std::string& define)
    : files_{folder / (name + ".vert"), folder / (name + ".frag")},
      define_(define),
      program_(link(files_, define)),
      seen_(times()) {}

Shader::~Shader() { glDeleteProgram(program_); }

Shader::Times Shader::times() const {
  Times now{};
  for (std::size_t i = 0; i < files_.size(); ++i) {
    std::error_code error;
    now[i] = std::filesystem::last_write_time(files_[i], error);
  }
  return now;
}

bool Shader::files_changed() {
  constexpr std::int64_t kLookEvery_ns = 500'000'000;
  const std::int64_t now = now_ns();
  if (now - looked_ns_ < kLookEvery_ns) return false;
  looked_ns_ = now;
  const Times changed = times();
  return std::exchange(seen_, changed) != changed;
}

std::string Shader::reload() {
  try {
    glDeleteProgram(std::exchange(program_, link(files_, define_)));
    return {};
  } catch (const Error& error) {
    return std::string(error.what()) + "; the last valid shader is used";
  }
}

void Shader::use() const { glUseProgram(program_); }
int Shader::uniform(const char* name) const { return glGetUniformLocation(program_, name); }

}  // namespace echoloop
