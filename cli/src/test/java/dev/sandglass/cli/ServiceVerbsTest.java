package dev.sandglass.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class ServiceVerbsTest extends VerbFixture {
    static final String SERVICE = "{\"name\":\"web\",\"description\":\"the we\\u001bb\",\"state\":\"running\",\"pid\":12,\"since\":\"2026-01-01T00:00:00Z\",\"restarts\":2,\"enabled\":true,\"port\":8080,"
            + "\"health\":\"healthy\",\"command\":\"python3 -m http.server\",\"user\":\"user\",\"cwd\":\"/srv\",\"restart\":\"on-failure\",\"unit\":\"/etc/systemd/system/web.service\",\"unsupported\":[\"Nice=5\"]}";
    private static final String FAILED = "{\"name\":\"web\",\"state\":\"failed\",\"restarts\":0,\"last_exit\":3,\"reason\":\"it ended with 3\",\"enabled\":true,\"restart\":\"never\",\"unsupported\":[]}";
    private static final String AT = "/v1/sandboxes/box/services";

    @Test
    void theyAreListedShownOrderedAboutAndRemoved() {
        daemon.on("GET " + AT, 200, "{\"services\":[" + SERVICE + "],\"truncated\":false}")
                .on("GET " + AT + "/web", 200, SERVICE)
                .on("POST " + AT + "/web/stop", 200, SERVICE.replace("running", "inactive"))
                .on("POST " + AT + "/web/start", 200, SERVICE)
                .on("POST " + AT + "/web/restart", 200, SERVICE)
                .on("DELETE " + AT + "/web", 204, "");
        assertThat(console.run("service", "ls", "box", "-o", "table")).isZero();
        assertThat(console.out).containsPattern("NAME +STATE +HEALTH +PID +PORT +RESTARTS +SINCE").containsPattern("web +running +healthy +12 +8080 +2").doesNotContain("\u001b");
        assertThat(console.run("service", "list", "box", "-q")).isZero();
        assertThat(console.out).isEqualTo("web\n");
        assertThat(console.run("service", "inspect", "box", "web", "-o", "table")).isZero();
        assertThat(console.out).contains("command      python3 -m http.server\n", "no effect    Nice=5\n", "restart      on-failure, 2 times so far\n").doesNotContain("\u001b");
        assertThat(console.run("service", "stop", "box", "web", "-o", "table")).isZero();
        assertThat(console.out).isEqualTo("web   inactive\n");
        assertThat(console.run("service", "start", "box", "web", "-o", "table")).isZero();
        assertThat(console.run("service", "restart", "box", "web", "-o", "table")).isZero();
        assertThat(console.run("service", "destroy", "box", "web", "-o", "table")).isZero();
        assertThat(console.out).isEqualTo("web\n");
        assertThat(daemon.asked).contains("POST " + AT + "/web/start", "POST " + AT + "/web/restart", "DELETE " + AT + "/web");
    }

    @Test
    void oneThatHasFailedIsAFailure() {
        daemon.on("POST " + AT, 201, FAILED).on("POST " + AT + "/web/stop", 200, FAILED);
        assertThat(console.run("service", "create", "box", "web", "--restart", "never", "--", "false", "-x")).isEqualTo(1);
        assertThat(console.out).contains("\"state\":\"failed\"");
        assertThat(console.err).contains("it ended with 3");
        assertThat(console.run("service", "stop", "box", "web", "-o", "table")).as("it is to be ended").isZero();
        assertThat(console.out).isEqualTo("web   failed (3)\n");
    }

    /** As `exec` has it: one word is a line of shell. */
    @Test
    void oneWordIsALineOfShell() {
        daemon.on("POST " + AT, 201, SERVICE);
        assertThat(console.run("service", "create", "box", "web", "cd /srv && exec ./serve")).isZero();
        assertThat(daemon.asked.getFirst()).contains("\"/bin/sh\",\"-c\"", "\"cd /srv && exec ./serve\"]");
    }

    @Test
    void logsAreWhatItPrinted() {
        daemon.on("GET " + AT + "/web/logs?follow=false&lines=2", 200, "{\"stream\":\"stdout\",\"offset\":0,\"data\":\"b25lCg==\"}\n{\"stream\":\"stdout\",\"offset\":4,\"data\":\"dHdvCg==\"}\n")
                .on("GET " + AT + "/web/logs?follow=true", 200, "{\"stream\":\"stdout\",\"offset\":0,\"data\":\"b25lCg==\"}\n{\"error\":{\"code\":\"sandbox_not_running\",\"message\":\"It ended.\",\"hint\":\"\"}}\n");
        assertThat(console.run("service", "logs", "box", "web", "-n", "2")).isZero();
        assertThat(console.out).isEqualTo("one\ntwo\n");
        assertThat(console.run("service", "logs", "box", "web", "-f")).isEqualTo(4);
        assertThat(console.out).isEqualTo("one\n");
        assertThat(console.err).contains("It ended.");
        daemon.on("GET " + AT + "/web/logs?follow=false", 200, "{\"stream\":\"stdout\",\"offset\":0,\"data\":\"b25lCg==\"}\n");
        assertThat(console.run("logs", "box", "--service", "web")).isZero();
        assertThat(console.out).isEqualTo("one\n");
        assertThat(console.run("service", "logs", "box", "web", "-n", "2", "-o", "json")).isZero();
        assertThat(console.out).startsWith("{\"service\":\"web\",\"stream\":\"stdout\"");
    }

    @Test
    void namesAreCompleted() {
        daemon.on("GET " + AT, 200, "{\"services\":[" + SERVICE + "],\"truncated\":false}");
        assertThat(console.run("__complete", "--", "service", "restart", "box", "w")).isZero();
        assertThat(console.out).isEqualTo("web\n:\n");
        assertThat(console.run("__complete", "--", "service", "create", "--restart", "al")).isZero();
        assertThat(console.out).isEqualTo("always\n:\n");
    }
}
