// Cases of the benchmark of the tuned path: those of the performance note, their data and a float64 reference.
#pragma once

#include <string>
#include <vector>

#include "backend/plan.h"

namespace echoloop::bench {

struct BenchCase {
  std::string name;
  std::shared_ptr<const Plan> plan;
  int repeats = 20;  // launches between two events
};

BenchCase make_bench_case(const std::string& name, SampleType type);  // S1, S1L, S2, S2F1

enum class Scene { noise, points };

// Makes lines [n_tx][n_el][n_line] of the plan's band: white noise of int16 values, or the echoes of 60 points.
void make_lines(const BenchCase& c, Scene scene, unsigned seed, Complex* device_lines);
// Converts lines to packed words with the given scale (amplitude of 1).
void pack_lines(const BenchCase& c, const Complex* device_lines, int pitch, int window, float scale, uint2* words);
// Makes raw frames of white noise.
void make_raw(const BenchCase& c, unsigned seed, void* device_raw);
// Returns the image in double precision: double delays and phases, the same linear interpolation of unrounded lines.
std::vector<double> reference_image(const BenchCase& c, const Complex* device_lines);

}  // namespace echoloop::bench
