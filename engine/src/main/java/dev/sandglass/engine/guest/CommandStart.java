package dev.sandglass.engine.guest;

import dev.sandglass.wire.WindowSize;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * A command to start.
 *
 * @param input whether it gets a standard input; else it reads the end at once
 * @param hold whether all output is kept until the first reader comes
 */
public record CommandStart(
        CommandFacts facts,
        Map<String, String> env,
        Optional<WindowSize> pty,
        boolean input,
        boolean hold,
        Optional<Duration> timeout) {
    private static final int INPUT = 1;
    private static final int HOLD = 2;

    byte[] encode() {
        Fields fields = new Fields();
        facts.argv().forEach(argument -> fields.text(1, argument));
        env.forEach((key, value) -> fields.text(2, key + "=" + value));
        facts.cwd().ifPresent(cwd -> fields.text(3, cwd));
        facts.user().ifPresent(user -> fields.text(4, user));
        pty.ifPresent(size -> fields.bytes(5, new byte[] {
            (byte) (size.cols() >> 8), (byte) size.cols(), (byte) (size.rows() >> 8), (byte) size.rows()
        }));
        fields.u32(6, (input ? INPUT : 0) | (hold ? HOLD : 0));
        timeout.ifPresent(limit -> fields.u64(8, limit.toMillis()));
        return fields.toByteArray();
    }
}
