#include "app/outputs/tap.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/outputs/screen_image.h"
#include "core/error.h"
#include "formats/live_description.h"
#include "history/export.h"
#include "source/live/live_protocol.h"
#include "version.h"

namespace echoloop {
namespace {

using nlohmann::json;

// Kinds of messages beside those of LiveKind.
constexpr std::uint32_t kNext = 14;
constexpr std::uint16_t kMajor = 1, kMinor = 0;
constexpr std::size_t kMostConnections = 2 * Tap::kMostReaders;

std::string kind_list() {
  std::string list;
  for (std::size_t k = 0; k < kTapKinds.size(); ++k)
    list += (k == 0 ? "" : k + 1 == kTapKinds.size() ? " or " : ", ") + std::string(kTapKinds[k]);
  return list;
}

void copy_floats(std::byte*& place, std::span<const float> values, std::size_t count) {
  if (values.size() == count)
    std::memcpy(place, values.data(), count * sizeof(float));
  else
    std::fill_n(reinterpret_cast<float*>(place), count, std::numeric_limits<float>::quiet_NaN());
  place += count * sizeof(float);
}

}  // namespace

// Newest image for readers of `screen`, which is painted when one asks.
struct Tap::Screen {
  TapProduct product = {};
  Image image = {};
  std::vector<float> levels = {};
  std::shared_ptr<const FlowImage> flow = {};
};

Tap::Tap(const std::string& name, Blocking blocking)
    : name_(name),
      blocking_(blocking),
      listener_(local_address("--tap", name, "tap")),
      screens_{.newest = std::make_unique<Screen>()},
      painted_(std::make_unique<Screen>()),
      painter_(std::make_unique<ScreenPainter>()),
      thread_([this] { serve(); }) {}

Tap::~Tap() {
  end_waits();
  ended_ = true;
  wait_.wake();
  thread_.join();
}

std::vector<TapReaderCounts> Tap::readers() const {
  const std::scoped_lock lock(mutex_);
  std::vector<TapReaderCounts> list;
  for (const ReaderPtr& r : readers_)
    if (r->greeted) list.push_back({r->name, kTapKinds[static_cast<std::size_t>(r->kind)], r->sent(), r->lost()});
  return list;
}

void Tap::wait_for_reader(const std::function<bool()>& goes_on) {
  const auto is_reader = [](const ReaderPtr& reader) { return reader->greeted; };
  std::unique_lock lock(mutex_);
  while (std::ranges::none_of(readers_, is_reader) && goes_on()) changed_.wait_for(lock, std::chrono::milliseconds(10));
}

void Tap::end_waits() {
  const std::scoped_lock lock(mutex_);
  waits_ = false;
  changed_.notify_all();
}

void Tap::deliver() {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::duration<double>(kLastWait_s), [this] {
    return !screens_.painting && std::ranges::none_of(readers_, [](const ReaderPtr& r) {
      return r->waited_for && !r->over && r->in(TapReader::State::ready) != nullptr;
    });
  });
}

void Tap::note_wanting() {
  std::array<int, kTapKinds.size()> wanting{};
  for (const ReaderPtr& reader : readers_) wanting[static_cast<std::size_t>(reader->kind)] += reader->wants() ? 1 : 0;
  for (std::size_t k = 0; k < kTapKinds.size(); ++k) wanting_[k] = wanting[k];
}

template <class Result>
TapProduct Tap::product_of(TapKind kind, const Result& result, const Grid& grid) {
  TapProduct product{.kind = kind, .stamp = result.stamp};
  product.dims = {static_cast<std::uint64_t>(grid.nz), static_cast<std::uint64_t>(grid.nx), 1};
  const std::scoped_lock lock(mutex_);
  std::shared_ptr<TapFacts>& facts = facts_[static_cast<std::size_t>(kind)];
  if (facts == nullptr || !facts->are_of(grid, result.params, result.acquisition)) {
    facts = std::make_shared<TapFacts>();
    facts->revision = ++revision_;
    facts->grid = grid;
    facts->params = result.params;
    facts->acquisition = result.acquisition;
  }
  product.facts = facts;
  product.number = made_[static_cast<std::size_t>(kind)];
  return product;
}

template <class Adapt, class Fill>
void Tap::publish(const TapProduct& product, const Adapt& adapt, const Fill& fill) {
  std::array<ReaderPtr, kMostReaders> to;
  std::size_t n = 0;
  std::unique_lock lock(mutex_);
  for (const ReaderPtr& reader : readers_)
    if (reader->greeted && reader->kind == product.kind && n < to.size()) to[n++] = reader;
  bool wakes = false;
  for (std::size_t k = 0; k < n; ++k) {
    TapReader& reader = *to[k];
    TapProduct own = product;
    if (!adapt(reader, own)) continue;
    const bool waits = reader.waited_for && product.kind != TapKind::screen;  // a screen has waited for its image
    if (waits) changed_.wait(lock, [&] { return reader.over || !waits_ || reader.has_room(); });
    TapReader::Block* const block = reader.begin(own);
    if (block == nullptr) continue;
    lock.unlock();
    fill(block->product, block->place);
    const std::string& more = block->product.more;
    if (!more.empty()) std::memcpy(block->place + block->product.array_bytes(), more.data(), more.size());
    lock.lock();
    block->state = TapReader::State::ready;
    wakes = wakes || reader.asked;
  }
  note_wanting();
  lock.unlock();
  if (wakes) wait_.wake();
}

template <class Fill>
void Tap::publish(const TapProduct& product, const Fill& fill) {
  publish(
      product, [](const TapReader&, TapProduct&) { return true; }, fill);
}

void Tap::take(const KeptPixels& pixels) {
  ++made_[static_cast<std::size_t>(TapKind::iq)];
  if (!wants(TapKind::iq)) return;
  TapProduct product = product_of(TapKind::iq, pixels.image, pixels.grid);
  product.reference_db = pixels.image.params.level.reference_db;
  product.item_bytes = sizeof(Complex);
  publish(product, [&](const TapProduct&, std::byte* place) {
    std::memcpy(place, pixels.values.data(), pixels.values.size_bytes());
  });
}

void Tap::take(const Image& image) {
  ++made_[static_cast<std::size_t>(TapKind::image)];
  ++made_[static_cast<std::size_t>(TapKind::screen)];
  note_reasons(image.params);
  if (image.host_db == nullptr) return;  // wanted since it was begun
  if (wants(TapKind::image)) {
    TapProduct product = product_of(TapKind::image, image, image.grid);
    product.reference_db = image.params.level.reference_db;
    publish(product, [&](const TapProduct&, std::byte* place) {
      std::memcpy(place, image.host_db, image.grid.pixels() * sizeof(float));
    });
  }
  keep_for_screen(image);
}

// Notes why frames with these parameters have no products of a kind.
void Tap::note_reasons(const ImagingParams& params) {
  const std::scoped_lock lock(mutex_);
  if (reasons_.params && *reasons_.params == params) return;
  reasons_.params = params;
  const auto note = [this](TapKind kind, const std::string& why) {
    reasons_.texts[static_cast<std::size_t>(kind)] = why;
  };
  note(TapKind::iq, why_no_pixels(params));
  note(TapKind::flow, params.color_flow.mode == FlowMode::off ? "flow is off" : "");
  note(TapKind::spectrum, params.doppler.gate == Gate::off ? "spectral Doppler is off" : "");
  note(TapKind::objects, params.objects.kind == ObjectKind::off ? "objects are off" : "");
  wait_.wake();
}

void Tap::keep_for_screen(const Image& image) {
  const auto of_screen = [](const ReaderPtr& r) { return r->greeted && !r->over && r->kind == TapKind::screen; };
  std::unique_lock lock(mutex_);
  if (std::ranges::any_of(readers_, [&](const ReaderPtr& r) { return of_screen(r) && r->waited_for; }))
    changed_.wait(lock, [&] {
      const auto is_ready = [&](const ReaderPtr& r) {
        return !of_screen(r) || !r->waited_for || (r->asked && r->has_room());
      };
      return !waits_ || (!screens_.painting && std::ranges::all_of(readers_, is_ready));
    });
  if (std::ranges::none_of(readers_, [&](const ReaderPtr& r) { return of_screen(r) && r->asked; })) return;
  lock.unlock();
  TapProduct product = product_of(TapKind::screen, image, image.grid);
  product.reference_db = image.params.level.reference_db;
  product.item_bytes = 1;
  lock.lock();
  Screen& screen = *screens_.newest;
  screen.product = std::move(product);
  screen.levels.assign(image.host_db, image.host_db + image.grid.pixels());
  screen.image = image;
  screen.image.storage = nullptr;
  screen.image.device_db = nullptr;
  screen.image.host_db = screen.levels.data();
  screens_.painting = true;
  lock.unlock();
  wait_.wake();
}

void Tap::take(const FlowImage& flow) {
  ++made_[static_cast<std::size_t>(TapKind::flow)];
  if (wants(TapKind::screen)) {
    auto copy = std::make_shared<const FlowImage>(flow);
    const std::scoped_lock lock(mutex_);
    screens_.flow = std::move(copy);
  }
  if (!wants(TapKind::flow)) return;
  TapProduct product = product_of(TapKind::flow, flow, flow.grid);
  product.reference_db = flow.reference_db;
  product.n_dims = 3;
  const bool low_rank = !flow.low_rank_db.empty();
  product.dims = {low_rank ? 3U : 2U, product.dims[0], product.dims[1]};
  product.more = json_text({{"prf_hz", flow.prf_hz}, {"aliasing_m_s", flow.aliasing_m_s}, {"frames", flow.frames}});
  publish(product, [&](const TapProduct&, std::byte* place) {
    copy_floats(place, flow.power_db, flow.grid.pixels());
    copy_floats(place, flow.velocity_m_s, flow.grid.pixels());
    if (low_rank) copy_floats(place, flow.low_rank_db, flow.grid.pixels());
  });
}

void Tap::take(const ObjectImage& objects) {
  ++made_[static_cast<std::size_t>(TapKind::objects)];
  if (!wants(TapKind::objects)) return;
  TapProduct product = product_of(TapKind::objects, objects, objects.grid);
  product.reference_db = objects.params.level.reference_db;
  json list = json::array();
  for (const FoundObject& o : objects.objects)
    list.push_back({{"area_m2", o.area_m2},
                    {"x_m", o.centroid.x_m},
                    {"z_m", o.centroid.z_m},
                    {"mean_db", o.mean_db},
                    {"pixels", o.pixels}});
  product.more = json_text({{"objects", list},
                            {"found", objects.found},
                            {"threshold_db", objects.threshold_db},
                            {"background_db", objects.background.median_db}});
  publish(product, [&](const TapProduct&, std::byte* place) {
    std::memcpy(place, objects.labels.data(), objects.labels.size() * sizeof(std::int32_t));
  });
}

// Gives each reader the columns that it has not got.
void Tap::take(const Spectrogram& s) {
  if (!wants(TapKind::spectrum) || s.n_bins == 0) return;
  TapProduct product = product_of(TapKind::spectrum, s, Grid{});
  product.reference_db = s.reference_db;
  const auto adapt = [&](const TapReader& reader, TapProduct& own) {
    const bool continues = reader.columns_begun == s.begun;
    const std::uint64_t first = std::max(s.first(), continues ? std::min(reader.columns_end, s.end) : s.first());
    if (first == s.end) return false;
    own.dims = {s.end - first, static_cast<std::uint64_t>(s.n_bins), 1};
    own.columns_end = s.end;
    own.columns_begun = s.begun;
    own.skipped = continues && reader.columns_end < first ? first - reader.columns_end : 0;
    json time_s = json::array();
    for (std::uint64_t k = first; k < s.end; ++k) time_s.push_back(s.time_s[Spectrogram::slot(k)]);
    own.more = json_text({{"first", first},
                          {"begun", s.begun},
                          {"time_s", time_s},
                          {"step_s", s.step_s()},
                          {"aliasing_m_s", s.aliasing_m_s},
                          {"x_m", s.centre.x_m},
                          {"z_m", s.centre.z_m}});
    return true;
  };
  publish(product, adapt, [&](const TapProduct& own, std::byte* place) {
    for (std::uint64_t k = own.columns_end - own.dims[0]; k < own.columns_end; ++k)
      copy_floats(place, s.column(k), static_cast<std::size_t>(s.n_bins));
  });
}

// Server thread: sockets, requests and answers.

void Tap::serve() {
  while (!ended_) {
    std::vector<pollfd> sockets = {{listener_.descriptor(), POLLIN, 0}};
    for (const ReaderPtr& reader : readers_)  // changed by this thread alone
      sockets.push_back({reader->stream.descriptor(),
                         static_cast<short>(reader->stream.wants_to_send() ? POLLIN | POLLOUT : POLLIN), 0});
    wait_.wait(sockets, -1);
    look();
  }
  for (const ReaderPtr& reader : readers_)
    reader->stream.send(static_cast<std::uint32_t>(LiveKind::bye), payload_of(std::string("the viewer has ended")));
}

void Tap::look() {
  accept();
  for (const ReaderPtr& reader : readers_) {
    try {
      receive(*reader);
    } catch (const BadMessage& why) {
      refuse(*reader, 5, why.what());
    }
    if (!reader->stream.flush() || reader->stream.closed()) leave(*reader);
  }
  paint();
  for (const ReaderPtr& reader : readers_)
    if (!reader->over) give(*reader);
  const std::scoped_lock lock(mutex_);
  screens_.painting = screens_.painting && screens_.newest->product.facts != nullptr;
  std::erase_if(readers_, [](const ReaderPtr& reader) { return reader->over; });
  note_wanting();
  changed_.notify_all();
}

void Tap::leave(TapReader& reader) {
  const std::scoped_lock lock(mutex_);
  reader.over = true;
}

void Tap::refuse(TapReader& reader, std::uint32_t reason, const std::string& line) {
  reader.stream.send(static_cast<std::uint32_t>(LiveKind::refused), payload_of(reason, std::uint32_t{0}, line));
  leave(reader);
}

void Tap::accept() {
  while (std::optional<LivePeer> peer = listener_.accept()) {
    if (!peer->refused.empty() || readers_.size() >= kMostConnections) continue;
    const std::scoped_lock lock(mutex_);
    readers_.push_back(std::make_shared<TapReader>(std::move(peer->socket), program_of(peer->pid)));
  }
}

void Tap::receive(TapReader& reader) {
  while (!reader.over) {
    const std::optional<StreamMessage> message = reader.stream.receive();
    if (!message) return;
    if (!reader.stream.take_samples()) throw BadMessage("a message above 65536 bytes");
    if (!reader.greeted) {
      if (message->kind != static_cast<std::uint32_t>(LiveKind::hello)) throw BadMessage("a message before HELLO");
      begin(reader, *message);
      continue;
    }
    const std::scoped_lock lock(mutex_);
    PayloadReader in(message->payload);
    if (message->kind == kNext) {
      reader.ask();
    } else if (message->kind == static_cast<std::uint32_t>(LiveKind::credits)) {
      const auto block = in.number<std::uint32_t>(), generation = in.number<std::uint32_t>();
      reader.give_back(block, generation);
    } else if (message->kind == static_cast<std::uint32_t>(LiveKind::bye)) {
      reader.over = true;
    } else if ((message->kind & kMayBeSkipped) == 0) {
      throw BadMessage("a message of unknown kind " + std::to_string(message->kind));
    }
  }
}

// Reads HELLO and answers.
void Tap::begin(TapReader& reader, const StreamMessage& hello) {
  PayloadReader in(hello.payload);
  const auto major = in.number<std::uint16_t>();
  in.number<std::uint16_t>();
  const auto order = in.number<std::uint32_t>();
  in.number<std::uint64_t>();  // pid
  const bool blocks = (in.number<std::uint32_t>() & 1U) != 0;
  const std::string kind = in.text(64);
  const auto at = std::ranges::find(kTapKinds, kind, [](const char* name) { return std::string_view(name); });
  std::string line;
  std::uint32_t reason = 4;
  if (major != kMajor || order != kLiveByteOrder) {
    line = "protocol " + std::to_string(major) + "; expected " + std::to_string(kMajor);
    reason = 1;
  } else if (at == kTapKinds.end()) {
    line = "kind '" + kind + "'; expected " + kind_list();
  } else if (blocks && blocking_ == Blocking::refused) {
    line = "block in a window; expected a run without one (--headless), or no block";
  } else if (std::ranges::count(readers_, true, [](const ReaderPtr& r) { return r->greeted; }) >=
             static_cast<std::ptrdiff_t>(kMostReaders)) {
    line = std::to_string(kMostReaders) + " readers are connected; expected one fewer";
    reason = 2;
  }
  if (!line.empty()) return refuse(reader, reason, line);
  reader.stream.send(static_cast<std::uint32_t>(LiveKind::welcome),
                     payload_of(kMajor, kMinor, std::uint32_t{0}, std::string(kVersion)));
  const std::scoped_lock lock(mutex_);
  reader.kind = static_cast<TapKind>(at - kTapKinds.begin());
  reader.waited_for = blocks;
  reader.greeted = true;
  reader.before = made_[static_cast<std::size_t>(at - kTapKinds.begin())];
}

// Paints the newest image for the readers of `screen` that have asked.
void Tap::paint() {
  std::shared_ptr<const FlowImage> flow;
  {
    const std::scoped_lock lock(mutex_);
    if (screens_.newest->product.facts == nullptr) return;
    std::swap(screens_.newest, painted_);
    screens_.newest->product = {};
    flow = screens_.flow;
  }
  TapProduct& product = painted_->product;
  ScreenImage shown;
  painter_->paint(painted_->image, flow.get(), shown);
  product.n_dims = shown.channels == 1 ? 2 : 3;
  product.dims = {static_cast<std::uint64_t>(shown.height), static_cast<std::uint64_t>(shown.width),
                  static_cast<std::uint64_t>(shown.channels)};
  product.more = json_text({{"x0_m", shown.x0_m}, {"z0_m", shown.z0_m}, {"step_m", shown.step_m}});
  const auto adapt = [](const TapReader& reader, const TapProduct&) { return reader.asked; };
  publish(product, adapt,
          [&](const TapProduct&, std::byte* place) { std::memcpy(place, shown.values.data(), shown.values.size()); });
}

// Sends a reader the frame that it has asked for, with what it must know first; without frames the reason.
void Tap::give(TapReader& reader) {
  std::shared_ptr<TapFacts> facts;
  std::unique_lock lock(mutex_);
  TapReader::Block* block = nullptr;
  for (;;) {
    block = reader.asked ? reader.in(TapReader::State::ready) : nullptr;
    if (block == nullptr || block->product.facts == facts) break;
    facts = block->product.facts;
    lock.unlock();
    facts->write_text(kTapKinds[static_cast<std::size_t>(reader.kind)]);
    lock.lock();
  }
  if (block == nullptr) return reader.say_why_none(reasons_.texts[static_cast<std::size_t>(reader.kind)]);
  reader.give(*block);
}

}  // namespace echoloop
