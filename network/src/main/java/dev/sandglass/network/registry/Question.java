package dev.sandglass.network.registry;

import dev.sandglass.linux.ChildProcess;
import java.io.File;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** What a program of the host is asked. It is run in the root directory, where no project's configuration is in its way. */
record Question(Path program, List<String> arguments, Map<String, String> environment) {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int LONGEST = 16 << 10;

    /** The lines of its output. */
    List<String> answer() throws IOException {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(new File("/"))
                .redirectInput(new File("/dev/null"))
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().clear();
        builder.environment().putAll(environment);
        Process process = ChildProcess.start(builder);
        // In a thread of its own: a child of the program may keep the pipe open when the program itself is long gone.
        FutureTask<String> output = new FutureTask<>(() -> read(process));
        Thread.ofVirtual().name("answer-" + process.pid()).start(output);
        try {
            return output.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS).lines().toList();
        } catch (TimeoutException late) {
            throw new IOException("no answer within " + PATIENCE.toSeconds() + " s", late);
        } catch (ExecutionException problem) {
            throw new IOException(problem.getCause());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private static String read(Process process) throws IOException, InterruptedException {
        byte[] bytes = process.getInputStream().readNBytes(LONGEST + 1);
        if (bytes.length > LONGEST) {
            throw new IOException("more than " + LONGEST + " bytes");
        }
        int status = process.waitFor();
        if (status != 0) {
            throw new IOException("it ended with " + status);
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
