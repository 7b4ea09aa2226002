package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.UpdateSandbox;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** {@code update}: other limits, labels and deadlines for sandboxes that may be running. */
final class UpdateVerb extends SandboxesVerb {
    private static final Pattern LABEL = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_./-]*");

    private static final UpdateSandbox NOTHING = new UpdateSandbox(null, null, null, null, null, null, null, null, null, null, null, null, null, null);

    private final Syntax.Value name = syntax.value("NAME", "Another name.", "--name");
    private final Syntax.Value memory = syntax.value("MB", "Memory limit: megabytes, or 512M, 2G.", "-m", "--memory");
    private final Syntax.Value cpus = syntax.value("N", "CPU limit: 0.5, 2.", "--cpus");
    private final Syntax.Value disk = syntax.value("MB", "Disk limit: megabytes, or 512M, 20G.", "--disk");
    private final Syntax.Value processes = syntax.value("N", "Most processes at a time.", "--processes");
    private final Syntax.Values labels = syntax.values("NAME=VALUE", "Add or replace a label; may be repeated.", "--label");
    private final Syntax.Values removed = syntax.values("NAME", "Take a label away; may be repeated.", "--remove-label");
    private final Lifetime.Options lifetime = Lifetime.Options.in(syntax);

    UpdateVerb() {
        super(new Syntax("update", "Change the limits, labels and deadlines of sandboxes, while they run too. Times count from now."));
    }

    @Override
    String doing() {
        return "Updating";
    }

    @Override
    Sandbox change(Client client, String sandbox) {
        Lifetime from = lifetime.lifetime();
        UpdateSandbox changes = new UpdateSandbox(
                name.orNull(),
                Amount.megabytes("memory", memory.orNull()),
                Amount.number("cpus", cpus.orNull()),
                Amount.megabytes("disk", disk.orNull()),
                Amount.count("processes", processes.orNull()),
                changedLabels(),
                from.timeout(),
                from.onTimeout(),
                from.ttl(),
                from.hardTtl(),
                from.autoResume(),
                from.checkpointEvery(),
                from.keep(),
                from.restart());
        if (changes.equals(NOTHING)) {
            throw new UsageException("Nothing to change (expected: at least one option)");
        }
        return client.update(sandbox, changes);
    }

    private @Nullable Map<String, @Nullable String> changedLabels() {
        if (labels.all().isEmpty() && removed.all().isEmpty()) {
            return null;
        }
        Map<String, @Nullable String> changes = new LinkedHashMap<>();
        Map<String, String> added = Pairs.parse("label", labels.all(), Map.of());
        if (added != null) {
            changes.putAll(added);
        }
        for (String label : removed.all()) {
            if (!LABEL.matcher(label).matches()) {
                throw new UsageException("remove-label: " + label + " (expected: the name of a label)");
            }
            changes.put(label, null);
        }
        return changes;
    }
}
