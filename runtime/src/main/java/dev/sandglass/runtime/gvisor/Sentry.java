package dev.sandglass.runtime.gvisor;

import dev.sandglass.linux.UnixQuestion;
import dev.sandglass.wire.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * gVisor's kernel, by its control socket. runsc has commands for the same, which take 40 ms longer each, while the sandbox
 * stands still.
 */
record Sentry(Path socket) {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    /** Gigabytes to a slow disk. */
    private static final Duration WRITING = Duration.ofMinutes(10);

    /** Where a task of its kernel waits while all are stopped. */
    private static final String STOPPED = "kernel.(*Task).doStop";

    /** Stops all tasks, and returns when they stand still. It is counted: as many resumes must follow. */
    void pause() throws IOException {
        call("containerManager.Pause", "null", List.of(), PATIENCE);
    }

    /** Ends one pause. Without one it would be the end of the kernel. */
    void resume() throws IOException {
        call("containerManager.Resume", "null", List.of(), PATIENCE);
    }

    /** Whether tasks are stopped, as its threads tell: there is no question for that. */
    boolean isPaused() throws IOException {
        return call("debug.Stacks", "null", List.of(), PATIENCE).contains(STOPPED);
    }

    /** Writes all of the kernel into files: its state, where the pages are, the pages. */
    void checkpoint(List<Path> files) throws IOException {
        String options = "{\"metadata\":{\"compression\":\"none\"},\"have_pages_file\":true,\"Resume\":true}";
        call("containerManager.Checkpoint", options, files, WRITING);
    }

    private String call(String method, String argument, List<Path> files, Duration patience) throws IOException {
        String question = "{\"method\":\"" + method + "\",\"arg\":" + argument + "}";
        byte[] answer = new UnixQuestion(socket, question, files, patience).ask();
        if (answer.length == 0) {
            throw new IOException("gVisor's kernel ended during " + method);
        }
        if (!(Json.tree(answer) instanceof Map<?, ?> fields)) {
            throw new IOException(method + " was not answered by an object");
        }
        if (!Boolean.TRUE.equals(fields.get("success"))) {
            String words = String.valueOf(fields.get("err"));
            throw new IOException(words.lines().findFirst().orElse("no reason given")); // behind it are the kernel's own calls
        }
        return String.valueOf(fields.get("result"));
    }
}
