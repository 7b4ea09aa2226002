package dev.sandglass.server.mcp;

import dev.sandglass.engine.command.Attachment;
import dev.sandglass.engine.command.CommandOutput;
import dev.sandglass.engine.command.Commands;
import dev.sandglass.wire.Exit;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/**
 * Reads the output of a command for as long as somebody waits for it, and tells what comes meanwhile. The command waits for a reader who is
 * slow, and goes on without one who has left.
 */
record OutputReading(Commands commands, String sandbox, String command, Job job) {
    /** What is told of the end of what came. */
    private static final int MOST_TOLD = 1000;

    /**
     * Reads until the command has ended, the time is over or the excerpt is full.
     *
     * @param wait zero reads only what there is
     * @return how the command ended, if that was read
     */
    Optional<Exit> read(long offset, Duration wait, Excerpt into) throws IOException, InterruptedException {
        try (Attachment attachment = commands.attach(sandbox, command, offset, !wait.isZero())) {
            Thread alarm = wait.isZero() ? null : Thread.ofVirtual().name("mcp-patience").start(() -> closeAfter(wait, attachment));
            try {
                return read(attachment, into);
            } finally {
                if (alarm != null) {
                    alarm.interrupt();
                }
            }
        }
    }

    private Optional<Exit> read(Attachment attachment, Excerpt into) throws IOException, InterruptedException {
        while (!into.isFull()) {
            switch (job.await(attachment::next)) {
                case CommandOutput.Data(int _, long at, byte[] bytes) -> {
                    into.add(bytes);
                    job.progress((double) (at + bytes.length), null, lastOf(bytes));
                }
                case CommandOutput.Dropped(long bytes) -> into.drop(bytes);
                case CommandOutput.Ended(Exit exit) -> {
                    return Optional.of(exit);
                }
                case CommandOutput.End() -> {
                    return Optional.empty();
                }
            }
        }
        return Optional.empty();
    }

    /** A reader that is closed is told that this is the end. */
    private static void closeAfter(Duration wait, Attachment attachment) {
        try {
            Thread.sleep(wait);
            attachment.close();
        } catch (InterruptedException readBefore) {
            return;
        }
    }

    private static String lastOf(byte[] bytes) {
        int from = Math.max(0, bytes.length - MOST_TOLD);
        return new String(bytes, from, bytes.length - from, StandardCharsets.UTF_8);
    }
}
