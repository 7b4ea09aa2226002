/* SPDX-License-Identifier: Apache-2.0 */
/* Stands in for what would reach out of the process of a test: children that are pairs of sockets, signals and connections that go nowhere. */
#ifndef FAKES_H
#define FAKES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern uint64_t fakes_state; /* of chance; never 0 */

uint32_t chance(uint32_t below);
/* One child does something, or ends. */
void fakes_live(void);
/* Takes what is still to be passed on; how much it was. */
size_t fakes_pass(void);
extern bool fakes_shutdown; /* what shutdown_is_on says */
void fakes_end_all(void);

#endif
