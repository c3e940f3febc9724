// Any command of the window as one value, for the program that executes the queue. A variant of so many types is slow
// to compile: panels, which only send commands, do not include it.
#pragma once

#include <variant>
#include <vector>

#include "gui/state/window_commands.h"

namespace echoloop {

struct AnyCommand
    : std::variant<command::ParamsChanged, command::StreamChanged, command::CineChanged, command::FactsChanged,
                   command::OpenPhantom, command::OpenFile, command::OpenMethod, command::AnswerMethod,
                   command::OpenLesson, command::StartLesson, command::LessonStep, command::OpenScanner,
                   command::OpenNetworkScanner, command::OpenManual, command::Import, command::Doubts, command::Sender,
                   command::AnswerSandbox, command::Cancel, command::ToggleFreeze, command::CompareWith,
                   command::SwapRecordings, command::Save, command::SaveTable, command::SaveTimings,
                   command::TurnOutput, command::ToggleRecord, command::Preset, command::Say, command::Hint,
                   command::AutoReference, command::SoundSpeed, command::ResetLatencies, command::Restart,
                   command::UseCpu, command::Reset, command::UndoReset, command::DismissMessage> {
  using variant::variant;
};

// Overload set with one function per command, for std::visit.
template <class... Act>
struct Acts : Act... {
  using Act::operator()...;
};

// Returns name and cause of the command, and whether it writes or opens files with what it holds.
[[nodiscard]] CommandInfo info_of(const AnyCommand& command);

}  // namespace echoloop
