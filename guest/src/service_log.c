/* SPDX-License-Identifier: Apache-2.0 */
/* The kept output of a service, across its starts. */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "drain.h"
#include "service.h"
#include "wire.h"

static void output_ready(struct service *service, int index) {
    static uint8_t block[65536];
    ssize_t got = read(service->out[index].fd, block, sizeof block);
    if (got > 0) {
        ring_add(&service->log, index == 0 ? KIND_OUT : KIND_ERR, block, (size_t)got);
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
        source_close(&service->out[index]);
    }
}

static void first_ready(void *owner, uint32_t events) {
    (void)events;
    output_ready(owner, 0);
}

static void second_ready(void *owner, uint32_t events) {
    (void)events;
    output_ready(owner, 1);
}

void service_log_open(struct service *service, int out, int err) {
    int ends[2] = {out, err};
    for (int i = 0; i < 2; i++) {
        if (service->out[i].fd >= 0) {
            output_ready(service, i); /* what its last process said */
            drain_take(&service->out[i]); /* something of it was left running on purpose */
        }
        source_init(&service->out[i], ends[i], i == 0 ? first_ready : second_ready, service);
        source_want(&service->out[i], EPOLLIN);
    }
}

void service_log_line(struct service *service, const char *text) {
    ring_add(&service->log, KIND_ERR, (const uint8_t *)"sandglass: ", 11);
    ring_add(&service->log, KIND_ERR, (const uint8_t *)text, strlen(text));
    ring_add(&service->log, KIND_ERR, (const uint8_t *)"\n", 1);
}
