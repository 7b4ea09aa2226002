package dev.sandglass.client;

import dev.sandglass.client.daemon.Lines;
import dev.sandglass.wire.CreateService;
import dev.sandglass.wire.OutputEvent;
import dev.sandglass.wire.Service;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.function.Consumer;

/** The services of a sandbox: commands that it supervises. */
public final class Services {
    private final Daemon daemon;
    private final String sandbox;

    Services(Daemon daemon, String sandbox) {
        this.daemon = daemon;
        this.sandbox = sandbox;
    }

    public Service create(String name, String line) {
        return create(name, line, options -> {});
    }

    public Service create(String name, String line, Consumer<ServiceOptions> options) {
        return create(name, Words.ofLine(line), options);
    }

    /** Has a command supervised: it is started now and with the sandbox, also with every copy of its disk. */
    public Service create(String name, List<String> argv, Consumer<ServiceOptions> options) {
        ServiceOptions how = new ServiceOptions();
        options.accept(how);
        CreateService request = how.request(name, argv);
        return daemon.askPatiently(client -> client.services().create(sandbox, request));
    }

    /** All that it has, by name. */
    public List<Service> list() {
        return daemon.ask(client -> client.services().list(sandbox)).services();
    }

    public Service get(String name) {
        return daemon.ask(client -> client.services().get(sandbox, name));
    }

    public Service start(String name) {
        return order(name, "start");
    }

    /** Ends it until it is started again, or its sandbox is. */
    public Service stop(String name) {
        return order(name, "stop");
    }

    public Service restart(String name) {
        return order(name, "restart");
    }

    /** Ends it for good. */
    public void remove(String name) {
        daemon.askPatiently(client -> {
            client.services().delete(sandbox, name);
            return true;
        });
    }

    /** What is kept of what it printed. */
    public String logs(String name) {
        return daemon.askPatiently(client -> {
            ByteArrayOutputStream text = new ByteArrayOutputStream();
            Lines<OutputEvent> lines = client.services().log(sandbox, name, false, null);
            for (OutputEvent line = lines.next(); line != null; line = lines.next()) {
                text.writeBytes(line.data() == null ? new byte[0] : Base64.getDecoder().decode(line.data()));
            }
            return text.toString(StandardCharsets.UTF_8);
        });
    }

    private Service order(String name, String order) {
        return daemon.askPatiently(client -> client.services().order(sandbox, name, order));
    }
}
