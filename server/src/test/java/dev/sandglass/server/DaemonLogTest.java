package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.joran.spi.JoranException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;

/** The log of a daemon that runs for months stays small. */
class DaemonLogTest {
    @Test
    void noTextMakesALineOfItsOwnOrSpeaksToATerminal(@TempDir Path directory) throws JoranException, IOException {
        Path log = directory.resolve("daemon.log");
        LoggerContext context = configured(log);
        String forged = "x\u001b[2J\r\n2026-11-17T03:19:25.775Z INFO  Daemon - forged\u2028\u202e\u0085 \u00e4";
        context.getLogger("Test").warn("{} is not read", forged);
        context.getLogger("Test").warn("failed", new IOException(forged, new IOException(forged)));
        context.stop();
        List<String> lines = Files.readAllLines(log);
        assertThat(lines).filteredOn(line -> line.startsWith("20")).hasSize(2);
        assertThat(lines.getFirst()).endsWith("x\\u001b[2J\\u000d\\u000a2026-11-17T03:19:25.775Z INFO  Daemon - forged\\u2028\\u202e\\u0085 \u00e4 is not read");
        assertThat(lines).anyMatch(line -> line.startsWith("  ") && line.contains("DaemonLogTest")).noneMatch(line -> line.contains("\u001b"));
    }

    @Test
    void theLogIsKeptWithinItsBound(@TempDir Path directory) throws JoranException, IOException {
        Path log = Files.write(directory.resolve("daemon.log"), new byte[12 << 20]);
        LoggerContext context = configured(log);
        Logger logger = context.getLogger("Test");
        String line = "x".repeat(1000);
        for (int part = 0; part < 5; part++) {
            await().atMost(Duration.ofMinutes(1)).until(() -> hasBegunAnew(log, logger));
            for (int i = 0; i < 11_000; i++) {
                logger.info("{} {} {}", part, i, line);
            }
        }
        context.stop();
        List<Path> files;
        try (var listed = Files.list(directory)) {
            files = listed.toList();
        }
        assertThat(files).extracting(file -> file.getFileName().toString()).containsExactlyInAnyOrder("daemon.log", "daemon.log.1", "daemon.log.2", "daemon.log.3");
        assertThat(Files.readString(log)).contains(" - 4 10999 ");
    }

    private static LoggerContext configured(Path log) throws JoranException {
        LoggerContext context = new LoggerContext();
        context.setMDCAdapter(new LogbackMDCAdapter());
        context.putProperty("sandglass.log", log.toString());
        JoranConfigurator configurator = new JoranConfigurator();
        configurator.setContext(context);
        configurator.doConfigure(Objects.requireNonNull(Daemon.class.getResource("/logback-file.xml")));
        return context;
    }

    /** The size is looked at once a second, and only when a line comes. */
    private static boolean hasBegunAnew(Path log, Logger logger) throws IOException {
        logger.info("one more line");
        return Files.size(log) < 1 << 20;
    }
}
