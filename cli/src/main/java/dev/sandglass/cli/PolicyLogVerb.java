package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.client.daemon.ServerEvents;
import dev.sandglass.cli.terminal.Bytes;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.NetworkAttempt;
import dev.sandglass.wire.NetworkAttemptList;
import dev.sandglass.wire.SandglassException;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;

/** {@code policy log}: what a sandbox tried to reach, what became of it, and what would open it. */
final class PolicyLogVerb extends Verb {
    private static final int PAGE = 1000;
    private static final String DENIED = "deny";
    /** Of those that were told already: who follows does so for long, and what is told may be anything. */
    private static final int MOST_TOLD = 1000;

    private final Syntax.Value sandbox = syntax.operand(0, "SANDBOX", "Name, id, or the beginning of one.");
    private final Syntax.Flag follow = syntax.flag("Go on with what it tries, until Ctrl-C.", "-f", "--follow");
    private final Syntax.Flag denied = syntax.flag("Only what was refused.", "--denied");
    private final Syntax.Value last = syntax.value("N", "Only so many of those that are known, the newest; 0 for what comes alone.", "-n", "--last");
    private final Set<String> told = new LinkedHashSet<>();

    PolicyLogVerb() {
        super(new Syntax("policy log", "Tell what a sandbox tried to reach, oldest first. In a pipe lines of JSON."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        String most = last.orNull();
        Long count = most == null ? null : Long.valueOf(Amount.id("last", most));
        try (Client client = client(console)) {
            ArrayDeque<NetworkAttempt> newest = new ArrayDeque<>();
            long seen = 0;
            NetworkAttemptList page;
            do {
                page = client.attempts(sandbox.orEmpty(), seen, PAGE);
                page.attempts().stream().filter(this::isWanted).forEach(newest::add);
                while (count != null && newest.size() > count) {
                    newest.poll();
                }
                seen = page.next();
            } while (page.attempts().size() == PAGE);
            newest.forEach(attempt -> show(console, format, attempt));
            if (follow.isSet()) {
                follow(console, client, format, seen);
            }
            if (!format.structured()) {
                hint(console, newest);
            }
            return OK;
        }
    }

    private boolean isWanted(NetworkAttempt attempt) {
        return !denied.isSet() || attempt.verdict().equals(DENIED);
    }

    /** For as long as nobody stops it; a daemon that was started anew is asked for what came meanwhile. */
    private void follow(Console console, Client client, Format format, long seen) {
        long position = seen;
        Comeback comeback = new Comeback();
        while (true) {
            try (Client other = client.again()) {
                ServerEvents events = other.followAttempts(sandbox.orEmpty(), position);
                for (ServerEvents.Message message = events.next(); message != null; message = events.next()) {
                    comeback.seen();
                    if (message.type().equals("gap")) {
                        console.warn("warning: some attempts are no longer kept\n");
                        continue;
                    }
                    NetworkAttempt attempt = Json.read(NetworkAttempt.class, message.data());
                    if (isWanted(attempt)) {
                        show(console, format, attempt);
                    }
                    position = attempt.id();
                }
                throw new SandglassException(ErrorCode.DAEMON_UNREACHABLE, "The daemon ended the stream of attempts", "Start it with `sandglass up`.");
            } catch (SandglassException problem) {
                comeback.await(problem);
            }
        }
    }

    /** Who follows sees no end, so what opens an attempt stands right below it, the first time. */
    private void show(Console console, Format format, NetworkAttempt attempt) {
        print(console, format, attempt);
        String opening = attempt.allow();
        if (follow.isSet() && !format.structured() && opening != null && told.add(opening)) {
            console.print("  * is opened by:" + opening(opening));
            if (told.size() > MOST_TOLD) {
                told.remove(told.iterator().next());
            }
        }
    }

    private String opening(String destination) {
        return Inert.text(" sandglass policy allow " + sandbox.orEmpty() + " " + word(destination)) + "\n";
    }

    private static void print(Console console, Format format, NetworkAttempt attempt) {
        if (format.structured()) {
            console.print(Document.next(Json.write(attempt), format));
            return;
        }
        StringBuilder line = new StringBuilder();
        String at = attempt.at().toString();
        line.append(at.substring(0, Math.min(19, at.length())).replace('T', ' '));
        line.append(attempt.verdict().equals(DENIED) ? "  DENIED   " : "  allowed  ");
        line.append(String.format(Locale.ROOT, "%-40s  ", what(attempt)));
        if (!attempt.verdict().equals(DENIED)) {
            line.append("up ").append(Bytes.shown(attempt.sent())).append(", down ").append(Bytes.shown(attempt.received())).append(", ").append(attempt.durationMs()).append(" ms  ");
        }
        line.append(attempt.allow() == null ? "" : "* ").append('(').append(attempt.why()).append(')');
        console.print(console.fitting(Inert.text(line.toString()) + "\n"));
    }

    static String what(NetworkAttempt attempt) {
        StringBuilder text = new StringBuilder(Objects.requireNonNullElse(attempt.name(), Objects.requireNonNullElse(attempt.address(), "?")));
        if (attempt.port() != null) {
            text.append(':').append(attempt.port());
        }
        if (attempt.protocol() != null) {
            text.append('/').append(attempt.protocol());
        }
        if (attempt.method() != null) {
            text.append(' ').append(attempt.method()).append(' ').append(attempt.path());
        }
        if (attempt.tool() != null) {
            text.append(" tool:").append(attempt.tool());
        }
        return attempt.status() == null ? text.toString() : text.append(" = ").append(attempt.status()).toString();
    }

    /** As a shell takes it for one. */
    private static String word(String destination) {
        return destination.indexOf(' ') < 0 ? destination : "'" + destination + "'";
    }

    /** What was refused last, one line each that opens it. */
    private void hint(Console console, ArrayDeque<NetworkAttempt> shown) {
        Set<String> openings = new LinkedHashSet<>();
        shown.forEach(attempt -> {
            if (attempt.allow() != null) {
                openings.add(attempt.allow());
            }
        });
        if (!openings.isEmpty()) {
            console.print("* is opened by:\n");
            openings.forEach(each -> console.print("   " + opening(each)));
        }
    }
}
