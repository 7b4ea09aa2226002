package dev.sandglass.bench.raw;

import dev.sandglass.bench.AtOnce;
import dev.sandglass.bench.Capturing;
import dev.sandglass.bench.report.Size;
import dev.sandglass.linux.Trees;
import dev.sandglass.runtime.oci.Isolation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A container that is captured by command lines of its engine, into the run directory: memory, or a plain disk behind the page cache, which takes it as quickly. */
final class RawHeld implements Capturing.Held {
    private final Area area;
    private final Isolation isolation;
    private final List<String> argv;
    private final RawContainer container;
    private final Path image;

    RawHeld(Area area, Isolation isolation, Capturing.Load load) throws IOException {
        this.area = area;
        this.isolation = isolation;
        this.argv = load.argv();
        this.image = Files.createTempDirectory(area.run().path(), "image-");
        this.container = new RawContainer(area, isolation, argv);
        container.mount();
        container.startDetached();
        container.exec(Capturing.Load.probe());
    }

    @Override
    public long capture() throws IOException {
        Trees.remove(image);
        Files.createDirectory(image);
        long begun = System.nanoTime();
        container.capture(image);
        return System.nanoTime() - begun;
    }

    @Override
    public long copy() throws IOException {
        long begun = System.nanoTime();
        try (RawContainer copy = goingOn()) {
            copy.exec();
            return System.nanoTime() - begun;
        }
    }

    private RawContainer goingOn() throws IOException {
        RawContainer copy = new RawContainer(area, isolation, argv);
        copy.mount();
        copy.restoreDetached(image);
        return copy;
    }

    @Override
    public long fork() throws IOException {
        return capture() + copy();
    }

    @Override
    public long copies(int count) throws IOException {
        long begun = System.nanoTime();
        List<AtOnce.Task<RawContainer>> starts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            starts.add(this::goingOn);
        }
        List<RawContainer> copies = AtOnce.run(Size.CREATES_AT_ONCE, starts);
        long ran = System.nanoTime() - begun;
        for (RawContainer copy : copies) {
            copy.close();
        }
        return ran;
    }

    @Override
    public void close() throws IOException {
        container.close();
        Trees.remove(image);
    }
}
