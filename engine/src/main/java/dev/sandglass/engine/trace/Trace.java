package dev.sandglass.engine.trace;

import dev.sandglass.wire.TraceStep;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

/** The steps of one piece of work. Written by the thread that works, read by any. */
public final class Trace {
    private static final ScopedValue<Trace> CURRENT = ScopedValue.newInstance();
    private static final double NANOS_PER_MILLI = 1e6;

    private record Begun(String name, long nanos) {}

    private final Runnable changed;
    private final Consumer<String> about;
    private final List<Begun> steps = new ArrayList<>();
    private double come;
    private long ended;

    /**
     * @param changed called whenever a step begins; it must be quick
     * @param about told the id of what the work makes, before it is made
     */
    public Trace(Runnable changed, Consumer<String> about) {
        this.changed = changed;
        this.about = about;
    }

    /** Says what the work of this thread comes to now; the step before is over. */
    public static void step(String name) {
        if (CURRENT.isBound()) {
            CURRENT.get().begin(name);
        }
    }

    /** Says how far the step of this thread's work has come, in the place of what was said of it. */
    public static void tell(String name, double fraction) {
        if (CURRENT.isBound()) {
            CURRENT.get().restate(name, fraction);
        }
    }

    /** Says what the work of this thread makes: whoever finds it cut off can look whether that is there. */
    public static void about(String id) {
        if (CURRENT.isBound()) {
            CURRENT.get().about.accept(id);
        }
    }

    /** Does work whose steps go into this trace. */
    public <T> T follow(Callable<T> work) throws Exception {
        try {
            return ScopedValue.where(CURRENT, this).call(work::call);
        } finally {
            end();
        }
    }

    /** What was done, with how long it took; the last goes on while the work does. */
    public synchronized List<TraceStep> steps() {
        List<TraceStep> shown = new ArrayList<>();
        for (int i = 0; i < steps.size(); i++) {
            long until = i + 1 < steps.size() ? steps.get(i + 1).nanos() : ended != 0 ? ended : System.nanoTime();
            double millis = (until - steps.get(i).nanos()) / NANOS_PER_MILLI;
            shown.add(new TraceStep(steps.get(i).name(), Math.round(millis * 1000) / 1000.0));
        }
        return shown;
    }

    private void begin(String name) {
        synchronized (this) {
            steps.add(new Begun(name, System.nanoTime()));
        }
        changed.run();
    }

    private void restate(String name, double fraction) {
        synchronized (this) {
            long since = steps.isEmpty() ? System.nanoTime() : steps.removeLast().nanos();
            steps.add(new Begun(name, since));
            come = Math.clamp(fraction, 0, 1);
        }
        changed.run();
    }

    /** How far the step has come for which somebody told that; 0 if nobody did. */
    public synchronized double come() {
        return come;
    }

    private synchronized void end() {
        ended = System.nanoTime();
    }
}
