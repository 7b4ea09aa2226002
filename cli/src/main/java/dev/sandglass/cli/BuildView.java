package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.cli.terminal.Table;
import dev.sandglass.wire.Build;
import dev.sandglass.wire.BuildOutput;
import dev.sandglass.wire.BuildStep;
import dev.sandglass.wire.Problem;
import dev.sandglass.wire.SandglassException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Follows a build: what it prints and how its steps go on standard error, what it came to on standard output. */
final class BuildView {
    private static final String LAST_LINES = " Its last lines:";

    private final Console console;
    private final Format format;
    private final boolean quiet;
    private final Map<String, String> told = new HashMap<>();
    private List<BuildStep> steps = List.of();
    private int warned;
    private boolean lineBegun;

    BuildView(Console console, Format format, boolean quiet) {
        this.console = console;
        this.format = format;
        this.quiet = quiet;
    }

    /** Returns at its end; one that failed is told like any failure, after its steps. */
    int show(Client client, Build begun) {
        Build ended = follow(client, begun);
        console.print(format.structured() ? Document.of(ended, format, console) : table(ended.steps(), console.styled()));
        Problem error = ended.error();
        if (error != null) {
            throw SandglassException.from(error);
        }
        return Verb.OK;
    }

    Build follow(Client client, Build begun) {
        return client.builds().await(begun, this::tell, output -> {
            if (!quiet) {
                print(output);
            }
        });
    }

    private void tell(Build build) {
        steps = build.steps();
        for (String warning : build.warnings().subList(Math.min(warned, build.warnings().size()), build.warnings().size())) {
            line("warning: " + Inert.text(warning));
        }
        warned = build.warnings().size();
        for (int i = 0; i < steps.size(); i++) {
            BuildStep step = steps.get(i);
            if (!step.state().equals("waiting") && !step.state().equals(told.put(step.name(), step.state()))) {
                String time = step.seconds() == null ? "" : " (" + step.seconds() + " s)";
                line("[" + (i + 1) + "/" + steps.size() + "] " + Inert.text(step.name()) + ": " + step.state() + time);
                if (quiet && build.kind().equals("provision") && step.message() != null) { // nothing else will tell what it printed
                    step.message().lines().forEach(text -> line(Inert.text(text)));
                }
            }
        }
    }

    private void print(BuildOutput output) {
        if (output.dropped() != null) {
            line("[" + output.dropped() + " characters were not kept]");
        }
        if (output.text().startsWith("warning: ") && output.step().isEmpty()) {
            return; // told with the build
        }
        for (int i = 0; i < steps.size(); i++) { // what a step prints may come before the word that it has begun
            if (steps.get(i).name().equals(output.step()) && told.putIfAbsent(output.step(), "running") == null) {
                line("[" + (i + 1) + "/" + steps.size() + "] " + Inert.text(output.step()) + ": running");
            }
        }
        StringBuilder safe = new StringBuilder();
        output.text().lines().forEach(text -> safe.append(Inert.text(text)).append('\n'));
        lineBegun = !output.text().endsWith("\n");
        console.warn(lineBegun && !safe.isEmpty() ? safe.substring(0, safe.length() - 1) : safe.toString());
    }

    private void line(String text) {
        console.warn((lineBegun ? "\n" : "") + text + "\n");
        lineBegun = false;
    }

    static String table(List<BuildStep> steps, boolean styled) {
        Table table = new Table("STEP", "STATE", "SECONDS", "WHY");
        for (BuildStep step : steps) {
            String hint = step.hint() == null || step.message() == null ? "" : " " + step.hint();
            table.row(step.name(), step.state(), step.seconds() == null ? "" : step.seconds().toString(), why(step) + hint);
        }
        return table.withoutEmpty("WHY").text(styled);
    }

    /** Of what a step printed last, one line at most. */
    private static String why(BuildStep step) {
        List<String> lines = Objects.requireNonNullElse(step.message(), "").lines().toList();
        String first = lines.isEmpty() ? "" : lines.getFirst();
        return first.endsWith(LAST_LINES) ? first.substring(0, first.length() - LAST_LINES.length()) + " Its last line: \"" + lines.getLast() + "\"." : first;
    }
}
