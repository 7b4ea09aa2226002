package dev.sandglass.engine.command;

import dev.sandglass.engine.guest.GuestExit;
import dev.sandglass.engine.life.LiveSandbox;
import dev.sandglass.wire.Exit;

/** Turns the agent's word of an end into ours: a shell's exit code, and the reason where a limit was it. */
final class Exits {
    private static final long MIB = 1 << 20;
    private static final String REWOUND = "Ended because the sandbox was turned back to a state in which it did not run.";

    private Exits() {}

    static Exit of(GuestExit exit, LiveSandbox in) {
        int signal = exit.status() < 0 ? -exit.status() : 0;
        int code = signal > 0 ? 128 + signal : exit.status();
        String reason = exit.timedOut() ? "timeout" : exit.outOfMemory() ? "oom" : exit.turnedBack() ? "rewound" : null;
        return new Exit(
                code,
                signal > 0 ? signal : null,
                reason,
                exit.outOfMemory() ? outOfMemoryText(in) : exit.turnedBack() ? REWOUND : null,
                exit.userMicros() / 1000,
                exit.systemMicros() / 1000,
                exit.maxRssKib(),
                exit.endedAt());
    }

    private static String outOfMemoryText(LiveSandbox in) {
        return "Killed because the sandbox reached its memory limit of "
                + in.memoryLimitBytes() / MIB
                + " MB; raise it with `sandglass update --memory`, or create it with a higher --memory.";
    }
}
