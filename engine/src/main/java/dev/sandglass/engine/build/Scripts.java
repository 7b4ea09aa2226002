package dev.sandglass.engine.build;

import dev.sandglass.engine.command.Attachment;
import dev.sandglass.engine.command.CommandOutput;
import dev.sandglass.engine.command.Commands;
import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.engine.sandbox.Cause;
import dev.sandglass.wire.Command;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Exit;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.StartCommand;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Runs scripts in sandboxes for builds: what they print goes to the build's log, and how they fail is told by its kind. Thread-safe. */
public final class Scripts {
    /** So long a sandbox that died of its memory may take until it is known to have. */
    private static final Duration LAST_WORD = Duration.ofSeconds(10);

    private static final Set<ErrorCode> LOST = Set.of(ErrorCode.SANDBOX_NOT_RUNNING, ErrorCode.GUEST_TIMEOUT, ErrorCode.GUEST_PROTOCOL);
    private static final Pattern FULL = Pattern.compile("No space left on device|Disk quota exceeded", Pattern.CASE_INSENSITIVE);
    private static final Map<String, String> QUIET = Map.of("DEBIAN_FRONTEND", "noninteractive");

    private final Sandboxes sandboxes;
    private final Commands commands;

    public Scripts(Sandboxes sandboxes, Commands commands) {
        this.sandboxes = sandboxes;
        this.commands = commands;
    }

    /**
     * Runs a script to its end; {@code build_failed}, {@code build_timeout}, {@code out_of_memory} or {@code disk_full} if that is not a good one.
     *
     * @param raise what hints say
     */
    public void run(String sandbox, Script script, RunningBuild build, Raise raise) {
        Map<String, String> env = new HashMap<>(QUIET);
        env.putAll(script.env());
        StartCommand start = new StartCommand(
                script.argv(), env, script.workdir().orElse(null), script.user().orElse(null), null, null, true,
                Math.max(1, script.limit().toMillis()));
        try {
            judge(sandbox, script, exit(sandbox, start, script.step(), build), build, raise);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new SandglassException(ErrorCode.OPERATION_INTERRUPTED, "The daemon is stopping, so the step " + script.step() + " was ended.", "Try again.", stopped);
        }
    }

    /** How it ended; empty if its sandbox did before. */
    private Optional<Exit> exit(String sandbox, StartCommand start, String step, RunningBuild build) throws InterruptedException {
        try {
            Command command = commands.start(sandbox, start);
            try {
                return follow(sandbox, command, step, build);
            } catch (InterruptedException stopped) {
                end(sandbox, command);
                throw stopped;
            }
        } catch (SandglassException problem) {
            if (!LOST.contains(problem.code())) {
                throw problem;
            }
            return Optional.empty();
        }
    }

    /** What to do about a step that failed, as a hint says it: how it gets more of what was not enough, and else. */
    public record Raise(String memory, String disk, String time, String otherwise) {}

    private Optional<Exit> follow(String sandbox, Command command, String step, RunningBuild build) throws InterruptedException {
        Utf8 text = new Utf8();
        try (Attachment attachment = commands.attach(sandbox, command.id(), 0, true)) {
            while (true) {
                switch (attachment.next()) {
                    case CommandOutput.Data(_, _, byte[] bytes) -> build.print(step, text.of(bytes));
                    case CommandOutput.Dropped(long bytes) -> build.print(step, "[" + bytes + " bytes were not kept]\n");
                    case CommandOutput.Ended(Exit exit) -> {
                        return Optional.of(exit);
                    }
                    case CommandOutput.End() -> {
                        return Optional.empty();
                    }
                }
            }
        }
    }

    private void judge(String sandbox, Script script, Optional<Exit> exit, RunningBuild build, Raise raise) throws InterruptedException {
        String step = script.step();
        String lines = build.lastLines(step);
        String shown = lines.isEmpty() ? " It printed nothing." : " Its last lines:\n" + lines;
        if (exit.isEmpty()) {
            String reason = reasonOfDeath(sandbox);
            if (reason.equals("oom")) {
                throw new SandglassException(ErrorCode.OUT_OF_MEMORY, "The step " + step + " ran out of memory, and the sandbox ended." + shown, raise.memory());
            }
            if (reason.equals(Cause.API.text())) {
                throw new SandglassException(ErrorCode.BUILD_FAILED, "The sandbox was removed during the step " + step + "." + shown, raise.otherwise());
            }
            throw new SandglassException(ErrorCode.BUILD_FAILED, "The sandbox ended during the step " + step + " (" + reason + ")." + shown, "`sandglass events` tells what happened to it.");
        }
        Exit end = exit.get();
        if (end.code() == 0) {
            return;
        }
        if ("oom".equals(end.reason())) {
            throw new SandglassException(ErrorCode.OUT_OF_MEMORY, "The step " + step + " ran out of memory: a process of it was killed." + shown, raise.memory());
        }
        if ("timeout".equals(end.reason())) {
            throw new SandglassException(
                    ErrorCode.BUILD_TIMEOUT, "The step " + step + " took longer than " + script.limit().toSeconds() + " s and was ended." + shown, raise.time());
        }
        if (FULL.matcher(lines).find()) {
            throw new SandglassException(ErrorCode.DISK_FULL, "The step " + step + " found the disk of the sandbox full." + shown, raise.disk());
        }
        throw new SandglassException(
                ErrorCode.BUILD_FAILED, "The step " + step + " ended with " + end.code() + "." + shown, raise.otherwise());
    }

    private String reasonOfDeath(String sandbox) throws InterruptedException {
        long deadline = System.nanoTime() + LAST_WORD.toNanos();
        while (System.nanoTime() < deadline) {
            Sandbox now = sandboxes.get(sandbox);
            if (!now.state().equals("running")) {
                return Objects.requireNonNullElse(now.reason(), now.state());
            }
            Thread.sleep(50);
        }
        return "its agent does not answer";
    }

    private void end(String sandbox, Command command) {
        try {
            commands.signal(sandbox, command.id(), "KILL");
        } catch (SandglassException gone) {
            return; // it has ended, or all of it has
        }
    }

    /** Bytes that come in pieces as text; a character may be cut in two by them. */
    private static final class Utf8 {
        private final CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder().onMalformedInput(CodingErrorAction.REPLACE).onUnmappableCharacter(CodingErrorAction.REPLACE);
        private ByteBuffer rest = ByteBuffer.allocate(0);

        String of(byte[] bytes) {
            ByteBuffer all = ByteBuffer.allocate(rest.remaining() + bytes.length).put(rest).put(bytes).flip();
            CharBuffer text = CharBuffer.allocate(all.remaining());
            decoder.decode(all, text, false);
            rest = all;
            return text.flip().toString();
        }
    }
}
