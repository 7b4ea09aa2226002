/* SPDX-License-Identifier: Apache-2.0 */
/* What each message of the daemon does. */
#ifndef DISPATCH_H
#define DISPATCH_H

#include <stdbool.h>

#include "frame.h"

/* False when the frame makes no sense here, so that the link must be found again. */
bool dispatch_frame(const struct frame *frame);

#endif
