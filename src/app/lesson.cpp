#include "app/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/options/folders.h"
#include "app/session_file.h"
#include "core/error.h"
#include "core/own_method.h"
#include "core/param_table.h"
#include "gui/state/number_text.h"

namespace echoloop {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kMark = "echoloop_lesson";  // first key of the file: its version
constexpr const char* kAccepted = "a lesson of Echoloop (manual, page Lessons)";
constexpr std::size_t kMostLesson_mb = 1;
constexpr std::array<std::string_view, 3> kHows = {"above", "below", "is"};

json parse_file(const fs::path& file, const char* accepted) {
  const json parsed = json::parse(read_small_file(file, kMostLesson_mb, accepted), nullptr, false);
  if (!parsed.is_object()) throw Error(file.string(), "not a JSON object", accepted);
  return parsed;
}

// One object of the file. Every error names file and place.
class LessonPart {
 public:
  LessonPart(std::string place, const json& object, std::initializer_list<std::string_view> keys)
      : place_(std::move(place)), object_(object) {
    if (!object.is_object()) throw Error(place_, "not an object", kAccepted);
    std::string known;
    for (const std::string_view key : keys) known += (known.empty() ? "" : ", ") + std::string(key);
    for (const auto& [key, value] : object.items())
      if (std::ranges::find(keys, key) == keys.end()) throw Error(place_, "unknown key '" + key + "'", known);
  }
  [[nodiscard]] std::string text(const char* key) const {
    if (!object_.contains(key)) return {};
    if (!object_[key].is_string()) throw Error(place_ + ", " + key, "not a text", "a text in quotes");
    return object_[key].get<std::string>();
  }
  [[nodiscard]] std::string required(const char* key) const {
    const std::string found = text(key);
    if (found.empty()) throw Error(place_, std::string("no ") + key, kAccepted);
    return found;
  }
  [[nodiscard]] const json* part(const char* key) const { return object_.contains(key) ? &object_[key] : nullptr; }
  [[nodiscard]] const std::string& place() const { return place_; }

 private:
  std::string place_;
  const json& object_;
};

LessonState state_of(const std::string& place, const json& object) {
  const LessonPart part(place, object, {"stream", "parameters"});
  LessonState state;
  if (const json* stream = part.part("stream")) state.stream = *stream;
  if (const json* params = part.part("parameters")) state.settings = settings_from(place, *params);
  try {
    static_cast<void>(state.applied(StreamSettings()));
  } catch (const Error& error) {
    throw Error::from_line(place + ": " + error.what());
  }
  return state;
}

LessonState state_of(const LessonPart& part, const char* key) {
  const json* object = part.part(key);
  return object != nullptr ? state_of(part.place() + ", " + key, *object) : LessonState();
}

const LessonValue* find_value(std::string_view name) {
  const auto at = std::ranges::find(lesson_values(), name, &LessonValue::name);
  return at == lesson_values().end() ? nullptr : &*at;
}

const ParamSpec* find_param(std::string_view key) {
  const auto at = std::ranges::find(param_table(), key, &ParamSpec::key);
  return at == param_table().end() ? nullptr : &*at;
}

// Setting of the stream with words.
struct WordValue {
  std::string_view name, label;
  std::span<const std::string_view> words;
  std::size_t (*of)(const StreamSettings&);
};
constexpr auto kWordValues = std::to_array<WordValue>({
    {"policy", "policy", kPolicyNames, [](const StreamSettings& s) { return static_cast<std::size_t>(s.policy); }},
    {"streams", "streams", kStreamModeNames,
     [](const StreamSettings& s) { return static_cast<std::size_t>(s.streams); }},
    {"host_memory", "memory", kHostMemoryNames,
     [](const StreamSettings& s) { return static_cast<std::size_t>(s.host_memory); }},
});

const WordValue* find_words(std::string_view name) {
  const auto at = std::ranges::find(kWordValues, name, &WordValue::name);
  return at == kWordValues.end() ? nullptr : &*at;
}

bool is_own_parameter(std::string_view name) { return name.starts_with("own."); }

LessonCheck check_of(const std::string& place, const json& object) {
  const LessonPart part(place, object, {"value", "above", "below", "is"});
  LessonCheck check{.value = part.required("value"), .word = {}};
  const ParamSpec* const param = find_param(check.value);
  const WordValue* const words = find_words(check.value);
  if (words == nullptr && find_value(check.value) == nullptr && param == nullptr && !is_own_parameter(check.value)) {
    std::string known = "policy, streams, host_memory";
    for (const LessonValue& value : lesson_values()) known += ", " + std::string(value.name);
    throw Error(place, "unknown value '" + check.value + "'", known + ", or a parameter");
  }
  int hows = 0;
  for (std::size_t i = 0; i < kHows.size(); ++i) {
    const json* const limit = part.part(kHows.at(i).data());
    if (limit == nullptr) continue;
    ++hows;
    check.how = static_cast<LessonCheck::How>(i);
    if (limit->is_number())
      check.number = limit->get<double>();
    else if (limit->is_string() && check.how == LessonCheck::How::is)
      check.word = limit->get<std::string>();
    else
      throw Error(place, std::string(kHows.at(i)) + " is " + limit->dump(), "a number, or a word for is");
  }
  if (hows != 1) throw Error(place, fmt::format("{} conditions", hows), "one of above, below and is");
  if (words != nullptr && std::ranges::find(words->words, check.word) == words->words.end())
    throw Error(place, check.value + " is '" + check.word + "'", "a value of the option in --help");
  return check;
}

LessonStep step_of(const std::string& place, const json& object) {
  const LessonPart part(place, object,
                        {"name", "title", "text", "hint", "given", "given_gpu", "wanted", "checks", "frames"});
  LessonStep step{.name = part.required("name"),
                  .title = part.required("title"),
                  .text = part.required("text"),
                  .hint = part.text("hint"),
                  .given = state_of(part, "given"),
                  .device = state_of(part, "given_gpu"),
                  .wanted = state_of(part, "wanted"),
                  .checks = {}};
  const json* const checks = part.part("checks");
  if (checks == nullptr || !checks->is_array() || checks->empty()) throw Error(place, "no checks", kAccepted);
  for (std::size_t i = 0; i < checks->size(); ++i)
    step.checks.push_back(check_of(fmt::format("{}, check {}", place, i + 1), (*checks)[i]));
  if (const json* frames = part.part("frames")) {
    constexpr std::uint64_t kMost = 10'000;
    if (!frames->is_number_unsigned() || frames->get<std::uint64_t>() < 2 || frames->get<std::uint64_t>() > kMost)
      throw Error(place + ", frames", frames->dump(), "a whole number, 2 to 10000");
    step.frames = frames->get<std::uint64_t>();
  }
  return step;
}

std::optional<double> known(const LessonFacts& f, double value) {
  return f.timing.frames > 0 ? std::optional(value) : std::nullopt;
}

// Returns the part of the shorter of copy and processing that the longer one hides, in percent.
std::optional<double> overlap_percent(const LessonFacts& f) {
  const double shorter = std::min(f.timing.t_t_ms, f.timing.t_p_ms);
  if (f.timing.frames == 0 || !(shorter > 0.0)) return std::nullopt;
  return 100.0 * std::clamp((f.timing.serial_ms() - f.timing.period_ms) / shorter, 0.0, 1.0);
}

// Returns the median magnitude of the velocities that are shown, in mm/s.
std::optional<double> flow_speed(const LessonFacts& f) {
  if (f.flow == nullptr || f.flow->velocity_m_s.empty()) return std::nullopt;
  std::vector<float> speeds;
  for (std::size_t i = 0; i < f.flow->velocity_m_s.size(); ++i)
    if (static_cast<double>(f.flow->power_db[i]) >= f.params.color_flow.threshold_db)
      speeds.push_back(std::abs(f.flow->velocity_m_s[i]));
  if (speeds.empty()) return std::nullopt;
  const auto middle = speeds.begin() + static_cast<std::ptrdiff_t>(speeds.size() / 2);
  std::nth_element(speeds.begin(), middle, speeds.end());
  return 1e3 * static_cast<double>(*middle);
}

using FactsRef = const LessonFacts&;
using MaybeValue = std::optional<double>;

constexpr auto kValues = std::to_array<LessonValue>({
    {"t_t_ms", "copy", "ms", 3, [](FactsRef f) -> MaybeValue { return known(f, f.timing.t_t_ms); }},
    {"t_p_ms", "processing", "ms", 3, [](FactsRef f) -> MaybeValue { return known(f, f.timing.t_p_ms); }},
    {"period_ms", "period", "ms", 3, [](FactsRef f) -> MaybeValue { return known(f, f.timing.period_ms); }},
    {"frames_per_s", "rate", "frames/s", 1,
     [](FactsRef f) -> MaybeValue {
       return f.timing.period_ms > 0.0 ? known(f, 1e3 / f.timing.period_ms) : std::nullopt;
     }},
    {"overlap_percent", "overlap", "%", 1, overlap_percent},
    {"copy_gb_per_s", "copy rate", "GB/s", 3,
     [](FactsRef f) -> MaybeValue {
       return f.timing.t_t_ms > 0.0 ? known(f, static_cast<double>(f.frame_bytes) * 1e-6 / f.timing.t_t_ms)
                                    : std::nullopt;
     }},
    {"processed", "processed", "frames", 0,
     [](FactsRef f) -> MaybeValue { return static_cast<double>(f.counts.processed); }},
    {"dropped", "dropped", "frames", 0, [](FactsRef f) -> MaybeValue { return static_cast<double>(f.counts.dropped); }},
    {"refused", "refused", "frames", 0, [](FactsRef f) -> MaybeValue { return static_cast<double>(f.counts.refused); }},
    {"waited_percent", "source blocked", "%", 1, [](FactsRef f) -> MaybeValue { return 100.0 * f.waited_share; }},
    {"slots", "slots", "", 0, [](FactsRef f) -> MaybeValue { return f.stream.slots; }},
    {"slots_peak", "slots used", "", 0, [](FactsRef f) -> MaybeValue { return f.counts.slots_peak; }},
    {"lanes", "lanes", "", 0, [](FactsRef f) -> MaybeValue { return f.stream.lanes; }},
    {"chunks", "chunks", "", 0, [](FactsRef f) -> MaybeValue { return f.stream.copy.chunks; }},
    {"torn_percent", "torn samples", "%", 1, [](FactsRef f) -> MaybeValue { return 100.0 * f.torn_share; }},
    {"objects", "objects", "", 0,
     [](FactsRef f) -> MaybeValue {
       return f.objects != nullptr ? MaybeValue(static_cast<double>(f.objects->objects.size())) : std::nullopt;
     }},
    {"background_sigma_db", "background sigma", "dB", 2,
     [](FactsRef f) -> MaybeValue {
       return f.objects != nullptr ? MaybeValue(f.objects->smoothed.sigma_db) : std::nullopt;
     }},
    {"clipping_rounds", "clipping rounds", "", 0,
     [](FactsRef f)
         -> MaybeValue { return f.objects != nullptr ? MaybeValue(f.objects->background.rounds) : std::nullopt; }},
    {"first_component", "first component", "", 0,
     [](FactsRef f) -> MaybeValue { return f.flow != nullptr ? MaybeValue(f.flow->components.first) : std::nullopt; }},
    {"last_component", "last component", "", 0,
     [](FactsRef f) -> MaybeValue { return f.flow != nullptr ? MaybeValue(f.flow->components.last) : std::nullopt; }},
    {"flow_speed_mm_s", "flow speed", "mm/s", 2, flow_speed},
});

std::string number_words(double value, int decimals, std::string_view unit) {
  return fixed(value, decimals) + (unit.empty() ? "" : " ") + std::string(unit);
}

// Value of a check: a number or a word.
struct Found {
  std::string label, unit;
  int decimals = 0;
  std::optional<double> number;
  std::string word;
};

Found find(const LessonCheck& check, const LessonFacts& facts) {
  if (const WordValue* words = find_words(check.value))
    return {.label = std::string(words->label),
            .unit = {},
            .number = {},
            .word = std::string(words->words[words->of(facts.stream)])};
  if (const LessonValue* value = find_value(check.value))
    return {std::string(value->label), std::string(value->unit), value->decimals, value->of(facts), {}};
  if (is_own_parameter(check.value)) {
    Found own{.label = check.value, .unit = {}, .decimals = 2, .number = {}, .word = {}};
    const FormationParams& f = facts.params.formation;
    for (std::size_t k = 0; f.own != nullptr && k < f.own->parameters.size(); ++k)
      if (check.value == "own." + f.own->parameters[k].name) own.number = f.own_values.at(k);
    return own;
  }
  const ParamSpec& spec = *find_param(check.value);
  Found found{.label = std::string(spec.key), .unit = {}, .number = {}, .word = {}};
  if (!spec.choices.empty()) {
    found.word = get_choice(facts.params, spec).name;
  } else {
    constexpr int kDecimals = 6;
    found.number = get_number(facts.params, spec);
    found.decimals = *found.number == std::floor(*found.number) ? 0 : kDecimals;
  }
  return found;
}

}  // namespace

std::span<const LessonValue> lesson_values() { return kValues; }

StreamSettings LessonState::applied(const StreamSettings& before) const { return patched_stream(before, stream); }

ImagingParams LessonState::applied(const ImagingParams& before) const {
  ImagingParams params = before;
  for (const std::string& setting : settings) set_from_text(params, setting);
  return params;
}

std::vector<const LessonState*> situation(const Lesson& lesson, const LessonStep& step, LessonDevice device) {
  std::vector<const LessonState*> parts = {&lesson.start, &step.given};
  if (device == LessonDevice::gpu) parts.push_back(&step.device);
  return parts;
}

bool is_lesson_file(const fs::path& file) {
  std::error_code error;
  if (file.extension() != ".json" || !fs::is_regular_file(file, error)) return false;
  try {
    return parse_file(file, kAccepted).contains(kMark);
  } catch (const std::exception&) {
    return false;
  }
}

Lesson read_lesson(const fs::path& file) {
  const json whole = parse_file(file, kAccepted);
  const LessonPart part(file.string(), whole, {kMark, "title", "source", "start", "steps"});
  if (whole.value(kMark, json()) != 1) throw Error(file.string(), "no \"echoloop_lesson\": 1", kAccepted);
  Lesson lesson{.title = part.required("title"),
                .source = part.required("source"),
                .start = state_of(part, "start"),
                .steps = {}};
  const json* const steps = part.part("steps");
  if (steps == nullptr || !steps->is_array() || steps->empty()) throw Error(file.string(), "no steps", kAccepted);
  for (std::size_t i = 0; i < steps->size(); ++i) {
    LessonStep step = step_of(fmt::format("{}, step {}", file.string(), i + 1), (*steps)[i]);
    if (std::ranges::find(lesson.steps, step.name, &LessonStep::name) != lesson.steps.end())
      throw Error(file.string(), "two steps '" + step.name + "'", "a name for each step");
    lesson.steps.push_back(std::move(step));
  }
  return lesson;
}

std::map<std::string, LessonState> read_answers(const fs::path& file, const Lesson& lesson) {
  constexpr const char* kForm = "{\"answers\": {\"NAME OF A STEP\": {\"stream\": {...}, \"parameters\": {...}}}}";
  const json whole = parse_file(file, kForm);
  if (whole.size() != 1 || !whole.contains("answers") || !whole["answers"].is_object())
    throw Error(file.string(), "no object answers", kForm);
  std::map<std::string, LessonState> answers;
  for (const auto& [name, state] : whole["answers"].items()) {
    if (std::ranges::find(lesson.steps, name, &LessonStep::name) == lesson.steps.end()) {
      std::string names;
      for (const LessonStep& step : lesson.steps) names += (names.empty() ? "" : ", ") + step.name;
      throw Error(file.string(), "unknown step '" + name + "'", names);
    }
    answers[name] = state_of(file.string() + ", " + name, state);
  }
  return answers;
}

std::vector<LessonVerdict> judge(const LessonStep& step, const LessonFacts& facts) {
  std::vector<LessonVerdict> verdicts;
  for (const LessonCheck& check : step.checks) {
    const Found found = find(check, facts);
    const bool word = !check.word.empty();
    LessonVerdict verdict{
        .check = fmt::format(
            "{} {} {}", found.label, kHows.at(static_cast<std::size_t>(check.how)),
            word ? check.word : fmt::format("{:g}{}{}", check.number, found.unit.empty() ? "" : " ", found.unit)),
        .found = found.number         ? number_words(*found.number, found.decimals, found.unit)
                 : found.word.empty() ? "not known yet"
                                      : found.word};
    switch (check.how) {
      case LessonCheck::How::above:
        verdict.held = found.number && *found.number > check.number;
        break;
      case LessonCheck::How::below:
        verdict.held = found.number && *found.number < check.number;
        break;
      case LessonCheck::How::is:
        verdict.held = word ? found.word == check.word : found.number == check.number;
        break;
    }
    verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

}  // namespace echoloop
