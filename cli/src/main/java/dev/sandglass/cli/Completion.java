package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.ApiKey;
import dev.sandglass.wire.Credential;
import dev.sandglass.wire.Entry;
import dev.sandglass.wire.Route;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandboxPool;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Service;
import dev.sandglass.wire.TemplateStatus;
import dev.sandglass.wire.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * What the last of some words may become: verbs, options, and what the daemon knows under the label of an operand.
 *
 * <p>The text is one candidate per line, then a line with a colon and letters: {@code f} where local files fit as well,
 * {@code n} where no space follows.
 */
final class Completion {
    private static final List<String> OF_THE_LAUNCHER = List.of("setup", "up", "down", "doctor", "test", "bench", "help");

    /** Those that the daemon gives to commands, see {@code docs/security.md}. */
    private static final List<String> CAPABILITIES = List.of(
            "AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "NET_BIND_SERVICE", "NET_RAW", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT");

    private final Client client;
    private final List<String> words;
    private final String current;
    private final TreeSet<String> found = new TreeSet<>();
    private String flags = ":";

    /** The last word is the one that is being written, perhaps empty. */
    Completion(Client client, List<String> words) {
        this.client = client;
        this.words = words;
        this.current = words.isEmpty() ? "" : words.get(words.size() - 1);
    }

    String text() {
        find();
        StringBuilder text = new StringBuilder();
        for (String candidate : found) {
            boolean oneWord = candidate.chars().allMatch(character -> character > ' ' && character < 0x7f);
            if (candidate.startsWith(current) && oneWord) {
                text.append(candidate).append('\n');
            }
        }
        return text.append(flags).append('\n').toString();
    }

    private void find() {
        if (words.size() <= 1) {
            Verbs.ALL.forEach(verb -> found.add(verb.split(" ")[0]));
            found.addAll(OF_THE_LAUNCHER);
            return;
        }
        List<String> group = Verbs.of(words.get(0), Verbs.ALL);
        if (!group.isEmpty() && words.size() == 2) {
            found.addAll(group);
            return;
        }
        int skip = group.isEmpty() ? 1 : 2;
        Verb verb = Verbs.of(String.join(" ", words.subList(0, skip)));
        if (verb != null) {
            inside(verb, words.subList(skip, words.size()));
        } else if (OF_THE_LAUNCHER.contains(words.get(0))) {
            flags = ":f";
        }
    }

    private void inside(Verb verb, List<String> rest) {
        CommandSpec spec = verb.syntax.spec();
        List<String> operands = new ArrayList<>();
        OptionSpec open = null;
        boolean onlyOperands = false;
        for (String word : rest.subList(0, rest.size() - 1)) {
            if (open != null) {
                open = null;
            } else if (word.equals("--")) {
                onlyOperands = true;
            } else if (!onlyOperands && word.length() > 1 && word.startsWith("-")) {
                open = takesValue(spec, word);
            } else {
                operands.add(word);
            }
        }
        if (open != null) {
            values(open, operands);
        } else if (current.startsWith("-") && !onlyOperands) {
            spec.options().forEach(option -> found.addAll(List.of(option.names())));
        } else {
            spec.positionalParameters().stream()
                    .filter(operand -> operand.index().contains(operands.size()))
                    .forEach(operand -> values(operand, operands));
        }
    }

    private static @Nullable OptionSpec takesValue(CommandSpec spec, String word) {
        OptionSpec option = spec.findOption(word);
        return option != null && option.arity().max() > 0 ? option : null;
    }

    private void values(ArgSpec argument, List<String> operands) {
        if (argument instanceof PositionalParamSpec && argument.hidden()) {
            return; // the words of a command belong to the sandbox
        }
        switch (argument.paramLabel()) {
            case "SANDBOX" -> names("");
            case "STATE" -> {
                names("");
                snapshots();
            }
            case "SNAPSHOT" -> snapshots();
            case "SNAPSHOT|TEMPLATE" -> {
                snapshots();
                ask(() -> client.templates().list().stream().map(TemplateStatus::name).toList());
            }
            case "POOL" -> ask(() -> client.pools().list().pools().stream().map(SandboxPool::name).toList());
            case "IMAGE" -> ask(() -> client.images().list().stream().flatMap(image -> image.names().isEmpty() ? Stream.of(image.id()) : image.names().stream()).toList());
            case "CREDENTIAL" -> ask(() -> client.credentials().list().stream().map(Credential::name).toList());
            case "KEY" -> ask(() -> client.keys().list().stream().map(ApiKey::name).toList());
            case "VOLUME", "VOLUME:PATH[:MODE]" -> ask(() -> client.volumes().list().stream().map(Volume::name).toList());
            case "HOW" -> found.addAll(List.of("share", "fork", "none"));
            case "ROUTE", "ROUTE|PORT" -> {
                String sandbox = operands.isEmpty() ? "" : operands.get(0);
                ask(() -> client.routes().list(sandbox).stream().map(Route::name).toList());
            }
            case "FLEET" -> ask(() -> client.list().stream().flatMap(sandbox -> FleetLabels.fleet(sandbox.labels()).stream()).toList());
            case "SANDBOX:PATH" -> places();
            case "SOURCE", "DESTINATION" -> {
                places();
                flags += current.indexOf(':') < 0 ? "f" : "";
            }
            case "COMMAND" -> {
                String sandbox = operands.isEmpty() ? "" : operands.get(0);
                ask(() -> client.commands(sandbox).commands().stream()
                        .filter(command -> command.state().equals("running"))
                        .map(command -> command.id())
                        .toList());
            }
            case "SERVICE", "OTHER" -> {
                String sandbox = operands.isEmpty() ? "" : operands.get(0);
                ask(() -> client.services().list(sandbox).services().stream().map(Service::name).toList());
            }
            case "PRESET" -> found.addAll(List.of("anthropic", "openai", "generic"));
            case "RESTART" -> found.addAll(List.of("never", "on-failure", "always"));
            case "FORMAT" -> found.addAll(List.of("table", "json", "yaml"));
            case "RUNTIME" -> found.addAll(List.of("auto", "container", "gvisor"));
            case "PROFILE" -> found.addAll(List.of("strict", "standard"));
            case "WHAT" -> found.addAll(List.of("kill", "pause", "pause-disk"));
            case "WHEN" -> found.addAll(List.of("never", "from-checkpoint"));
            case "CAP" -> {
                found.addAll(CAPABILITIES);
                boolean drops = argument instanceof OptionSpec option && option.longestName().equals("--cap-drop");
                found.addAll(drops ? List.of("ALL") : List.of());
            }
            case "SHELL" -> found.addAll(List.of("bash", "zsh", "fish"));
            case "SIGNAL" -> found.addAll(List.of("HUP", "INT", "QUIT", "KILL", "TERM", "STOP", "CONT", "USR1", "USR2"));
            case "FILE", "DIR" -> flags += "f";
            default -> found.clear();
        }
    }

    private void snapshots() {
        ask(() -> client.snapshots(false).stream().map(snapshot -> snapshot.name() == null ? snapshot.id() : snapshot.name()).toList());
    }

    private void names(String suffix) {
        ask(() -> client.list().stream().map(Sandbox::name).map(name -> name + suffix).toList());
    }

    /** A sandbox with a colon, or, after the colon, a path in it. */
    private void places() {
        flags += "n";
        int colon = current.indexOf(':');
        if (colon < 0) {
            names(":");
            return;
        }
        String sandbox = current.substring(0, colon);
        String directory = current.substring(colon + 1, Math.max(colon + 1, current.lastIndexOf('/') + 1));
        ask(() -> client.files().list(sandbox, directory.isEmpty() ? "." : directory, null, 1).entries().stream()
                .map(entry -> sandbox + ":" + directory + shown(entry))
                .toList());
    }

    private static String shown(Entry entry) {
        return entry.name() + (entry.kind().equals("directory") ? "/" : "");
    }

    /** A daemon that does not answer completes nothing. */
    private void ask(Supplier<List<String>> answer) {
        try {
            found.addAll(answer.get());
        } catch (SandglassException unknown) {
            found.clear();
        }
    }
}
