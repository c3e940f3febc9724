// What lies beyond brightness and delay-and-sum: how long an ensemble takes to become a flow image and an image to
// become a table of objects, what power Doppler takes from the stream, and what adaptive methods take.
#pragma once

#include "app/bench/bench_table.h"
#include "backend/backend.h"

namespace echoloop {

// Ensembles alone: SVD clutter filter, power and Kasai's velocity, sliding by 8 frames: 128 x 192 x 32, 256 x 512 x 64.
// Then the stream of S1 (int16, F 1) flat out with power Doppler every 8 frames behind that filter, of 32 and 64
// frames, alternating with the same stream without. On a GPU both also with 128 frames.
void bench_flow(Backend& backend, double seconds, BenchTable& table);

// Background, smoothing, threshold and objects of 512 x 512 pixels, with the parameters' defaults.
void bench_structure(Backend& backend, double seconds, BenchTable& table);

// The beamform stage alone of S1 (float32, single precision, full aperture), each method alternating with
// delay-and-sum.
void bench_methods(Backend& backend, double seconds, BenchTable& table);

}  // namespace echoloop
