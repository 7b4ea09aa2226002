package dev.sandglass.acceptance;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** A real terminal: a tmux of its own with one window in which a bash runs. */
final class Terminal implements AutoCloseable {
    private static final Duration DEADLINE = Duration.ofSeconds(90);

    private final Path place = Files.createTempDirectory("tmux");
    private int marks;

    Terminal(Path directory, Map<String, String> environment) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "30", "-c", directory.toString()));
        environment.forEach((name, value) -> command.addAll(List.of("-e", name + "=" + value)));
        command.add("bash --norc --noprofile");
        tmux(command.toArray(String[]::new));
        type("PS1='host> '");
        awaitScreen("(?m)^host>$");
    }

    /** Types some text. */
    void write(String text) throws IOException, InterruptedException {
        tmux("send-keys", "-l", "--", text);
    }

    /** Types a line and Enter. */
    void type(String line) throws IOException, InterruptedException {
        write(line);
        press("Enter");
    }

    /** Presses keys by tmux's names for them: C-c, Tab, Enter. */
    void press(String... keys) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("send-keys"));
        command.addAll(List.of(keys));
        tmux(command.toArray(String[]::new));
    }

    void resize(int columns, int rows) throws IOException, InterruptedException {
        tmux("resize-window", "-x", Integer.toString(columns), "-y", Integer.toString(rows));
    }

    String screen() throws IOException, InterruptedException {
        return tmux("capture-pane", "-p", "-J").stripTrailing();
    }

    /** What is on the screen and what went up from it. */
    String history() throws IOException, InterruptedException {
        return tmux("capture-pane", "-p", "-J", "-S", "-");
    }

    /** Waits until the screen has a match, and returns it. */
    String awaitScreen(String pattern) throws IOException, InterruptedException {
        Pattern wanted = Pattern.compile(pattern);
        return await("/" + pattern + "/", screen -> wanted.matcher(screen).find());
    }

    /** Runs a line in the shell that has the prompt, and returns what it printed; the line's echo is not taken for it. */
    String ask(String line) throws IOException, InterruptedException {
        int mark = ++marks;
        type("clear; " + line + "; echo end''-" + mark + "-");
        String screen = await("the end of `" + line + "`", text -> text.contains("end-" + mark + "-"));
        int echoed = screen.indexOf("end''-" + mark + "-");
        String rest = echoed < 0 ? screen : screen.substring(screen.indexOf('\n', echoed) + 1);
        return rest.substring(0, rest.indexOf("end-" + mark + "-")).strip();
    }

    /** Waits until the screen is the same for a while. */
    void settle() throws IOException, InterruptedException {
        String before = "";
        for (String now = screen(); !now.equals(before); now = screen()) {
            before = now;
            Thread.sleep(500); // that nothing more is drawn has no event
        }
    }

    private String await(String what, Predicate<String> fits) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + DEADLINE.toNanos();
        String screen = screen();
        while (!fits.test(screen)) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("not on the screen: " + what + "\n" + screen);
            }
            Thread.sleep(100);
            screen = screen();
        }
        return screen;
    }

    @Override
    public void close() throws IOException {
        try {
            tmux("kill-server");
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } finally {
            Files.deleteIfExists(socket());
            Files.delete(place);
        }
    }

    private Path socket() {
        return place.resolve("socket");
    }

    private String tmux(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("tmux", "-S", socket().toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("LC_ALL", "C.UTF-8");
        builder.environment().remove("TMUX");
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!process.waitFor(30, TimeUnit.SECONDS) || process.exitValue() != 0) {
            throw new IOException(command + " failed: " + output);
        }
        return output;
    }
}
