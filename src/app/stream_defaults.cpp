#include "app/stream_defaults.h"

#include "source/producer.h"

namespace echoloop {

StreamSettings start_settings(StreamSettings settings, const StartFacts& facts) {
  const StreamSettings plain;
  settings.policy = plain.policy;
  settings.slots = plain.slots;
  if (!facts.phantom || !facts.on_cpu || facts.every_frame) return settings;
  const bool in_real_time = facts.acquisition->frame_rate_hz <= default_rate_hz(*facts.acquisition);
  settings.policy = in_real_time ? RingPolicy::drop_oldest : RingPolicy::block;
  settings.slots = kMinSlots;
  return settings;
}

}  // namespace echoloop
