package dev.sandglass.server.doctor;

import dev.sandglass.server.doctor.Finding.Verdict;
import io.avaje.jsonb.Json;
import java.io.PrintStream;
import java.util.List;

/** All findings, and the runtime that {@code auto} takes. */
@Json(naming = Json.Naming.LowerUnderscore)
public record Report(String autoRuntime, List<Finding> findings) {
    private static final String GREEN = "\u001b[32m";
    private static final String YELLOW = "\u001b[33m";
    private static final String RED = "\u001b[31m";
    /** How wide a verdict is, with its space. */
    private static final int MARK = 7;

    private static final String ARROW = "-> ";
    private static final int NARROWEST = 20;
    private static final String PLAIN = "\u001b[0m";

    public boolean isHealthy() {
        return findings.stream().noneMatch(finding -> finding.is(Verdict.FAIL));
    }

    /** @param columns how wide a line may be: what is longer goes on in the next one, under where it began */
    public void print(PrintStream out, boolean colours, int columns) {
        int width = findings.stream().mapToInt(finding -> finding.need().length()).max().orElse(0);
        int margin = MARK + width + 2;
        for (Finding finding : findings) {
            out.println(mark(finding, colours) + " " + pad(finding.need(), width) + "  " + wrapped(finding.detail(), margin, columns));
            if (!finding.remedy().isEmpty()) {
                out.println(" ".repeat(margin) + ARROW + wrapped(finding.remedy(), margin + ARROW.length(), columns));
            }
        }
        long warnings = findings.stream().filter(finding -> finding.is(Verdict.WARN)).count();
        long failures = findings.stream().filter(finding -> finding.is(Verdict.FAIL)).count();
        out.println();
        String verdict = isHealthy()
                ? "Sandboxes can run here, on " + autoRuntime + " unless another is named (" + counted(warnings, "warning", "warnings") + ")."
                : "Sandboxes cannot run here yet: " + counted(failures, "need is", "needs are") + " not met.";
        out.println(wrapped(verdict, 0, columns));
    }

    /** Breaks between words alone: a path or a command that is longer than a line is to be copied as it is. */
    private static String wrapped(String text, int margin, int columns) {
        int room = Math.max(NARROWEST, columns - margin);
        StringBuilder lines = new StringBuilder();
        int length = 0;
        for (String word : text.split(" ")) {
            if (length > 0 && length + 1 + word.length() > room) {
                lines.append('\n').append(" ".repeat(margin));
                length = 0;
            } else if (length > 0) {
                lines.append(' ');
                length++;
            }
            lines.append(word);
            length += word.length();
        }
        return lines.toString();
    }

    private static String counted(long count, String one, String many) {
        return count + " " + (count == 1 ? one : many);
    }

    private static String mark(Finding finding, boolean colours) {
        String colour = finding.is(Verdict.PASS) ? GREEN : finding.is(Verdict.WARN) ? YELLOW : RED;
        String word = "[" + finding.verdict() + "]";
        return colours ? colour + word + PLAIN : word;
    }

    private static String pad(String text, int width) {
        return text + " ".repeat(width - text.length());
    }
}
