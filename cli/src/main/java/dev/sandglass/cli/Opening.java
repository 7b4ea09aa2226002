package dev.sandglass.cli;

import dev.sandglass.cli.attach.Attachment;
import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.StartCommand;
import java.io.OutputStream;

/** How this process comes to the command that it will be joined to. */
interface Opening {
    /** Starts the command, or finds it; where a signal meanwhile would leave it running, signals are held before. */
    Attachment open(ForwardedSignals signals, OutputStream stdout, OutputStream stderr);

    /** A command that is started in a sandbox that runs. */
    static Opening start(Client client, String sandbox, StartCommand request) {
        return (signals, stdout, stderr) -> {
            signals.hold();
            return new Attachment(client, sandbox, client.start(sandbox, request).id(), stdout, stderr);
        };
    }
}
