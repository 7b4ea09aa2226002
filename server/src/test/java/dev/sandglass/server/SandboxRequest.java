package dev.sandglass.server;

import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.NetworkPolicy;
import dev.sandglass.wire.VolumeMount;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request for a sandbox with only what a test cares about. */
final class SandboxRequest {
    private @Nullable String name;
    private @Nullable String runtime;
    private @Nullable String security;
    private @Nullable Long memoryMb;
    private @Nullable Double cpus;
    private @Nullable Long diskMb;
    private @Nullable Long processes;
    private @Nullable Map<String, String> env;
    private @Nullable Map<String, String> labels;
    private @Nullable List<String> capAdd;
    private @Nullable List<String> capDrop;
    private @Nullable Long timeout;
    private @Nullable String onTimeout;
    private @Nullable Boolean autoResume;
    private @Nullable Long checkpointEvery;
    private @Nullable Integer keepCheckpoints;
    private @Nullable String restart;
    private @Nullable NetworkPolicy network;
    private @Nullable List<String> credentials;
    private @Nullable Long ttl;
    private @Nullable Long hardTtl;
    private @Nullable Boolean linger;
    private @Nullable String from;
    private @Nullable Boolean diskOnly;
    private final List<VolumeMount> volumes = new ArrayList<>();
    private @Nullable String volumesFrom;
    private @Nullable String image;
    private @Nullable String user;
    private @Nullable String workdir;

    static SandboxRequest on(String runtime) {
        SandboxRequest request = new SandboxRequest();
        request.runtime = runtime;
        return request;
    }

    SandboxRequest volume(String name, String path, @Nullable String mode) {
        volumes.add(new VolumeMount(name, path, mode));
        return this;
    }

    /** What it gets of the volumes of its snapshot. */
    SandboxRequest volumesFrom(String how) {
        volumesFrom = how;
        return this;
    }

    SandboxRequest credentials(String... names) {
        credentials = List.of(names);
        return this;
    }

    /** Without the processes of what it begins with. */
    SandboxRequest diskOnly() {
        diskOnly = true;
        return this;
    }

    SandboxRequest image(String reference) {
        image = reference;
        return this;
    }

    /** What its commands get when nobody says otherwise. */
    SandboxRequest commands(@Nullable String asUser, @Nullable String in) {
        user = asUser;
        workdir = in;
        return this;
    }

    SandboxRequest from(String snapshot) {
        from = snapshot;
        return this;
    }

    SandboxRequest name(String text) {
        name = text;
        return this;
    }

    SandboxRequest security(String profile) {
        security = profile;
        return this;
    }

    SandboxRequest memoryMb(long limit) {
        memoryMb = limit;
        return this;
    }

    SandboxRequest cpus(double limit) {
        cpus = limit;
        return this;
    }

    SandboxRequest diskMb(long limit) {
        diskMb = limit;
        return this;
    }

    SandboxRequest processes(long limit) {
        processes = limit;
        return this;
    }

    SandboxRequest env(Map<String, String> variables) {
        env = variables;
        return this;
    }

    SandboxRequest labels(Map<String, String> pairs) {
        labels = pairs;
        return this;
    }

    SandboxRequest capabilities(List<String> add, List<String> drop) {
        capAdd = add;
        capDrop = drop;
        return this;
    }

    SandboxRequest timeout(long seconds) {
        timeout = seconds;
        return this;
    }

    SandboxRequest autoResume() {
        autoResume = true;
        return this;
    }

    SandboxRequest checkpoints(long every, int keep) {
        checkpointEvery = every;
        keepCheckpoints = keep;
        return this;
    }

    SandboxRequest network(@Nullable String preset, String... rules) {
        network = new NetworkPolicy(preset, List.of(rules), null);
        return this;
    }

    SandboxRequest restart(String when) {
        restart = when;
        return this;
    }

    SandboxRequest onTimeout(String what) {
        onTimeout = what;
        return this;
    }

    SandboxRequest ttl(long seconds) {
        ttl = seconds;
        return this;
    }

    SandboxRequest hardTtl(long seconds) {
        hardTtl = seconds;
        return this;
    }

    SandboxRequest linger() {
        linger = true;
        return this;
    }

    CreateSandbox toWire() {
        return new CreateSandbox(name, runtime, security, memoryMb, cpus, diskMb, processes, env, labels, capAdd, capDrop, timeout, onTimeout, ttl, hardTtl, linger, from, diskOnly, autoResume, checkpointEvery, keepCheckpoints, restart, network, credentials, volumes.isEmpty() ? null : volumes, volumesFrom, image, user, workdir, null);
    }
}
