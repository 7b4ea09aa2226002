package dev.sandglass.server.e2b.envd;

import dev.sandglass.engine.Engine;
import dev.sandglass.engine.file.UserFiles;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.server.e2b.connect.Rpc;
import dev.sandglass.server.e2b.connect.RpcException;
import dev.sandglass.server.e2b.sandbox.Access;
import dev.sandglass.server.e2b.sandbox.Facts;
import dev.sandglass.server.http.Call;
import dev.sandglass.server.route.PortTraffic;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandglassException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.zip.ZipException;

/** Serves what E2B clients ask of the inside of a sandbox. Thread-safe. */
public final class SandboxPlane {
    /** Of processes and files. */
    public static final int ENVD_PORT = 49983;

    /** Of the code interpreter, which starts together with its sandbox. */
    private static final int INTERPRETER_PORT = 49999;

    private static final int BAD_REQUEST = 400;
    private static final int NOT_FOUND = 404;

    private final Engine engine;
    private final Gate gate;
    private final Accounts accounts;
    private final Rpc<Visitor> rpc;
    private final Transfers transfers;
    private final PortTraffic traffic;

    public SandboxPlane(Engine engine, Access access, PortTraffic traffic) {
        this.engine = engine;
        this.gate = new Gate(engine.sandboxes(), access);
        this.traffic = traffic;
        UserFiles files = new UserFiles(engine.files());
        this.accounts = new Accounts(files);
        this.transfers = new Transfers(files);
        ProcessService processes = new ProcessService(engine.commands(), files);
        FilesystemService filesystem = new FilesystemService(files, new Watchers(files, engine.sandboxes()));
        this.rpc = new Rpc<>(both(processes.unary(), filesystem.unary()), both(processes.streaming(), filesystem.streaming()), HttpRefusal::isGone);
    }

    private static <T> Map<String, T> both(Map<String, T> one, Map<String, T> other) {
        Map<String, T> all = new HashMap<>(one);
        all.putAll(other);
        return all;
    }

    /**
     * Serves a call for a sandbox, which need not be there.
     *
     * @param sandbox as the client calls it: its id without the dash
     * @param port in the sandbox; {@link #ENVD_PORT} is for processes and files
     */
    public void serve(Call call, String sandbox, int port) throws IOException, InterruptedException {
        answering(call, sandbox, () -> {
            Sandbox view = gate.sandbox(sandbox);
            if (port == ENVD_PORT) {
                serve(call, view);
            } else {
                pass(call, view, port);
            }
        });
    }

    /** Serves a call for processes or files that names no sandbox; its token or its signature tells for which one it is. */
    public void serve(Call call) throws IOException, InterruptedException {
        answering(call, "", () -> {
            Optional<Sandbox> found = gate.sandbox(call);
            if (found.isEmpty()) {
                throw call.query("signature").isPresent() && call.header("X-Access-Token").isEmpty() ? HttpRefusal.of(401, "invalid signature") : HttpRefusal.notFound("");
            }
            serve(call, found.get());
        });
    }

    private interface Serving {
        void run() throws IOException, InterruptedException;
    }

    private static void answering(Call call, String sandbox, Serving serving) throws IOException, InterruptedException {
        try {
            serving.run();
        } catch (HttpRefusal refusal) {
            call.answer(refusal.status(), refusal.body());
        } catch (RpcException refusal) { // of one that was refused before it came to a method
            Rpc.refuse(call, refusal);
        } catch (ZipException | EOFException broken) {
            call.answer(BAD_REQUEST, new HttpRefusal.Body(BAD_REQUEST, "error decompressing request body: " + broken.getMessage()));
        } catch (SandglassException problem) {
            if (!HttpRefusal.isGone(problem) || call.isCommitted()) {
                throw problem;
            }
            HttpRefusal gone = HttpRefusal.notFound(sandbox);
            call.answer(gone.status(), gone.body());
        }
    }

    private void serve(Call call, Sandbox view) throws IOException, InterruptedException {
        SandboxId id = new SandboxId(view.id());
        String asked = call.method() + " " + call.path();
        if (asked.equals("GET /health")) {
            if (!engine.sandboxes().live().isRunning(id)) {
                throw HttpRefusal.notFound(id.undashed());
            }
            call.answerNothing();
            return;
        }
        gate.admit(call, view);
        Visitor visitor = new Visitor(call, id, view, accounts);
        switch (asked) {
            case "GET /files" -> transfers.read(visitor);
            case "POST /files" -> transfers.write(visitor);
            case "GET /metrics" -> call.answer(200, Vitals.of(engine.usages(), view.id()));
            case "GET /envs" -> call.answer(200, envs(view));
            default -> {
                if (!call.method().equals("POST") || !rpc.serve(call, visitor)) {
                    throw HttpRefusal.of(NOT_FOUND, "404 page not found");
                }
            }
        }
    }

    private static byte[] envs(Sandbox view) {
        return view.env().entrySet().stream()
                .map(each -> Json.write(each.getKey()) + ":" + Json.write(each.getValue()))
                .collect(Collectors.joining(",", "{", "}"))
                .getBytes(StandardCharsets.UTF_8);
    }

    private void pass(Call call, Sandbox view, int port) throws IOException, InterruptedException {
        gate.admitTraffic(call, view);
        SandboxId id = new SandboxId(view.id());
        Optional<String> host = Optional.ofNullable(Facts.of(view.labels()).maskRequestHost()).map(mask -> mask.replace("${PORT}", Integer.toString(port)));
        try {
            traffic.pass(call, id, port, host, port == INTERPRETER_PORT);
        } catch (SandglassException refused) {
            if (refused.code() == ErrorCode.PORT_REFUSED && !call.isCommitted()) {
                throw HttpRefusal.portClosed(id.undashed(), port);
            }
            throw refused;
        }
    }

    /** Tells an error; the call has answered nothing. */
    public void refuse(Call call, SandglassException problem) throws IOException {
        HttpRefusal refusal = HttpRefusal.of(problem);
        call.answer(refusal.status(), refusal.body());
    }
}
