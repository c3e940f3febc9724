/* Sends noise with a point echo: a scanner of 20 lines. cc -std=c99 -I.. send.c -lm -o send && ./send live:default 1000 */
#define ECHOLOOP_SENDER_IMPLEMENTATION
#include "echoloop_sender.h"

#include <math.h>

static const char* kScan =
    "{\"axes\": [\"transmit\", \"element\", \"time\"], \"shape\": [1, 64, 1024], \"dtype\": \"int16\", \"fs_hz\": 20e6,"
    " \"fc_hz\": 5e6, \"c_m_s\": 1540, \"pitch_m\": 0.3e-3, \"t0_s\": 0, \"t_zero\": \"origin\","
    " \"tx\": [{\"kind\": \"plane\", \"angle_rad\": 0}]}";

int main(int argc, char** argv) {
  static int16_t frame[64 * 1024];
  echoloop_sender* s = echoloop_open(argc > 1 ? argv[1] : NULL, "send.c");
  int k, e, i, n = argc > 2 ? atoi(argv[2]) : 1000, status = echoloop_describe(s, kScan, 10000);
  for (k = 0; k < n && status == ECHOLOOP_OK; ++k) {
    for (i = 0; i < 64 * 1024; ++i) frame[i] = (int16_t)(rand() % 41 - 20);
    for (e = 0; e < 64; ++e) {
      const double x = 4e-3 * sin(0.1 * k) - (e - 31.5) * 0.3e-3, at = (20e-3 + sqrt(4e-4 + x * x)) / 1540.0 * 20e6;
      for (i = (int)at - 8; i <= (int)at + 8; ++i)
        frame[e * 1024 + i] += (int16_t)(5000 * exp(-(i - at) * (i - at) / 16) * cos(1.5707963 * (i - at)));
    }
    status = echoloop_send(s, frame, sizeof frame, NULL, 10000);
  }
  if (status != ECHOLOOP_OK) fprintf(stderr, "status %d: %s\n", status, echoloop_message(s));
  echoloop_close(s);
  return status;
}
