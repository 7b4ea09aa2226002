package dev.sandglass.server;

import java.io.ByteArrayOutputStream;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A connection to a port of a sandbox, as a client of the API has it. */
final class PortSocket implements WebSocket.Listener, AutoCloseable {
    private static final int BYTES = 0;
    private static final int END = 3;

    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private final ByteArrayOutputStream message = new ByteArrayOutputStream();
    private final CompletableFuture<byte[]> end = new CompletableFuture<>();
    private final CompletableFuture<Integer> closed = new CompletableFuture<>();
    private final boolean reads;
    private @Nullable WebSocket socket;

    private PortSocket(boolean reads) {
        this.reads = reads;
    }

    /** @param reads whether it takes what comes, or nothing until it is told to */
    static PortSocket to(TestSandbox box, int port, boolean reads) {
        PortSocket connected = new PortSocket(reads);
        connected.socket = box.caller().http()
                .newWebSocketBuilder()
                .header("Authorization", box.caller().authorization())
                .buildAsync(box.caller().socket(box.path() + "/ports/" + port), connected)
                .join();
        return connected;
    }

    static PortSocket to(TestSandbox box, int port) {
        return to(box, port, true);
    }

    /** From now on it takes what comes. */
    void read() {
        opened().request(Long.MAX_VALUE);
    }

    void send(byte[] bytes) {
        send(BYTES, bytes);
    }

    void send(String text) {
        send(text.getBytes(StandardCharsets.UTF_8));
    }

    void end() {
        send(END, new byte[0]);
    }

    /** A message as it is. */
    void send(int kind, byte[] bytes) {
        byte[] whole = new byte[bytes.length + 1];
        whole[0] = (byte) kind;
        System.arraycopy(bytes, 0, whole, 1, bytes.length);
        opened().sendBinary(ByteBuffer.wrap(whole), true).join();
    }

    /** All that came until now. */
    synchronized String text() {
        return received.toString(StandardCharsets.UTF_8);
    }

    /** All that came until the program inside said that there is no more. */
    byte[] all() {
        return within(end);
    }

    int awaitClose() {
        return within(closed);
    }

    @Override
    public void onOpen(WebSocket opened) {
        if (reads) {
            opened.request(Long.MAX_VALUE);
        }
    }

    @Override
    public synchronized CompletionStage<?> onBinary(WebSocket from, ByteBuffer data, boolean last) {
        byte[] bytes = new byte[data.remaining()];
        data.get(bytes);
        message.writeBytes(bytes);
        if (last) {
            byte[] whole = message.toByteArray();
            message.reset();
            switch (whole[0]) {
                case BYTES -> received.writeBytes(Arrays.copyOfRange(whole, 1, whole.length));
                case END -> end.complete(received.toByteArray());
                default -> end.completeExceptionally(new AssertionError("kind " + whole[0]));
            }
        }
        return CompletableFuture.completedStage(null);
    }

    @Override
    public CompletionStage<?> onClose(WebSocket from, int code, String reason) {
        end.completeExceptionally(new AssertionError("closed with " + code + " " + reason));
        closed.complete(code);
        return CompletableFuture.completedStage(null);
    }

    @Override
    public void onError(WebSocket from, Throwable problem) {
        end.completeExceptionally(problem);
        closed.completeExceptionally(problem);
    }

    private static <T> T within(CompletableFuture<T> future) {
        try {
            return future.get(2, TimeUnit.MINUTES);
        } catch (ExecutionException | TimeoutException | InterruptedException problem) {
            throw new AssertionError(problem);
        }
    }

    private WebSocket opened() {
        return Objects.requireNonNull(socket);
    }

    @Override
    public void close() {
        opened().abort();
    }
}
