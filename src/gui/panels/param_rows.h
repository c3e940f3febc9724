// Any row of the parameter table as a control of a panel: a slider, segments, or a list. UI thread only.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "core/param_table.h"
#include "gui/panels/panels.h"

namespace echoloop {

ParamContext param_context(const PanelContext& c);

// One parameter. True when the value has changed.
bool param_row(PanelContext& c, Column& column, const ParamSpec& spec);
bool param_row(PanelContext& c, Column& column, std::string_view key);
// A number with another control than its row's, where the range depends on the recording.
bool number_row(PanelContext& c, Column& column, const ParamSpec& spec, const ParamControl& control);
// An enumeration, `note` behind the chosen value.
bool choice_row(PanelContext& c, Column& column, const ParamSpec& spec, std::string_view note = {});
// An enumeration as segments over the whole width, without a label.
bool mode_row(PanelContext& c, Column& column, const ParamSpec& spec);

// Why a control of a source's values has no effect while there is no source.
inline constexpr std::string_view kNoAcquisition = "Known once a source is open.";

// The speed of sound with the button of its search, and the search below it. True when the value has changed.
bool sound_speed_row(PanelContext& c, Column& column);

// Two rows of the table as one slider with two thumbs.
bool interval_row(PanelContext& c, Column& column, SliderLook look, std::string_view low_key, std::string_view high_key,
                  double least_width);

// A parameter whose control is the panel's own; `draw` null: the control of another parameter includes this one.
struct OwnRow {
  std::string_view key;
  bool (*draw)(PanelContext&, Column&);
};

enum class MoreRows { hidden, shown };

// All parameters of `parts` that are shown now, in the order of the table. True when a value has changed.
bool param_rows(PanelContext& c, Column& column, std::initializer_list<ParamPart> parts, MoreRows more,
                std::span<const OwnRow> own);

}  // namespace echoloop
