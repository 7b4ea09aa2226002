package dev.sandglass.server;

import dev.sandglass.wire.ErrorCode;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a sandbox and its snapshots must be, in as little as tells them apart.
 *
 * @param keepsMemory whether its runtime captures processes
 * @param has what its disk says, and whether its process lives
 * @param restsInMemory whether it is paused with its processes
 * @param undo what it was before it was last turned back, and what it did
 */
record ModelState(boolean keepsMemory, Life life, Content has, boolean restsInMemory, Optional<Undo> undo, Map<String, Content> snapshots) {
    enum Life {
        RUNNING,
        PAUSED,
        STOPPED,
        DESTROYED
    }

    /** What a state consists of. */
    record Content(String disk, boolean process) {}

    /** What can be brought back. */
    record Undo(Content content, Life life, boolean restsInMemory) {}

    /**
     * What an operation came to.
     *
     * @param refusal none if it worked
     * @param seen what somebody saw who looked at it
     */
    record Answer(@Nullable ErrorCode refusal, @Nullable Content seen) {}

    /** @param next none if the answer is wrong in this state */
    private record Rule(@Nullable ErrorCode refusal, ModelState next, @Nullable Content seen) {}

    /** The state after an operation with that answer; nothing if it could not have been answered so. */
    Optional<ModelState> after(String operation, String argument, Answer answer) {
        Rule rule = rule(operation, argument);
        boolean fits = rule.refusal == answer.refusal && (answer.refusal != null || rule.seen == null || rule.seen.equals(answer.seen));
        return fits ? Optional.of(rule.next) : Optional.empty();
    }

    private Rule rule(String operation, String argument) {
        if (operation.equals("delete")) {
            return worked(without(argument));
        }
        if (operation.equals("destroy")) {
            return worked(new ModelState(keepsMemory, Life.DESTROYED, has, false, Optional.empty(), snapshots));
        }
        if (life == Life.DESTROYED) {
            return refused(ErrorCode.SANDBOX_NOT_FOUND);
        }
        return switch (operation) {
            case "read" -> life == Life.RUNNING ? new Rule(null, this, has) : refused(ErrorCode.SANDBOX_NOT_RUNNING);
            case "snapshot" -> worked(with(argument, captured()));
            case "fork" -> new Rule(null, this, whole());
            case "pause" -> pause();
            case "resume" -> life == Life.STOPPED ? refused(ErrorCode.CONFLICT) : worked(running(has, undo));
            case "stop" -> life == Life.STOPPED ? worked(this) : worked(resting(Life.STOPPED, false));
            case "start" -> life == Life.PAUSED ? refused(ErrorCode.CONFLICT) : worked(running(has, undo));
            case "rewind" -> snapshots.containsKey(argument) ? turned(snapshots.get(argument)) : refused(ErrorCode.SNAPSHOT_NOT_FOUND);
            case "undo" -> undo.map(this::broughtBack).orElseGet(() -> refused(ErrorCode.CONFLICT));
            default -> throw new IllegalArgumentException(operation);
        };
    }

    private Rule pause() {
        return switch (life) {
            case RUNNING -> worked(resting(Life.PAUSED, keepsMemory));
            case PAUSED -> worked(this);
            case STOPPED, DESTROYED -> refused(ErrorCode.CONFLICT);
        };
    }

    private Rule turned(Content target) {
        return worked(running(target, Optional.of(kept())));
    }

    private Rule broughtBack(Undo before) {
        return worked(new ModelState(keepsMemory, before.life, before.content, before.restsInMemory, Optional.of(kept()), snapshots));
    }

    private Undo kept() {
        return new Undo(whole(), life, life == Life.PAUSED && restsInMemory);
    }

    /** What it is, or will go on with. */
    private Content whole() {
        return life == Life.PAUSED && restsInMemory ? has : captured();
    }

    /** What a snapshot has that is taken now. */
    private Content captured() {
        return new Content(has.disk, keepsMemory && life == Life.RUNNING && has.process);
    }

    private ModelState running(Content content, Optional<Undo> before) {
        return new ModelState(keepsMemory, Life.RUNNING, content, false, before, snapshots);
    }

    private ModelState resting(Life how, boolean inMemory) {
        return new ModelState(keepsMemory, how, new Content(has.disk, inMemory && has.process), inMemory, undo, snapshots);
    }

    ModelState with(String name, Content content) {
        Map<String, Content> more = new HashMap<>(snapshots);
        more.put(name, content);
        return new ModelState(keepsMemory, life, has, restsInMemory, undo, Map.copyOf(more));
    }

    private ModelState without(String name) {
        Map<String, Content> fewer = new HashMap<>(snapshots);
        fewer.remove(name);
        return new ModelState(keepsMemory, life, has, restsInMemory, undo, Map.copyOf(fewer));
    }

    private Rule worked(ModelState next) {
        return new Rule(null, next, null);
    }

    private Rule refused(ErrorCode code) {
        return new Rule(code, this, null);
    }
}
