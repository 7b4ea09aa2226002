/* SPDX-License-Identifier: Apache-2.0 */
#include "settings.h"

#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "fields.h"
#include "log.h"
#include "memory.h"
#include "resume.h"
#include "service.h"
#include "sudo.h"
#include "wire.h"

#define ENVIRONMENT_MOST (256u << 10)

/* Until the daemon says otherwise nothing that is started has any privilege. */
struct settings settings = {.no_new_privileges = true, .frame_most = WIRE_FRAME};

static bool all_sound(const uint8_t *data, size_t length) {
    struct fields fields = fields_of(data, length);
    struct field field;
    while (field_next(&fields, &field)) {
        uint8_t small;
        uint32_t middling;
        uint64_t large;
        bool sound = field.tag == 1 || field.tag == 3 || field.tag == 7 || field.tag == 9 ? field_u64(&field, &large)
                     : field.tag == 2 || field.tag == 4 || field.tag == 8 || field.tag == 11 || field.tag == 12 ? field_u8(&field, &small)
                     : field.tag == 10 ? field_u32(&field, &middling)
                     : field.tag == 5 || field.tag == 6 ? !memchr(field.data, 0, field.length)
                                                        : true;
        if (!sound) {
            return false;
        }
    }
    return !fields.broken;
}

static void set_hostname(const struct field *field) {
    if (field->length > 0 && sethostname((const char *)field->data, field->length) < 0) {
        log_line("sethostname: %m");
    }
}

static void set_frame(const struct field *field) {
    uint32_t most = 0;
    field_u32(field, &most);
    settings.frame_most = most < WIRE_FRAME ? WIRE_FRAME : most > WIRE_FRAME_MOST ? WIRE_FRAME_MOST : most;
}

static void add_environment(struct bytes *environment, const struct field *field) {
    const uint8_t *equals = memchr(field->data, '=', field->length);
    if (!equals || equals == field->data || bytes_length(environment) + field->length + 1 > ENVIRONMENT_MOST) {
        if (field->length > 0) {
            log_line("settings: an environment entry of %u bytes is left out", field->length);
        }
        return;
    }
    bytes_add(environment, field->data, field->length);
    bytes_add(environment, "", 1);
}

bool settings_apply(const uint8_t *data, size_t length) {
    if (!all_sound(data, length)) {
        return false;
    }
    struct fields fields = fields_of(data, length);
    struct field field;
    struct bytes environment = {0};
    bool has_environment = false;
    uint8_t small = 0;
    uint64_t before = settings.generation;
    while (field_next(&fields, &field)) {
        switch (field.tag) {
            case 1:
                field_u64(&field, &settings.capabilities);
                break;
            case 2:
                settings.no_new_privileges = field_u8(&field, &small) && small;
                break;
            case 3:
                field_u64(&field, &settings.memory_limit);
                break;
            case 4:
                settings.sudo = field_u8(&field, &small) && small;
                break;
            case 5:
                set_hostname(&field);
                break;
            case 7:
                field_u64(&field, &settings.processes);
                break;
            case 8:
                settings.share_memory = field_u8(&field, &small) && small;
                break;
            case 9:
                field_u64(&field, &settings.generation);
                break;
            case 10:
                set_frame(&field);
                break;
            case 11: /* whoever captures it on the host has to look into it */
                prctl(PR_SET_DUMPABLE, field_u8(&field, &small) && small, 0, 0, 0);
                break;
            case 12:
                settings.services = field_u8(&field, &small) && small;
                break;
            case 6:
                has_environment = true;
                add_environment(&environment, &field);
                break;
            default:
                break;
        }
    }
    if (has_environment) {
        bytes_free(&settings.environment);
        settings.environment = environment;
    }
    memory_watch(settings.memory_limit);
    sudo_serve(settings.sudo);
    service_tell(settings.services);
    if (settings.services) {
        service_boot();
    }
    if (before != 0 && settings.generation != before) {
        resume_begin(settings.generation);
    }
    return true;
}
