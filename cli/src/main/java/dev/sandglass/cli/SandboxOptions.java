package dev.sandglass.cli;

import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.NetworkPolicy;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The options that describe a new sandbox. */
final class SandboxOptions {
    private final Syntax.Value name;
    private final Syntax.Value from;
    private final Syntax.Value image;
    private final Syntax.Value template;
    private final Syntax.Flag diskOnly;
    private final Syntax.Value runtime;
    private final Syntax.Value memory;
    private final Syntax.Value cpus;
    private final Syntax.Value disk;
    private final Syntax.Value processes;
    private final Syntax.Values labels;
    private final Syntax.Value security;
    private final Syntax.Values added;
    private final Syntax.Values dropped;
    private final Syntax.Value network;
    private final Syntax.Values allowed;
    private final Syntax.Values credentials;
    private final VolumeOptions volumes;

    SandboxOptions(Syntax syntax) {
        name = syntax.value("NAME", "A name of your choice; a random one if absent.", "--name");
        from = syntax.value("SNAPSHOT", "The snapshot or template to begin with: name, id, or the beginning of one. A template is built on first use.", "--from");
        template = syntax.value("TEMPLATE", "The template to begin with; it is built on first use.", "--template");
        image = syntax.value("IMAGE", "The image from elsewhere to begin with: name, id, or the beginning of an id.", "--image");
        diskOnly = syntax.flag("With --from: begin with the disk only; programs start anew.", "--disk-only");
        runtime = syntax.value("RUNTIME", "auto, container or gvisor.", "--runtime");
        memory = syntax.value("MB", "Memory limit: megabytes, or 512M, 2G.", "-m", "--memory");
        cpus = syntax.value("N", "CPU limit: 0.5, 2.", "--cpus");
        disk = syntax.value("MB", "Disk limit: megabytes, or 512M, 20G.", "--disk");
        processes = syntax.value("N", "Most processes at a time.", "--processes");
        labels = syntax.values("NAME=VALUE", "A label; may be repeated.", "--label");
        security = syntax.value("PROFILE", "strict (no new privileges) or standard (sudo works).", "--security");
        added = syntax.values("CAP", "A capability that commands get beside the standard ones; may be repeated.", "--cap-add");
        dropped = syntax.values("CAP", "A capability that commands do not get, or ALL; may be repeated.", "--cap-drop");
        network = syntax.value("POLICY", "What it may reach: none, open (the public internet) or package-registries.", "--network");
        allowed = syntax.values("HOST[:PORT]", "Let it reach this besides: a name, *.name, an address or a network; may be repeated.", "--allow");
        credentials = syntax.values("CREDENTIAL", "A credential that its requests may get; may be repeated.", "--credential");
        volumes = new VolumeOptions(syntax, "share");
    }

    /** With --allow alone, only that. */
    private @Nullable NetworkPolicy network() {
        List<String> rules = allowed.all().stream().map(host -> "allow " + host).toList();
        if ("none".equals(network.orNull()) && !rules.isEmpty()) {
            throw new UsageException("--network none is no network at all (expected: --allow without it, for what it names and nothing else)");
        }
        return network.orNull() == null && rules.isEmpty() ? null : new NetworkPolicy(network.orNull(), rules.isEmpty() ? null : rules, null);
    }

    /** Whether it begins with an image from elsewhere, which says what a run executes. */
    boolean hasImage() {
        return image.orNull() != null;
    }

    /** The chosen name, empty if there is none. */
    String name() {
        return name.orEmpty();
    }

    /** A sandbox that stays as long as the configuration says. */
    CreateSandbox request(String chosenName, @Nullable Map<String, String> env) {
        return request(chosenName, env, Lifetime.CONFIGURED, false, null, null);
    }

    CreateSandbox request(String chosenName, @Nullable Map<String, String> env, Lifetime lifetime, boolean linger, @Nullable String user, @Nullable String workdir) {
        if (diskOnly.isSet() && from.orNull() == null && template.orNull() == null) {
            throw new UsageException("--disk-only says what is taken of a snapshot (expected: together with --from)");
        }
        return new CreateSandbox(
                chosenName.isEmpty() ? null : chosenName,
                runtime.orNull(),
                security.orNull(),
                Amount.megabytes("memory", memory.orNull()),
                Amount.number("cpus", cpus.orNull()),
                Amount.megabytes("disk", disk.orNull()),
                Amount.count("processes", processes.orNull()),
                env,
                Pairs.parse("label", labels.all(), Map.of()),
                added.all().isEmpty() ? null : added.all(),
                dropped.all().isEmpty() ? null : dropped.all(),
                lifetime.timeout(),
                lifetime.onTimeout(),
                lifetime.ttl(),
                lifetime.hardTtl(),
                linger ? true : null,
                from.orNull(),
                diskOnly.isSet() ? true : null,
                lifetime.autoResume(),
                lifetime.checkpointEvery(),
                lifetime.keep(),
                lifetime.restart(),
                network(),
                credentials.all().isEmpty() ? null : credentials.all(),
                volumes.mounts(),
                volumes.from(),
                image.orNull(),
                user,
                workdir,
                template.orNull());
    }
}
