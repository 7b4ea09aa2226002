package dev.sandglass.cli;

import dev.sandglass.cli.client.Client;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.cli.terminal.Waiting;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** {@code rm}: sandboxes are gone for good. */
final class RmVerb extends Verb {
    private final Syntax.Values named = syntax.operands(0, 0, "SANDBOX", "Name, id, or the beginning of an id.");
    private final Syntax.Flag all = syntax.flag("All of them, after a question.", "-a", "--all");
    private final Filter filter = Filter.withoutShortName(syntax);
    private final Syntax.Flag force = syntax.flag("Ask nothing; one that is not there is fine.", "-f", "--force");

    RmVerb() {
        super(new Syntax("rm", "Remove sandboxes for good, in whatever state they are."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        List<String> sandboxes = new ArrayList<>(named.all());
        boolean several = all.isSet() || filter.isSet();
        if (several == !sandboxes.isEmpty()) {
            throw new UsageException("Name the sandboxes to remove, or use --all or --filter");
        }
        try (Client client = client(console)) {
            if (several) {
                filter.of(client.list()).stream().map(Sandbox::id).forEach(sandboxes::add);
                if (!force.isSet() && !sandboxes.isEmpty() && !confirmed(console, sandboxes.size())) {
                    console.warn("Nothing was removed.\n");
                    return 1;
                }
            }
            return remove(console, client, sandboxes, format);
        }
    }

    /** Goes on after a failure; the exit code is that of the first one. */
    private int remove(Console console, Client client, List<String> sandboxes, Format format) {
        int code = OK;
        List<String> removed = new ArrayList<>();
        for (String sandbox : sandboxes) {
            try {
                destroy(console, client, sandbox);
                removed.add(sandbox);
            } catch (SandglassException problem) {
                Failure failure = Failure.of(problem);
                if (!(force.isSet() && failure.exitCode() == 3)) {
                    console.warn(failure.text(format));
                    code = code == OK ? failure.exitCode() : code;
                }
            }
            if (format == Format.TABLE && removed.contains(sandbox)) {
                console.print(Inert.text(sandbox) + "\n");
            }
        }
        if (format.structured()) {
            console.print(Document.ofNames("removed", removed, format, console));
        }
        return code;
    }

    private static void destroy(Console console, Client client, String sandbox) {
        try (Waiting _ = new Waiting(console.err(), console.terminal(Console.ERR), "Removing " + sandbox)) {
            client.destroy(sandbox);
        }
    }

    private static boolean confirmed(Console console, int count) {
        if (!console.terminal(Console.IN)) {
            throw new UsageException("This removes " + count + " sandboxes and there is nobody to ask (expected: --force as well)");
        }
        console.warn("Remove " + count + (count == 1 ? " sandbox" : " sandboxes") + "? [y/N] ");
        try {
            byte[] answer = new byte[64];
            int length = Math.max(0, console.in().read(answer));
            String text = new String(answer, 0, length, StandardCharsets.UTF_8).strip();
            return text.toLowerCase(Locale.ROOT).equals("y") || text.equalsIgnoreCase("yes");
        } catch (IOException unreadable) {
            return false;
        }
    }
}
