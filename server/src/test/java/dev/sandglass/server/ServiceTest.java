package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.CreateService;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.HealthCheck;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.OutputEvent;
import dev.sandglass.wire.Service;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A sandbox supervises commands, as they were meant and as their policies say. */
@OnEveryRuntime
class ServiceTest {
    private static final String UNITS = "/etc/systemd/system/";

    private final String runtime;

    ServiceTest(String runtime) {
        this.runtime = runtime;
    }

    private TestSandbox create() {
        return SharedDaemon.api().create(SandboxRequest.on(runtime));
    }

    @Test
    void aServiceIsMadeLookedAtOrderedAboutAndRemoved() {
        try (TestSandbox box = create()) {
            TestServices services = box.services();
            assertThat(services.list()).isEmpty();
            Service made = services.create(ServiceRequest.shell("web", "echo up; exec sleep infinity").port(8080));
            assertThat(made.state()).isEqualTo("running");
            assertThat(made.enabled()).isTrue();
            assertThat(made.port()).isEqualTo(8080);
            assertThat(made.unit()).isEqualTo(UNITS + "web.service");
            assertThat(box.output("tr '\\0' ' ' < /proc/" + made.pid() + "/cmdline")).contains("sleep infinity");
            assertThat(services.list()).extracting(Service::name).containsExactly("web");
            Service again = services.order("web", "restart");
            assertThat(again.state()).isEqualTo("running");
            assertThat(again.pid()).isNotEqualTo(made.pid());
            assertThat(services.order("web", "stop").state()).isEqualTo("inactive");
            assertThat(box.count("sleep infinity")).isZero();
            assertThat(services.order("web", "start").state()).isEqualTo("running");
            assertThat(services.order("web", "start").state()).as("fine if it runs").isEqualTo("running");
            assertThat(services.log("web")).startsWith("up\n").contains("up\n");
            services.remove("web");
            assertThat(box.count("sleep infinity")).isZero();
            assertThat(services.list()).isEmpty();
            assertThat(box.output("ls -A " + UNITS + " | grep -c web || true; ls -A " + UNITS + "multi-user.target.wants")).isEqualTo("0");
            refused(ErrorCode.SERVICE_NOT_FOUND, () -> services.get("web"));
            refused(ErrorCode.SERVICE_NOT_FOUND, () -> services.order("web", "start"));
            refused(ErrorCode.SERVICE_NOT_FOUND, () -> services.log("web"));
            refused(ErrorCode.SERVICE_NOT_FOUND, () -> services.remove("web"));
            assertThat(services.eventTypes()).startsWith("service.created", "service.started").contains("service.stopped", "service.removed");
        }
    }

    /** Also what means something to a shell or in a unit file. */
    @Test
    void argumentsAndVariablesArriveAsTheyWereMeant() {
        List<String> hostile = List.of(
                "a b", "", "  ", "\"", "'", "\\", "\\\\", "\\n", "\n", "a\nb\n", "\t", "\r", "\u0001", "\u007f", "%", "%%", "%n", "%i", "$", "$$", "$HOME", "${HOME}", "$(id)", "`id`", "*", "~",
                ";", "\\;", "a;", "#", "# x", "=", "[Service]", "ExecStart=/bin/false", "-x", "--", "ü", "日本", "🏖", "\u00a0", "\\x41", "a\\", "\"a\" 'b'", "x".repeat(4000));
        Map<String, String> env = Map.of("SPACES", " a  b ", "QUOTES", "\"'`\\", "DOLLARS", "$HOME ${PATH} $$", "PERCENT", "%n%%", "LINES", "a\nb\n", "EMPTY", "", "WIDE", "日本 🏖", "EQUALS", "a=b=c");
        String script = "import json, os, sys; print(json.dumps([sys.argv[1:], dict(os.environ), os.getcwd(), os.getuid(), os.getgid()]), flush=True)";
        try (TestSandbox box = SharedDaemon.api().create(SandboxRequest.on(runtime).env(Map.of("OF_THE_BOX", "yes")))) {
            box.output("mkdir -p '/srv/a b%n'");
            List<String> argv = new ArrayList<>(List.of("python3", "-c", script));
            argv.addAll(hostile);
            CreateService request = new CreateService("args", argv, "100% \"odd\" $x", "/srv/a b%n", env, "user", 1234, "never", null, null, null, null, null, null);
            Service made = box.caller().post(box.path() + "/services", request).as(Service.class);
            assertThat(made.description()).isEqualTo("100% \"odd\" $x");
            assertThat(made.unsupported()).isEmpty();
            assertThat(box.services().await("args", "inactive").lastExit()).isZero();
            Printed printed = Printed.of(box.services().log("args"), box);
            assertThat(printed.argv()).isEqualTo(hostile);
            assertThat(printed.env()).containsAllEntriesOf(env).containsEntry("OF_THE_BOX", "yes").containsEntry("HOME", "/home/user").containsEntry("PORT", "1234");
            assertThat(printed.where()).isEqualTo("/srv/a b%n " + box.output("id -u user") + " " + box.output("id -g user"));
        }
    }

    /** What the script said; it is read by a script too, as nothing here reads JSON without knowing its form. */
    private record Printed(List<String> argv, Map<String, String> env, String where) {
        static Printed of(String json, TestSandbox box) {
            String form = """
                    import base64, json, sys
                    text = lambda value: base64.b64encode(value.encode()).decode()
                    argv, env, cwd, uid, gid = json.loads(sys.stdin.read())
                    print(",".join(text(word) for word in argv))
                    print(",".join(text(name) + ":" + text(value) for name, value in env.items()))
                    print(cwd, uid, gid)
                    """;
            List<String> lines = box.output(Run.python(form).stdin(json)).lines().toList();
            Map<String, String> env = Stream.of(lines.get(1).split(",")).map(pair -> pair.split(":", -1)).collect(Collectors.toMap(pair -> decoded(pair[0]), pair -> decoded(pair[1])));
            return new Printed(Stream.of(lines.get(0).split(",", -1)).map(Printed::decoded).toList(), env, lines.get(2));
        }

        private static String decoded(String base64) {
            return new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
        }
    }

    @Test
    void itBeginsInTheHomeOfItsUser() {
        try (TestSandbox box = create()) {
            box.services().create(ServiceRequest.shell("where", "pwd; id -un; id -gn; echo $HOME").as("user:video").restart("never"));
            box.services().await("where", "inactive");
            assertThat(box.services().log("where")).isEqualTo("/home/user\nuser\nvideo\n/home/user\n");
            box.output("mkdir /srv/app; printf '#!/bin/sh\\necho here $PWD\\n' > /srv/app/run; chmod +x /srv/app/run");
            box.services().create(ServiceRequest.of("relative", "./run").in("/srv/app").restart("never"));
            box.services().await("relative", "inactive");
            assertThat(box.services().log("relative")).isEqualTo("here /srv/app\n");
        }
    }

    @Test
    void whatCannotRunHasFailedAndSaysWhy() {
        try (TestSandbox box = create()) {
            Service absent = box.services().create(ServiceRequest.of("absent", "no-such-program").restart("never"));
            assertThat(absent.state()).isEqualTo("failed");
            assertThat(absent.reason()).contains("no-such-program");
            Service nobody = box.services().create(ServiceRequest.lasting("nobody").as("nobody-of-that-name").restart("never"));
            assertThat(nobody.state()).isEqualTo("failed");
            assertThat(nobody.reason()).contains("nobody-of-that-name");
            Service nowhere = box.services().create(ServiceRequest.lasting("nowhere").in("/no/such/directory").restart("never"));
            assertThat(nowhere.state()).isEqualTo("failed");
            assertThat(nowhere.reason()).contains("/no/such/directory");
            assertThat(Eventually.get(() -> box.services().eventTypes().stream().filter("service.failed"::equals).toList(), failed -> failed.size() == 3)).hasSize(3);
        }
    }

    @Test
    void itIsStartedAgainAsItsPolicySays() {
        try (TestSandbox box = create()) {
            TestServices services = box.services();
            String script = "echo run >> /tmp/%s; [ $(wc -l < /tmp/%s) -lt 3 ] && exit %d; exec sleep infinity";
            services.create(ServiceRequest.shell("never", script.formatted("never", "never", 1)).restart("never"));
            services.create(ServiceRequest.shell("failure", script.formatted("failure", "failure", 1)).restart("on-failure", 5, 10));
            services.create(ServiceRequest.shell("success", script.formatted("success", "success", 0)).restart("on-failure", 5, 10));
            services.create(ServiceRequest.shell("always", script.formatted("always", "always", 0)).restart("always", 5, 10));
            assertThat(services.await("failure", service -> service.restarts() == 2 && service.state().equals("running")).lastExit()).isEqualTo(1);
            services.await("always", service -> service.restarts() == 2 && service.state().equals("running"));
            assertThat(services.await("never", "failed").lastExit()).isEqualTo(1);
            assertThat(services.await("success", "inactive").lastExit()).isZero();
            assertThat(box.output("cd /tmp; cat never | wc -l; cat failure | wc -l; cat success | wc -l; cat always | wc -l")).isEqualTo("1\n3\n1\n3");
            Eventually.get(services::eventTypes, types -> types.containsAll(List.of("service.restarted", "service.failed", "service.stopped")));
        }
    }

    @Test
    void itIsStartedAgainLaterAndLaterAndOnlySoOftenInAMinute() {
        try (TestSandbox box = create()) {
            box.services().create(ServiceRequest.shell("crash", "date +%s%N >> /tmp/starts; exit 7").restart("always", 3, 50));
            Service failed = box.services().await("crash", "failed");
            assertThat(failed.restarts()).isEqualTo(3);
            assertThat(failed.lastExit()).isEqualTo(7);
            assertThat(failed.reason()).contains("7");
            List<Long> starts = box.output("cat /tmp/starts").lines().map(Long::parseLong).toList();
            assertThat(starts).as("the first, and three more").hasSize(4);
            assertThat(starts.get(1) - starts.get(0)).isGreaterThanOrEqualTo(50_000_000);
            assertThat(starts.get(3) - starts.get(2)).as("the delay has grown").isGreaterThanOrEqualTo(300_000_000);
            assertThat(box.services().order("crash", "start").state()).as("whoever asks is not refused").isNotEqualTo("inactive");
        }
    }

    @Test
    void aServiceThatIsNotWellIsToldAndStartedAgain() {
        try (TestSandbox box = create()) {
            HealthCheck check = new HealthCheck("test -e /tmp/well", null, null, 100L, 5000L, 2);
            box.output("touch /tmp/well");
            Service made = box.services().create(ServiceRequest.lasting("cared").restart("on-failure", 20, 10).healthy(check));
            assertThat(made.health()).isEqualTo("unknown");
            box.services().await("cared", service -> "healthy".equals(service.health()));
            box.output("rm /tmp/well");
            Service again = box.services().await("cared", service -> service.restarts() > 0 && service.state().equals("running"));
            assertThat(again.pid()).isNotEqualTo(made.pid());
            box.output("touch /tmp/well");
            box.services().await("cared", service -> "healthy".equals(service.health()));
            List<String> expected = List.of("service.created", "service.started", "service.healthy", "service.unhealthy", "service.restarted", "service.healthy");
            assertThat(Eventually.get(box.services()::eventTypes, types -> types.size() >= expected.size())).startsWith(expected.toArray(String[]::new));
        }
    }

    @Test
    void aPortTellsWhetherItsServiceIsWell() {
        try (TestSandbox box = create()) {
            HealthCheck path = new HealthCheck(null, "/up", null, 100L, 5000L, 100);
            HealthCheck tcp = new HealthCheck(null, null, true, 100L, 5000L, 100);
            box.output("mkdir -p /srv/web; echo fine > /srv/web/up");
            box.services().create(ServiceRequest.of("web", "python3", "-m", "http.server", "8099", "--bind", "127.0.0.1").in("/srv/web").port(8099).healthy(path));
            box.services().await("web", service -> "healthy".equals(service.health()));
            box.services().create(ServiceRequest.lasting("tcp").port(8099).healthy(tcp));
            box.services().await("tcp", service -> "healthy".equals(service.health()));
            assertThat(box.output("curl -s http://127.0.0.1:8099/up")).isEqualTo("fine");
        }
    }

    /** By their names they would start the other way round. */
    @Test
    void servicesStartInTheOrderThatWasAskedFor() {
        try (TestSandbox box = create()) {
            box.services().create(ServiceRequest.lasting("c-first").unstarted());
            box.services().create(ServiceRequest.lasting("b-second").after("c-first").unstarted());
            box.services().create(ServiceRequest.lasting("a-third").after("b-second", "c-first.service").unstarted());
            assertThat(box.services().list()).extracting(Service::state).containsOnly("inactive");
            box.stop();
            box.powerOn();
            Eventually.get(box.services()::list, all -> all.stream().allMatch(service -> service.state().equals("running")));
            List<Long> pids = Stream.of("c-first", "b-second", "a-third").map(name -> Objects.requireNonNull(box.services().get(name).pid())).toList();
            assertThat(pids).isSorted();
        }
    }

    @Test
    void whatIsThereIsReplacedOnlyIfThatIsAskedFor() {
        try (TestSandbox box = create()) {
            TestServices services = box.services();
            services.create(ServiceRequest.of("one", "sleep", "10001"));
            refused(ErrorCode.NAME_TAKEN, () -> services.create(ServiceRequest.of("one", "sleep", "10002")));
            assertThat(box.count("sleep 10001")).isEqualTo(1);
            assertThat(services.create(ServiceRequest.of("one", "sleep", "10002").replacing()).state()).isEqualTo("running");
            assertThat(box.count("sleep 10001")).isZero();
            assertThat(box.count("sleep 10002")).isEqualTo(1);
            assertThat(services.create(ServiceRequest.of("two", "sleep", "10003").replacing()).state()).as("there is none to replace").isEqualTo("running");
        }
    }

    @Test
    void aUnitOfAPackageIsUsedButNeverRemoved() {
        try (TestSandbox box = create()) {
            String unit = "[Unit]\\nDescription=of a package\\n[Service]\\nExecStart=/bin/sleep 10009\\nNice=5\\n[Install]\\nWantedBy=multi-user.target\\n";
            box.output("mkdir -p /usr/lib/systemd/system " + UNITS + "; printf '" + unit + "' | tee /usr/lib/systemd/system/pack.service > " + UNITS + "mine.service");
            TestServices services = box.services();
            for (String name : List.of("pack", "mine")) {
                assertThat(services.order(name, "start").state()).isEqualTo("running");
                assertThat(services.get(name).unsupported()).anyMatch(text -> text.startsWith("Nice"));
                refused(ErrorCode.CONFLICT, () -> services.remove(name));
                refused(ErrorCode.NAME_TAKEN, () -> services.create(ServiceRequest.lasting(name)));
                refused(ErrorCode.CONFLICT, () -> services.create(ServiceRequest.lasting(name).replacing()));
            }
            assertThat(box.count("/bin/sleep 10009")).isEqualTo(2);
            assertThat(box.output("cat /usr/lib/systemd/system/pack.service " + UNITS + "mine.service | grep -c Description")).isEqualTo("2");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"../evil", "a/b", "", ".x", "a b", "a\n", "-x", "x.service", "a%2fb", "ü", "a@b"})
    void aNameThatIsNoneIsRefusedAndNothingIsWritten(String name) {
        TestSandbox box = SharedDaemon.sandbox(runtime);
        String before = box.output("find /etc/systemd | sort");
        refused(ErrorCode.INVALID_REQUEST, () -> box.services().create(ServiceRequest.lasting(name)));
        assertThat(box.output("find /etc/systemd | sort")).isEqualTo(before);
        Answer answer = box.caller().send("DELETE", box.path() + "/services/" + Caller.encode(name), "", BodyPublishers.noBody());
        assertThat(answer.status()).isBetween(400, 405);
    }

    @Test
    void whatItPrintedIsKeptAndFollowed() throws IOException {
        try (TestSandbox box = create()) {
            String script = "for n in 1 2 3 4 5; do echo line $n; done; echo to stderr >&2; while [ ! -e /tmp/go ]; do sleep 0.05; done; echo later; exec sleep infinity";
            box.services().create(ServiceRequest.shell("talk", script));
            Eventually.get(() -> box.services().log("talk"), text -> text.contains("line 5") && text.contains("to stderr"));
            assertThat(box.services().log("talk").lines()).contains("line 1", "line 5", "to stderr").hasSize(6);
            assertThat(box.services().log("talk", "?lines=2").lines()).hasSize(2);
            assertThat(box.services().log("talk", "?lines=0")).isEmpty();
            try (BufferedReader lines = new BufferedReader(new InputStreamReader(box.services().follow("talk", "&lines=0"), StandardCharsets.UTF_8))) {
                box.output("touch /tmp/go");
                OutputEvent event = Json.read(OutputEvent.class, Objects.requireNonNull(lines.readLine()).getBytes(StandardCharsets.UTF_8));
                assertThat(new String(Base64.getDecoder().decode(Objects.requireNonNull(event.data())), StandardCharsets.UTF_8)).isEqualTo("later\n");
            }
        }
    }

    /** A unit that a sandbox wrote for itself, which nothing holds back. */
    @Test
    void aCrashLoopDoesNotFloodTheEvents() {
        try (TestSandbox box = create()) {
            String unit = "[Unit]\\nStartLimitIntervalSec=0\\n[Service]\\nExecStart=/bin/false\\nRestart=always\\nRestartSec=1ms\\n";
            box.output("mkdir -p " + UNITS + "; printf '" + unit + "' > " + UNITS + "loop.service");
            box.services().order("loop", "start");
            box.services().await("loop", service -> service.restarts() > 100);
            box.services().order("loop", "stop");
            assertThat(box.services().events()).hasSizeBetween(20, 35); // 30 at once, and one a minute
        }
    }
}
