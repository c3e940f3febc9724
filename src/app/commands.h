// The commands of the program beside the viewer (headless.h, window/window_app.h).
// Each returns the exit status and throws Error for bad options.
#pragma once

#include "app/options/options.h"
#include "app/stream/session.h"

namespace echoloop {

// `echoloop describe FILE`: the arrays of a file and a description to complete.
int run_describe(const std::filesystem::path& file);

// `echoloop repair FILE`: a recording that a killed program has left.
int run_repair(const std::filesystem::path& file);

// `echoloop send`: the program as a sender beside a viewer: a demonstration, a test, a load generator. Uses the header
// that users get (senders/echoloop_sender.h). Until the end of the source, the frames that were asked for, or an
// interrupt.
int run_send(const std::string& source, const SendOptions& options, const StreamSettings& stream, std::uint64_t frames);

// `echoloop render FILE... --out DIR`: the images of many recordings, a few runs at a time in one process. What a run
// before has completed is left out. 2 where a recording could not be read, 1 after another fault, else 0.
int run_render(const Options& options);

// --find-sound-speed: the search (backend/sound_speed.h) on one frame, without a window. Writes curves, peaks and
// warnings as JSON. The frame: the last one of --frames, otherwise the first. The region: that of the marks, otherwise
// the whole image.
int run_find_sound_speed(const Options& options);

// The program without a window: the same stream, for a number of frames or seconds, then images and report.

int run_headless(const Options& options);
int run_headless(const Options& options, const ChosenBackend& chosen);  // a backend that several runs share

// No display and not asked to be headless: names the files that it will write, then the same loop for a few seconds.
int run_without_display(Options options);

}  // namespace echoloop
