package dev.sandglass.client.daemon;

import dev.sandglass.client.http.Body;
import dev.sandglass.wire.WindowSize;

/** What clients do with commands that run, without being attached to them. */
public record RunningCommands(Client client) {
    /** Writes to its standard input, and if asked for closes it. */
    public void input(String sandbox, String command, Body data, boolean end) {
        client.finish(client.send("POST", at(sandbox, command, "stdin").with("end", Boolean.toString(end)), data));
    }

    /** Gives its terminal another size. */
    public void resize(String sandbox, String command, WindowSize size) {
        client.finish(client.send("POST", at(sandbox, command, "resize"), Client.json(size)));
    }

    private static Query at(String sandbox, String command, String what) {
        return Query.of("v1", "sandboxes", sandbox, "commands", command, what);
    }
}
