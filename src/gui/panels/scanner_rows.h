// Rows about the scanner that is connected, waited for or gone. UI thread only.
#pragma once

#include "gui/panels/panels.h"

namespace echoloop {

inline constexpr std::string_view kScannerAddress = "live:default";  // that the Source panel offers
inline constexpr std::uint16_t kLivePort = 18483;                    // likewise, on the network
inline constexpr const char* kDescriptionPanel = "scanner_description";
inline constexpr const char* kNetworkPanel = "scanner_network";

// In the Source panel: the address that is waited at, who is connected. None without a scanner.
void scanner_rows(PanelContext& c, Column& column);

std::string phantom_command(const UiState& state);
// Starts a sender of the heart phantom, or ends it.
void phantom_button(PanelContext& c, const char* id, const Rect& r);

// In the Stream panel: sender, transport, blocks, clock, age of the newest frame, losses. None without a scanner.
void sender_rows(PanelContext& c, Column& column);

}  // namespace echoloop
