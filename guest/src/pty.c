/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spawn.h"

static bool is_character_device(int fd) {
    struct stat status;
    return fstat(fd, &status) == 0 && S_ISCHR(status.st_mode);
}

static int open_master(void) {
    static const char *const names[] = {"/dev/pts/ptmx", "/dev/ptmx"};
    int error = ENOENT;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int fd = open(names[i], O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
        unsigned number;
        if (fd >= 0 && is_character_device(fd) && ioctl(fd, TIOCGPTN, &number) == 0) {
            return fd;
        }
        error = fd < 0 ? errno : ENOTTY;
        if (fd >= 0) {
            close(fd);
        }
    }
    errno = error;
    return -1;
}

static int open_slave(int master) {
    int unlocked = 0;
    unsigned number;
    if (ioctl(master, TIOCSPTLCK, &unlocked) < 0 || ioctl(master, TIOCGPTN, &number) < 0) {
        return -1;
    }
    int fd = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (fd >= 0) {
        return fd;
    }
    char path[32]; /* gVisor does not know TIOCGPTPEER */
    snprintf(path, sizeof path, "/dev/pts/%u", number);
    fd = open(path, O_RDWR | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && !is_character_device(fd)) {
        close(fd);
        errno = ENOTTY;
        return -1;
    }
    return fd;
}

bool pty_open(int *master, int *slave, uint16_t columns, uint16_t rows) {
    *master = open_master();
    if (*master < 0) {
        return false;
    }
    *slave = open_slave(*master);
    if (*slave < 0) {
        int error = errno;
        close(*master);
        errno = error;
        return false;
    }
    struct winsize size = {.ws_col = columns, .ws_row = rows};
    ioctl(*master, TIOCSWINSZ, &size);
    return true;
}
