/* Sends frames of channel data to Echoloop, the viewer for live ultrasound. One header, C99 or C++.
 *
 * In one file of your program, before any other header:
 *     #define ECHOLOOP_SENDER_IMPLEMENTATION
 *     #include "echoloop_sender.h"
 * and everywhere else the #include alone.
 *
 *     echoloop_sender* s = echoloop_open(NULL, "my scanner");
 *     echoloop_describe(s, json, 1000);                   (the keys: README.md beside this file)
 *     echoloop_send(s, samples, bytes, NULL, 100);        (every frame)
 *
 * Linux: shared memory with a viewer on the same machine, and TCP. Windows (link ws2_32) and macOS: TCP.
 * No call waits longer than its timeout (other than for the number of a host that is given by name), and none raises a
 * signal: without a viewer a call returns ECHOLOOP_NO_VIEWER, and a later one connects again. One handle belongs to one
 * thread; it has threads of its own only after echoloop_copy_threads(). After fork() the child opens a handle of its
 * own. Licence: MIT, as Echoloop. */
#ifndef ECHOLOOP_SENDER_H
#define ECHOLOOP_SENDER_H

#if defined(ECHOLOOP_SENDER_IMPLEMENTATION) && !defined(_WIN32) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE 1 /* sockets and clocks with -std=c99 */
#endif
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  ECHOLOOP_OK = 0,
  ECHOLOOP_NO_VIEWER, /* nothing listens at the address; the frame is counted as lost */
  ECHOLOOP_NO_ROOM,   /* no memory on this side */
  ECHOLOOP_TIMEOUT,   /* the viewer lends no memory yet: wait on, or report echoloop_lost(s, 1) */
  ECHOLOOP_STOPPED,   /* policy error: the stream stopped, echoloop_message() has why; the frame is counted as lost */
  ECHOLOOP_REFUSED,   /* the viewer refused connection or description: echoloop_message() */
  ECHOLOOP_BAD_CALL   /* out of order, or a size that is not the described one */
};

typedef struct echoloop_sender echoloop_sender;

typedef struct {
  uint64_t sequence;     /* of the frame, as the scanner counts, lost ones too */
  int64_t acquired_ns;   /* CLOCK_MONOTONIC at the end of the acquisition; 0: unknown */
  uint64_t device_ticks; /* of the scanner's clock (device_hz of the description); 0: it has none */
  uint32_t flags;        /* 1: does not follow the frame before */
} echoloop_frame;

typedef struct {
  uint64_t next_sequence, sent, lost;
  uint64_t frame_bytes; /* 0: no description was accepted */
  int policy;           /* of the viewer: 0 block, 1 error, 2 drop-oldest, 3 drop-newest */
  int paused;           /* the viewer asks for a pause */
} echoloop_counts;

/* NULL: "live:default". "live:NAME", "live:tcp:HOST:PORT[,token=FILE]". NULL is returned without memory, for an
 * address of another form, or for a token file without a readable word. Does not connect yet. */
echoloop_sender* echoloop_open(const char* address, const char* name);
/* Connects if need be. Any time again, when the frames become others. */
int echoloop_describe(echoloop_sender* s, const char* json, int timeout_ms);
/* Memory of one frame to fill, or NULL: then echoloop_status() says why. */
void* echoloop_begin(echoloop_sender* s, int timeout_ms);
/* The memory of echoloop_begin() is filled. NULL: numbered and stamped here. */
int echoloop_publish(echoloop_sender* s, const echoloop_frame* info);
void echoloop_cancel(echoloop_sender* s);
/* begin, a copy, publish. */
int echoloop_send(echoloop_sender* s, const void* samples, size_t bytes, const echoloop_frame* info, int timeout_ms);
/* From now on so many threads (1 to 16, this one included) copy a frame of 1 MiB or more in echoloop_send(): where one
 * copies slower than frames come. NO_ROOM: so many cannot be started (glibc before 2.34: link with -pthread). Without
 * effect over TCP, where nothing is copied. */
int echoloop_copy_threads(echoloop_sender* s, int threads);
int echoloop_lost(echoloop_sender* s, uint64_t frames);
/* Result of the last call; `out` may be NULL. */
int echoloop_status(echoloop_sender* s, echoloop_counts* out);
/* The last line of the viewer, or that there was none; for NULL what echoloop_open() expects. */
const char* echoloop_message(echoloop_sender* s);
void echoloop_close(echoloop_sender* s); /* at most 2 s; NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif /* ECHOLOOP_SENDER_H */

#ifdef ECHOLOOP_SENDER_IMPLEMENTATION
#ifndef ECHOLOOP_SENDER_IMPLEMENTED
#define ECHOLOOP_SENDER_IMPLEMENTED
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef _WIN32
#include <winsock2.h>
#include <ws2tcpip.h>
typedef SOCKET echoloop__socket;
#define ECHOLOOP__NONE INVALID_SOCKET
#define echoloop__close_socket closesocket
#define ECHOLOOP__SHUT SD_SEND
#define ECHOLOOP__QUIET 0
#else
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
typedef int echoloop__socket;
#define ECHOLOOP__NONE (-1)
#define echoloop__close_socket close
#define ECHOLOOP__SHUT SHUT_WR
#ifdef MSG_NOSIGNAL
#define ECHOLOOP__QUIET MSG_NOSIGNAL
#else
#define ECHOLOOP__QUIET 0
#endif
#endif
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#ifdef __linux__
#include <pthread.h>
#include <signal.h>
#pragma weak pthread_create /* programs without copying threads link without -pthread */
#pragma weak pthread_join
#endif

#define ECHOLOOP__MARK 0x4f4843e1u
#define ECHOLOOP__NAME "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."
#define ECHOLOOP__RETRY_MS 100
#define ECHOLOOP__CONNECT_MS 3000     /* a host that does not answer is asked again then */
#define ECHOLOOP__MOST_JSON 67108856u /* bytes of a description */
#define ECHOLOOP__MOST_CREDITS 1024
#define ECHOLOOP__MOST_THREADS 16
#define ECHOLOOP__LEAST_SHARED 1048576u /* bytes of a frame that several threads copy */

typedef struct {
  uint32_t block, generation;
  uint64_t offset;
} echoloop__credit;

/* Of a connection; CONNECTING also without a socket. */
enum { ECHOLOOP__CONNECTING = 0, ECHOLOOP__CONNECTED, ECHOLOOP__WELCOMED };

struct echoloop_sender {
  char path[108]; /* of the socket; empty: TCP */
  char host[200], port[8];
  char name[200], token[1024];
  char message[4096];
  char* json;
  int result;
  long pid;
  echoloop__socket socket;
  int64_t tried_ms;
  int stage, accepted, stopped, refused;
  int busy; /* another sender is connected: the message has its name */
  uint32_t generation;
  uint64_t frame_bytes;
  unsigned char* memory; /* shared with the viewer */
  uint64_t memory_bytes;
  int descriptor;
  unsigned char* own; /* one frame, over TCP */
  int begun;
  echoloop__credit credits[ECHOLOOP__MOST_CREDITS];
  int n_credits;
  unsigned char* incoming;
  size_t n_incoming, room;
  uint64_t sequence, lost, sent;
  int policy, paused;
  struct echoloop__team* team; /* copying threads */
};

static int64_t echoloop__now_ns(void) {
#ifdef _WIN32
  return (int64_t)GetTickCount64() * 1000000;
#else
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
#endif
}

static long echoloop__process(void) {
#ifdef _WIN32
  return (long)GetCurrentProcessId();
#else
  return (long)getpid();
#endif
}

static int echoloop__would_wait(void) {
#ifdef _WIN32
  return WSAGetLastError() == WSAEWOULDBLOCK;
#else
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
#endif
}

/* Waits until the socket can be read (or written): whether it can. */
static int echoloop__wait_socket(echoloop_sender* s, int write, int ms) {
#ifdef _WIN32
  WSAPOLLFD p;
  p.fd = s->socket;
  p.events = (SHORT)(write ? POLLOUT : POLLIN);
  p.revents = 0;
  return WSAPoll(&p, 1, ms) > 0;
#else
  struct pollfd p;
  p.fd = s->socket;
  p.events = (short)(write ? POLLOUT : POLLIN);
  p.revents = 0;
  return poll(&p, 1, ms) > 0;
#endif
}

static void echoloop__sleep(int ms) {
#ifdef _WIN32
  Sleep((DWORD)ms);
#else
  poll(NULL, 0, ms);
#endif
}

static void echoloop__say(echoloop_sender* s, const char* text) {
  size_t n = strlen(text);
  if (n >= sizeof s->message) n = sizeof s->message - 1;
  memcpy(s->message, text, n);
  s->message[n] = '\0';
}

static void echoloop__drop(echoloop_sender* s, const char* why) {
  if (s->socket != ECHOLOOP__NONE) echoloop__close_socket(s->socket);
  s->socket = ECHOLOOP__NONE;
#ifndef _WIN32
  if (s->descriptor >= 0) close(s->descriptor);
  if (s->memory != NULL && !s->begun) { /* what is being filled stays mapped */
    munmap(s->memory, (size_t)s->memory_bytes);
    s->memory = NULL;
  }
#endif
  s->descriptor = -1;
  s->stage = ECHOLOOP__CONNECTING;
  s->accepted = s->stopped = 0;
  s->n_credits = 0;
  s->n_incoming = 0;
  if (why != NULL) echoloop__say(s, why);
}

static int echoloop__send_all(echoloop_sender* s, const void* data, size_t bytes) {
  const char* at = (const char*)data;
  const int64_t limit = echoloop__now_ns() + (int64_t)10000 * 1000000;
  while (bytes > 0) {
    const size_t piece = bytes < ((size_t)1 << 30) ? bytes : (size_t)1 << 30;
#ifdef _WIN32
    const long n = send(s->socket, at, (int)piece, ECHOLOOP__QUIET);
#else
    const long n = (long)send(s->socket, at, piece, ECHOLOOP__QUIET);
#endif
    if (n > 0) {
      at += n;
      bytes -= (size_t)n;
    } else if (n < 0 && echoloop__would_wait() && echoloop__now_ns() < limit) {
      echoloop__wait_socket(s, 1, 100);
    } else {
      echoloop__drop(s, "the viewer is gone");
      return 0;
    }
  }
  return 1;
}

static unsigned char* echoloop__put(unsigned char* at, const void* value, size_t bytes) {
  memcpy(at, value, bytes);
  return at + bytes;
}

static unsigned char* echoloop__put_text(unsigned char* at, const char* text) {
  const uint64_t n = strlen(text);
  return echoloop__put(echoloop__put(at, &n, 8), text, (size_t)n);
}

static unsigned char* echoloop__put_header(unsigned char* at, uint32_t kind, uint64_t size) {
  const uint32_t mark = ECHOLOOP__MARK;
  return echoloop__put(echoloop__put(echoloop__put(at, &mark, 4), &kind, 4), &size, 8);
}

static int echoloop__hello(echoloop_sender* s) {
  unsigned char out[16 + 32 + 16 + sizeof s->name + sizeof s->token];
  const uint16_t version[2] = {1, 0};
  const uint32_t order = 0x01020304u, transport = s->path[0] ? 1 : 2;
#ifdef __linux__
  const uint32_t clock = 1;
#else
  const uint32_t clock = 0;
#endif
  const uint64_t pid = (uint64_t)s->pid;
  unsigned char* at = echoloop__put(out + 16, version, 4);
  at = echoloop__put(at, &order, 4);
  at = echoloop__put(at, &pid, 8);
  at = echoloop__put(at, &transport, 4);
  at = echoloop__put(at, &clock, 4);
  at = echoloop__put_text(at, s->name);
  at = echoloop__put_text(at, s->token);
  echoloop__put_header(out, 1, (uint64_t)(at - out - 16));
  return echoloop__send_all(s, out, (size_t)(at - out));
}

static int echoloop__send_description(echoloop_sender* s) {
  unsigned char out[24];
  const uint32_t words[2] = {s->generation, 0};
  echoloop__put(echoloop__put_header(out, 3, 8 + (uint64_t)strlen(s->json)), words, 8);
  return echoloop__send_all(s, out, sizeof out) && echoloop__send_all(s, s->json, strlen(s->json));
}

static void echoloop__set_nonblocking(echoloop__socket socket) {
#ifdef _WIN32
  u_long on = 1;
  ioctlsocket(socket, FIONBIO, &on);
#else
  fcntl(socket, F_SETFL, fcntl(socket, F_GETFL, 0) | O_NONBLOCK);
  fcntl(socket, F_SETFD, FD_CLOEXEC);
#endif
}

static int echoloop__in_progress(void) {
#ifdef _WIN32
  return WSAGetLastError() == WSAEWOULDBLOCK;
#else
  return errno == EINPROGRESS;
#endif
}

/* The socket is being connected: waits for that, for so long at most. */
static void echoloop__finish_connect(echoloop_sender* s, int wait_ms) {
  int error = 0;
  socklen_t size = sizeof error;
  if (!echoloop__wait_socket(s, 1, wait_ms)) {
    if (echoloop__now_ns() / 1000000 - s->tried_ms > ECHOLOOP__CONNECT_MS) echoloop__drop(s, NULL);
    return;
  }
  getsockopt(s->socket, SOL_SOCKET, SO_ERROR, (char*)&error, &size);
  if (error != 0) {
    echoloop__drop(s, NULL);
    return;
  }
  s->stage = ECHOLOOP__CONNECTED;
  echoloop__hello(s);
}

/* Begins to connect to a socket's name. */
static void echoloop__begin_connect(echoloop_sender* s, int family, const void* name, size_t size) {
  const int on = 1;
  s->socket = socket(family, SOCK_STREAM, 0);
  if (s->socket == ECHOLOOP__NONE) return;
  echoloop__set_nonblocking(s->socket);
  if (family == AF_INET) setsockopt(s->socket, IPPROTO_TCP, TCP_NODELAY, (const char*)&on, sizeof on);
#ifdef SO_NOSIGPIPE
  setsockopt(s->socket, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
  if (connect(s->socket, (const struct sockaddr*)name, (socklen_t)size) != 0 && !echoloop__in_progress()) {
    echoloop__drop(s, NULL);
  } else {
    echoloop__finish_connect(s, 0);
  }
}

static void echoloop__connect(echoloop_sender* s) {
  const int64_t now_ms = echoloop__now_ns() / 1000000;
  struct addrinfo want, *found = NULL;
  if (s->tried_ms != 0 && now_ms - s->tried_ms < ECHOLOOP__RETRY_MS) return;
  s->tried_ms = now_ms;
  s->busy = 0;
#ifndef _WIN32
  if (s->path[0]) {
    struct sockaddr_un name;
    memset(&name, 0, sizeof name);
    name.sun_family = AF_UNIX;
    memcpy(name.sun_path, s->path, strlen(s->path) + 1);
    echoloop__begin_connect(s, AF_UNIX, &name, sizeof name);
    return;
  }
#endif
  memset(&want, 0, sizeof want);
  want.ai_family = AF_INET;
  want.ai_socktype = SOCK_STREAM;
  if (getaddrinfo(s->host, s->port, &want, &found) != 0 || found == NULL) {
    echoloop__say(s, "the host of the address is unknown");
    return;
  }
  echoloop__begin_connect(s, AF_INET, found->ai_addr, (size_t)found->ai_addrlen);
  freeaddrinfo(found);
}

/* The text at `at` of a payload becomes the message. */
static void echoloop__read_text(echoloop_sender* s, const unsigned char* payload, uint64_t size, uint64_t at) {
  uint64_t n = 0;
  if (size < at + 8) return;
  memcpy(&n, payload + at, 8);
  if (n > size - at - 8) n = size - at - 8;
  if (n >= sizeof s->message) n = sizeof s->message - 1;
  memcpy(s->message, payload + at + 8, (size_t)n);
  s->message[n] = '\0';
}

static void echoloop__take_accepted(echoloop_sender* s, const unsigned char* payload, uint64_t size) {
  uint32_t generation = 0;
  uint64_t memory = 0;
  if (size < 32) return;
  memcpy(&generation, payload, 4);
  memcpy(&memory, payload + 16, 8);
#ifndef _WIN32
  if (memory > 0 && s->descriptor >= 0) {
    void* mapped = mmap(NULL, (size_t)memory, PROT_READ | PROT_WRITE, MAP_SHARED, s->descriptor, 0);
    close(s->descriptor);
    s->descriptor = -1;
    if (mapped == MAP_FAILED) {
      echoloop__drop(s, "no room for the viewer's memory");
      return;
    }
    if (s->memory != NULL) munmap(s->memory, (size_t)s->memory_bytes);
    s->memory = (unsigned char*)mapped;
    s->memory_bytes = memory;
  }
#endif
  if (generation != s->generation) return;
  memcpy(&s->frame_bytes, payload + 8, 8);
  free(s->own);
  s->own = NULL;
  s->accepted = 1;
  echoloop__read_text(s, payload, size, 24);
}

static void echoloop__take_credits(echoloop_sender* s, const unsigned char* payload, uint64_t size) {
  uint64_t at;
  for (at = 0; at + 16 <= size && s->n_credits < ECHOLOOP__MOST_CREDITS; at += 16) {
    echoloop__credit credit;
    memcpy(&credit, payload + at, 16);
    if (credit.generation != s->generation || !s->accepted) continue;
    if (s->memory != NULL && s->path[0] &&
        (credit.offset > s->memory_bytes || s->frame_bytes > s->memory_bytes - credit.offset)) {
      continue;
    }
    s->credits[s->n_credits++] = credit;
  }
}

static void echoloop__handle(echoloop_sender* s, uint32_t kind, const unsigned char* payload, uint64_t size) {
  uint32_t words[2] = {0, 0};
  if (size >= 8) memcpy(words, payload, 8);
  switch (kind) {
    case 2: /* WELCOME */
      if (size >= 12) memcpy(&words[0], payload + 8, 4);
      s->policy = (int)words[0];
      s->stage = ECHOLOOP__WELCOMED;
      if (s->json != NULL) echoloop__send_description(s);
      break;
    case 4:
      echoloop__take_accepted(s, payload, size);
      break;
    case 5: /* REFUSED: busy may pass, the others do not by themselves */
      echoloop__read_text(s, payload, size, 8);
      s->busy = words[0] == 2;
      if (!s->busy && (words[0] != 4 || words[1] == s->generation)) s->refused = 1;
      break;
    case 6:
      echoloop__take_credits(s, payload, size);
      break;
    case 8: /* STATE */
      s->policy = (int)words[0];
      s->paused = (int)words[1];
      break;
    case 9:
      echoloop__read_text(s, payload, size, 0);
      s->stopped = 1;
      break;
    case 10:
      s->stopped = 0;
      break;
    case 11: { /* PING */
      unsigned char out[40];
      const int64_t now = echoloop__now_ns();
      if (size < 16) break;
      echoloop__put(echoloop__put(echoloop__put_header(out, 12, 24), payload, 16), &now, 8);
      echoloop__send_all(s, out, sizeof out);
      break;
    }
    case 13:
      echoloop__read_text(s, payload, size, 0);
      echoloop__drop(s, NULL);
      break;
    default:
      break;
  }
}

static long echoloop__receive_some(echoloop_sender* s, void* to, size_t room) {
#ifndef _WIN32
  if (s->path[0]) {
    union {
      struct cmsghdr align;
      char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec place;
    struct msghdr message;
    struct cmsghdr* part;
    long n;
    memset(&message, 0, sizeof message);
    place.iov_base = to;
    place.iov_len = room;
    message.msg_iov = &place;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    n = (long)recvmsg(s->socket, &message, 0);
    if (n <= 0) return n;
    part = CMSG_FIRSTHDR(&message);
    if (part != NULL && part->cmsg_type == SCM_RIGHTS) {
      if (s->descriptor >= 0) close(s->descriptor);
      memcpy(&s->descriptor, CMSG_DATA(part), sizeof(int));
    }
    return n;
  }
#endif
  return (long)recv(s->socket, (char*)to, (int)room, 0);
}

static void echoloop__handle_all(echoloop_sender* s) {
  size_t at = 0;
  while (s->socket != ECHOLOOP__NONE && s->n_incoming - at >= 16) {
    uint32_t head[2];
    uint64_t size;
    memcpy(head, s->incoming + at, 8);
    memcpy(&size, s->incoming + at + 8, 8);
    if (head[0] != ECHOLOOP__MARK || size > 1u << 24) {
      echoloop__drop(s, "the address is not of a viewer");
      return;
    }
    if (s->n_incoming - at - 16 < size) break;
    echoloop__handle(s, head[1], s->incoming + at + 16, size);
    at += 16 + (size_t)size;
  }
  if (s->socket == ECHOLOOP__NONE) return;
  memmove(s->incoming, s->incoming + at, s->n_incoming - at);
  s->n_incoming -= at;
}

/* One look at the socket, for so long at most. */
static void echoloop__advance(echoloop_sender* s, int wait_ms) {
  if (s->socket == ECHOLOOP__NONE) echoloop__connect(s);
  if (s->socket == ECHOLOOP__NONE) {
    if (wait_ms > 0) echoloop__sleep(wait_ms < 20 ? wait_ms : 20);
    return;
  }
  if (s->stage == ECHOLOOP__CONNECTING) {
    echoloop__finish_connect(s, wait_ms);
    return;
  }
  if (wait_ms > 0) echoloop__wait_socket(s, 0, wait_ms);
  for (;;) {
    long n;
    if (s->room - s->n_incoming < 65536) {
      unsigned char* more = (unsigned char*)realloc(s->incoming, s->room + 131072);
      if (more == NULL) return;
      s->incoming = more;
      s->room += 131072;
    }
    n = echoloop__receive_some(s, s->incoming + s->n_incoming, 65536);
    if (n < 0 && echoloop__would_wait()) return;
    if (n <= 0) {
      echoloop__drop(s, s->refused || s->busy ? NULL : "the viewer is gone");
      return;
    }
    s->n_incoming += (size_t)n;
    echoloop__handle_all(s);
    if (n < 65536 || s->socket == ECHOLOOP__NONE) return;
  }
}

/* A text without spaces from a file; 0: there is none. */
static int echoloop__read_token(echoloop_sender* s, const char* file) {
  char format[16];
  int n;
  FILE* in = fopen(file, "r");
  if (in == NULL) return 0;
  snprintf(format, sizeof format, "%%%ds", (int)sizeof s->token - 1);
  n = fscanf(in, format, s->token);
  fclose(in);
  return n == 1;
}

static int echoloop__parse(echoloop_sender* s, const char* address) {
  if (strncmp(address, "live:", 5) != 0) return 0;
  address += 5;
  if (strncmp(address, "tcp:", 4) == 0) {
    const char* token = strstr(address, ",token=");
    const char* end = token != NULL ? token : address + strlen(address);
    const char* colon = end;
    char* rest;
    long port;
    address += 4;
    while (colon > address && *colon != ':') --colon;
    if (colon <= address || (size_t)(colon - address) >= sizeof s->host || end - colon - 1 <= 0 ||
        (size_t)(end - colon - 1) >= sizeof s->port) {
      return 0;
    }
    memcpy(s->host, address, (size_t)(colon - address));
    memcpy(s->port, colon + 1, (size_t)(end - colon - 1));
    port = strtol(s->port, &rest, 10);
    if (*rest != '\0' || port < 1 || port > 65535) return 0;
    return token == NULL || token[7] == '\0' || echoloop__read_token(s, token + 7);
  }
#ifdef _WIN32
  return 0;
#else
  {
    const char* runtime = getenv("XDG_RUNTIME_DIR");
    const char* name = address[0] ? address : "default";
    int n;
    if (strlen(name) > 40 || name[0] == '.' || name[strspn(name, ECHOLOOP__NAME)] != '\0') return 0;
    if (runtime != NULL && runtime[0] == '/') {
      n = snprintf(s->path, sizeof s->path, "%s/echoloop/%s.sock", runtime, name);
    } else {
      n = snprintf(s->path, sizeof s->path, "/tmp/echoloop-%ld/%s.sock", (long)geteuid(), name);
    }
    return n > 0 && (size_t)n < sizeof s->path;
  }
#endif
}

echoloop_sender* echoloop_open(const char* address, const char* name) {
  echoloop_sender* s = (echoloop_sender*)calloc(1, sizeof *s);
  if (s == NULL) return NULL;
  s->socket = ECHOLOOP__NONE;
  s->descriptor = -1;
  s->pid = echoloop__process();
#ifdef _WIN32
  {
    WSADATA ignored;
    WSAStartup(MAKEWORD(2, 2), &ignored);
  }
#endif
  snprintf(s->name, sizeof s->name, "%s", name != NULL ? name : "");
  if (address == NULL || address[0] == '\0') address = "live:default";
  if (!echoloop__parse(s, address)) {
    free(s);
    return NULL;
  }
  snprintf(s->message, sizeof s->message, "no viewer at %s", address);
  return s;
}

static int echoloop__wrong(echoloop_sender* s) { return s == NULL || s->pid != echoloop__process(); }

int echoloop_describe(echoloop_sender* s, const char* json, int timeout_ms) {
  const int64_t limit = echoloop__now_ns() + (int64_t)timeout_ms * 1000000;
  char* copy;
  if (echoloop__wrong(s) || json == NULL || s->begun)
    return s == NULL ? ECHOLOOP_BAD_CALL : (s->result = ECHOLOOP_BAD_CALL);
  if (strlen(json) > ECHOLOOP__MOST_JSON) {
    echoloop__say(s, "a description of more than 64 MiB");
    return s->result = ECHOLOOP_REFUSED;
  }
  if (s->json == NULL || s->accepted || s->refused || strcmp(s->json, json) != 0) { /* else the answer is awaited on */
    copy = (char*)malloc(strlen(json) + 1);
    if (copy == NULL) return s->result = ECHOLOOP_NO_ROOM;
    memcpy(copy, json, strlen(json) + 1);
    if (s->json != NULL) ++s->generation;
    free(s->json);
    s->json = copy;
    s->accepted = s->refused = 0;
    s->n_credits = 0;
    if (s->stage == ECHOLOOP__WELCOMED) echoloop__send_description(s);
  }
  for (;;) {
    const int64_t left_ms = (limit - echoloop__now_ns()) / 1000000;
    echoloop__advance(s, left_ms > 0 ? (int)left_ms : 0);
    if (s->accepted) return s->result = ECHOLOOP_OK;
    if (s->refused) return s->result = ECHOLOOP_REFUSED;
    if (left_ms <= 0) return s->result = s->stage == ECHOLOOP__WELCOMED ? ECHOLOOP_TIMEOUT : ECHOLOOP_NO_VIEWER;
  }
}

/* OK when there is a block to fill. */
static int echoloop__room(echoloop_sender* s, int timeout_ms) {
  int64_t limit = 0;
  if (s->json == NULL) return ECHOLOOP_BAD_CALL;
  if (s->n_credits < 2 || s->sent % 32 == 0) echoloop__advance(s, 0);
  for (;;) {
    int64_t now;
    if (s->refused) return ECHOLOOP_REFUSED;
    if (s->stage == ECHOLOOP__CONNECTING) return ECHOLOOP_NO_VIEWER;
    if (s->stopped) return ECHOLOOP_STOPPED;
    if (s->n_credits > 0) return ECHOLOOP_OK;
    now = echoloop__now_ns();
    if (limit == 0) limit = now + (int64_t)timeout_ms * 1000000;
    if (now >= limit) return ECHOLOOP_TIMEOUT;
    echoloop__advance(s, (int)((limit - now + 999999) / 1000000));
  }
}

void* echoloop_begin(echoloop_sender* s, int timeout_ms) {
  if (s == NULL) return NULL;
  s->result = echoloop__wrong(s) || s->begun ? ECHOLOOP_BAD_CALL : echoloop__room(s, timeout_ms);
  if (s->result == ECHOLOOP_NO_VIEWER || s->result == ECHOLOOP_STOPPED) echoloop_lost(s, 1);
  if (s->result != ECHOLOOP_OK) return NULL;
  if (s->memory == NULL && s->own == NULL) {
    s->own = (unsigned char*)malloc((size_t)s->frame_bytes);
    if (s->own == NULL) {
      s->result = ECHOLOOP_NO_ROOM;
      return NULL;
    }
  }
  s->begun = 1;
  return s->memory != NULL ? s->memory + s->credits[s->n_credits - 1].offset : s->own;
}

/* The frame word, and over TCP the samples behind it. */
static int echoloop__send_word(echoloop_sender* s, const echoloop_frame* info, const void* samples) {
  unsigned char out[16 + 64];
  const uint64_t zero = 0;
  const uint32_t crc = 0;
  echoloop_frame frame;
  echoloop__credit credit;
  unsigned char* at;
  frame.sequence = s->sequence;
  frame.acquired_ns = echoloop__now_ns();
  frame.device_ticks = 0;
  frame.flags = 0;
  if (info != NULL) frame = *info;
  s->sequence = frame.sequence + 1;
  if (s->socket == ECHOLOOP__NONE || s->n_credits == 0) {
    ++s->lost;
    return ECHOLOOP_NO_VIEWER;
  }
  credit = s->credits[--s->n_credits];
  at = echoloop__put_header(out, 7, 64 + (samples != NULL ? s->frame_bytes : 0));
  at = echoloop__put(at, &frame.sequence, 8);
  at = echoloop__put(at, &frame.acquired_ns, 8);
  at = echoloop__put(at, &frame.device_ticks, 8);
  at = echoloop__put(at, &s->lost, 8);
  at = echoloop__put(at, &s->frame_bytes, 8);
  at = echoloop__put(at, &credit.block, 4);
  at = echoloop__put(at, &s->generation, 4);
  at = echoloop__put(at, &frame.flags, 4);
  at = echoloop__put(at, &crc, 4);
  echoloop__put(at, &zero, 8);
  if (!echoloop__send_all(s, out, sizeof out) ||
      (samples != NULL && !echoloop__send_all(s, samples, (size_t)s->frame_bytes))) {
    ++s->lost;
    return ECHOLOOP_NO_VIEWER;
  }
  ++s->sent;
  return ECHOLOOP_OK;
}

int echoloop_publish(echoloop_sender* s, const echoloop_frame* info) {
  if (s == NULL) return ECHOLOOP_BAD_CALL;
  if (echoloop__wrong(s) || !s->begun) return s->result = ECHOLOOP_BAD_CALL;
  s->begun = 0;
  return s->result = echoloop__send_word(s, info, s->memory != NULL ? NULL : s->own);
}

void echoloop_cancel(echoloop_sender* s) {
  if (s != NULL) s->begun = 0;
}

/* Past the caches: the next who looks at the samples is the viewer's device. */
static void echoloop__copy(unsigned char* to, const unsigned char* from, size_t bytes) {
#if defined(__SSE2__)
  if (((uintptr_t)to & 15) == 0 && bytes >= 4096) {
    const size_t whole = bytes & ~(size_t)63;
    size_t at;
    for (at = 0; at < whole; at += 64) {
      const __m128i a = _mm_loadu_si128((const __m128i*)(const void*)(from + at));
      const __m128i b = _mm_loadu_si128((const __m128i*)(const void*)(from + at + 16));
      const __m128i c = _mm_loadu_si128((const __m128i*)(const void*)(from + at + 32));
      const __m128i d = _mm_loadu_si128((const __m128i*)(const void*)(from + at + 48));
      _mm_stream_si128((__m128i*)(void*)(to + at), a);
      _mm_stream_si128((__m128i*)(void*)(to + at + 16), b);
      _mm_stream_si128((__m128i*)(void*)(to + at + 32), c);
      _mm_stream_si128((__m128i*)(void*)(to + at + 48), d);
    }
    _mm_sfence();
    to += whole;
    from += whole;
    bytes -= whole;
  }
#endif
  memcpy(to, from, bytes);
}

#ifdef __linux__
/* Threads that copy a piece of each frame. All under `mutex`. */
struct echoloop__team {
  pthread_mutex_t mutex;
  pthread_cond_t begin, end;
  pthread_t threads[ECHOLOOP__MOST_THREADS];
  int n;            /* threads beside the caller's */
  int next, copied; /* pieces of this frame that were taken, and that are done */
  int n_pieces;     /* 0: no frame is being copied; -1: the threads end */
  unsigned char* to;
  const unsigned char* from;
  size_t bytes, piece;
};

/* Copies pieces until none is left. With the mutex. */
static void echoloop__copy_pieces(struct echoloop__team* team) {
  while (team->next < team->n_pieces) {
    const size_t at = team->piece * (size_t)team->next++;
    const size_t bytes = team->bytes - at < team->piece ? team->bytes - at : team->piece;
    pthread_mutex_unlock(&team->mutex);
    echoloop__copy(team->to + at, team->from + at, bytes);
    pthread_mutex_lock(&team->mutex);
    if (++team->copied == team->n_pieces) pthread_cond_signal(&team->end);
  }
}

static void* echoloop__run_copier(void* argument) {
  struct echoloop__team* team = (struct echoloop__team*)argument;
  pthread_mutex_lock(&team->mutex);
  while (team->n_pieces >= 0) {
    echoloop__copy_pieces(team);
    pthread_cond_wait(&team->begin, &team->mutex);
  }
  pthread_mutex_unlock(&team->mutex);
  return NULL;
}

static void echoloop__end_team(echoloop_sender* s) {
  struct echoloop__team* team = s->team;
  int k;
  s->team = NULL;
  if (team == NULL || echoloop__wrong(s)) return; /* after a fork there are no threads, and the mutex may be locked */
  pthread_mutex_lock(&team->mutex);
  team->n_pieces = -1;
  pthread_cond_broadcast(&team->begin);
  pthread_mutex_unlock(&team->mutex);
  for (k = 0; k < team->n; ++k) pthread_join(team->threads[k], NULL);
  pthread_cond_destroy(&team->begin);
  pthread_cond_destroy(&team->end);
  pthread_mutex_destroy(&team->mutex);
  free(team);
}

static int echoloop__make_team(echoloop_sender* s, int n) {
  struct echoloop__team* team = (struct echoloop__team*)calloc(1, sizeof *team);
  sigset_t all, before;
  if (team == NULL) return ECHOLOOP_NO_ROOM;
  pthread_mutex_init(&team->mutex, NULL);
  pthread_cond_init(&team->begin, NULL);
  pthread_cond_init(&team->end, NULL);
  s->team = team;
  sigfillset(&all); /* signals are for the threads of the program */
  sigprocmask(SIG_SETMASK, &all, &before);
  while (team->n < n && pthread_create != NULL && pthread_join != NULL &&
         pthread_create(&team->threads[team->n], NULL, echoloop__run_copier, team) == 0) {
    ++team->n;
  }
  sigprocmask(SIG_SETMASK, &before, NULL);
  if (team->n == n) return ECHOLOOP_OK;
  echoloop__end_team(s);
  return ECHOLOOP_NO_ROOM;
}
#endif

int echoloop_copy_threads(echoloop_sender* s, int threads) {
  if (s == NULL) return ECHOLOOP_BAD_CALL;
  if (echoloop__wrong(s) || threads < 1 || threads > ECHOLOOP__MOST_THREADS) return s->result = ECHOLOOP_BAD_CALL;
#ifdef __linux__
  echoloop__end_team(s);
  if (threads > 1) return s->result = echoloop__make_team(s, threads - 1);
#endif
  return s->result = ECHOLOOP_OK;
}

/* A whole frame into the viewer's memory, by all copying threads. */
static void echoloop__copy_frame(echoloop_sender* s, unsigned char* to, const void* from, size_t bytes) {
#ifdef __linux__
  struct echoloop__team* team = s->team;
  if (team != NULL && bytes >= ECHOLOOP__LEAST_SHARED) {
    pthread_mutex_lock(&team->mutex);
    team->to = to;
    team->from = (const unsigned char*)from;
    team->bytes = bytes;
    team->n_pieces = team->n + 1;
    team->piece = (bytes / (size_t)team->n_pieces + 4096) & ~(size_t)4095; /* whole pages: aligned as `to` is */
    team->n_pieces = (int)((bytes + team->piece - 1) / team->piece);
    team->next = team->copied = 0;
    pthread_cond_broadcast(&team->begin);
    echoloop__copy_pieces(team);
    while (team->copied < team->n_pieces) pthread_cond_wait(&team->end, &team->mutex);
    team->n_pieces = 0;
    pthread_mutex_unlock(&team->mutex);
    return;
  }
#endif
  (void)s;
  echoloop__copy(to, (const unsigned char*)from, bytes);
}

int echoloop_send(echoloop_sender* s, const void* samples, size_t bytes, const echoloop_frame* info, int timeout_ms) {
  int status;
  if (s == NULL) return ECHOLOOP_BAD_CALL;
  if (echoloop__wrong(s) || samples == NULL || s->begun) return s->result = ECHOLOOP_BAD_CALL;
  status = echoloop__room(s, timeout_ms);
  if (status == ECHOLOOP_NO_VIEWER || status == ECHOLOOP_STOPPED) echoloop_lost(s, 1);
  if (status != ECHOLOOP_OK) return s->result = status;
  if (bytes != s->frame_bytes) {
    snprintf(s->message, sizeof s->message, "a frame of %.0f bytes; expected %.0f", (double)bytes,
             (double)s->frame_bytes);
    return s->result = ECHOLOOP_BAD_CALL;
  }
  if (s->memory == NULL) return s->result = echoloop__send_word(s, info, samples);
  echoloop__copy_frame(s, s->memory + s->credits[s->n_credits - 1].offset, samples, bytes);
  return s->result = echoloop__send_word(s, info, NULL);
}

int echoloop_lost(echoloop_sender* s, uint64_t frames) {
  if (s == NULL) return ECHOLOOP_BAD_CALL;
  s->sequence += frames;
  s->lost += frames;
  return ECHOLOOP_OK;
}

int echoloop_status(echoloop_sender* s, echoloop_counts* out) {
  if (s == NULL) return ECHOLOOP_BAD_CALL;
  if (out != NULL) {
    out->next_sequence = s->sequence;
    out->sent = s->sent;
    out->lost = s->lost;
    out->frame_bytes = s->frame_bytes;
    out->policy = s->policy;
    out->paused = s->paused;
  }
  return s->result;
}

const char* echoloop_message(echoloop_sender* s) {
  return s != NULL ? s->message
                   : "no sender; expected the address live:NAME (Linux; up to 40 letters, digits, '-', '_' and '.') or "
                     "live:tcp:HOST:PORT[,token=FILE], FILE with a word";
}

void echoloop_close(echoloop_sender* s) {
  if (s == NULL) return;
  if (!echoloop__wrong(s) && s->stage != ECHOLOOP__CONNECTING) {
    unsigned char out[64];
    unsigned char* end = echoloop__put_text(out + 16, "the sender ended");
    const int64_t limit = echoloop__now_ns() + (int64_t)2000 * 1000000;
    echoloop__put_header(out, 13, (uint64_t)(end - out - 16));
    if (echoloop__send_all(s, out, (size_t)(end - out))) {
      shutdown(s->socket, ECHOLOOP__SHUT);
      while (s->socket != ECHOLOOP__NONE && echoloop__now_ns() < limit) { /* until the viewer has read all of it */
        echoloop__wait_socket(s, 0, 100);
        if (echoloop__receive_some(s, out, sizeof out) == 0) break;
      }
    }
  }
#ifdef __linux__
  echoloop__end_team(s);
#endif
  s->begun = 0;
  echoloop__drop(s, NULL);
  free(s->own);
  free(s->json);
  free(s->incoming);
  free(s);
}
#endif /* ECHOLOOP_SENDER_IMPLEMENTED */
#endif /* ECHOLOOP_SENDER_IMPLEMENTATION */
