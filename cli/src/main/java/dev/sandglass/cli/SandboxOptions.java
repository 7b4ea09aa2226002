package dev.sandglass.cli;

import dev.sandglass.wire.CreateSandbox;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that describe a new sandbox. */
final class SandboxOptions {
    @Option(names = "--name", paramLabel = "NAME", description = "A name of your choice; a random one if absent.")
    @Nullable String name;

    @Option(names = "--runtime", paramLabel = "RUNTIME", description = "auto, container or gvisor.")
    @Nullable String runtime;

    @Option(names = {"--memory", "-m"}, paramLabel = "MB", description = "Memory limit: megabytes, or 512M, 2G.")
    @Nullable String memory;

    @Option(names = "--cpus", paramLabel = "N", description = "CPU limit: 0.5, 2.")
    @Nullable Double cpus;

    @Option(names = "--disk", paramLabel = "MB", description = "Disk limit: megabytes, or 512M, 20G.")
    @Nullable String disk;

    @Option(names = "--processes", paramLabel = "N", description = "Most processes at a time.")
    @Nullable Long processes;

    @Option(names = "--label", paramLabel = "NAME=VALUE", description = "A label; may be repeated.")
    List<String> labels = new ArrayList<>();

    @Option(names = "--security", paramLabel = "PROFILE", description = "strict (no new privileges) or standard (sudo works).")
    @Nullable String security;

    CreateSandbox request(String chosenName, List<String> env, Map<String, String> environment) {
        return new CreateSandbox(
                chosenName.isEmpty() ? null : chosenName,
                runtime,
                security,
                memory == null ? null : Sizes.megabytes("memory", memory),
                cpus,
                disk == null ? null : Sizes.megabytes("disk", disk),
                processes,
                Pairs.parse("env", env, environment),
                Pairs.parse("label", labels, Map.of()));
    }
}
