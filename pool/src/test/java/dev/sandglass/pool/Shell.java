package dev.sandglass.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs what only the shell can do: odd names, special files, mounts. */
public final class Shell {
    private Shell() {}

    /** Runs the script in a directory with its arguments as $1 and on; gives what it printed. */
    public static String run(Path directory, String script, Object... arguments) {
        List<String> command = new ArrayList<>(List.of("sh", "-euc", script, "sh"));
        for (Object argument : arguments) {
            command.add(argument.toString());
        }
        try {
            Process process = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as("%s: %s", script, output).isZero();
            return output.strip();
        } catch (IOException | InterruptedException problem) {
            throw new AssertionError(script, problem);
        }
    }
}
