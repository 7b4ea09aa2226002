package dev.sandglass.engine.guest;

import dev.sandglass.engine.runtime.GuestSettings;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * What the agent is told when a link opens.
 *
 * @param generation another number after the sandbox was copied, so that the agent does what a copy does; 0 = not told
 * @param oomKills reads the sandbox's count of out-of-memory kills; kept on this side
 */
public record Greeting(
        GuestSettings settings, String hostname, Map<String, String> env, long generation, LongSupplier oomKills) {
    private static final int OPEN = 11;
    private static final int SERVICES = 12;

    public Greeting(GuestSettings settings, String hostname, Map<String, String> env, LongSupplier oomKills) {
        this(settings, hostname, env, 0, oomKills);
    }

    /** What can change while a sandbox runs goes over the link again when it does. */
    byte[] encode() {
        return fields().toByteArray();
    }

    private Fields fields() {
        Fields fields = new Fields()
                .u64(1, settings.capabilities())
                .u8(2, settings.noNewPrivileges() ? 1 : 0)
                .u64(3, settings.memoryLimitBytes())
                .u8(4, settings.sudoService() ? 1 : 0)
                .text(5, hostname)
                .u64(7, settings.processes())
                .u8(8, settings.memoryShared() ? 1 : 0)
                .u8(OPEN, 0); // a copy was captured while it was
        if (generation != 0) {
            fields.u64(9, generation);
        }
        if (env.isEmpty()) {
            fields.text(6, ""); // a copy must not keep the variables of its source
        }
        env.forEach((key, value) -> fields.text(6, key + "=" + value));
        return fields;
    }

    /** That the agent can be looked into from now on, or not any more. */
    static byte[] opened(boolean open) {
        return new Fields().u8(OPEN, open ? 1 : 0).toByteArray();
    }

    /** That the sandbox is somebody's, so that its services are started, and that this daemon is to be told of them. */
    static byte[] withServices() {
        return new Fields().u8(SERVICES, 1).toByteArray();
    }

    byte[] encode(byte[] nonce) {
        byte[] list = fields().u32(10, Protocol.MAX_LONG_FRAME_BYTES).toByteArray();
        byte[] message = new byte[Protocol.MAGIC.length + nonce.length + list.length];
        System.arraycopy(Protocol.MAGIC, 0, message, 0, Protocol.MAGIC.length);
        System.arraycopy(nonce, 0, message, Protocol.MAGIC.length, nonce.length);
        System.arraycopy(list, 0, message, Protocol.MAGIC.length + nonce.length, list.length);
        return message;
    }
}
