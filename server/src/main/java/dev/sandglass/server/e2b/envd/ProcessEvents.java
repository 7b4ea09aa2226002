package dev.sandglass.server.e2b.envd;

import dev.sandglass.server.e2b.connect.Nothing;
import dev.sandglass.wire.Exit;
import io.avaje.jsonb.Json;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** What is told of a process, message by message. */
final class ProcessEvents {
    private static final int STDERR = 2;

    @Json
    record Start(long pid) {}

    @Json
    record Data(@Nullable String stdout, @Nullable String stderr, @Nullable String pty) {}

    @Json
    record End(int exitCode, boolean exited, String status, @Nullable String error) {}

    @Json
    record ProcessEvent(@Nullable Start start, @Nullable Data data, @Nullable End end, @Nullable Nothing keepalive) {}

    @Json
    record ProcessMessage(ProcessEvent event) {}

    static final ProcessMessage KEEPALIVE = new ProcessMessage(new ProcessEvent(null, null, null, Nothing.atAll()));

    private ProcessEvents() {}

    static ProcessMessage started(long pid) {
        return new ProcessMessage(new ProcessEvent(new Start(pid), null, null, null));
    }

    /** @param kind 1 standard output, 2 standard error */
    static ProcessMessage output(int kind, boolean pty, byte[] bytes) {
        String text = Base64.getEncoder().encodeToString(bytes);
        Data data = pty ? new Data(null, null, text) : kind == STDERR ? new Data(null, text, null) : new Data(text, null, null);
        return new ProcessMessage(new ProcessEvent(null, data, null, null));
    }

    static ProcessMessage ended(Exit exit) {
        Integer signal = exit.signal();
        String status = signal == null ? "exit status " + exit.code() : "signal: " + signalText(signal);
        boolean well = signal == null && exit.code() == 0;
        return new ProcessMessage(new ProcessEvent(null, null, new End(signal == null ? exit.code() : -1, signal == null, status, well ? null : status), null));
    }

    /** As Go has them, which clients compare with. */
    private static String signalText(int signal) {
        return switch (signal) {
            case 1 -> "hangup";
            case 2 -> "interrupt";
            case 3 -> "quit";
            case 4 -> "illegal instruction";
            case 5 -> "trace/breakpoint trap";
            case 6 -> "aborted";
            case 7 -> "bus error";
            case 8 -> "floating point exception";
            case 9 -> "killed";
            case 10 -> "user defined signal 1";
            case 11 -> "segmentation fault";
            case 12 -> "user defined signal 2";
            case 13 -> "broken pipe";
            case 14 -> "alarm clock";
            case 15 -> "terminated";
            default -> "signal " + signal;
        };
    }
}
