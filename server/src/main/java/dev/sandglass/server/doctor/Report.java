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
    private static final String PLAIN = "\u001b[0m";

    public boolean isHealthy() {
        return findings.stream().noneMatch(finding -> finding.is(Verdict.FAIL));
    }

    public void print(PrintStream out, boolean colours) {
        int width = findings.stream().mapToInt(finding -> finding.need().length()).max().orElse(0);
        for (Finding finding : findings) {
            out.println(mark(finding, colours) + " " + pad(finding.need(), width) + "  " + finding.detail());
            if (!finding.remedy().isEmpty()) {
                out.println("       " + pad("", width) + "  -> " + finding.remedy());
            }
        }
        long warnings = findings.stream().filter(finding -> finding.is(Verdict.WARN)).count();
        long failures = findings.stream().filter(finding -> finding.is(Verdict.FAIL)).count();
        out.println();
        out.println(
                isHealthy()
                        ? "Sandboxes can run here, on " + autoRuntime + " unless another is named (" + warnings + " warnings)."
                        : "Sandboxes cannot run here yet: " + failures + " needs are not met.");
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
