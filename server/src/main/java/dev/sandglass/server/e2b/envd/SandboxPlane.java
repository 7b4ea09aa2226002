package dev.sandglass.server.e2b.envd;

import dev.sandglass.engine.Engine;
import dev.sandglass.server.e2b.sandbox.Access;
import dev.sandglass.server.http.Call;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;

/** Serves what E2B clients ask of the inside of a sandbox. Thread-safe. */
public final class SandboxPlane {
    /** Of processes and files. */
    public static final int ENVD_PORT = 49983;

    private final Engine engine;
    private final Access access;

    public SandboxPlane(Engine engine, Access access) {
        this.engine = engine;
        this.access = access;
    }

    /**
     * Serves a call for a sandbox, which need not be there.
     *
     * @param sandbox as the client calls it: its id without the dash
     * @param port in the sandbox; {@link #ENVD_PORT} is for processes and files
     */
    public void serve(Call call, String sandbox, int port) throws IOException, InterruptedException {
        throw new SandglassException(ErrorCode.ROUTE_NOT_FOUND, "Port " + port + " of " + sandbox + " is not served: " + engine.sandboxes() + access, "");
    }

    /** Serves a call for processes or files that names no sandbox; its token or its signature tells for which one it is. */
    public void serve(Call call) throws IOException, InterruptedException {
        throw new SandglassException(ErrorCode.ROUTE_NOT_FOUND, "No sandbox is named.", "");
    }

    /** Tells an error; the call has answered nothing. */
    public void refuse(Call call, SandglassException problem) throws IOException {
        call.answer(problem.code().httpStatus(), problem.toProblem());
    }
}
