// A source that has been opened, with the facts about it. Plain values.
#pragma once

#include <memory>
#include <string>

#include "core/acquisition_facts.h"
#include "gui/state/ui_state.h"
#include "source/source.h"

namespace echoloop {

struct OpenedSource {
  std::string name;  // as the user named it
  std::shared_ptr<Source> source;
  Facts facts;  // that it was opened with
  SourceInfo info;
};

}  // namespace echoloop
