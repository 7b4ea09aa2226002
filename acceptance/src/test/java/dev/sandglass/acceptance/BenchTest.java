package dev.sandglass.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.bench.report.AgentFigures;
import dev.sandglass.bench.report.AgentReport;
import dev.sandglass.bench.report.Figure;
import dev.sandglass.bench.report.Goal;
import dev.sandglass.bench.report.Measure;
import dev.sandglass.bench.report.Report;
import dev.sandglass.bench.report.Row;
import dev.sandglass.bench.report.Verdict;
import dev.sandglass.wire.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A bench measures all that it promises to; what it measures is not judged here. */
@ExtendWith(SharedCheckout.class)
@Timeout(900)
class BenchTest {
    @Test
    void everythingIsMeasuredAndHasItsGoals(Checkout checkout, @TempDir Path directory) throws IOException, InterruptedException {
        Path file = directory.resolve("bench.json");
        Checkout.Outcome outcome = checkout.bash("./sandglass bench --smoke --rounds 1 --json " + file);
        assertThat(outcome.status()).as(outcome.stdout() + outcome.stderr()).isZero();
        assertThat(outcome.stderr()).as("only what a bench tells of itself").doesNotContain("SLF4J");
        Report report = Json.read(Report.class, Files.readAllBytes(file));

        assertThat(report.rows()).extracting(Row::measure).contains(List.of(Measure.values()).stream().map(Measure::name).toArray(String[]::new));
        for (Row row : report.rows()) {
            boolean ours = row.contender().startsWith("sandglass ");
            List<String> goals = Measure.valueOf(row.measure()).goals(row.family()).stream().map(Goal::text).toList();
            assertThat(row.goals()).as("%s of %s", row.measure(), row.contender()).extracting(Verdict::goal).isEqualTo(ours ? goals : List.of());
            assertThat(row.goals()).as("%s of %s", row.measure(), row.contender()).allSatisfy(verdict -> assertThat(verdict.met()).isNotNull());
        }
        assertThat(report.figures()).extracting(Figure::goal).allMatch(goal -> goal > 0);
        for (String runtime : List.of("container", "gvisor")) {
            assertThat(report.figures()).extracting(Figure::what).contains(
                    "daemon: heap for each idle " + runtime + " sandbox",
                    "daemon: memory (RSS) for each idle " + runtime + " sandbox",
                    "processes of each idle " + runtime + " sandbox (PSS)");
            for (Measure measure : List.of(Measure.ROUTE_REQUEST, Measure.ROUTE_REQUESTS, Measure.WAKE)) {
                assertThat(report.rows()).as("%s on %s", measure, runtime).filteredOn(row -> row.measure().equals(measure.name()) && row.family().equals(runtime)).hasSize(2).allMatch(row -> row.ratio() != null);
            }
        }
        assertThat(report.figures()).filteredOn(figure -> figure.what().startsWith("processes of each")).hasSize(2).allMatch(figure -> figure.value() > 0);
        assertThat(outcome.stdout()).contains("goal 1.5x: ", "goal 2 ms on a quiet machine: ");
    }

    /** From their packages, and ten sandboxes of each, one after another and all at once. */
    @Test
    void agentsAreBuiltAndAnswer(Checkout checkout, @TempDir Path directory) throws IOException, InterruptedException {
        Path file = directory.resolve("agents.json");
        Checkout.Outcome outcome = checkout.bash("./sandglass bench agents --smoke --agent claude-code --agent openclaw --count 10 --json " + file);
        assertThat(outcome.status()).as(outcome.stdout() + outcome.stderr()).isZero();
        AgentReport report = Json.read(AgentReport.class, Files.readAllBytes(file));
        assertThat(report.sandboxes()).isEqualTo(10);
        assertThat(report.agents()).extracting(AgentFigures::agent).containsExactly("claude-code", "openclaw");
        assertThat(report.agents().getFirst().version()).matches("[0-9.]+ \\(Claude Code\\)");
        assertThat(report.agents().getLast().version()).matches("OpenClaw [0-9.]+ .*");
        assertThat(report.agents()).allSatisfy(figures -> {
            assertThat(figures.buildSeconds()).as("a build that may take what earlier ones kept").isNull();
            assertThat(List.of(figures.cachedBuildSeconds(), figures.snapshotMb(), figures.firstMillis(), figures.medianMillis(), figures.atOnceMedianMillis(), figures.idleMb())).allMatch(value -> value > 0);
            assertThat(figures.atOnceLastMillis()).isGreaterThanOrEqualTo(figures.atOnceMedianMillis());
        });
        assertThat(outcome.stdout()).contains("claude-code", "openclaw", "memory of an idle one");
        assertThat(checkout.check("./sandglass ls -q") + checkout.check("./sandglass template ls -o json")).as("nothing is left").doesNotContain("sbx-", "bench-");
        Checkout.Outcome wrong = checkout.bash("./sandglass bench agents --agent nobody");
        assertThat(wrong.status()).isEqualTo(2);
        assertThat(wrong.stderr()).contains("--agent: nobody (expected: claude-code or openclaw)");
    }
}
