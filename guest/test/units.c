/* SPDX-License-Identifier: Apache-2.0 */
/* Unit files: what is read of them, and when a service is started again. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "service.h"

static int failures;

#define CHECK(condition)                                                          \
    do {                                                                          \
        if (!(condition)) {                                                       \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);       \
            failures++;                                                           \
        }                                                                         \
    } while (0)

static struct unit unit;

static void parse(const char *name, const char *text, const char *dropin) {
    unit_free(&unit);
    unit_init(&unit, name);
    unit_parse(&unit, text, strlen(text));
    if (dropin) {
        unit_parse(&unit, dropin, strlen(dropin));
    }
    unit_finish(&unit);
}

static bool is(const struct unit_list *list, size_t index, const char *text) {
    return index < list->count && strcmp(list->items[index], text) == 0;
}

static void values_are_read(void) {
    int64_t time = 0;
    CHECK(unit_time("5", &time) && time == 5000);
    CHECK(unit_time("1min 30s", &time) && time == 90000);
    CHECK(unit_time("1.5h", &time) && time == 5400000);
    CHECK(unit_time("250ms", &time) && time == 250);
    CHECK(unit_time("infinity", &time) && time == UNIT_FOREVER);
    CHECK(unit_time("999999999999999w", &time) && time == UNIT_FOREVER);
    CHECK(!unit_time("", &time) && !unit_time("x", &time) && !unit_time("5 parsecs", &time) && !unit_time("-1", &time));
    CHECK(unit_signal("SIGTERM") == SIGTERM && unit_signal("HUP") == SIGHUP && unit_signal("9") == 9);
    CHECK(unit_signal("0") == 0 && unit_signal("TERMINATE") == 0 && unit_signal("65") == 0 && unit_signal("-1") == 0);
    bool flag = false;
    CHECK(unit_flag("Yes", &flag) && flag && unit_flag("off", &flag) && !flag && !unit_flag("maybe", &flag));
    CHECK(unit_name_is_sound("web@1.2:x_y-z") && !unit_name_is_sound("") && !unit_name_is_sound(".x") && !unit_name_is_sound("a/b") && !unit_name_is_sound("a b"));
}

static void words_have_quotes_and_escapes(void) {
    struct unit_list words = {0};
    CHECK(unit_words(" a 'b c' \"d\\\"e\" f\\x20g \\s\\t \\q 'x'y \"\" ", NULL, &words) && words.count == 8);
    CHECK(is(&words, 0, "a") && is(&words, 1, "b c") && is(&words, 2, "d\"e") && is(&words, 3, "f g") && is(&words, 4, " \t"));
    CHECK(is(&words, 5, "\\q") && is(&words, 6, "xy") && is(&words, 7, ""));
    unit_list_free(&words);
    CHECK(!unit_words("'open", NULL, &words));
    unit_list_free(&words);
    CHECK(unit_words("\\", NULL, &words) && is(&words, 0, "\\"));
    unit_list_free(&words);
}

static void a_whole_unit_is_read(void) {
    parse("web@two", "[Unit]\nDescription=Web %i of %p, 100%%\nAfter=a.service b.service\nAfter=c.service\n; comment\n[Service]\nType=oneshot\n"
          "ExecStart=-@/bin/sh name -c 'x y' \\\n# between\n  z ; +/bin/two\nEnvironment=A=b \"C=d e\"\nUser=user\nRestart=on-failure\nRestartSec=2\n"
          "KillSignal=INT\nKillMode=mixed\nTimeoutStopSec=1min\nSuccessExitStatus=3 SIGKILL\nTimeoutStartSec=0\n[Install]\nWantedBy=multi-user.target\n"
          "[X-Sandglass]\nPort=8080\nHealthPath=/ok\nHealthRetries=7\n[X-Other]\nAnything=x\n", "[Unit]\nAfter=\nAfter=d.service\n[Service]\nEnvironment=E=f\nUser=\n");
    CHECK(!*unit.problem && unit.unsupported.count == 0);
    CHECK(unit.description && strcmp(unit.description, "Web two of web, 100%") == 0);
    CHECK(unit.after.count == 1 && is(&unit.after, 0, "d.service") && unit.environment.count == 3 && is(&unit.environment, 1, "C=d e") && !unit.user);
    CHECK(unit.type == UNIT_ONESHOT && unit.start.count == 2 && unit.restart == UNIT_RESTART_FAILURE && unit.restart_ms == 2000);
    const struct unit_command *first = unit.start.items;
    CHECK(first->may_fail && first->renamed && !first->as_root && first->words.count == 5 && is(&first->words, 0, "/bin/sh") && is(&first->words, 4, "z"));
    CHECK(unit.start.items[1].as_root && is(&unit.start.items[1].words, 0, "/bin/two"));
    CHECK(unit.kill_signal == SIGINT && unit.kill == UNIT_KILL_MIXED && unit.stop_ms == 60000 && unit.start_ms == UNIT_FOREVER);
    CHECK(unit_status_in(&unit.success, 3) && unit_status_in(&unit.success, -SIGKILL) && unit_status_in(&unit.success, 0) && !unit_status_in(&unit.success, 1));
    CHECK(unit.port == 8080 && unit.health_retries == 7 && is(&unit.wanted_by, 0, "multi-user.target"));
}

static void a_semicolon_that_stands_alone_ends_a_command(void) {
    parse("x", "[Service]\nType=oneshot\nExecStart=/bin/a ';' \\; b; ; /bin/b ;\n", NULL);
    CHECK(!*unit.problem && unit.start.count == 2 && is(&unit.start.items[1].words, 0, "/bin/b") && unit.start.items[1].words.count == 1);
    const struct unit_list *words = &unit.start.items[0].words;
    CHECK(words->count == 4 && is(words, 1, ";") && is(words, 2, ";") && is(words, 3, "b;"));
}

static void what_is_not_done_is_said(void) {
    parse("x", "[Service]\nType=notify\nExecStart=/bin/x %q\nPrivateTmp=yes\nPrivateTmp=yes\nStandardOutput=file:/x\nStandardError=journal\nRestart=sometimes\n[Unit]\nConflicts=shutdown.target\nBadly", NULL);
    CHECK(!*unit.problem && unit.type == UNIT_SIMPLE && unit.restart == UNIT_RESTART_NO);
    static const char *const said[] = {"Type=notify", "%q", "PrivateTmp=yes", "StandardOutput=file:/x", "Restart=sometimes", "Badly="};
    CHECK(unit.unsupported.count == sizeof said / sizeof *said);
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        CHECK(unit_list_has(&unit.unsupported, said[i]));
    }
    static const struct { const char *text, *problem; } bad[] = {
        {"ExecStart=/bin/x\nDynamicUser=yes", "DynamicUser=yes is not supported"},
        {"ExecStart=/bin/x\nRootDirectory=/srv", "RootDirectory=/srv is not supported"},
        {"User=x", "it has no ExecStart="},
        {"ExecStart=/bin/x\nExecStart=/bin/y", "it has 2 ExecStart= (expected: 1)"},
        {"ExecStart=/bin/x 'y", "a command line cannot be understood: /bin/x 'y"},
        {"ExecStart=-", "a command line cannot be understood: -"},
        {"ExecStart=/bin/x\n[X-Sandglass]\nHealthTcp=yes", "HealthPath= and HealthTcp= need a Port="},
        {"ExecStart=/bin/x\n[X-Sandglass]\nPort=1\nHealthPath=ok", "HealthPath=ok (expected: it begins with /)"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[200];
        snprintf(text, sizeof text, "[Service]\n%s\n", bad[i].text);
        parse("x", text, NULL);
        CHECK(strcmp(unit.problem, bad[i].problem) == 0);
    }
    parse("x", "[Service]\nExecStart=/bin/x\nDynamicUser=no\n", NULL);
    CHECK(!*unit.problem);
}

static bool restarts(const char *when, enum keeper_result result, int32_t status) {
    char text[200];
    snprintf(text, sizeof text, "[Service]\nExecStart=/bin/x\nRestart=%s\nRestartPreventExitStatus=7\n", when);
    parse("x", text, NULL);
    struct service service = {.unit = unit, .has_status = true};
    return service_should_restart(&service, result, status);
}

static void restart_follows_the_policy(void) {
    CHECK(!restarts("no", RESULT_EXIT, 1) && !restarts("no", RESULT_HEALTH, 0));
    CHECK(restarts("always", RESULT_CLEAN, 0) && restarts("always", RESULT_EXIT, 1) && !restarts("always", RESULT_EXIT, 7) && !restarts("always", RESULT_SKIPPED, 0));
    CHECK(!restarts("on-failure", RESULT_CLEAN, 0) && restarts("on-failure", RESULT_EXIT, 1) && restarts("on-failure", RESULT_START, 0) && restarts("on-failure", RESULT_TIMEOUT, 0));
    CHECK(restarts("on-success", RESULT_CLEAN, 0) && !restarts("on-success", RESULT_EXIT, 1));
    CHECK(!restarts("on-abnormal", RESULT_EXIT, 1) && restarts("on-abnormal", RESULT_SIGNAL, -9) && !restarts("on-abort", RESULT_TIMEOUT, 0));
    for (size_t i = 0; i < 5; i++) {
        static const char *const policies[] = {"on-success", "on-failure", "on-abnormal", "on-abort", "always"};
        CHECK(restarts(policies[i], RESULT_HEALTH, 0));
    }
}

static void the_delay_grows_to_its_limit(void) {
    parse("x", "[Service]\nExecStart=/bin/x\n", NULL);
    static const int64_t doubling[] = {1000, 2000, 4000, 8000, 16000, 30000, 30000};
    for (uint32_t i = 0; i < 7; i++) {
        CHECK(service_restart_delay(&unit, i) == doubling[i]);
    }
    CHECK(service_restart_delay(&unit, UINT32_MAX) == 30000);
    parse("x", "[Service]\nExecStart=/bin/x\nRestartSec=100ms\n", NULL);
    CHECK(service_restart_delay(&unit, 0) == 100 && service_restart_delay(&unit, 50) == 100);
    parse("x", "[Service]\nExecStart=/bin/x\nRestartSec=1\nRestartSteps=4\nRestartMaxDelaySec=5\n", NULL);
    CHECK(service_restart_delay(&unit, 0) == 1000 && service_restart_delay(&unit, 9) == 5000);
    CHECK(service_restart_delay(&unit, 2) > 2200 && service_restart_delay(&unit, 2) < 2270); /* the root of 5 */
    parse("x", "[Service]\nExecStart=/bin/x\nRestartSec=0\nRestartSteps=1000000\nRestartMaxDelaySec=1h\n", NULL);
    CHECK(service_restart_delay(&unit, 0) == 1 && service_restart_delay(&unit, UINT32_MAX) == 3600000);
}

static void starts_are_counted_within_the_interval(void) {
    parse("x", "[Unit]\nStartLimitBurst=3\nStartLimitIntervalSec=10\n[Service]\nExecStart=/bin/x\n", NULL);
    static struct service service;
    service.unit = unit;
    CHECK(service_count_start(&service, 0) && service_count_start(&service, 1000) && service_count_start(&service, 2000));
    CHECK(!service_count_start(&service, 9999) && service_count_start(&service, 10000) && !service_count_start(&service, 10500));
    service.unit.interval_ms = 0; /* no limit */
    for (int i = 0; i < 500; i++) {
        CHECK(service_count_start(&service, 20000));
    }
}

int main(void) {
    values_are_read();
    words_have_quotes_and_escapes();
    a_whole_unit_is_read();
    a_semicolon_that_stands_alone_ends_a_command();
    what_is_not_done_is_said();
    restart_follows_the_policy();
    the_delay_grows_to_its_limit();
    starts_are_counted_within_the_interval();
    unit_free(&unit);
    if (failures) {
        fprintf(stderr, "units: %d failures\n", failures);
    }
    return failures ? 1 : 0;
}
