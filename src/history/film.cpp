#include "history/film.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/error.h"
#include "core/plain_text.h"
#include "history/part_file.h"

#if defined(ECHO_HAVE_FILM)
extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libswscale/swscale.h>
}
#include <thread>
#endif

namespace echoloop {
namespace {

struct Container {
  std::string_view extension;
  const char* format;                   // libav's name
  std::array<const char*, 4> encoders;  // the best first
};

constexpr std::array<Container, 3> kContainers = {
    {{".mp4", "mp4", {"libx264", "libopenh264", "libvpx-vp9", "mpeg4"}},
     {".webm", "webm", {"libvpx-vp9", "libvpx", "libaom-av1", "libsvtav1"}},
     {".mkv", "matroska", {"libx264", "libopenh264", "libvpx-vp9", "mpeg4"}}}};

const Container& container_of(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  for (const Container& c : kContainers) {
    if (c.extension == extension) return c;
  }
  throw Error(path.string(), extension.empty() ? "no file extension" : "file extension '" + extension + "'",
              ".mp4, .webm or .mkv");
}

}  // namespace

void check_film_name(const std::filesystem::path& path) {
  (void)container_of(path);
  if (const std::string why = why_no_films(); !why.empty()) throw Error(path.string(), why, "--png or --screenshot");
}

#if defined(ECHO_HAVE_FILM)

namespace {

struct Freer {
  void operator()(AVFrame* p) const { av_frame_free(&p); }
  void operator()(AVPacket* p) const { av_packet_free(&p); }
  void operator()(AVCodecContext* p) const { avcodec_free_context(&p); }
  void operator()(SwsContext* p) const { sws_freeContext(p); }
  void operator()(AVFormatContext* p) const {
    avio_closep(&p->pb);
    avformat_free_context(p);
  }
};
template <class T>
using Owned = std::unique_ptr<T, Freer>;

std::string text_of(int error) {
  if (error == AVERROR(ENOSPC)) return disk_error_text(ENOSPC);
  std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
  av_strerror(error, text.data(), text.size());
  return text.data();
}

const AVCodec* encoder_for(const Container& container) {
  for (const char* name : container.encoders) {
    if (const AVCodec* codec = avcodec_find_encoder_by_name(name)) return codec;
  }
  return nullptr;
}

// Nearly lossless: the quantiser at which speckle's greys stay within one or two of 255.
void set_quality(AVCodecContext& c) {
  const std::string_view name = c.codec->name;
  const auto set = [&c](const char* key, const char* value) { av_opt_set(c.priv_data, key, value, 0); };
  if (name == "libx264") {
    set("preset", "veryfast");
    set("crf", "10");
  } else if (name == "libvpx-vp9" || name == "libvpx" || name == "libaom-av1") {
    set("crf", name == "libvpx" ? "4" : "12");
    set("deadline", "realtime");
    set("cpu-used", "5");
    set("row-mt", "1");
    c.bit_rate = name == "libvpx" ? 100'000'000 : 0;
    c.qmin = 0;
  } else if (name == "libsvtav1") {
    set("crf", "12");
  } else if (name == "mpeg4") {
    c.flags |= AV_CODEC_FLAG_QSCALE;
    c.global_quality = 2 * FF_QP2LAMBDA;
  } else {  // by rate only: 4 bits a pixel
    c.bit_rate = static_cast<std::int64_t>(4.0 * c.width * c.height * av_q2d(c.framerate));
  }
}

}  // namespace

struct Film::Impl {
  explicit Impl(const FilmFormat& f) : format(f), file(f.path) {}
  void open(const Container& container);
  void encode(const AVFrame* picture);  // null: what is still inside
  void check(int result) const {
    if (result < 0) file.fail(text_of(result));
  }

  FilmFormat format;
  PartFile file;
  Owned<AVFormatContext> muxer;
  Owned<AVCodecContext> codec;
  Owned<SwsContext> scaler;
  Owned<AVFrame> frame;
  Owned<AVPacket> packet;
  AVStream* stream = nullptr;
  std::string name;
  std::uint64_t frames = 0;
};

void Film::Impl::open(const Container& container) {
  const AVCodec* encoder = encoder_for(container);
  if (encoder == nullptr) file.fail("the installed libavcodec has no encoder for " + std::string(container.extension));
  if (!file.replaces()) file.fail("the target is a device or a pipe");
  AVFormatContext* made = nullptr;
  const std::string url = "file:" + file.part().string();
  check(avformat_alloc_output_context2(&made, nullptr, container.format, url.c_str()));
  muxer.reset(made);
  codec.reset(avcodec_alloc_context3(encoder));
  AVCodecContext& c = *codec;
  c.width = format.width;
  c.height = format.height;
  c.pix_fmt = AV_PIX_FMT_YUV420P;
  c.framerate = av_d2q(format.rate_hz, 100'000);
  c.time_base = av_inv_q(c.framerate);
  c.gop_size = std::clamp(static_cast<int>(format.rate_hz), 1, 60);  // a second: players seek by it
  c.color_range = AVCOL_RANGE_MPEG;
  c.colorspace = AVCOL_SPC_BT709;
  c.color_primaries = AVCOL_PRI_BT709;
  c.color_trc = AVCOL_TRC_BT709;
  c.thread_count = std::clamp(static_cast<int>(std::thread::hardware_concurrency()) / 2, 1, 8);
  if ((muxer->oformat->flags & AVFMT_GLOBALHEADER) != 0) c.flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  set_quality(c);
  check(avcodec_open2(&c, encoder, nullptr));
  name = encoder->name;
  stream = avformat_new_stream(muxer.get(), nullptr);
  check(avcodec_parameters_from_context(stream->codecpar, &c));
  stream->time_base = c.time_base;
  stream->avg_frame_rate = c.framerate;
  for (const auto& [key, value] : format.about)
    av_dict_set(&muxer->metadata, key.c_str(), plain_text(value).c_str(), 0);
  check(avio_open(&muxer->pb, url.c_str(), AVIO_FLAG_WRITE));
  AVDictionary* options = nullptr;
  if (std::string_view(container.format) == "mp4") av_dict_set(&options, "movflags", "+faststart", 0);
  const int result = avformat_write_header(muxer.get(), &options);
  av_dict_free(&options);
  check(result);
  scaler.reset(sws_getContext(c.width, c.height, AV_PIX_FMT_RGB24, c.width, c.height, c.pix_fmt,
                              SWS_BILINEAR | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INP, nullptr, nullptr, nullptr));
  sws_setColorspaceDetails(scaler.get(), sws_getCoefficients(SWS_CS_DEFAULT), 1, sws_getCoefficients(SWS_CS_ITU709), 0,
                           0, 1 << 16, 1 << 16);
  frame.reset(av_frame_alloc());
  packet.reset(av_packet_alloc());
  frame->format = c.pix_fmt;
  frame->width = c.width;
  frame->height = c.height;
  check(av_frame_get_buffer(frame.get(), 0));
}

void Film::Impl::encode(const AVFrame* picture) {
  check(avcodec_send_frame(codec.get(), picture));
  while (true) {
    const int result = avcodec_receive_packet(codec.get(), packet.get());
    if (result == AVERROR(EAGAIN) || result == AVERROR_EOF) return;
    check(result);
    packet->duration = 1;
    av_packet_rescale_ts(packet.get(), codec->time_base, stream->time_base);
    packet->stream_index = stream->index;
    check(av_interleaved_write_frame(muxer.get(), packet.get()));
    check(muxer->pb->error);  // a full disk is reported here only
  }
}

Film::Film(const FilmFormat& format) : impl_(std::make_unique<Impl>(format)) {
  av_log_set_level(AV_LOG_QUIET);  // what goes wrong comes back as one line
  impl_->open(container_of(format.path));
}

Film::~Film() = default;

void Film::add(std::span<const std::uint8_t> rgb) {
  Impl& f = *impl_;
  const std::uint8_t* const rows[] = {rgb.data()};
  const int stride[] = {3 * f.format.width};
  f.check(av_frame_make_writable(f.frame.get()));
  sws_scale(f.scaler.get(), rows, stride, 0, f.format.height, f.frame->data, f.frame->linesize);
  f.frame->pts = static_cast<std::int64_t>(f.frames);
  f.encode(f.frame.get());
  ++f.frames;
}

void Film::finish() {
  Impl& f = *impl_;
  f.encode(nullptr);
  f.check(av_write_trailer(f.muxer.get()));
  avio_flush(f.muxer->pb);
  f.check(f.muxer->pb->error);
  f.check(avio_closep(&f.muxer->pb));
  f.file.commit();
}

const std::string& Film::codec() const { return impl_->name; }
std::uint64_t Film::frames() const { return impl_->frames; }

std::string why_no_films() { return {}; }

#else

struct Film::Impl {
  std::string codec;
};

Film::Film(const FilmFormat& format) { check_film_name(format.path); }
Film::~Film() = default;
void Film::add(std::span<const std::uint8_t>) {}
void Film::finish() {}
const std::string& Film::codec() const { return impl_->codec; }
std::uint64_t Film::frames() const { return 0; }

std::string why_no_films() { return "this program was built without video support (libavcodec-dev)"; }

#endif

}  // namespace echoloop
