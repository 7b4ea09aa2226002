package dev.sandglass.cli;

import dev.sandglass.cli.terminal.Bytes;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.Diff;
import dev.sandglass.wire.DiffState;
import dev.sandglass.wire.FileChange;
import dev.sandglass.wire.FileVersion;
import dev.sandglass.wire.PackageChange;
import dev.sandglass.wire.ProcessChange;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A difference for people: a line for each file, package and process, with {@code +}, {@code -} or {@code ~} before it. */
final class DiffText {
    private static final String RED = "\u001b[31m";
    private static final String GREEN = "\u001b[32m";
    private static final String YELLOW = "\u001b[33m";
    private static final String CYAN = "\u001b[36m";
    private static final String PLAIN = "\u001b[0m";

    private final boolean styled;
    private final StringBuilder text = new StringBuilder();

    DiffText(boolean styled) {
        this.styled = styled;
    }

    String of(Diff diff) {
        diff.files().forEach(this::file);
        diff.packages().forEach(this::named);
        diff.processes().forEach(this::process);
        text.append(diff.added()).append(" added, ").append(diff.changed()).append(" changed, ").append(diff.removed()).append(" removed");
        text.append(diff.truncated() ? "; there is more than is shown\n" : "\n");
        unknown(diff.from());
        unknown(diff.to());
        return text.toString();
    }

    private void file(FileChange file) {
        String shown = file.path() + (isDirectory(file) && !file.path().endsWith("/") ? "/" : "");
        line(file.before() == null ? '+' : file.after() == null ? '-' : '~', shown, details(file));
        if (file.text() != null) {
            file.text().lines().forEach(this::textLine);
        }
    }

    private static boolean isDirectory(FileChange file) {
        FileVersion version = file.after() == null ? file.before() : file.after();
        return version != null && version.kind().equals("directory");
    }

    private static String details(FileChange file) {
        FileVersion before = file.before();
        FileVersion after = file.after();
        if (before == null || after == null) {
            return whole(before == null ? after : before);
        }
        List<String> parts = new ArrayList<>();
        for (String field : file.fields()) {
            parts.add(switch (field) {
                case "kind" -> before.kind() + " -> " + after.kind();
                case "content" ->
                    before.size() == after.size() ? Bytes.shown(after.size()) + ", other content" : Bytes.shown(before.size()) + " -> " + Bytes.shown(after.size());
                case "target" -> "-> " + after.target();
                case "mode" -> before.mode() + " -> " + after.mode();
                case "owner" -> before.uid() + ":" + before.gid() + " -> " + after.uid() + ":" + after.gid();
                default -> field;
            });
        }
        return String.join(", ", parts);
    }

    private static String whole(@Nullable FileVersion version) {
        if (version == null) {
            return "";
        }
        return switch (version.kind()) {
            case "file" -> Bytes.shown(version.size());
            case "directory" -> "";
            case "link" -> "-> " + version.target();
            default -> version.kind();
        };
    }

    private void named(PackageChange change) {
        String versions = change.before() == null ? change.after() : change.after() == null ? change.before() : change.before() + " -> " + change.after();
        line(change.before() == null ? '+' : change.after() == null ? '-' : '~', change.manager() + " " + change.name(), String.valueOf(versions));
    }

    private void process(ProcessChange change) {
        line(change.change().equals("added") ? '+' : '-', "process " + change.pid() + " of user " + change.uid(), change.command());
    }

    private void unknown(DiffState state) {
        if (state.processes() == null) {
            String name = state.name() == null ? state.id() : state.name();
            text.append("the processes of ").append(Inert.text(name)).append(" are not known\n");
        }
    }

    private void line(char sign, String what, String details) {
        String colour = switch (sign) {
            case '+' -> GREEN;
            case '-' -> RED;
            default -> YELLOW;
        };
        coloured(colour, sign + " " + Inert.text(what));
        text.append(details.isEmpty() ? "\n" : "   " + Inert.text(details) + "\n");
    }

    private void textLine(String line) {
        coloured(line.startsWith("+") ? GREEN : line.startsWith("-") ? RED : line.startsWith("@@") ? CYAN : "", "    " + Inert.text(line));
        text.append('\n');
    }

    private void coloured(String colour, String shown) {
        text.append(styled ? colour : "").append(shown).append(styled && !colour.isEmpty() ? PLAIN : "");
    }
}
