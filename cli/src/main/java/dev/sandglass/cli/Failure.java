package dev.sandglass.cli;

import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.Problem;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Yaml;

/** A failure as it is told: to people in two lines, to programs as JSON, and as an exit code. */
record Failure(ErrorCode code, Problem problem) {
    static Failure of(SandglassException problem) {
        Problem told = problem.toProblem();
        return new Failure(problem.code(), new Problem(told.code(), told.message(), hint(problem.code(), told.hint(), "sandglass --help")));
    }

    /** The failure of a verb, told in its words. */
    static Failure of(SandglassException problem, Wording wording) {
        Problem told = problem.toProblem();
        String hint = hint(problem.code(), wording.of(told.hint()), wording.help());
        return new Failure(problem.code(), new Problem(told.code(), wording.of(told.message()), hint));
    }

    static Failure usage(String message, String verb) {
        String hint = "See `sandglass " + (verb.isEmpty() ? "" : verb + " ") + "--help`.";
        return new Failure(ErrorCode.INVALID_REQUEST, new Problem(ErrorCode.INVALID_REQUEST.text(), message, hint));
    }

    static Failure internal(Throwable bug) {
        return new Failure(
                ErrorCode.INTERNAL,
                new Problem(ErrorCode.INTERNAL.text(), "Unexpected: " + bug, "This is a bug; SANDGLASS_DEBUG=1 shows where it happened."));
    }

    /** What the daemon advises to whoever speaks HTTP is no help here. */
    private static String hint(ErrorCode code, String told, String help) {
        if (told.contains("/openapi.json")) {
            return "Correct it; `" + help + "` tells what there is.";
        }
        return code == ErrorCode.UNAUTHORIZED && told.contains("Authorization")
                ? "Set SANDGLASS_API_KEY to the daemon's token, or name its file with --token-file."
                : told;
    }

    int exitCode() {
        return switch (code.category()) {
            case USAGE -> 2;
            case NOT_FOUND -> 3;
            case CONFLICT -> 4;
            case DENIED, FAILED -> 1;
        };
    }

    String text(Format format) {
        if (format.structured()) {
            String json = Inert.json("{\"error\":" + Json.write(problem) + "}");
            return format == Format.YAML ? Yaml.of(json) : json + "\n";
        }
        String hint = problem.hint().isEmpty() ? "" : "hint: " + Inert.lines(problem.hint()) + "\n";
        return "error: " + Inert.lines(problem.message()) + "\n" + hint;
    }
}
