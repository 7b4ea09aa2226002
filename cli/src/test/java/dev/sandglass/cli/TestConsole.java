package dev.sandglass.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Runs the command line in this process and keeps what it printed. */
final class TestConsole {
    private final Map<String, String> environment = new HashMap<>();
    private Set<Integer> terminals = Set.of();
    private String input = "";
    /** What both streams show together, also while something runs. */
    ByteArrayOutputStream screen = new ByteArrayOutputStream();

    String out = "";
    String err = "";

    TestConsole(TestDaemon daemon) {
        environment.put("SANDGLASS_URL", "unix://" + daemon.socket);
        environment.put("SANDGLASS_API_KEY", "token");
    }

    TestConsole with(String variable, String value) {
        environment.put(variable, value);
        return this;
    }

    TestConsole terminals(Integer... streams) {
        terminals = Set.of(streams);
        return this;
    }

    TestConsole input(String text) {
        input = text;
        return this;
    }

    int run(String... args) {
        screen = new ByteArrayOutputStream();
        ByteArrayOutputStream stdout = onScreen();
        ByteArrayOutputStream stderr = onScreen();
        ByteArrayInputStream stdin = new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8));
        int code = Main.run(new Console(stdin, stdout, stderr, terminals, environment), args);
        out = stdout.toString(StandardCharsets.UTF_8);
        err = stderr.toString(StandardCharsets.UTF_8);
        return code;
    }

    private ByteArrayOutputStream onScreen() {
        ByteArrayOutputStream shared = screen;
        return new ByteArrayOutputStream() {
            @Override
            public synchronized void write(int value) {
                super.write(value);
                shared.write(value);
            }

            @Override
            public synchronized void write(byte[] bytes, int offset, int length) {
                super.write(bytes, offset, length);
                shared.write(bytes, offset, length);
            }
        };
    }
}
