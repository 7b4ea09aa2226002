package dev.sandglass.engine.port;

import dev.sandglass.engine.life.LiveSandbox;
import dev.sandglass.engine.life.LiveSandboxes;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;

/** The ports on which programs listen inside sandboxes. Thread-safe; calls block. */
public final class Ports {
    private final LiveSandboxes sandboxes;

    public Ports(LiveSandboxes sandboxes) {
        this.sandboxes = sandboxes;
    }

    /**
     * Connects to a port on the loopback of a sandbox, which is woken first if it rests and use is to wake it; the caller closes the connection. It is use of the sandbox while it is open.
     * {@code port_refused} when nothing listens there.
     */
    public PortConnection connect(String sandbox, int port) {
        requirePort(port);
        try {
            return sandboxes.use(sandbox, in -> connect(in, port));
        } catch (InterruptedException stopped) {
            throw stopping(stopped);
        }
    }

    /** The same for a sandbox that was found already, and only while its agent is reached as it was then. */
    public PortConnection connectTo(LiveSandbox in, int port) {
        requirePort(port);
        try {
            return connect(in, port);
        } catch (InterruptedException stopped) {
            throw stopping(stopped);
        }
    }

    private static PortConnection connect(LiveSandbox in, int port) throws InterruptedException {
        return new PortConnection(in, port, in.link().connect(port));
    }

    private static void requirePort(int port) {
        if (port < 1 || port > 65535) {
            throw new SandglassException(ErrorCode.INVALID_REQUEST, "port: " + port + " (expected: 1 to 65535)", "Name the port on which the program inside listens.");
        }
    }

    private static SandglassException stopping(InterruptedException stopped) {
        Thread.currentThread().interrupt();
        return new SandglassException(ErrorCode.SHUTTING_DOWN, "The daemon is stopping.", "Try again.", stopped);
    }
}
