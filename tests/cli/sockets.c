/*
 * Put before the program's libraries (LD_PRELOAD): writes down whoever could
 * raise SIGPIPE by writing to a socket, or changes what SIGPIPE does. The file
 * is named by SOTTO_SOCKETS; at the end it is told how many sends were seen.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long seen;

static void note(const char *what)
{
    char line[80];
    const char *path = getenv("SOTTO_SOCKETS");
    int before = errno,
        to = path ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
    int size = snprintf(line, sizeof line, "%s\n", what);
    if (to >= 0) {
        (void)!syscall(SYS_write, to, line, (size_t)size);
        close(to);
    }
    errno = before;
}

__attribute__((destructor)) static void end(void)
{
    char line[60];
    snprintf(line, sizeof line, "sends seen: %ld", seen);
    note(line);
}

static void check(const char *call, int flags)
{
    seen++;
    if (!(flags & MSG_NOSIGNAL))
        note(call);
}

static void check_plain(const char *call, int file)
{
    struct stat about;
    if (!fstat(file, &about) && S_ISSOCK(about.st_mode))
        note(call);
}

ssize_t send(int file, const void *bytes, size_t size, int flags)
{
    check("send without MSG_NOSIGNAL", flags);
    return syscall(SYS_sendto, file, bytes, size, flags, NULL, 0);
}

ssize_t sendto(int file, const void *bytes, size_t size, int flags,
               const struct sockaddr *to, socklen_t length)
{
    check("sendto without MSG_NOSIGNAL", flags);
    return syscall(SYS_sendto, file, bytes, size, flags, to, length);
}

ssize_t sendmsg(int file, const struct msghdr *message, int flags)
{
    check("sendmsg without MSG_NOSIGNAL", flags);
    return syscall(SYS_sendmsg, file, message, flags);
}

ssize_t write(int file, const void *bytes, size_t size)
{
    check_plain("write to a socket", file);
    return syscall(SYS_write, file, bytes, size);
}

ssize_t writev(int file, const struct iovec *parts, int count)
{
    check_plain("writev to a socket", file);
    return syscall(SYS_writev, file, parts, count);
}

/* The program itself ignores SIGPIPE, by signal(), which is not replaced. */
int sigaction(int number, const struct sigaction *new, struct sigaction *old)
{
    int (*real)(int, const struct sigaction *, struct sigaction *) =
        (int (*)(int, const struct sigaction *, struct sigaction *))(
            uintptr_t)dlsym(RTLD_NEXT, "sigaction");
    if (number == SIGPIPE && new)
        note("sigaction of SIGPIPE");
    return real(number, new, old);
}
