package dev.sandglass.server.api;

import dev.sandglass.engine.command.Commands;
import dev.sandglass.engine.file.Files;
import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.server.http.Handler;
import dev.sandglass.server.http.Router;
import dev.sandglass.wire.Status;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/** Puts the native API together. */
public final class Api {
    private Api() {}

    /** A router that serves every operation of the description, no more and no less. */
    public static Router router(Sandboxes sandboxes, Commands commands, Files files, Supplier<Status> status) {
        Contract contract = Contract.ofApi();
        Map<String, Handler> handlers = new HashMap<>();
        handlers.putAll(new StatusRoutes(status, contract).handlers());
        handlers.putAll(new SandboxRoutes(sandboxes).handlers());
        handlers.putAll(new CommandRoutes(commands).handlers());
        handlers.putAll(new OutputRoutes(commands, contract).handlers());
        handlers.putAll(new FileRoutes(files).handlers());
        handlers.putAll(new ArchiveRoutes(files).handlers());
        return new Router(contract.operations(), handlers);
    }
}
