package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.cli.terminal.Table;
import dev.sandglass.wire.ForkSandbox;
import dev.sandglass.wire.RaceBranch;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import picocli.CommandLine.Model.CommandSpec;

/** {@code race}: copies try the same at once, and the best of them is kept. */
final class RaceVerb extends Verb {
    private static final int FEWEST = 2;

    private final Syntax.Value source = syntax.operand(0, "SOURCE", "A sandbox or a snapshot: name, id, or the beginning of an id.");
    private final Syntax.Values words = syntax.operands(1, 1, "COMMAND", "");
    private final Syntax.Value count = syntax.value("N", "How many try; 2 if absent.", "-n", "--count");
    private final Syntax.Value score = syntax.value(
            "LINE", "A line for the shell that prints a number in each copy that succeeded: the highest wins. Without it the first success does.", "--score-cmd");
    private final Syntax.Value name = syntax.value("NAME", "Their name, with -1, -2 and so on; a random one if absent.", "--name");
    private final Syntax.Value timeout = syntax.value("TIME", "Kill the command after that many seconds, or 500ms, 5m, 2h.", "--timeout");
    private boolean explicit;

    RaceVerb() {
        super(new Syntax(
                "race",
                "Let copies of a sandbox or snapshot try a command at once; keep the first that succeeds, or the one with the best",
                "score, and remove the others. Each finds its number in SANDGLASS_BRANCH.",
                ""));
        syntax.synopsis("[OPTIONS] SOURCE [--] COMMAND [ARGUMENT...]");
    }

    @Override
    String[] prepare(CommandSpec spec, String[] args) {
        CommandWords split = CommandWords.split(spec, 1, args);
        explicit = split.explicit();
        return split.args().toArray(new String[0]);
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        Long wanted = Amount.count("count", count.orNull());
        int copies = wanted == null ? FEWEST : Math.toIntExact(Math.min(wanted, Integer.MAX_VALUE));
        if (copies < FEWEST) {
            throw new UsageException("count: " + copies + " (expected: at least " + FEWEST + ")");
        }
        List<String> argv = words.all().size() == 1 && !explicit ? Shell.line(words.all().getFirst()) : words.all();
        String base = name.orNull() == null ? "race-" + Long.toString(ThreadLocalRandom.current().nextLong(1L << 50, 1L << 51), 36) : name.orEmpty();
        ForkSandbox request = new ForkSandbox(copies, base, null, null, Map.of(), Map.of(), null, null);
        try (Client client = client(console)) {
            Race race = new Race(console, client, argv, Optional.ofNullable(score.orNull()), Amount.milliseconds("timeout", timeout.orNull()));
            List<RaceBranch> branches = race.run(source.orEmpty(), request);
            console.print(format.structured() ? Document.ofList(branches, format, console) : table(branches, console.styled()));
            boolean kept = branches.stream().anyMatch(RaceBranch::kept);
            if (!kept && !format.structured() && branches.stream().anyMatch(branch -> Integer.valueOf(0).equals(branch.exitCode()))) {
                console.warn("error: none was kept: the line of --score-cmd printed no number in any copy that succeeded\nhint: Try it with `sandglass exec`.\n");
            }
            return kept ? OK : 1;
        }
    }

    private static String table(List<RaceBranch> branches, boolean styled) {
        Table table = new Table("BRANCH", "SANDBOX", "OUTCOME", "EXIT", "SCORE", "TIME", "KEPT");
        for (RaceBranch branch : branches) {
            table.row(
                    String.valueOf(branch.branch()),
                    Inert.text(branch.sandboxName()),
                    branch.outcome(),
                    branch.exitCode() == null ? "" : String.valueOf(branch.exitCode()),
                    branch.score() == null ? "" : LsVerb.number(branch.score()),
                    branch.ms() + " ms",
                    branch.kept() ? "kept" : "");
        }
        return table.text(styled);
    }
}
