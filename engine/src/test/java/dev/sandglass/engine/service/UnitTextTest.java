package dev.sandglass.engine.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.wire.CreateService;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.HealthCheck;
import dev.sandglass.wire.SandglassException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a unit file says of a service; that the agent reads it back as it was meant is held by {@code ServiceTest}. */
class UnitTextTest {
    @Test
    void allThatIsAskedForIsWritten() {
        CreateService request = new CreateService(
                "web",
                List.of("./serve", "a b", "100%", "$HOME", "\"\\\n", "", ";", "ü"),
                "50% of it",
                "/srv",
                Map.of("KEY", "a\"b $x %n"),
                "user:video",
                8080,
                "always",
                5,
                250L,
                new HealthCheck("curl -f \"$U\"", null, null, 1000L, 500L, 2),
                List.of("db", "cache.service"),
                null,
                null);
        assertThat(text(request))
                .isEqualTo("""
                        # Made by Sandglass: `sandglass service create --replace` writes it anew, `service rm` removes it.
                        [Unit]
                        Description=50%% of it
                        After=db.service
                        After=cache.service
                        StartLimitIntervalSec=60
                        StartLimitBurst=6

                        [Service]
                        Type=exec
                        ExecStart=:"/srv/./serve" "a b" "100%%" "$HOME" "\\"\\\\\\n" "" \\; "ü"
                        WorkingDirectory=/srv
                        Environment="KEY=a\\"b $x %%n"
                        User=user
                        Group=video
                        Restart=always
                        RestartSec=250ms
                        RestartSteps=6
                        RestartMaxDelaySec=60s

                        [Install]
                        WantedBy=multi-user.target

                        [X-Sandglass]
                        Port=8080
                        HealthCommand=:/bin/sh -c "curl -f \\"$U\\""
                        HealthInterval=1s
                        HealthTimeout=500ms
                        HealthRetries=2
                        """);
    }

    @Test
    void whatIsAbsentHasItsDefault() {
        assertThat(text(request("web", List.of("true"), null, null)))
                .contains("ExecStart=:\"true\"\n", "WorkingDirectory=~\n", "Restart=on-failure\n", "RestartSec=1s\n", "StartLimitBurst=11\n")
                .doesNotContain("User=", "Environment=", "Port=", "Health", "After=", "Description=");
    }

    static Stream<CreateService> refused() {
        List<String> fine = List.of("true");
        return Stream.of(
                request("", fine, null, null),
                request("../evil", fine, null, null),
                request("a/b", fine, null, null),
                request("a b", fine, null, null),
                request(".hidden", fine, null, null),
                request("-x", fine, null, null),
                request("a\nb", fine, null, null),
                request("web.service", fine, null, null),
                request("a".repeat(64), fine, null, null),
                request("web@1", fine, null, null),
                request("web", List.of(), null, null),
                request("web", List.of(""), null, null),
                request("web", List.of("-rm"), null, null),
                request("web", List.of("+sh"), null, null),
                request("web", List.of("./here"), null, null),
                request("web", List.of("true", "a\0b"), null, null),
                request("web", List.of("true", "\ud800"), null, null),
                request("web", List.of("true", "x".repeat(4097)), null, null),
                request("web", Stream.generate(() -> "x").limit(129).toList(), null, null),
                request("web", fine, "relative", null),
                request("web", fine, "/a\nExecStart=/bin/evil", null),
                request("web", fine, "/a\\", null),
                request("web", fine, null, "root\nExecStart=/bin/evil"),
                request("web", fine, null, "a:b:c"),
                request("web", fine, null, ""));
    }

    @ParameterizedTest
    @MethodSource
    void refused(CreateService request) {
        assertThatThrownBy(() -> text(request))
                .isInstanceOfSatisfying(SandglassException.class, problem -> assertThat(problem.code()).isEqualTo(ErrorCode.INVALID_REQUEST));
    }

    static Stream<HealthCheck> refusedChecks() {
        return Stream.of(
                new HealthCheck(null, null, null, null, null, null),
                new HealthCheck("true", null, true, null, null, null),
                new HealthCheck(null, "/up", null, null, null, null),
                new HealthCheck(null, null, true, null, null, null),
                new HealthCheck(" ", null, null, null, null, null),
                new HealthCheck("true", null, null, 1L, null, null),
                new HealthCheck("true", null, null, null, null, 0));
    }

    @ParameterizedTest
    @MethodSource
    void refusedChecks(HealthCheck check) {
        CreateService request = new CreateService("web", List.of("true"), null, null, null, null, null, null, null, null, check, null, null, null);
        assertThatThrownBy(() -> text(request))
                .isInstanceOfSatisfying(SandglassException.class, problem -> assertThat(problem.code()).isEqualTo(ErrorCode.INVALID_REQUEST));
    }

    /** The agent reads no line of more than 16 KiB and no file of more than 64 KiB. */
    @Test
    void whatIsTakenFitsIntoWhatTheAgentReads() {
        Map<String, String> env = Map.of("A", "\u0001".repeat(2000), "B", "\u0001".repeat(2000));
        CreateService request = new CreateService(
                "web", Stream.generate(() -> "%".repeat(60)).limit(127).toList(), "d".repeat(1000), "/" + "c".repeat(999), env, null, null, null, null, null, null,
                Stream.generate(() -> "a".repeat(127)).limit(32).toList(), null, null);
        String text = text(request);
        assertThat(text.length()).isLessThan(1 << 16);
        assertThat(text.lines().mapToInt(String::length).max().orElseThrow()).isLessThan(1 << 14);
    }

    private static CreateService request(String name, List<String> argv, @Nullable String cwd, @Nullable String user) {
        return new CreateService(name, argv, null, cwd, null, user, null, null, null, null, null, null, null, null);
    }

    private static String text(CreateService request) {
        return UnitText.of(Definition.of(request));
    }
}
