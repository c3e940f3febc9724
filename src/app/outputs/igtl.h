// OpenIGTLink server for 3D Slicer and others: every client receives the newest image as an IMAGE message. A thread of
// its own encodes and sends; a client that reads slowly loses images, and delays neither the stream nor other clients.
// Reason for a class: sockets, thread, buffers.
// Format: OpenIGTLink protocol, version 1 (openigtlink.org/developers/spec).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "app/options/options.h"
#include "app/outputs/screen_image.h"
#include "backend/frame_processor.h"
#include "core/mailbox.h"
#include "source/live/live_listener.h"

namespace echoloop {

inline constexpr std::size_t kIgtlHeader = 58, kIgtlImageHeader = 72;  // bytes

// Returns the CRC of a body: polynomial 0x42F0E1EBA9EA3693 (ECMA-182), start 0, most significant bit first.
std::uint64_t igtl_crc(std::span<const std::byte> body);

// Encodes images; the functions replace `message`. P is the centre of the image in mm, x lateral, z of the image down:
// (x, y, 0) of the receiver. One thread.
class IgtlEncoder {
 public:
  explicit IgtlEncoder(ImageValues values) : values_(values) {}
  // uint8: as on screen, with `flow` (null: none) in RGB; float32: dB. A sector: square pixels. `utc_ns`: of the image.
  void encode(const Image& image, const FlowImage* flow, std::int64_t utc_ns, std::vector<std::byte>& message);

 private:
  ImageValues values_;
  ScreenPainter painter_;
  ScreenImage screen_;
  std::vector<float> db_;
};

class IgtlServer final : public Outlet {
 public:
  static constexpr double kFastest_hz = 60.0;
  static constexpr std::size_t kMostClients = 8;
  static constexpr std::uint64_t kMostIncoming = 64 << 10;  // bytes of a message from a client; longer: closed

  // Throws Error: port in use, no address of this machine.
  IgtlServer(const LiveAddress& address, ImageValues values);
  ~IgtlServer() override;
  IgtlServer(const IgtlServer&) = delete;
  IgtlServer& operator=(const IgtlServer&) = delete;

  [[nodiscard]] bool wanted() const override { return false; }  // no complex pixels
  void take(const KeptPixels& /*pixels*/) override {}
  [[nodiscard]] bool wants_images() const override;
  void take(const Image& image) override;
  void take_flow(const FlowImage& flow);  // the newest is drawn over the images; any one thread

  [[nodiscard]] const LiveAddress& address() const { return listener_.address(); }  // with the actual port
  [[nodiscard]] std::size_t clients() const { return clients_; }                    // any thread, as those below
  [[nodiscard]] std::uint64_t sent() const { return sent_; }                        // images, counted for each client
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }                  // omitted for a slow client

 private:
  using Message = std::vector<std::byte>;
  struct Taken {
    Image image;  // its levels are db
    std::vector<float> db;
    std::uint64_t number = 0;
  };
  struct Client {
    FileDescriptor socket;
    std::shared_ptr<const Message> message = {};  // being sent; null: none
    std::size_t at = 0;                           // bytes of it that were sent
    std::uint64_t number = 0;                     // of its image
    std::array<std::byte, kIgtlHeader> header{};  // of an incoming message
    std::size_t header_size = 0;
    std::uint64_t skipped = 0;  // bytes of its body still to come
    bool over = false;
  };

  void serve(const std::stop_token& stop);
  void accept_clients();
  void skip_messages(Client& client);
  void encode_newest();
  void send(Client& client);

  LiveListener listener_;
  SocketWait wait_;
  IgtlEncoder encoder_;  // below: server thread
  std::vector<Client> connected_;
  std::vector<std::shared_ptr<Message>> messages_;  // reused when no client has them
  std::shared_ptr<const Message> newest_;
  std::uint64_t newest_number_ = 0;
  Mailbox<Taken> taken_;
  Mailbox<FlowImage> flow_;
  std::mutex taking_;         // an ending stream and the next one may both offer images
  std::uint64_t number_ = 0;  // under taking_
  std::atomic<std::int64_t> due_ns_{0};
  std::atomic<std::size_t> clients_{0};
  std::atomic<std::uint64_t> sent_{0}, dropped_{0};
  std::jthread thread_;
};

// Returns the server of --igtl; null: not asked for. Throws Error.
std::shared_ptr<IgtlServer> make_igtl(const IgtlOptions& options);

}  // namespace echoloop
