/* SPDX-License-Identifier: Apache-2.0 */
#include "log.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#define LINES_MOST 4000 /* the log is a file of the host, and what is in the sandbox can make the agent write to it */

void log_line(const char *format, ...) {
    static unsigned lines;
    if (lines >= LINES_MOST) {
        return;
    }
    if (++lines == LINES_MOST) {
        format = "the log is full; nothing more is written";
    }
    int saved = errno;
    char line[512] = "sandglass-agent: ";
    size_t prefix = sizeof "sandglass-agent: " - 1;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line + prefix, sizeof line - prefix - 1, format, arguments);
    va_end(arguments);
    if (length > 0) {
        size_t end = prefix + (size_t)length;
        if (end > sizeof line - 2) {
            end = sizeof line - 2;
        }
        for (size_t i = 0; i < end; i++) {
            if ((unsigned char)line[i] < 0x20) {
                line[i] = '?'; /* names in it come from the sandbox */
            }
        }
        line[end++] = '\n';
        /* A pipe that polls writable takes a line of this size whole, so this does not block. */
        struct pollfd ready = {.fd = STDERR_FILENO, .events = POLLOUT};
        if (poll(&ready, 1, 0) == 1 && (ready.revents & POLLOUT)) {
            ssize_t ignored = write(STDERR_FILENO, line, end);
            (void)ignored;
        }
    }
    errno = saved;
}
