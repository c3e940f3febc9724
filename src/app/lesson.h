// Lessons: JSON files of steps, each with a text, a situation, a wanted state and checks on settings and measurements.
// The window shows them step by step; without one the answers of a student are run and marked. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/frame_ring.h"
#include "core/params.h"
#include "core/results/analysis_images.h"
#include "core/stream_settings.h"
#include "core/timing_trace.h"

namespace echoloop {

// Settings that a step changes: keys of a session's "stream", and parameters as KEY=VALUE.
struct LessonState {
  nlohmann::json stream = nlohmann::json::object();
  std::vector<std::string> settings;

  // Apply it. Throw Error for unknown keys and values outside their ranges.
  [[nodiscard]] StreamSettings applied(const StreamSettings& before) const;
  [[nodiscard]] ImagingParams applied(const ImagingParams& before) const;
};

// Condition on a value of lesson_values() or a parameter.
struct LessonCheck {
  enum class How { above, below, is };
  std::string value;
  How how = How::above;
  double number = 0.0;
  std::string word;  // of `is`, for a choice; empty: the number
};

struct LessonStep {
  std::string name;  // key of its answer
  std::string title, text, hint;
  LessonState given;   // situation, after the lesson's own start
  LessonState device;  // after it, where copies are real: a GPU
  LessonState wanted;  // a solution
  std::vector<LessonCheck> checks;
  std::uint64_t frames = 60;  // of a run that marks it
};

struct Lesson {
  std::string title;
  std::string source;  // phantom
  LessonState start;
  std::vector<LessonStep> steps;
};

// Returns the situation of a step.
enum class LessonDevice { cpu, gpu };
std::vector<const LessonState*> situation(const Lesson& lesson, const LessonStep& step, LessonDevice device);

// Returns true for a JSON file marked as a lesson; throws nothing.
bool is_lesson_file(const std::filesystem::path& file);
// Throws Error in one line.
Lesson read_lesson(const std::filesystem::path& file);
// Returns the answers by the name of the step. Throws Error for steps that the lesson does not have.
std::map<std::string, LessonState> read_answers(const std::filesystem::path& file, const Lesson& lesson);

// State and measurements of a stream; counts since the step began.
struct LessonFacts {
  StreamSettings stream;
  ImagingParams params;
  StreamTiming timing;
  RingCounts counts;
  double waited_share = 0.0;             // of the time, by the source, for a free slot
  std::size_t frame_bytes = 0;           // copied for each frame
  double torn_share = 0.0;               // of the last image
  const ObjectImage* objects = nullptr;  // null: none
  const FlowImage* flow = nullptr;       // null: none
};

struct LessonVerdict {
  std::string check;  // "overlap above 60 %"
  std::string found;  // "97.2 %"; "not known yet"
  bool held = false;
};

// Value that a check may name, beside every parameter.
struct LessonValue {
  std::string_view name, label, unit;
  int decimals = 0;
  std::optional<double> (*of)(const LessonFacts&);  // nullopt: not known yet
};
std::span<const LessonValue> lesson_values();

std::vector<LessonVerdict> judge(const LessonStep& step, const LessonFacts& facts);

}  // namespace echoloop
