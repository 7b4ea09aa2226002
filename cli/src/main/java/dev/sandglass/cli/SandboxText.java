package dev.sandglass.cli;

import dev.sandglass.cli.terminal.Age;
import dev.sandglass.cli.terminal.Bytes;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.CredentialUsage;
import dev.sandglass.wire.NetworkPolicy;
import dev.sandglass.wire.Sandbox;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All there is to know about a sandbox, for people: one line for each. */
final class SandboxText {
    private static final int COLUMN = 14;

    private final StringBuilder text = new StringBuilder();

    private SandboxText() {}

    /** @param usage what it has used by credentials that have a budget */
    static String of(Sandbox sandbox, List<CredentialUsage> usage) {
        SandboxText text = new SandboxText();
        text.what(sandbox);
        text.limits(sandbox);
        text.lifetime(sandbox);
        text.network(sandbox.network());
        sandbox.credentials().forEach(name -> text.line("credential", used(name, usage)));
        sandbox.volumes().forEach(volume -> text.line("volume", VolumeAttachVerb.words(volume)));
        text.origin(sandbox);
        text.line("user", sandbox.user());
        text.line("workdir", sandbox.workdir());
        text.pairs("env", sandbox.env());
        text.pairs("label", sandbox.labels());
        sandbox.warnings().forEach(warning -> text.line("warning", warning));
        return text.text.toString();
    }

    private static String used(String credential, List<CredentialUsage> usage) {
        return usage.stream().filter(each -> each.credential().equals(credential)).findFirst().map(CredentialText::words).orElse(credential);
    }

    private void what(Sandbox sandbox) {
        line("name", sandbox.name());
        line("id", sandbox.id());
        line("state", sandbox.state());
        line("reason", sandbox.reason());
        line("runtime", sandbox.runtime());
        line("security", sandbox.security());
        line("capabilities", sandbox.capabilities().isEmpty() ? "none" : String.join(" ", sandbox.capabilities()));
    }

    private void limits(Sandbox sandbox) {
        line("memory", Bytes.shown(sandbox.memoryMb() << 20));
        line("cpus", LsVerb.number(sandbox.cpus()));
        line("disk", Bytes.shown(sandbox.diskMb() << 20));
        line("processes", Long.toString(sandbox.maxProcesses()));
    }

    private void lifetime(Sandbox sandbox) {
        line("timeout", span(sandbox.timeout(), sandbox.timeoutAt()));
        line("on timeout", sandbox.onTimeout());
        line("ttl", span(sandbox.ttl(), sandbox.ttlAt()));
        line("hard ttl", span(sandbox.hardTtl(), sandbox.hardTtlAt()));
        line("auto resume", sandbox.autoResume() ? "yes" : "no");
        String kept = sandbox.keepCheckpoints() == null ? "" : ", the last " + sandbox.keepCheckpoints() + " are kept";
        line("checkpoints", sandbox.checkpointEvery() == null ? "never" + kept : "every " + span(sandbox.checkpointEvery(), sandbox.checkpointAt()) + kept);
        line("restart", sandbox.restart());
    }

    private void network(@Nullable NetworkPolicy policy) {
        if (policy == null) {
            line("network", "none");
            return;
        }
        PolicyText.lines(policy).forEach(rule -> line("network", rule));
    }

    private void origin(Sandbox sandbox) {
        line("image", sandbox.image());
        line("snapshot", sandbox.snapshot());
        line("created", sandbox.createdAt().toString());
        line("started", sandbox.startedAt() == null ? null : sandbox.startedAt().toString());
        line("pid", sandbox.pid() == null ? null : sandbox.pid().toString());
    }

    private static String span(@Nullable Long seconds, @Nullable Instant at) {
        String length = seconds == null ? "never" : exact(seconds);
        return at == null ? length : length + ", at " + at + " (in " + Age.shown(at.getEpochSecond() - System.currentTimeMillis() / 1000) + ")";
    }

    /** What was set must be seen as it was set, and not be rounded. */
    private static String exact(long seconds) {
        if (seconds == 0 || seconds % 60 != 0) {
            return seconds + "s";
        }
        return seconds % 3_600 != 0 ? seconds / 60 + "m" : seconds % 86_400 != 0 ? seconds / 3_600 + "h" : seconds / 86_400 + "d";
    }

    private void pairs(String label, Map<String, String> pairs) {
        pairs.forEach((name, value) -> line(label, name + "=" + value));
    }

    private void line(String label, @Nullable String value) {
        if (value != null) {
            text.append(label).repeat(' ', COLUMN - label.length()).append(Inert.text(value)).append('\n');
        }
    }
}
