package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Inert;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** {@code rm}: sandboxes are gone for good. */
final class RmVerb extends Verb {
    private static final int NAMED_AT_MOST = 20;

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
        boolean several = all.isSet() || filter.isSet();
        if (several == !named.all().isEmpty()) {
            throw new UsageException("Name the sandboxes to remove, or use --all or --filter");
        }
        try (Client client = client(console)) {
            Map<String, String> names = new LinkedHashMap<>();
            if (several) {
                filter.of(client::list).forEach(sandbox -> names.put(sandbox.id(), sandbox.name()));
                if (!force.isSet() && !names.isEmpty() && !confirmed(console, List.copyOf(names.values()))) {
                    console.warn("Nothing was removed.\n");
                    return 1;
                }
            } else {
                named.all().forEach(name -> names.put(name, name));
            }
            return new Removals(this, console, format, force.isSet())
                    .of(names, sandbox -> waiting(console, "Removing " + sandbox.getValue(), () -> destroyed(client, sandbox.getKey())));
        }
    }

    private static String destroyed(Client client, String sandbox) {
        client.destroy(sandbox);
        return sandbox;
    }

    private static boolean confirmed(Console console, List<String> names) {
        if (!console.terminal(Console.IN)) {
            throw new UsageException("This removes " + these(names) + " and there is nobody to ask (expected: --force as well)");
        }
        console.warn("Remove " + these(names) + "? [y/N] ");
        try {
            byte[] answer = new byte[64];
            int length = Math.max(0, console.in().read(answer));
            String text = new String(answer, 0, length, StandardCharsets.UTF_8).strip();
            return text.toLowerCase(Locale.ROOT).equals("y") || text.equalsIgnoreCase("yes");
        } catch (IOException unreadable) {
            return false;
        }
    }

    private static String these(List<String> names) {
        String count = names.size() + (names.size() == 1 ? " sandbox" : " sandboxes");
        String first = String.join(", ", names.subList(0, Math.min(names.size(), NAMED_AT_MOST)));
        int others = names.size() - NAMED_AT_MOST;
        return count + " (" + Inert.text(first) + (others > 0 ? " and " + others + " more" : "") + ")";
    }
}
