#include "app/options/stream_defaults.h"

namespace echoloop {

StreamSettings start_settings(StreamSettings settings, const StartFacts& facts) {
  const StreamSettings plain;
  settings.policy = plain.policy;
  settings.slots = plain.slots;
  if (!facts.phantom || !facts.on_cpu || facts.every_frame) return settings;
  settings.policy = facts.slow_motion ? RingPolicy::block : RingPolicy::drop_oldest;
  settings.slots = kMinSlots;
  return settings;
}

}  // namespace echoloop
