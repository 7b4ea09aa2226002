/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "worker.h"

#define VOLUMES "/run/sandglass/volumes"

/* Where the daemon put the volume: a number, so nothing else can be meant. */
static char *place_of(const char *slot) {
    size_t length = strlen(slot);
    if (length == 0 || length > 3 || strspn(slot, "0123456789") != length) {
        worker_fail(EINVAL, "slot: " SHOWN, slot);
    }
    return worker_join(VOLUMES, slot);
}

static bool is_same(const char *one, const char *other) {
    struct stat first, second;
    return stat(one, &first) == 0 && stat(other, &second) == 0 && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/* What the sandbox itself needs is in these; a link may lead there. */
static bool is_taken(const char *target) {
    static const char *const taken[] = {"/proc", "/sys", "/dev", "/run"};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        size_t length = strlen(taken[i]);
        if (strncmp(target, taken[i], length) == 0 && (target[length] == '/' || target[length] == 0)) {
            return true;
        }
    }
    return strcmp(target, "/") == 0;
}

/* The bind is read-only at first, as the mount is that it comes from. What may not be written cannot be: the host's mount forbids it. */
static void mount_on(const char *place, const char *target) {
    if (mount(place, target, NULL, MS_BIND, NULL) < 0) {
        worker_fail(errno, SHOWN, target);
    }
    if (mount(NULL, target, NULL, MS_REMOUNT | MS_BIND | MS_NOSUID | MS_NODEV, NULL) < 0) {
        int error = errno;
        umount2(target, MNT_DETACH);
        worker_fail(error, SHOWN, target);
    }
}

void file_bind(const struct file_request *request) {
    char *place = place_of(request->second);
    if (!make_directories(request->path, 0755)) {
        worker_fail(errno, SHOWN, request->path);
    }
    char *target = realpath(request->path, NULL); /* another link there would be another place next time */
    if (!target) {
        worker_fail(errno, SHOWN, request->path);
    }
    if (is_taken(target)) {
        worker_fail(EINVAL, SHOWN " leads to " SHOWN, request->path, target);
    }
    if (!is_same(place, target)) {
        mount_on(place, target);
    }
    free(target);
    free(place);
}

/* Where a volume is mounted, which is not always where it was: whoever is root may give a directory above it another name. */
static char *find_bind(const char *place) {
    FILE *mounts = setmntent("/proc/self/mounts", "re");
    char *found = NULL;
    if (!mounts) {
        worker_fail(errno, "/proc/self/mounts");
    }
    for (struct mntent *mount; !found && (mount = getmntent(mounts));) {
        if (strcmp(mount->mnt_dir, place) != 0 && is_same(place, mount->mnt_dir)) {
            found = strdup(mount->mnt_dir);
        }
    }
    endmntent(mounts);
    return found;
}

void file_unbind(const struct file_request *request) {
    char *place = place_of(request->second);
    for (char *target; (target = find_bind(place));) {
        if (umount2(target, UMOUNT_NOFOLLOW) < 0) {
            worker_fail(errno, SHOWN, target);
        }
        free(target);
    }
    free(place);
}
