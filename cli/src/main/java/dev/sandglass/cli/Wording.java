package dev.sandglass.cli;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Model.CommandSpec;

/** What the daemon says to whoever speaks HTTP, in the words of one verb: its options instead of fields, and no patterns. */
final class Wording {
    private static final Pattern FIELD = Pattern.compile("^(?:(?:cors|rate)\\.[a-z_]+|[a-z]+)(?:\\[[0-9]+])?(?=[:.])|\\b[a-z]+(_[a-z]+)+\\b");
    /** Where a field stands in a request that has several parts, which no option knows of. */
    private static final Pattern PART = Pattern.compile("^(sandbox|command)\\.(?=[a-z_]+[:. ])");

    private static final Pattern PATTERN = Pattern.compile("\\(expected: \\^?([^ ^]*?)\\$?\\)");

    /** Fields whose options have a name that is not just the field's with dashes. */
    private static final Map<String, String> OTHERWISE = Map.ofEntries(
            Map.entry("memory_mb", "--memory"),
            Map.entry("disk_mb", "--disk"),
            Map.entry("max_processes", "--processes"),
            Map.entry("keep_checkpoints", "--keep"),
            Map.entry("timeout_ms", "--timeout"),
            Map.entry("backoff_ms", "--backoff"),
            Map.entry("cwd", "--workdir"),
            Map.entry("labels", "--label"),
            Map.entry("methods", "--method"),
            Map.entry("header", "--auth"),
            Map.entry("cors.origins", "--cors-origin"),
            Map.entry("cors.methods", "--cors-method"),
            Map.entry("cors.headers", "--cors-header"),
            Map.entry("cors.credentials", "--cors-credentials"),
            Map.entry("rate.per_second", "--rate"),
            Map.entry("rate.burst", "--burst"));

    private static final Map<String, String> IN_WORDS = Map.of(
            "[A-Za-z0-9][A-Za-z0-9_.-]{0,62}", "1 to 63 letters, digits, '_', '.', '-', beginning with a letter or digit",
            "[A-Za-z0-9][A-Za-z0-9_./-]{0,62}", "a name of 1 to 63 letters, digits, '_', '.', '/', '-', beginning with a letter or digit",
            "[A-Za-z_][A-Za-z0-9_]{0,254}", "a name of 1 to 255 letters, digits and '_', beginning with no digit",
            "[0-7]{1,4}", "1 to 4 digits from 0 to 7",
            "[a-z]+([.][a-z_]+)?", "such as sandbox or sandbox.created");

    private final CommandSpec spec;

    Wording(CommandSpec spec) {
        this.spec = spec;
    }

    String of(String told) {
        String words = PATTERN.matcher(PART.matcher(told).replaceFirst("")).replaceAll(found -> Matcher.quoteReplacement("(expected: " + IN_WORDS.getOrDefault(found.group(1), found.group(1)) + ")"));
        return FIELD.matcher(words).replaceAll(found -> Matcher.quoteReplacement(option(found.group())));
    }

    /** Where to read more: {@code sandglass create --help}. */
    String help() {
        return spec.name() + " --help";
    }

    private String option(String told) {
        String field = told.replaceFirst("\\[[0-9]+]$", ""); // which of several
        String same = "--" + field.replace('_', '-');
        String option = spec.findOption(same) == null ? OTHERWISE.getOrDefault(field, same) : same;
        return spec.findOption(option) == null ? told : option;
    }
}
