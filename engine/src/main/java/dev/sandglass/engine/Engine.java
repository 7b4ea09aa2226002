package dev.sandglass.engine;

import dev.sandglass.engine.command.Commands;
import dev.sandglass.engine.file.Files;
import dev.sandglass.engine.life.Sandboxes;

/** The domain, put together: what the server serves. */
public record Engine(Sandboxes sandboxes, Commands commands, Files files) implements AutoCloseable {
    public Engine(Sandboxes sandboxes) {
        this(sandboxes, new Commands(sandboxes), new Files(sandboxes));
    }

    @Override
    public void close() {
        sandboxes.close();
    }
}
