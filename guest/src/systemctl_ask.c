/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to the agent and its answers. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fields.h"
#include "service_ask.h"
#include "systemctl.h"
#include "wire.h"

#define PART_MOST (4u << 20)

static int dial(void) {
    struct sockaddr_un address;
    socklen_t length = systemctl_address(&address);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, length) < 0) {
        fprintf(stderr, "systemctl: the sandbox's first process does not serve services (%s)\n", strerror(errno));
        if (fd >= 0) {
            close(fd);
        }
        return -1;
    }
    return fd;
}

static bool send_fully(int fd, const uint8_t *data, size_t length) {
    while (length > 0) {
        ssize_t sent = send(fd, data, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent <= 0) {
            return false;
        }
        data += sent;
        length -= (size_t)sent;
    }
    return true;
}

static bool receive_fully(int fd, uint8_t *data, size_t length) {
    while (length > 0) {
        ssize_t got = recv(fd, data, length, 0);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        data += got;
        length -= (size_t)got;
    }
    return true;
}

static bool send_request(int fd, uint8_t operation, char **names, size_t count, uint32_t flags) {
    struct bytes request = {0};
    uint8_t length[4] = {0};
    bytes_add(&request, length, sizeof length);
    field_put_u8(&request, SERVICE_OPERATION, operation);
    for (size_t i = 0; i < count; i++) {
        field_put_text(&request, SERVICE_NAME, names[i]);
    }
    field_put_u32(&request, SERVICE_FLAGS, flags);
    if (!request.failed) {
        put_u32(request.data, (uint32_t)bytes_length(&request) - 4);
    }
    bool sent = !request.failed && send_fully(fd, request.data, bytes_length(&request));
    bytes_free(&request);
    return sent;
}

static void explain(const struct bytes *error, bool *missing) {
    struct fields fields = fields_of(error->data, bytes_length(error));
    struct field field;
    uint32_t number = 0;
    char *text = NULL;
    while (field_next(&fields, &field)) {
        if (field.tag == 1) {
            field_u32(&field, &number);
        } else if (field.tag == 2) {
            free(text);
            text = field_text(&field);
        }
    }
    if (missing && number == ENOENT) {
        *missing = true;
    } else if (number == ENOENT) {
        fprintf(stderr, "Unit %s\n", text ? text : "not found");
    } else {
        fprintf(stderr, "systemctl: %s\n", text ? text : strerror((int)number));
    }
    free(text);
}

/* Parts until the end. */
static bool receive_answer(int fd, struct bytes *output, bool *missing) {
    uint8_t header[5], *block;
    struct bytes error = {0};
    while (receive_fully(fd, header, sizeof header)) {
        uint32_t length = get_u32(header + 1);
        if (length > PART_MOST || !(block = malloc(length + 1))) {
            break;
        }
        bool whole = receive_fully(fd, block, length);
        if (whole && header[0] == CLIENT_END) {
            bool well = length == 1 && block[0] == 0;
            free(block);
            if (!well) {
                explain(&error, missing);
            }
            bytes_free(&error);
            return well && !output->failed;
        }
        if (whole) {
            bytes_add(header[0] == CLIENT_OUT ? output : &error, block, length);
        }
        free(block);
        if (!whole) {
            break;
        }
    }
    bytes_free(&error);
    fprintf(stderr, "systemctl: no answer\n");
    return false;
}

bool systemctl_ask(uint8_t operation, char **names, size_t count, uint32_t flags, struct bytes *output, bool *missing) {
    int fd = dial();
    if (missing) {
        *missing = false;
    }
    if (fd < 0) {
        return false;
    }
    bool well = send_request(fd, operation, names, count, flags) && receive_answer(fd, output, missing);
    close(fd);
    return well;
}

static void take_field(struct known *known, const struct field *field) {
    char **texts[] = {[1] = &known->name, [7] = &known->description, [11] = &known->reason, [12] = &known->path, [14] = &known->command,
                      [15] = &known->user, [16] = &known->directory, [17] = &known->restart};
    uint8_t small = 0;
    switch (field->tag) {
        case 2:
            field_u8(field, &known->state);
            break;
        case 3:
            field_u32(field, &known->pid);
            break;
        case 4:
            field_u64(field, &known->since);
            break;
        case 5:
            field_u32(field, &known->restarts);
            break;
        case 6:
            known->has_status = field_u32(field, (uint32_t *)&known->status);
            break;
        case 8:
            known->enabled = field_u8(field, &small) && small;
            break;
        case 9:
            known->port = field->length == 2 ? get_u16(field->data) : 0;
            break;
        case 10:
            known->has_health = field_u8(field, &known->health);
            break;
        case 13:
            unit_list_add(&known->unsupported, (const char *)field->data, field->length);
            break;
        default:
            if (field->tag < sizeof texts / sizeof *texts && texts[field->tag]) {
                free(*texts[field->tag]);
                *texts[field->tag] = field_text(field);
            }
    }
}

bool systemctl_list(uint8_t operation, char **names, size_t count, uint32_t flags, struct known_list *found, bool *missing) {
    struct bytes output = {0};
    *found = (struct known_list){0};
    bool well = systemctl_ask(operation, names, count, flags, &output, missing);
    for (size_t at = 0; well && at + 4 <= output.end;) {
        uint32_t length = get_u32(output.data + at);
        if (length > output.end - at - 4) {
            break;
        }
        struct known *items = realloc(found->items, (found->count + 1) * sizeof *items);
        if (!items) {
            break;
        }
        found->items = items;
        struct known *known = &items[found->count++];
        *known = (struct known){0};
        struct fields fields = fields_of(output.data + at + 4, length);
        for (struct field field; field_next(&fields, &field);) {
            take_field(known, &field);
        }
        known->name = known->name ? known->name : strdup("");
        at += 4 + length;
    }
    bytes_free(&output);
    return well;
}

void known_free(struct known_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        struct known *known = &list->items[i];
        char *texts[] = {known->name, known->description, known->reason, known->path, known->command, known->user, known->directory, known->restart};
        for (size_t j = 0; j < sizeof texts / sizeof *texts; j++) {
            free(texts[j]);
        }
        unit_list_free(&known->unsupported);
    }
    free(list->items);
    *list = (struct known_list){0};
}
