package dev.sandglass.cli;

import dev.sandglass.cli.attach.Attachment;
import dev.sandglass.wire.CommandResult;
import dev.sandglass.wire.Exit;
import dev.sandglass.wire.StartCommand;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** A command whose output is printed at its end, as one JSON object with its exit status. */
final class GatheredCommand {
    private static final int LIMIT = 16 << 20;

    private GatheredCommand() {}

    static int run(Console console, Opening opening, StartCommand request, Format format) {
        Gathering stdout = new Gathering();
        Gathering stderr = new Gathering();
        ForwardedSignals signals = new ForwardedSignals();
        Attachment attachment = opening.open(signals, stdout, stderr);
        signals.forward(attachment);
        if (Boolean.TRUE.equals(request.stdin())) {
            attachment.feed(console.in());
        }
        Exit exit = Objects.requireNonNull(attachment.await(), "nobody leaves it");
        CommandResult result = new CommandResult(exit, stdout.text(), stderr.text(), stdout.truncated, stderr.truncated);
        console.print(Document.of(result, format, console));
        return "timeout".equals(exit.reason()) ? Ending.TIMED_OUT : exit.code();
    }

    private static final class Gathering extends ByteArrayOutputStream {
        private boolean truncated;

        @Override
        public synchronized void write(byte[] bytes, int offset, int length) {
            int room = Math.min(length, LIMIT - count);
            truncated |= room < length;
            super.write(bytes, offset, room);
        }

        String text() {
            return toString(StandardCharsets.UTF_8);
        }
    }
}
