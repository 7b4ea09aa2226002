package dev.sandglass.server.e2b;

import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.server.e2b.json.Wish;
import dev.sandglass.server.http.Call;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.UpdateSandbox;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Sandboxes rest, go on and get more time. Thread-safe. */
final class LifecycleEndpoints {
    private final Sandboxes sandboxes;
    private final Presentation presentation;
    private final Visible visible;

    LifecycleEndpoints(Sandboxes sandboxes, Presentation presentation, Visible visible) {
        this.sandboxes = sandboxes;
        this.presentation = presentation;
        this.visible = visible;
    }

    List<Endpoint> all() {
        return List.of(
                Endpoint.of("POST", "/v2/sandboxes/{sandbox}/connect", this::connect),
                Endpoint.of("POST", "/sandboxes/{sandbox}/connect", this::connect),
                Endpoint.of("POST", "/sandboxes/{sandbox}/resume", this::resume),
                Endpoint.of("POST", "/sandboxes/{sandbox}/pause", this::pause),
                Endpoint.of("POST", "/sandboxes/{sandbox}/timeout", this::timeout),
                Endpoint.of("POST", "/sandboxes/{sandbox}/refreshes", this::refresh));
    }

    private static boolean rests(Sandbox sandbox) {
        return Presentation.state(sandbox).filter(Presentation.PAUSED::equals).isPresent();
    }

    private void connect(Call call, String id) throws IOException {
        Wish wish = ControlPlane.read(call, Wish.class);
        Sandbox sandbox = visible.get(id);
        if (rests(sandbox)) {
            call.answer(201, presentation.created(resumed(sandbox, wish)));
        } else {
            call.answer(200, presentation.created(extended(sandbox, Creation.timeout(wish.timeout()))));
        }
    }

    private void resume(Call call, String id) throws IOException {
        Wish wish = ControlPlane.read(call, Wish.class);
        Sandbox sandbox = visible.get(id);
        if (!rests(sandbox)) {
            throw new SandglassException(ErrorCode.CONFLICT, "Sandbox " + Ids.shown(id) + " is already running", "");
        }
        call.answer(201, presentation.created(resumed(sandbox, wish)));
    }

    /** Its time begins when it goes on, and does not pass while it rests. */
    private Sandbox resumed(Sandbox sandbox, Wish wish) {
        sandboxes.update(sandbox.id(), timed(Creation.timeout(wish.timeout())));
        return sandboxes.resume(sandbox.id(), Boolean.FALSE.equals(wish.memory()));
    }

    /** Never to an earlier end. */
    private Sandbox extended(Sandbox sandbox, long seconds) {
        boolean ends = sandbox.timeoutAt() != null;
        return ends && Instant.now().plusSeconds(seconds).isAfter(sandbox.timeoutAt()) ? sandboxes.update(sandbox.id(), timed(seconds)) : sandbox;
    }

    private static UpdateSandbox timed(@Nullable Long seconds) {
        return new UpdateSandbox(null, null, null, null, null, null, seconds, null, null, null, null, null, null, null);
    }

    private void pause(Call call, String id) throws IOException {
        Wish wish = ControlPlane.read(call, Wish.class);
        Sandbox sandbox = visible.get(id);
        if (rests(sandbox)) {
            throw new SandglassException(ErrorCode.CONFLICT, "Sandbox " + Ids.shown(id) + " is already paused", "");
        }
        sandboxes.pause(sandbox.id(), Boolean.FALSE.equals(wish.memory()));
        call.answerNothing();
    }

    /** From now on, whatever was said before. */
    private void timeout(Call call, String id) throws IOException {
        end(visible.get(id), Objects.requireNonNullElse(ControlPlane.read(call, Wish.class).timeout(), 0L));
        call.answerNothing();
    }

    /** For the engine no time at all would be for ever. */
    private void end(Sandbox sandbox, long seconds) {
        if (seconds > 0 || rests(sandbox)) {
            sandboxes.update(sandbox.id(), timed(Math.max(1, seconds)));
        } else if (sandbox.onTimeout().equals("kill")) {
            sandboxes.destroy(sandbox.id());
        } else {
            sandboxes.pause(sandbox.id(), sandbox.onTimeout().equals("pause-disk"));
        }
    }

    private void refresh(Call call, String id) throws IOException {
        Wish wish = ControlPlane.read(call, Wish.class);
        extended(visible.get(id), Creation.timeout(Objects.requireNonNullElse(wish.duration(), 0L)));
        call.answerNothing();
    }
}
