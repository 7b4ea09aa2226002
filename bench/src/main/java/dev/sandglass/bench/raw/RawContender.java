package dev.sandglass.bench.raw;

import dev.sandglass.bench.Capturing;
import dev.sandglass.bench.Laps;
import dev.sandglass.bench.report.Measure;
import dev.sandglass.bench.report.Results.Part;
import dev.sandglass.bench.report.Results.Who;
import dev.sandglass.runtime.oci.Isolation;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** An engine by its own command line. */
public final class RawContender implements Capturing {
    private final Who who;
    private final Engine engine;
    private final Area area;
    private final Isolation isolation;
    private final RawContainer shortLived;
    private final Set<RawContainer> running = ConcurrentHashMap.newKeySet();

    /** @param baseline whether it is the one by which its family is divided */
    public RawContender(Engine engine, boolean baseline, Area area) throws IOException {
        this.who = new Who("raw " + engine.program(), engine.family(), baseline ? Part.BASELINE : Part.BESIDE);
        this.engine = engine;
        this.area = area;
        this.isolation = engine.isolation(area.run());
        this.shortLived = new RawContainer(area, isolation, List.of("true"));
    }

    @Override
    public Who who() {
        return who;
    }

    @Override
    public void life(Laps laps) throws IOException {
        long begun = System.nanoTime();
        shortLived.mount();
        long mounted = System.nanoTime();
        shortLived.runToEnd();
        long ran = System.nanoTime();
        shortLived.unmount();
        long ended = System.nanoTime();
        laps.lap(Measure.LIFE, ended - begun);
        laps.lap(Measure.CREATE, mounted - begun);
        laps.lap(Measure.FIRST, ran - mounted);
        laps.lap(Measure.DESTROY, ended - ran);
    }

    @Override
    public Running start() throws IOException {
        RawContainer container = new RawContainer(area, isolation, List.of("sleep", "infinity"));
        container.mount();
        running.add(container);
        container.startDetached();
        return new Lent(container, () -> end(container));
    }

    @Override
    public boolean captures() {
        return engine == Engine.RUNSC;
    }

    @Override
    public Held hold(Load load) throws IOException {
        return new RawHeld(area, isolation, load);
    }

    private void end(RawContainer container) throws IOException {
        if (running.remove(container)) {
            container.close();
        }
    }

    /** Ends what runs; what cannot be ended so is left to the area. */
    @Override
    public void close() throws IOException {
        for (RawContainer container : running) {
            end(container);
        }
    }
}
