/* SPDX-License-Identifier: Apache-2.0 */
/* Files of a filesystem that have no name any more and are still in use: gVisor cannot checkpoint them. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "fields.h"
#include "worker.h"

#define MARK " (deleted)"
#define USES_MOST 64
#define COMMAND_MOST 200

enum use { USE_OPEN = 1, USE_MAPPED, USE_DIRECTORY };

static dev_t filesystem;
static struct {
    long pid;
    char *path;
} uses[USES_MOST];
static size_t count;

/* The name without the mark; false when it has none, or when there is a file that is called so. */
static bool is_deleted(char *name, ino_t inode) {
    size_t length = strlen(name), mark = sizeof MARK - 1;
    struct stat status;
    if (length <= mark || strcmp(name + length - mark, MARK) != 0) {
        return false;
    }
    if (lstat(name, &status) == 0 && status.st_dev == filesystem && status.st_ino == inode) {
        return false;
    }
    name[length - mark] = 0;
    return true;
}

static void command_of(long pid, char command[COMMAND_MOST + 1]) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/cmdline", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, command, COMMAND_MOST) : 0;
    if (fd >= 0) {
        close(fd);
    }
    while (got > 0 && command[got - 1] == 0) {
        got--;
    }
    for (ssize_t i = 0; i < got; i++) {
        command[i] = command[i] ? command[i] : ' ';
    }
    command[got > 0 ? got : 0] = 0;
}

static void report(long pid, const char *path, enum use use) {
    for (size_t i = 0; i < count; i++) {
        if (uses[i].pid == pid && strcmp(uses[i].path, path) == 0) {
            return;
        }
    }
    if (count == USES_MOST || !(uses[count].path = strdup(path))) {
        return;
    }
    uses[count++].pid = pid;
    char command[COMMAND_MOST + 1];
    command_of(pid, command);
    struct bytes record = {0};
    uint8_t how = (uint8_t)use;
    field_put_u32(&record, 1, (uint32_t)pid);
    field_put_text(&record, 2, command);
    field_put_text(&record, 3, path);
    field_put(&record, 4, &how, 1);
    worker_record(&record);
}

static void look_at_link(long pid, const char *link, enum use use) {
    char name[PATH_MAX];
    struct stat status;
    ssize_t length = readlink(link, name, sizeof name - 1);
    if (length <= 0 || stat(link, &status) < 0 || status.st_dev != filesystem) {
        return;
    }
    name[length] = 0;
    if (is_deleted(name, status.st_ino)) {
        report(pid, name, use);
    }
}

static void look_at_descriptors(long pid) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/fd", pid);
    DIR *directory = opendir(path);
    if (!directory) {
        return; /* it has ended */
    }
    for (struct dirent *entry; (entry = readdir(directory));) {
        char link[128];
        if (isdigit((unsigned char)entry->d_name[0])) {
            snprintf(link, sizeof link, "/proc/%ld/fd/%.20s", pid, entry->d_name);
            look_at_link(pid, link, USE_OPEN);
        }
    }
    closedir(directory);
}

static void look_at_mappings(long pid) {
    char path[64], *line = NULL;
    size_t room = 0;
    snprintf(path, sizeof path, "/proc/%ld/maps", pid);
    FILE *maps = fopen(path, "re");
    if (!maps) {
        return;
    }
    for (ssize_t length; (length = getline(&line, &room, maps)) > 0;) {
        unsigned major_number, minor_number;
        unsigned long inode;
        int name = 0;
        if (line[length - 1] == '\n') {
            line[length - 1] = 0;
        }
        if (sscanf(line, "%*s %*s %*s %x:%x %lu %n", &major_number, &minor_number, &inode, &name) == 3 && name > 0 &&
            makedev(major_number, minor_number) == filesystem && is_deleted(line + name, inode)) {
            report(pid, line + name, USE_MAPPED);
        }
    }
    free(line);
    fclose(maps);
}

void file_deleted(const struct file_request *request) {
    struct stat status;
    if (stat(request->path, &status) < 0) {
        worker_fail(errno, SHOWN, request->path);
    }
    filesystem = status.st_dev;
    DIR *processes = opendir("/proc");
    if (!processes) {
        worker_fail(errno, "/proc");
    }
    for (struct dirent *entry; count < USES_MOST && (entry = readdir(processes));) {
        long pid = isdigit((unsigned char)entry->d_name[0]) ? strtol(entry->d_name, NULL, 10) : 0;
        if (pid > 0 && pid != getpid()) {
            char directory[64];
            snprintf(directory, sizeof directory, "/proc/%ld/cwd", pid);
            look_at_descriptors(pid);
            look_at_mappings(pid);
            look_at_link(pid, directory, USE_DIRECTORY);
        }
    }
    closedir(processes);
}
