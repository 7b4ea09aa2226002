package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.client.daemon.Lines;
import dev.sandglass.cli.terminal.InertOutput;
import dev.sandglass.wire.OutputEvent;
import dev.sandglass.wire.Problem;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** Prints what a service has printed, and what it prints. */
record ServiceLog(String sandbox, String service, boolean follow, boolean raw) {
    /** @param lines so many of the last ones; all that are kept if absent */
    void print(Console console, Client client, Format format, @Nullable Long lines) {
        OutputStream out = console.terminal(Console.OUT) && !raw ? new InertOutput(console.out()) : console.out();
        Long last = lines;
        Comeback comeback = new Comeback();
        while (true) {
            try {
                print(console, client, format, out, last, comeback);
                return;
            } catch (SandglassException problem) {
                if (!follow) {
                    throw problem;
                }
                comeback.await(problem); // a daemon that is started anew has the rest
                last = 0L;
            } catch (IOException nobodyReads) {
                throw new UncheckedIOException(nobodyReads);
            }
        }
    }

    private void print(Console console, Client client, Format format, OutputStream out, @Nullable Long last, Comeback comeback) throws IOException {
        try (Client own = follow ? client.patient() : client.again()) {
            Lines<OutputEvent> events = own.services().log(sandbox, service, follow, last);
            for (OutputEvent event = events.next(); event != null; event = events.next()) {
                comeback.seen();
                Problem error = event.error();
                if (error != null) {
                    throw SandglassException.from(error);
                }
                if (format.structured()) {
                    console.print(Document.next(Document.with("service", service, event), format));
                } else if (event.data() != null) {
                    out.write(Base64.getDecoder().decode(event.data()));
                    out.flush();
                }
            }
        }
    }
}
