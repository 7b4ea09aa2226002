package dev.sandglass.server;

import dev.sandglass.server.api.OpenApiContract;
import dev.sandglass.wire.AttachControl;
import dev.sandglass.wire.AttachEvent;
import dev.sandglass.wire.Exit;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.RunSandbox;
import dev.sandglass.wire.RunStarted;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.WindowSize;
import java.io.ByteArrayOutputStream;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A client attached to a command over a WebSocket, or one that runs it there. */
final class Attached implements WebSocket.Listener, AutoCloseable {
    private static final int EVENT = 4;
    private static final int STDIN = 0;
    private static final int CONTROL = 3;
    private static final int RUN = 5;
    private static final OpenApiContract CONTRACT = new OpenApiContract();

    private final ByteArrayOutputStream output = new ByteArrayOutputStream();
    private final ByteArrayOutputStream message = new ByteArrayOutputStream();
    private final CompletableFuture<RunStarted> started = new CompletableFuture<>();
    private final CompletableFuture<Exit> exit = new CompletableFuture<>();
    private final CompletableFuture<Integer> closed = new CompletableFuture<>();
    private @Nullable WebSocket socket;

    static Attached to(Caller caller, String path) {
        Attached attached = new Attached();
        attached.socket = caller.http()
                .newWebSocketBuilder()
                .header("Authorization", caller.authorization())
                .buildAsync(caller.socket(path), attached)
                .join();
        return attached;
    }

    /** Has a sandbox made, and the command run in it. */
    static Attached run(Caller caller, RunSandbox request) {
        Attached attached = to(caller, "/v1/run");
        attached.send(RUN, Json.bytes(request));
        return attached;
    }

    RunStarted awaitStart() {
        return within(started);
    }

    void type(String text) {
        send(STDIN, text.getBytes(StandardCharsets.UTF_8));
    }

    void resize(int cols, int rows) {
        send(CONTROL, Json.bytes(new AttachControl(new WindowSize(cols, rows), null, null)));
    }

    void end() {
        send(CONTROL, Json.bytes(new AttachControl(null, null, true)));
    }

    /** All that came so far. */
    synchronized String text() {
        return output.toString(StandardCharsets.UTF_8);
    }

    Exit awaitExit() {
        return within(exit);
    }

    int awaitClose() {
        return within(closed);
    }

    @Override
    public synchronized CompletionStage<?> onBinary(WebSocket from, ByteBuffer data, boolean last) {
        byte[] bytes = new byte[data.remaining()];
        data.get(bytes);
        message.writeBytes(bytes);
        if (last) {
            take(message.toByteArray());
            message.reset();
        }
        from.request(1);
        return CompletableFuture.completedStage(null);
    }

    private void take(byte[] whole) {
        byte[] rest = java.util.Arrays.copyOfRange(whole, 1, whole.length);
        if (whole[0] != EVENT) {
            output.writeBytes(rest);
            return;
        }
        CONTRACT.checkSchema("AttachEvent", new String(rest, StandardCharsets.UTF_8));
        AttachEvent event = Json.read(AttachEvent.class, rest);
        if (event.exit() != null) {
            exit.complete(event.exit());
        }
        if (event.started() != null) {
            started.complete(event.started());
        }
        if (event.error() != null) {
            started.completeExceptionally(SandglassException.from(event.error()));
        }
    }

    @Override
    public CompletionStage<?> onClose(WebSocket from, int code, String reason) {
        closed.complete(code);
        return CompletableFuture.completedStage(null);
    }

    @Override
    public void onError(WebSocket from, Throwable problem) {
        started.completeExceptionally(problem);
        exit.completeExceptionally(problem);
        closed.completeExceptionally(problem);
    }

    private void send(int kind, byte[] bytes) {
        byte[] whole = new byte[bytes.length + 1];
        whole[0] = (byte) kind;
        System.arraycopy(bytes, 0, whole, 1, bytes.length);
        opened().sendBinary(ByteBuffer.wrap(whole), true).join();
    }

    private static <T> T within(CompletableFuture<T> future) {
        try {
            return future.get(2, TimeUnit.MINUTES);
        } catch (ExecutionException problem) {
            if (problem.getCause() instanceof SandglassException refusal) {
                throw refusal;
            }
            throw new AssertionError(problem);
        } catch (TimeoutException | InterruptedException problem) {
            throw new AssertionError(problem);
        }
    }

    private WebSocket opened() {
        return java.util.Objects.requireNonNull(socket);
    }

    @Override
    public void close() {
        opened().abort();
    }
}
