package dev.sandglass.server;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Another program that knows images. */
final class Skopeo {
    private Skopeo() {}

    /** What it prints; it must work. */
    static String run(String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("skopeo"));
        command.addAll(List.of(words));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new AssertionError(command + ": " + output);
        }
        return output;
    }
}
