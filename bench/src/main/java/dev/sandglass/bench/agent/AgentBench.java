package dev.sandglass.bench.agent;

import dev.sandglass.bench.AtOnce;
import dev.sandglass.bench.Host;
import dev.sandglass.bench.Interruption;
import dev.sandglass.bench.Progress;
import dev.sandglass.bench.agent.Answers.Answer;
import dev.sandglass.bench.agent.BuiltAgent.Building;
import dev.sandglass.bench.report.AgentFigures;
import dev.sandglass.bench.report.AgentReport;
import dev.sandglass.bench.report.Facts;
import dev.sandglass.bench.report.Samples;
import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.Snapshot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** Measures one agent after the other. */
public final class AgentBench {
    private static final Map<String, String> LABELS = Map.of("sandglass.bench", "true");
    private static final double MEBI = 1 << 20;

    private final Client client;
    private final AgentOptions options;
    private final Interruption interruption;
    private final Progress progress;

    public AgentBench(Client client, AgentOptions options, Interruption interruption, Progress progress) {
        this.client = client;
        this.options = options;
        this.interruption = interruption;
        this.progress = progress;
    }

    public AgentReport run() throws IOException {
        sweep();
        Facts facts = Host.facts(client.status(), Map.of());
        List<AgentFigures> figures = new ArrayList<>();
        for (Agent agent : options.agents()) {
            figures.add(measure(agent));
        }
        return new AgentReport(facts, options.count(), figures);
    }

    /** They are all copies of one. */
    private static void requireSame(Answer one, Answer other) throws IOException {
        if (!one.text().equals(other.text())) {
            throw new IOException("one says " + one.text() + ", another " + other.text());
        }
    }

    /** What a run that was killed has left. */
    private void sweep() {
        client.list().stream().filter(sandbox -> sandbox.labels().keySet().containsAll(LABELS.keySet())).forEach(sandbox -> client.destroy(sandbox.id()));
    }

    private AgentFigures measure(Agent agent) throws IOException {
        String name = agent.template();
        try (BuiltAgent built = new BuiltAgent(client, interruption, agent);
                Answers answers = new Answers(client, agent, built.name(), LABELS)) {
            progress.show(name + ": build", 0, 1);
            Building first = built.build(!options.cold());
            progress.show(name + ": build again", 0, 1);
            Building again = built.build(true);
            Snapshot snapshot = client.snapshot(again.snapshot());
            Samples inARow = new Samples();
            Answer last = answers.once(); // what the first one reads from the disk stays in memory for the others
            long cold = last.nanos();
            for (int i = 0; i < options.count(); i++) {
                interruption.check();
                progress.show(name + ": one after another", i, options.count());
                Answer next = answers.once();
                requireSame(last, next);
                last = next;
                inARow.add(last.nanos());
            }
            progress.show(name + ": at once", 0, 1);
            interruption.check();
            Samples atOnce = new Samples();
            List<AtOnce.Task<Answer>> asking = Collections.nCopies(options.count(), answers::once);
            for (Answer answer : AtOnce.run(options.count(), asking)) {
                requireSame(last, answer);
                atOnce.add(answer.nanos());
            }
            progress.show(name + ": memory", 0, 1);
            double memory = answers.idleMegabytes();
            progress.clear();
            return new AgentFigures(
                    name, last.text().lines().findFirst().orElse(""), last.runtime(), options.cold() ? first.seconds() : null, options.cold() ? first.received() / MEBI : null, again.seconds(), snapshot.totalBytes() / MEBI,
                    cold / 1e6, inARow.medianMillis(), inARow.p90Millis(), atOnce.medianMillis(), atOnce.quantileMillis(1), memory);
        }
    }
}
