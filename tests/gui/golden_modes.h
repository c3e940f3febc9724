// Modes of the window with more than the B-mode image, for the stored images. Deterministic.
#pragma once

#include "gui/scene.h"

namespace echoloop::testing {

void show_velocity(Scene& scene);  // with the Flow panel
void show_spectrogram(Scene& scene);
void show_objects(Scene& scene);  // with their panel
void show_open_dialog(Scene& scene);

}  // namespace echoloop::testing
