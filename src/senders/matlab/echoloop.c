/* Sends frames of channel data to Echoloop from MATLAB or Octave. Compile once, in this folder:
   mex -I.. echoloop.c (MATLAB), or mkoctfile --mex -I.. echoloop.c (Octave); Windows: add -lws2_32.

     echoloop('describe', json, address)   json: text, see README.md of the senders; address: 'live:' when left out
     status = echoloop('send', frame)            the array as it lies in memory (its first index is fastest)
     status = echoloop('send', RcvData, rows)    the first `rows` rows of each column: axes element, transmit, time
     status = echoloop('send', frame, rows, ticks)    rows [] for all; ticks: of the scanner's own clock
     echoloop('threads', n)                      so many threads copy a frame (1 to 16), where one is too slow
     echoloop('lost', frames)                    frames that the scanner made and that are not sent
     counts = echoloop('status')                 struct: status, message, sent, lost, next, frame_bytes, paused
     echoloop('close')

   status: 'ok', 'no viewer', 'no room', 'timeout', 'stopped'. A refused description is an error with the viewer's line.
   Complex arrays are sent as pairs (dtype complex64 or complex128). Licence: MIT, as Echoloop. */
#define ECHOLOOP_SENDER_IMPLEMENTATION
#include "echoloop_sender.h"
#include "mex.h"

#define DESCRIBE_MS 10000
#define SEND_MS 1000

static echoloop_sender* sender = NULL;

static const char* status_text(int status) {
  static const char* const texts[] = {"ok", "no viewer", "no room", "timeout", "stopped", "refused", "bad call"};
  return status >= 0 && status <= 6 ? texts[status] : "bad call";
}

static void close_sender(void) {
  echoloop_close(sender);
  sender = NULL;
}

static char* text_of(const mxArray* value, const char* what) {
  char* text = value != NULL && mxIsChar(value) ? mxArrayToString(value) : NULL;
  if (text == NULL) mexErrMsgIdAndTxt("echoloop:input", "%s: found no text; expected text", what);
  return text;
}

static void describe(int n, const mxArray* arguments[]) {
  char* json = text_of(n > 0 ? arguments[0] : NULL, "description");
  int status;
  if (n > 1) close_sender();
  if (sender == NULL) {
    char* address = n > 1 ? text_of(arguments[1], "address") : NULL;
    sender = echoloop_open(address, "MATLAB");
    mxFree(address);
    if (sender == NULL) {
      mexErrMsgIdAndTxt("echoloop:input", "%s", echoloop_message(NULL));
    }
    mexAtExit(close_sender);
  }
  status = echoloop_describe(sender, json, DESCRIBE_MS);
  mxFree(json);
  if (status == ECHOLOOP_REFUSED) mexErrMsgIdAndTxt("echoloop:refused", "%s", echoloop_message(sender));
  if (status != ECHOLOOP_OK) mexWarnMsgIdAndTxt("echoloop:waiting", "%s", status_text(status));
}

/* `columns` runs of `bytes` bytes, `stride` bytes apart; complex: real and imaginary part in turns. */
static void copy_frame(unsigned char* to, const mxArray* frame, size_t bytes, size_t columns, size_t stride) {
  const unsigned char* from = (const unsigned char*)mxGetData(frame);
  size_t c, k;
  if (!mxIsComplex(frame)) {
    if (bytes == stride) {
      echoloop__copy_frame(sender, to, from, bytes * columns);
      return;
    }
    for (c = 0; c < columns; ++c) echoloop__copy(to + c * bytes, from + c * stride, bytes);
    return;
  }
  {
    const unsigned char* imaginary = (const unsigned char*)mxGetImagData(frame);
    const size_t value = mxGetElementSize(frame);
    for (c = 0; c < columns; ++c) {
      for (k = 0; k < bytes; k += value) {
        memcpy(to, from + c * stride + k, value);
        memcpy(to + value, imaginary + c * stride + k, value);
        to += 2 * value;
      }
    }
  }
}

static int send_frame(int n, const mxArray* arguments[]) {
  const mxArray* frame = n > 0 ? arguments[0] : NULL;
  echoloop_counts counts;
  echoloop_frame info;
  size_t value, rows, all_rows, columns, sent;
  unsigned char* to;
  if (frame == NULL || !mxIsNumeric(frame) || mxIsSparse(frame) || mxGetNumberOfElements(frame) == 0) {
    mexErrMsgIdAndTxt("echoloop:input", "frame: expected a full array of numbers");
  }
  if (sender == NULL) mexErrMsgIdAndTxt("echoloop:input", "send before describe");
  value = mxGetElementSize(frame);
  rows = all_rows = mxGetM(frame);
  columns = mxGetNumberOfElements(frame) / all_rows;
  if (n > 1 && mxGetNumberOfElements(arguments[1]) == 1) {
    const double asked = mxGetScalar(arguments[1]);
    if (!(asked >= 1 && asked <= (double)all_rows)) {
      mexErrMsgIdAndTxt("echoloop:input", "rows = %g; expected 1 to %g", asked, (double)all_rows);
    }
    rows = (size_t)asked;
  }
  sent = rows * columns * value * (mxIsComplex(frame) ? 2 : 1);
  to = (unsigned char*)echoloop_begin(sender, SEND_MS);
  if (to == NULL) return echoloop_status(sender, NULL);
  echoloop_status(sender, &counts);
  if (sent != counts.frame_bytes) {
    echoloop_cancel(sender);
    mexErrMsgIdAndTxt("echoloop:input", "frame: found %g bytes; expected %g as described", (double)sent,
                      (double)counts.frame_bytes);
  }
  copy_frame(to, frame, rows * value, columns, all_rows * value);
  if (n < 3) return echoloop_publish(sender, NULL);
  memset(&info, 0, sizeof info);
  info.sequence = counts.next_sequence;
  info.acquired_ns = echoloop__now_ns();
  info.device_ticks = (uint64_t)mxGetScalar(arguments[2]);
  return echoloop_publish(sender, &info);
}

static mxArray* counts_struct(void) {
  static const char* names[] = {"status", "message", "sent", "lost", "next", "frame_bytes", "paused"};
  mxArray* out = mxCreateStructMatrix(1, 1, 7, names);
  echoloop_counts counts;
  int status;
  memset(&counts, 0, sizeof counts);
  status = sender == NULL ? ECHOLOOP_NO_VIEWER : echoloop_status(sender, &counts);
  mxSetField(out, 0, "status", mxCreateString(status_text(status)));
  mxSetField(out, 0, "message", mxCreateString(echoloop_message(sender)));
  mxSetField(out, 0, "sent", mxCreateDoubleScalar((double)counts.sent));
  mxSetField(out, 0, "lost", mxCreateDoubleScalar((double)counts.lost));
  mxSetField(out, 0, "next", mxCreateDoubleScalar((double)counts.next_sequence));
  mxSetField(out, 0, "frame_bytes", mxCreateDoubleScalar((double)counts.frame_bytes));
  mxSetField(out, 0, "paused", mxCreateLogicalScalar(counts.paused != 0));
  return out;
}

void mexFunction(int n_out, mxArray* out[], int n_in, const mxArray* in[]) {
  char* command = text_of(n_in > 0 ? in[0] : NULL, "command");
  char kind = 0;
  if (strcmp(command, "describe") == 0) kind = 'd';
  if (strcmp(command, "send") == 0) kind = 's';
  if (strcmp(command, "threads") == 0) kind = 'n';
  if (strcmp(command, "lost") == 0) kind = 'l';
  if (strcmp(command, "status") == 0) kind = 't';
  if (strcmp(command, "close") == 0) kind = 'c';
  mxFree(command);
  (void)n_out;
  switch (kind) {
    case 'd':
      describe(n_in - 1, in + 1);
      break;
    case 's':
      out[0] = mxCreateString(status_text(send_frame(n_in - 1, in + 1)));
      break;
    case 'n':
      if (echoloop_copy_threads(sender, n_in > 1 ? (int)mxGetScalar(in[1]) : 0) != ECHOLOOP_OK) {
        mexErrMsgIdAndTxt("echoloop:input", "threads: expected 1 to 16, after describe");
      }
      break;
    case 'l':
      if (sender != NULL) echoloop_lost(sender, n_in > 1 ? (uint64_t)mxGetScalar(in[1]) : 1);
      break;
    case 't':
      out[0] = counts_struct();
      break;
    case 'c':
      close_sender();
      break;
    default:
      mexErrMsgIdAndTxt("echoloop:input", "command: expected describe, send, threads, lost, status or close");
  }
}
