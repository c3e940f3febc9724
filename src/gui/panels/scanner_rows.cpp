#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>
#include <string>

#include "core/units.h"
#include "gui/overlay/caption.h"
#include "gui/panels/panels.h"
#include "gui/state/number_text.h"
#include "gui/state/stream_text.h"
#include "gui/toolkit/layout.h"

namespace echoloop {
namespace {

constexpr std::string_view kNone = "—";
constexpr double kSecondsPerNanosecond = 1e-9;

double seconds_since(std::int64_t since_ns) {
  return since_ns == 0 ? 0.0
                       : static_cast<double>(std::max<std::int64_t>(now_ns() - since_ns, 0)) * kSecondsPerNanosecond;
}

std::string state_text(const LiveStatus& s) {
  const std::string time = elapsed_text(seconds_since(s.since_ns));
  switch (s.link) {
    case LiveLink::connected:
      return s.sender + ", " + time;
    case LiveLink::gone:
      return no_sender_text(s, now_ns());
    case LiveLink::waiting:
      break;
  }
  return "Waiting for a sender, " + time;
}

std::string age_text(const LiveStatus& s) {
  if (s.newest_ns == 0) return std::string(kNone);
  const double seconds = seconds_since(s.newest_ns);
  return seconds < 1.0 ? fixed(seconds * 1e3, 1) + " ms" : elapsed_text(seconds);
}

// Returns "host, −12.3 ± 0.2 ms" for the clock of another machine.
std::string clock_text(const LiveStatus& s) {
  if (s.clock_within_ns == 0 || s.clock != "host") return s.clock;
  return fmt::format("{}, {} ± {} ms", s.clock, signed_fixed(static_cast<double>(s.clock_offset_ns) * 1e-6, 2),
                     fixed(static_cast<double>(s.clock_within_ns) * 1e-6, 2));
}

constexpr std::string_view kTcp = "live:tcp:";

// Removes characters that are invalid in a name.
std::string name_of(std::string text) {
  std::erase_if(text, [](char k) { return std::isalnum(static_cast<unsigned char>(k)) == 0 && k != '-' && k != '_'; });
  return text;
}

// Draws the address to wait at: a name on this machine, or a port. The network needs a confirmation first.
void place_rows(PanelContext& c, Column& column, const LiveStatus& s) {
  Ui& ui = c.ui;
  const bool network = s.address.starts_with(kTcp);
  if (!network) {
    const Rect r = ui.labelled(column, "Name", true);
    const std::string name = s.address.substr(s.address.find(':') + 1);
    if (ui.is_editing("scanner_name")) {
      const std::optional<std::string> typed = ui.edit_field(r);
      const std::string other = typed.has_value() ? name_of(*typed) : std::string();
      if (!other.empty() && other != name) c.commands.send(command::OpenScanner{"live:" + other});
    } else if (ui.button("scanner_name", r, {.label = name},
                         {"Name", "Of the address on this machine: several viewers have different names.",
                          why_no_files(c.model)})) {
      ui.start_editing("scanner_name", name);
    }
  }
  constexpr std::array<Choice, 2> kAccess{{{"Local"}, {"Network"}}};
  const auto picked = ui.segmented("scanner_access", ui.labelled(column, "Access", true), kAccess, network ? 1 : 0,
                                   {"Access", s.reach, why_no_files(c.model)});
  if (picked == 1 && !network) ui.open_popup(kNetworkPanel);
  if (picked == 0 && network) c.commands.send(command::OpenScanner{std::string(kScannerAddress)});
}

// Draws the access of senders on the network.
void network_rows(PanelContext& c, Column& column, const LiveStatus& s) {
  if (!s.address.starts_with(kTcp)) return;
  fact_row(c.ui, column, "scanner/port", "Port", s.address.substr(s.address.rfind(':') + 1), "TCP port.");
  if (s.reach.find("token") != std::string::npos) {
    fact_row(c.ui, column, "scanner/token", "Token file", c.model.opening.scanner_token,
             "Token file; senders must present its contents.");
  }
  const float wrap = column.x1 - column.x0, line = c.ui.px(16);
  const Rect r = c.ui.row(column, c.ui.paragraph_height(Type::small, wrap, line, s.reach) / c.ui.px(1), 2);
  c.ui.paragraph(Type::small, r.x0, r.y0, wrap, line, theme::kMuted, s.reach);
}

// Draws the actions on the sender.
void action_rows(PanelContext& c, Column& column, const LiveStatus& s) {
  Ui& ui = c.ui;
  const bool connection = s.link == LiveLink::connected || !s.accepting;
  if (!connection && s.description == nullptr) return;
  const Rect r = ui.row(column, theme::kRow, 2);
  const bool both = connection && s.description != nullptr;
  const float half = std::round(0.5F * (r.width() - ui.px(8)));
  const Rect left = both ? Rect{r.x0, r.y0, r.x0 + half, r.y1} : r,
             right = both ? Rect{r.x1 - half, r.y0, r.x1, r.y1} : r;
  if (connection) {
    const std::string_view label = s.accepting ? "Disconnect" : "Accept senders";
    if (ui.button("scanner_accept", left, {.label = label},
                  {label,
                   s.accepting ? "Ends the connection. New senders are rejected until you press Accept."
                               : "Accept the next sender.",
                   {}})) {
      c.commands.send(command::Sender{s.accepting ? SenderCommand::disconnect : SenderCommand::accept});
    }
  }
  if (s.description != nullptr && ui.button("scanner_description", right, {.label = "Description…"},
                                            {"Description", "The description of the frames, as received.", {}})) {
    ui.open_popup(kDescriptionPanel);
  }
}

}  // namespace

std::string phantom_command(const Model& model) {
  return "echoloop send sim:heart --to " + sender_address(model.scanner->address, model.opening.host);
}

void phantom_button(PanelContext& c, const char* id, const Rect& r) {
  const bool sends = c.model.opening.sends_phantom;
  const std::string_view label = sends ? "Stop the heart phantom" : "Send the heart phantom";
  if (c.ui.button(id, r, {.label = label},
                  {label,
                   sends ? "Ends the sender that was started here."
                         : "Starts a sender of this program, which ends with the window: " + phantom_command(c.model),
                   why_no_files(c.model)})) {
    c.commands.send(command::Sender{SenderCommand::phantom});
  }
}

void scanner_rows(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  if (!c.model.scanner.has_value()) return;
  const LiveStatus& s = *c.model.scanner;
  place_rows(c, column, s);
  const Rect r = ui.labelled(column, "Address", true);
  const float button = ui.px(56);
  const std::string named = sender_address(s.address, c.model.opening.host);
  Rect address{r.x0, r.y0, r.x1 - button - ui.px(8), r.y1};
  if (ui.width(Type::body, named) > address.width())  // narrow column: directly after the label
    address.x0 = std::min(address.x0, column.x0 + ui.width(Type::body, "Address") + ui.px(8));
  ui.text_fitted(Type::body, address.x0, address.x1, address.y0, address.height(), theme::kText, named);
  if (ui.button("scanner_copy", {r.x1 - button, r.y0, r.x1, r.y1}, {.label = "Copy"},
                {"Copy", "Copies to the clipboard: " + named, {}})) {
    ImGui::SetClipboardText(named.c_str());
  }
  const Rect state = ui.row(column, 20, 0);
  ui.disc(state.x0 + ui.px(4), state.cy(), 4, s.link == LiveLink::connected ? theme::kAccent : theme::kMuted);
  ui.text_fitted(Type::body, state.x0 + ui.px(16), state.x1, state.y0, state.height(), theme::kText, state_text(s));
  ui.hit("scanner_state", state, {"Sender", s.reach, {}});
  if (s.link == LiveLink::gone) {
    const Rect last = ui.row(column, 18, 0);
    ui.text_fitted(Type::small, last.x0 + ui.px(16), last.x1, last.y0, last.height(), theme::kMuted,
                   "Last sender: " + s.sender);
  }
  network_rows(c, column, s);
  action_rows(c, column, s);
  const bool has_page = c.model.source.acquisition == nullptr;  // which has such a button
  if (c.model.opening.sends_phantom || (s.link != LiveLink::connected && !has_page)) {
    phantom_button(c, "scanner_phantom", ui.row(column, theme::kRow, 2));
  }
  if (s.last_refusal.empty()) return;
  const Rect refused = ui.row(column, 20, 0);
  ui.text_fitted(Type::small, refused.x0 + ui.px(16), refused.x1, refused.y0, refused.height(), theme::kRed,
                 "Description refused");
  ui.hit("scanner_refused", refused, {"Description refused", s.last_refusal, {}});
}

void sender_rows(PanelContext& c, Column& column) {
  if (!c.model.scanner.has_value()) return;
  const LiveStatus& s = *c.model.scanner;
  const RingCounts& n = c.model.numbers.counts;
  const auto or_none = [](const std::string& text) { return text.empty() ? std::string(kNone) : text; };
  const bool gone = s.link == LiveLink::gone;
  const std::string sender = gone        ? "none since " + elapsed_text(seconds_since(s.since_ns))
                             : s.pid > 0 ? fmt::format("{}, pid {}", s.sender, s.pid)
                                         : s.sender;
  fact_row(c.ui, column, "sender/name", "Sender", or_none(sender), "The program beside the scanner.");
  fact_row(c.ui, column, "sender/transport", "Transport", or_none(s.transport),
           "Shared memory: samples are not copied. TCP: copied once.");
  fact_row(c.ui, column, "sender/blocks", "Blocks",
           s.blocks == 0 ? std::string(kNone)
                         : fmt::format("{} x {} MB", s.blocks, fixed(static_cast<double>(s.block_bytes) * 1e-6, 1)),
           "Memory for frames that the sender fills ahead of the stream.");
  fact_row(c.ui, column, "sender/clock", "Clock", or_none(clock_text(s)),
           "Clock of persistence and strips: of the device, of the host, or the time of arrival.");
  fact_row(c.ui, column, "sender/age", "Age of newest frame", age_text(s),
           "Time since the sender finished the newest frame, on the sender's clock.");
  fact_row(c.ui, column, "sender/lost", "Lost at sender", grouped(n.lost_at_sender),
           "Frames that the sender reports as lost.");
  fact_row(c.ui, column, "sender/missing", "Missing", grouped(n.missing()),
           "Frames that neither the sender nor the viewer can account for.");
  fact_row(c.ui, column, "sender/stale", "Stale", grouped(n.stale), "Frames made with an earlier description.");
  fact_row(c.ui, column, "sender/faults", "Invalid messages", grouped(s.faults),
           "Messages and frame words of the sender that were skipped.");
  if (s.checked.frames == 0) return;
  for (std::size_t i = 0; i < kSampleFaults; ++i) {
    const auto fault = static_cast<SampleFault>(i);
    const bool none = s.checked.of(fault).samples == 0;
    if (fault == SampleFault::invalid && none) continue;  // integers cannot be invalid
    const SampleFaultRow& row = kSampleFaultRows[i];
    fact_row(c.ui, column, fmt::format("sender/{}", row.key).c_str(), fault_title(fault) + " samples",
             none ? std::string("0") : fault_share_text(s.checked, fault),
             fmt::format("{} {} of {} frames checked.", row.help, grouped(s.checked.frames), grouped(s.frames)));
  }
}

}  // namespace echoloop
