/* SPDX-License-Identifier: Apache-2.0 */
/* Messages put together from frames. What is unfinished is bounded: 64 messages, 16 MiB. */
#ifndef MESSAGE_H
#define MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frame.h"

struct message {
    uint8_t type;
    uint32_t stream;
    size_t length;
    const uint8_t *data;
};

enum message_result {
    MESSAGE_WHOLE,   /* message is set; valid until the next call */
    MESSAGE_PARTIAL, /* more frames must come, or the rest of a refused one was skipped */
    MESSAGE_REFUSED, /* too much: the request is to be answered with ERROR */
    MESSAGE_BROKEN,  /* not a message of this protocol */
};

enum message_result message_add(const struct frame *frame, struct message *message);
void message_forget_all(void);

#endif
