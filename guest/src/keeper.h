/* SPDX-License-Identifier: Apache-2.0 */
/* The keeper of a service: a process of its own between the agent and the service's processes, with the privileges of a command. It takes
 * in what they leave behind, wherever they fork to, so that all of them can be found and ended; it waits where the agent must not. Both sides
 * are always of one build. */
#ifndef KEEPER_H
#define KEEPER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "unit.h"

#define KEEPER_OPTION "--keep-service"
#define KEEPER_TEXT 200

enum keeper_event { KEEPER_RUNS = 1, KEEPER_DONE, KEEPER_HEALTH, KEEPER_ENDED };
/* How a service ended. */
enum keeper_result { RESULT_CLEAN = 1, RESULT_SKIPPED, RESULT_EXIT, RESULT_SIGNAL, RESULT_TIMEOUT, RESULT_START, RESULT_HEALTH };
enum keeper_order { KEEPER_STOP = 1, KEEPER_RELOAD };

/* One datagram to the agent. */
struct keeper_word {
    int32_t event, pid;
    int32_t status; /* as in EXIT; of KEEPER_HEALTH: 1 healthy, 2 not */
    int32_t result;
    int32_t has_status;
    char text[KEEPER_TEXT];
};

int keeper_main(const char *name);

/* -- inside it */

struct keeper {
    struct unit unit;
    int control, signals;
    pid_t main; /* 0: none */
    pid_t step, health;
    int32_t step_status, health_status;
    bool main_ended, step_ended, health_ended, has_status, stop_asked, reload_asked;
    int32_t main_status;
    struct unit_list variables;
    char directory[PATH_MAX];
    struct keeper_word last;
};
extern struct keeper keeper;

int64_t keeper_now(void);
/* Waits for an event or until then; handles ended children and orders. False: the time is up. */
bool keeper_wait(int64_t until);
/* Starts a command as the service's user. -1, with the reason in `problem`, when it cannot. */
pid_t keeper_start(const struct unit_command *command, char problem[KEEPER_TEXT]);
/* Runs one to its end, or until then. A stop ends it where `stoppable`. */
enum keeper_result keeper_run(const struct unit_command *command, int64_t until, bool stoppable, char problem[KEEPER_TEXT]);
/* A signal to every process that descends from this one; how many there are. */
size_t keeper_signal_all(int number);
bool keeper_is_descendant(pid_t pid);
/* Ends them all: first gently, with `number`, then not. */
void keeper_end_all(int number, int64_t until);
/* The only process left, 0 when there is none or several. */
pid_t keeper_only_descendant(void);
/* Directories, environment; false, with the reason. */
bool keeper_prepare(char problem[KEEPER_TEXT]);
void keeper_set_variable(const char *name, const char *value); /* of what is started from now on */
bool keeper_conditions_hold(char reason[KEEPER_TEXT]);
/* Checks the health when it is time; when to come again. True in `ill`: too often in a row. */
int64_t keeper_check_health(bool *ill);
void keeper_say(enum keeper_event event, int32_t status);
/* In a child: becomes the service's user, or root; ends when it cannot. */
bool keeper_become(bool as_root, char problem[KEEPER_TEXT]);

#endif
