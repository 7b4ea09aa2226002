package dev.sandglass.cli;

import dev.sandglass.wire.FleetResult;
import dev.sandglass.wire.Problem;
import dev.sandglass.wire.SandglassException;
import java.util.List;

/** A verb that works on all machines of a fleet, some of them at once. */
abstract class FleetVerb extends Verb {
    private static final long AT_ONCE = 4;
    private static final long MOST_AT_ONCE = 64;

    private final Syntax.Value parallel;

    FleetVerb(Syntax syntax) {
        super(syntax);
        parallel = syntax.value("N", "On so many machines at a time; " + AT_ONCE + " if absent.", "--parallel");
    }

    final int atOnce() {
        Long asked = Amount.count("parallel", parallel.orNull());
        return (int) Math.min(asked == null ? AT_ONCE : asked, MOST_AT_ONCE);
    }

    /** What became of each on standard output, and every failure with its hint on standard error. */
    final int tell(Console console, Format format, List<FleetResult> results) {
        console.print(format.structured() ? Document.ofList(results, format, console) : FleetTables.results(results, console.styled()));
        int code = OK;
        for (FleetResult one : results) {
            Problem error = one.error();
            if (error != null) {
                console.warn(Failure.of(SandglassException.from(new Problem(error.code(), one.name() + ": " + error.message(), error.hint()))).text(format));
                code = 1;
            }
        }
        return code;
    }
}
