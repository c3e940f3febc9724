// Reads a film back with libav: what a player would see.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <vector>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
}

namespace echoloop::testing {

struct FilmFile {
  int width = 0, height = 0;
  double rate_hz = 0.0;
  std::string title, comment;
  std::vector<std::vector<std::uint8_t>> luma;  // of each picture, [height][width], 16 to 235

  // Gray as written, 0 to 255.
  [[nodiscard]] double gray(std::size_t picture, int x, int y) const {
    return (luma[picture][static_cast<std::size_t>(y * width + x)] - 16.0) * 255.0 / 219.0;
  }
};

inline FilmFile read_film(const std::filesystem::path& path) {
  FilmFile film;
  AVFormatContext* file = nullptr;
  if (avformat_open_input(&file, path.c_str(), nullptr, nullptr) != 0) {
    ADD_FAILURE() << "cannot open " << path;
    return film;
  }
  avformat_find_stream_info(file, nullptr);
  const AVStream* stream = file->streams[0];
  film.rate_hz = av_q2d(stream->avg_frame_rate);
  const auto text = [file](const char* key) {
    const AVDictionaryEntry* entry = av_dict_get(file->metadata, key, nullptr, 0);
    return std::string(entry != nullptr ? entry->value : "");
  };
  film.title = text("title");
  film.comment = text("comment");
  AVCodecContext* codec = avcodec_alloc_context3(avcodec_find_decoder(stream->codecpar->codec_id));
  avcodec_parameters_to_context(codec, stream->codecpar);
  EXPECT_EQ(avcodec_open2(codec, nullptr, nullptr), 0);
  film.width = codec->width;
  film.height = codec->height;
  AVPacket* packet = av_packet_alloc();
  AVFrame* frame = av_frame_alloc();
  const auto take = [&] {
    while (avcodec_receive_frame(codec, frame) == 0) {
      std::vector<std::uint8_t> luma;
      for (int y = 0; y < frame->height; ++y) {
        const std::uint8_t* row = frame->data[0] + y * frame->linesize[0];
        luma.insert(luma.end(), row, row + frame->width);
      }
      film.luma.push_back(std::move(luma));
    }
  };
  while (av_read_frame(file, packet) == 0) {
    avcodec_send_packet(codec, packet);
    av_packet_unref(packet);
    take();
  }
  avcodec_send_packet(codec, nullptr);
  take();
  av_frame_free(&frame);
  av_packet_free(&packet);
  avcodec_free_context(&codec);
  avformat_close_input(&file);
  return film;
}

}  // namespace echoloop::testing
