package dev.sandglass.cli;

import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.Provision;
import dev.sandglass.wire.UpdateSandbox;
import dev.sandglass.wire.VolumeMount;
import dev.sandglass.wire.recipe.FleetText;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One machine as its file wants it.
 *
 * @param request with its variables and volumes, and the labels of the file
 */
record FleetMachine(String name, FleetText.Entry entry, CreateSandbox request) {
    static FleetMachine of(String name, FleetText.Entry entry, @Nullable Map<String, String> env) {
        List<VolumeMount> volumes = entry.volumes().stream().map(each -> new VolumeMount(each.of(name), each.path(), each.mode())).toList();
        return new FleetMachine(name, entry, with(entry.request(), name, env, entry.request().labels(), volumes.isEmpty() ? null : volumes));
    }

    Optional<Provision> provision() {
        return entry.components().isEmpty()
                ? Optional.empty()
                : Optional.of(new Provision(entry.components(), entry.definitions(), null, entry.variables()));
    }

    /** The request that begins it: who finds the label knows that more is to come. */
    CreateSandbox begin(String fleet, Fingerprint made) {
        Map<String, String> labels = new LinkedHashMap<>();
        if (request.labels() != null) {
            labels.putAll(request.labels());
        }
        labels.put(FleetLabels.FLEET, fleet);
        labels.put(FleetLabels.MACHINE, entry.name().text());
        labels.put(FleetLabels.ENTRY, made.text());
        labels.put(FleetLabels.UNFINISHED, "yes");
        return with(request, name, request.env(), labels, request.volumes());
    }

    /** What can be changed of it while it runs, but for what it may reach. */
    UpdateSandbox changes() {
        Map<String, @Nullable String> labels = request.labels() == null ? null : new LinkedHashMap<>(request.labels());
        return changes(labels);
    }

    /** The same, and the labels that say so. */
    UpdateSandbox changes(Fingerprint made) {
        Map<String, @Nullable String> labels = new LinkedHashMap<>();
        if (request.labels() != null) {
            labels.putAll(request.labels());
        }
        labels.put(FleetLabels.MACHINE, entry.name().text());
        labels.put(FleetLabels.ENTRY, made.text());
        return changes(labels);
    }

    private UpdateSandbox changes(@Nullable Map<String, @Nullable String> labels) {
        return new UpdateSandbox(
                null, request.memoryMb(), request.cpus(), request.diskMb(), request.maxProcesses(), labels, request.timeout(), request.onTimeout(), request.ttl(), request.hardTtl(), request.autoResume(),
                request.checkpointEvery(), request.keepCheckpoints(), request.restart());
    }

    private static CreateSandbox with(CreateSandbox all, String name, @Nullable Map<String, String> env, @Nullable Map<String, String> labels, @Nullable List<VolumeMount> volumes) {
        return new CreateSandbox(
                name, all.runtime(), all.security(), all.memoryMb(), all.cpus(), all.diskMb(), all.maxProcesses(), env, labels, all.capAdd(), all.capDrop(), all.timeout(), all.onTimeout(), all.ttl(), all.hardTtl(),
                all.linger(), all.from(), all.diskOnly(), all.autoResume(), all.checkpointEvery(), all.keepCheckpoints(), all.restart(), all.network(), all.credentials(), volumes, all.volumesFrom(), all.image(),
                all.user(), all.workdir(), all.template());
    }
}
