// Calls of the system that fail or take long while a file is there, in the folder $SYSTEM_FOLDER.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int there(const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", getenv("SYSTEM_FOLDER"), name);
  return access(path, F_OK) == 0;
}

static void leave(const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", getenv("SYSTEM_FOLDER"), name);
  close(open(path, O_CREAT | O_WRONLY, 0600));
}

// A disk that cannot tell whether it has written.
static int sync_file(const char *call, int descriptor) {
  if (there("sync-fails")) {
    errno = EIO;
    return -1;
  }
  int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, call);
  return next(descriptor);
}

int fsync(int descriptor) { return sync_file("fsync", descriptor); }
int fdatasync(int descriptor) { return sync_file("fdatasync", descriptor); }

// A name server that does not answer.
int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
  int (*next)(const char *, const char *, const struct addrinfo *, struct addrinfo **) =
      (int (*)(const char *, const char *, const struct addrinfo *, struct addrinfo **))dlsym(RTLD_NEXT, "getaddrinfo");
  if (name && strcmp(name, "database.example") == 0) {
    name = "127.0.0.1";
    if (there("lookup-hangs")) {
      leave("looked-up");
      sleep(60);
    }
  }
  return next(name, service, hints, found);
}
