/* Sends a file of frames, as many bytes each as the description makes them:
   send_raw ADDRESS SCAN.json FRAMES.raw [COPYING THREADS] */
#define ECHOLOOP_SENDER_IMPLEMENTATION
#include "echoloop_sender.h"

static char* read_file(const char* name, size_t* bytes) {
  FILE* in = fopen(name, "rb");
  char* data;
  if (in == NULL) return NULL;
  fseek(in, 0, SEEK_END);
  *bytes = (size_t)ftell(in);
  rewind(in);
  data = (char*)calloc(*bytes + 1, 1);
  if (data != NULL && fread(data, 1, *bytes, in) != *bytes) *bytes = 0;
  fclose(in);
  return data;
}

int main(int argc, char** argv) {
  size_t at = 0, bytes = 0, ignored = 0;
  char* scan = argc >= 4 ? read_file(argv[2], &ignored) : NULL;
  char* frames = argc >= 4 ? read_file(argv[3], &bytes) : NULL;
  echoloop_sender* s = argc >= 4 ? echoloop_open(argv[1], "send_raw") : NULL;
  echoloop_counts counts;
  int status = scan == NULL || frames == NULL ? ECHOLOOP_BAD_CALL : echoloop_describe(s, scan, 20000);
  if (status == ECHOLOOP_OK && argc > 4) status = echoloop_copy_threads(s, atoi(argv[4]));
  memset(&counts, 0, sizeof counts);
  echoloop_status(s, &counts);
  while (status == ECHOLOOP_OK && counts.frame_bytes > 0 && at + counts.frame_bytes <= bytes) {
    status = echoloop_send(s, frames + at, (size_t)counts.frame_bytes, NULL, 20000);
    at += (size_t)counts.frame_bytes;
  }
  if (status != ECHOLOOP_OK) fprintf(stderr, "status %d: %s\n", status, echoloop_message(s));
  echoloop_close(s);
  free(scan);
  free(frames);
  return status;
}
