package dev.sandglass.bench;

import dev.sandglass.bench.agent.AgentBench;
import dev.sandglass.bench.agent.AgentOptions;
import dev.sandglass.bench.network.Ways;
import dev.sandglass.bench.report.AgentReport;
import dev.sandglass.bench.report.AgentText;
import dev.sandglass.bench.report.Facts;
import dev.sandglass.bench.report.Figure;
import dev.sandglass.bench.report.Report;
import dev.sandglass.bench.report.ReportText;
import dev.sandglass.bench.report.Results;
import dev.sandglass.client.daemon.Client;
import dev.sandglass.client.daemon.Places;
import dev.sandglass.client.daemon.Target;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Status;
import java.io.Console;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The program behind {@code sandglass bench}. */
public final class Bench {
    private static final int FAILED = 1;
    private static final int MISUSED = 2;
    private static final int STOPPED = 130;

    private final Options options;
    private final Interruption interruption;

    private Bench(Options options, Interruption interruption) {
        this.options = options;
        this.interruption = interruption;
    }

    public static void main(String[] arguments) {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        Interruption interruption = new Interruption();
        int status;
        try {
            status = run(arguments, interruption, out);
        } finally {
            interruption.over();
        }
        System.exit(status);
    }

    private static int run(String[] arguments, Interruption interruption, PrintStream out) {
        boolean ofAgents = arguments.length > 0 && arguments[0].equals("agents");
        try {
            return ofAgents ? agents(AgentOptions.parse(List.of(arguments).subList(1, arguments.length)), interruption, out) : engines(Options.parse(List.of(arguments)), interruption, out);
        } catch (IllegalArgumentException misuse) {
            System.err.println("error: " + misuse.getMessage() + "\n" + (ofAgents ? AgentOptions.USAGE : Options.USAGE));
            return MISUSED;
        } catch (SandglassException problem) {
            System.err.println("error: " + problem.getMessage() + "\nhint: " + problem.hint());
            return FAILED;
        } catch (Interruption.StoppedException _) {
            System.err.println("stopped; everything is taken away");
            return STOPPED;
        } catch (IOException problem) {
            System.err.println("error: " + problem.getMessage());
            return FAILED;
        }
    }

    private static int engines(Options options, Interruption interruption, PrintStream out) throws IOException {
        if (options.help()) {
            out.print(Options.USAGE);
            return 0;
        }
        interruption.install();
        Report report = new Bench(options, interruption).measure();
        tell(Json.write(report), options.json(), options.asJson() ? Optional.empty() : Optional.of(ReportText.of(report)), out);
        return 0;
    }

    private static int agents(AgentOptions options, Interruption interruption, PrintStream out) throws IOException {
        if (options.help()) {
            out.print(AgentOptions.USAGE);
            return 0;
        }
        interruption.install();
        try (Client client = new Client(Target.find(null, null, null, System.getenv()))) {
            AgentReport report = new AgentBench(client, options, interruption, new Progress(System.err, isOnTerminal())).run();
            tell(Json.write(report), options.json(), options.asJson() ? Optional.empty() : Optional.of(AgentText.of(report)), out);
        }
        return 0;
    }

    /** Writes the numbers to the file, if there is one, and prints the text for people, or else the numbers. */
    private static void tell(String numbers, @Nullable Path file, Optional<String> text, PrintStream out) throws IOException {
        if (file != null) {
            Files.writeString(file, numbers + "\n");
        }
        out.print(text.orElse(numbers + "\n"));
    }

    @SuppressWarnings("SystemConsoleNull") // in JDK 25 it is null again where there is no terminal
    private static boolean isOnTerminal() {
        Console console = System.console();
        return console != null && console.isTerminal();
    }

    private Report measure() throws IOException {
        Target target = Target.find(null, null, null, System.getenv());
        Results results = new Results();
        try (Client client = new Client(target);
                Field field = new Field()) {
            Status status = client.status();
            Path runDir = Places.of(null, System.getenv()).runDir();
            field.open(client, status, runDir, options.runtime());
            Facts facts = Host.facts(status, field.engines());
            Progress progress = new Progress(System.err, isOnTerminal());
            Rounds rounds = new Rounds(results, interruption, progress, options.budget());
            new Stages(field.contenders(), rounds, options.rounds(), options.size()).run();
            new Travels(field.contenders(), rounds, options.rounds(), options.size()).run();
            List<Results.Who> pools = new Pooled(field.contenders(), client, rounds, options.rounds(), options.size()).run();
            List<String> notes = new ArrayList<>(field.notes());
            notes.addAll(new Outgoing(runDir, rounds, options.rounds(), options.size()).run());
            List<Results.Who> visitors = new Incoming(field.contenders(), rounds, options.rounds(), options.size()).run(status, runDir);
            List<Results.Who> order = new ArrayList<>(field.contenders().stream().map(Contender::who).toList());
            String last = order.getLast().family();
            order.addAll(Ways.order());
            order.addAll(visitors);
            order.addAll(pools);
            List<Figure> figures = new ArrayList<>(new SnapshotFigures(client, last, options.size()).measure(field.contenders()));
            figures.addAll(new Footprint(System.getProperty("sandglass.launcher", "sandglass"), status.pid(), options.size()).measure(field.contenders()));
            return new Report(facts, options.rounds(), options.size(), notes, results.rows(order), figures);
        }
    }
}
