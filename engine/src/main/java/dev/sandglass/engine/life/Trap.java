package dev.sandglass.engine.life;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Properties;

/**
 * What a test has laid for the daemon at one step, in a file that it may write or remove at any time. {@code step=CREATE_STARTED} halts the process there as
 * {@code kill -9} would, with nothing flushed and nothing cleaned up. {@code after=n} lets it pass n times first. With {@code fails=true} the step is done and fails
 * nevertheless, once, as one does whose answer is lost. With {@code holds=file} it makes that file and goes on when the file is gone: meanwhile the test changes
 * the world; with {@code times=n} so many that come do, and each adds a byte to the file. Whatever else the file says makes it another trap, which counts anew.
 * Thread-safe.
 */
final class Trap {
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final Path file;
    private Properties laid = new Properties();
    private int passed;

    Trap(Path file) {
        this.file = file;
    }

    void spring(Failpoint step) {
        Properties now = read();
        if (!step.name().equals(now.getProperty("step")) || !isDue(now)) {
            return;
        }
        String held = now.getProperty("holds");
        if (held != null) {
            hold(Path.of(held));
            return;
        }
        if (Boolean.parseBoolean(now.getProperty("fails"))) {
            throw new SandglassException(ErrorCode.INTERNAL, "The failpoint " + step + " is armed.", "Remove " + file + ".");
        }
        java.lang.Runtime.getRuntime().halt(137);
    }

    private Properties read() {
        Properties read = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            read.load(reader);
        } catch (NoSuchFileException nothingLaid) {
            return read;
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
        return read;
    }

    private synchronized boolean isDue(Properties now) {
        if (!now.equals(laid)) {
            laid = now;
            passed = 0;
        }
        int beyond = passed++ - Integer.parseInt(now.getProperty("after", "0"));
        return beyond >= 0 && beyond < Integer.parseInt(now.getProperty("times", "1"));
    }

    private static void hold(Path file) {
        try {
            Files.write(file, new byte[1], StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            Instant end = Instant.now().plus(PATIENCE);
            while (Files.exists(file) && Instant.now().isBefore(end)) {
                Thread.sleep(5);
            }
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
