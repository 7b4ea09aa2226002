package dev.sandglass.cli;

import dev.sandglass.cli.client.Client;
import dev.sandglass.cli.client.Lines;
import dev.sandglass.cli.terminal.InertOutput;
import dev.sandglass.wire.OutputEvent;
import dev.sandglass.wire.Problem;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** {@code service logs}: what a service has printed. */
final class ServiceLogsVerb extends Verb {
    private final Syntax.Value sandbox = syntax.operand(0, "SANDBOX", "Name, id, or the beginning of one.");
    private final Syntax.Value name = syntax.operand(1, "SERVICE", "The name of the service.");
    private final Syntax.Flag follow = syntax.flag("Go on with what comes.", "-f", "--follow");
    private final Syntax.Value lines = syntax.value("N", "The last lines only; all that are kept if absent.", "-n", "--lines");
    private final Syntax.Flag raw = syntax.flag("Print every byte as it is, also what a terminal would act on.", "--raw");

    ServiceLogsVerb() {
        super(new Syntax("service logs", "Show what a service has printed, as far as it is kept.", "")
                .printing("json or yaml: a value for each piece of output; if absent the output as it is."));
    }

    @Override
    boolean outputIsData() {
        return true;
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        OutputStream out = console.terminal(Console.OUT) && !raw.isSet() ? new InertOutput(console.out()) : console.out();
        Long last = lines.orNull() == null ? null : Long.valueOf(Amount.id("lines", lines.orEmpty()));
        Comeback comeback = new Comeback();
        try (Client client = client(console)) {
            while (true) {
                try {
                    print(console, client, format, out, last, comeback);
                    return OK;
                } catch (SandglassException problem) {
                    if (!follow.isSet()) {
                        throw problem;
                    }
                    comeback.await(problem); // a daemon that is started anew has the rest
                    last = 0L;
                }
            }
        } catch (IOException nobodyReads) {
            throw new UncheckedIOException(nobodyReads);
        }
    }

    private void print(Console console, Client client, Format format, OutputStream out, @Nullable Long last, Comeback comeback) throws IOException {
        try (Client own = follow.isSet() ? client.patient() : client.again()) {
            Lines<OutputEvent> events = own.serviceLog(sandbox.orEmpty(), name.orEmpty(), follow.isSet(), last);
            for (OutputEvent event = events.next(); event != null; event = events.next()) {
                comeback.seen();
                Problem error = event.error();
                if (error != null) {
                    throw SandglassException.from(error);
                }
                if (format.structured()) {
                    console.print(Document.next(Document.with("service", name.orEmpty(), event), format));
                } else if (event.data() != null) {
                    out.write(Base64.getDecoder().decode(event.data()));
                    out.flush();
                }
            }
        }
    }
}
