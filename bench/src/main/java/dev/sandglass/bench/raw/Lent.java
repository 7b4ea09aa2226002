package dev.sandglass.bench.raw;

import dev.sandglass.bench.Contender.Running;
import dev.sandglass.bench.Content;
import java.io.IOException;
import java.util.List;

/** A running container by command lines of its engine, in the hands of somebody who may or may not end it. */
record Lent(Commands container, End end) implements Running {
    /** The command lines that do it. */
    interface Commands {
        void exec() throws IOException;

        void write(Content content) throws IOException;

        long read() throws IOException;
    }

    /** What closing does. */
    interface End {
        void run() throws IOException;
    }

    @Override
    public void exec() throws IOException {
        container.exec();
    }

    @Override
    public void write(Content content) throws IOException {
        container.write(content);
    }

    @Override
    public long read() throws IOException {
        return container.read();
    }

    /** It is the kernel's doing and the same as in Sandglass. */
    @Override
    public List<Long> startsInside(int times) {
        return List.of();
    }

    @Override
    public Running beside() {
        return new Lent(container, () -> {});
    }

    @Override
    public void close() throws IOException {
        end.run();
    }
}
