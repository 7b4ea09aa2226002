/* SPDX-License-Identifier: Apache-2.0 */
/* The link to the daemon: its descriptors, what goes out on stream 0, and the order in which frames go out. */
#ifndef LINK_H
#define LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire.h"

/* Takes the link from descriptors 0 and 1, which become harmless. */
bool link_open(void);
/* Sends what there is, a bounded number of frames. True: there is more, and room for it. */
bool link_send(void);
/* Reads on, unless answers to what came are still waiting. Once a turn. */
void link_update(void);
/* Whether what had to wait for its answer's room need not wait any longer: no event would tell. */
bool link_can_go_on(void);

void link_pong(const uint8_t *data, size_t length);
/* ERROR for a stream that does not exist. */
void link_refuse(uint32_t stream, int error, const char *reason);
/* A new daemon: forgets what was to be said, then says WELCOME, COMMANDs, READY. */
void link_welcome(const uint8_t nonce[WIRE_NONCE_SIZE]);
/* Frames that are half written are not finished: the new daemon throws their bytes away anyway. */
void link_forget_frames(void);
/* Waits until everything is written, at most so long. */
void link_flush(int milliseconds);

/* The next frame to go out, no larger than the daemon takes; 0: none. When pass_is_on() then, the rest of it is still to go. */
size_t link_next_frame(uint8_t frame[WIRE_FRAME_MOST]);

#endif
