/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a service that ended is started again, and when. */
#include "service.h"

#define FIRST_MS 1000
#define MOST_MS 30000
#define STEPS_MOST 64u /* more are as many: the first process reckons with them one by one */

bool service_should_restart(const struct service *service, enum keeper_result result, int32_t status) {
    const struct unit *unit = &service->unit;
    bool ended = result == RESULT_EXIT || result == RESULT_SIGNAL || result == RESULT_CLEAN;
    if (result == RESULT_SKIPPED || (ended && service->has_status && unit_status_in(&unit->prevent, status))) {
        return false;
    }
    switch (unit->restart) {
        case UNIT_RESTART_NO:
            return false;
        case UNIT_RESTART_SUCCESS:
            return result == RESULT_CLEAN || result == RESULT_HEALTH;
        case UNIT_RESTART_FAILURE:
            return result != RESULT_CLEAN;
        case UNIT_RESTART_ABNORMAL:
            return result == RESULT_SIGNAL || result == RESULT_TIMEOUT || result == RESULT_HEALTH;
        case UNIT_RESTART_ABORT:
            return result == RESULT_SIGNAL || result == RESULT_HEALTH;
        case UNIT_RESTART_ALWAYS:
            return true;
    }
    return false;
}

static int64_t grown(int64_t delay, int64_t by) {
    return delay > INT64_MAX / by ? INT64_MAX : delay * by / 65536;
}

/* The factor, in parts of 65536, that makes `from` at least `to` when it is applied so often. */
static int64_t factor(int64_t from, int64_t to, uint32_t steps) {
    int64_t least = 65536, most = 65536LL * 65536;
    while (least < most) {
        int64_t middle = (least + most) / 2, reached = from;
        for (uint32_t i = 0; i < steps && reached < to; i++) {
            reached = grown(reached, middle);
        }
        if (reached < to) {
            least = middle + 1;
        } else {
            most = middle;
        }
    }
    return least;
}

/* Without RestartSec= it doubles from 1 s to 30 s; with RestartSteps= and RestartMaxDelaySec= it is multiplied with the same factor as often, up to that. */
int64_t service_restart_delay(const struct unit *unit, uint32_t attempt) {
    if (unit->restart_ms < 0) {
        int64_t most = unit->restart_most_ms >= 0 ? unit->restart_most_ms : MOST_MS;
        int64_t delay = attempt < 16 ? (int64_t)FIRST_MS << attempt : most;
        return delay < most ? delay : most;
    }
    if (unit->restart_steps == 0 || unit->restart_most_ms <= unit->restart_ms || unit->restart_most_ms >= UNIT_FOREVER) {
        return unit->restart_ms;
    }
    uint32_t steps = unit->restart_steps < STEPS_MOST ? unit->restart_steps : STEPS_MOST;
    if (attempt >= steps) {
        return unit->restart_most_ms;
    }
    int64_t delay = unit->restart_ms > 0 ? unit->restart_ms : 1;
    int64_t by = factor(delay, unit->restart_most_ms, steps);
    for (uint32_t i = 0; i < attempt; i++) {
        delay = grown(delay, by);
    }
    return delay < unit->restart_most_ms ? delay : unit->restart_most_ms;
}

bool service_count_start(struct service *service, int64_t now) {
    const struct unit *unit = &service->unit;
    uint32_t burst = unit->burst < SERVICE_STARTS_MOST ? unit->burst : SERVICE_STARTS_MOST;
    size_t kept = 0;
    for (size_t i = 0; i < service->start_count; i++) {
        if (now - service->starts[i] < unit->interval_ms) {
            service->starts[kept++] = service->starts[i];
        }
    }
    service->start_count = kept;
    if (unit->interval_ms > 0 && burst > 0 && kept >= burst) {
        return false;
    }
    if (kept < SERVICE_STARTS_MOST) {
        service->starts[service->start_count++] = now;
    }
    return true;
}
