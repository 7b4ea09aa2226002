package dev.sandglass.engine.life;

import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.runtime.Runtime;
import dev.sandglass.engine.sandbox.Limits;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.engine.sandbox.Security;
import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.RuntimeStatus;
import dev.sandglass.wire.SandglassException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Turns a request into the record of a sandbox to be made, or refuses it. Touches nothing. */
final class Admission {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,62}");
    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,254}");
    private static final Pattern LABEL = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_./-]{0,62}");
    private static final int MAX_PAIRS = 256;
    private static final int MAX_VALUE = 1 << 15;
    private static final long MIB = 1 << 20;

    private final Defaults defaults;
    private final Map<String, Runtime> runtimes;
    private final Clock clock;

    /** @param runtimes in the order in which {@code auto} prefers them */
    Admission(Defaults defaults, Map<String, Runtime> runtimes, Clock clock) {
        this.defaults = defaults;
        this.runtimes = runtimes;
        this.clock = clock;
    }

    SandboxRecord admit(CreateSandbox request, String image, String agent) {
        List<String> warnings = new ArrayList<>();
        return new SandboxRecord(
                SandboxId.random(),
                1,
                name(request.name()),
                new SandboxState.Creating(),
                runtime(request.runtime()).name(),
                security(request.security()),
                limits(request, warnings),
                pairs("env", VARIABLE, request.env()),
                pairs("labels", LABEL, request.labels()),
                image,
                agent,
                List.copyOf(warnings),
                clock.instant(),
                Optional.empty());
    }

    /** The runtime with that name, {@code auto} and absence included. */
    Runtime runtime(@Nullable String asked) {
        String name = asked == null ? defaults.runtime() : asked;
        if (name.equals("auto")) {
            for (Runtime runtime : runtimes.values()) {
                if (runtime.status().available()) {
                    return runtime;
                }
            }
            throw new SandglassException(
                    ErrorCode.RUNTIME_UNAVAILABLE, "No runtime works on this machine.", "`sandglass doctor` tells what is missing.");
        }
        Runtime runtime = runtimes.get(name);
        if (runtime == null) {
            throw invalid("runtime", name, "auto, " + String.join(", ", runtimes.keySet()));
        }
        RuntimeStatus status = runtime.status();
        if (!status.available()) {
            throw new SandglassException(
                    ErrorCode.RUNTIME_UNAVAILABLE,
                    "The runtime " + name + " does not work here: " + status.reason(),
                    "`sandglass doctor` tells what to do, or use --runtime auto.");
        }
        return runtime;
    }

    private static String name(@Nullable String asked) {
        if (asked == null) {
            return Names.random();
        }
        if (!NAME.matcher(asked).matches()) {
            throw invalid("name", printable(asked), "1 to 63 letters, digits, '_', '.', '-', beginning with a letter or digit");
        }
        if (SandboxId.isId(asked)) {
            throw invalid("name", asked, "not the form of an id");
        }
        return asked;
    }

    private Security security(@Nullable String asked) {
        if (asked == null) {
            return defaults.security();
        }
        return Security.of(asked).orElseThrow(() -> invalid("security", printable(asked), "strict or standard"));
    }

    private Limits limits(CreateSandbox request, List<String> warnings) {
        Limits standard = defaults.limits();
        Limits asked = Limits.of(
                request.memoryMb() == null ? standard.memoryBytes() / MIB : request.memoryMb(),
                request.cpus() == null ? standard.cpus() : request.cpus(),
                request.diskMb() == null ? standard.diskBytes() / MIB : request.diskMb(),
                request.maxProcesses() == null ? standard.processes() : request.maxProcesses());
        if (asked.cpus() <= defaults.hostCpus()) {
            return asked;
        }
        warnings.add("cpus: " + plain(asked.cpus()) + " is more than this machine has; the sandbox gets " + defaults.hostCpus());
        return new Limits(asked.memoryBytes(), defaults.hostCpus(), asked.diskBytes(), asked.processes());
    }

    private static Map<String, String> pairs(String field, Pattern key, @Nullable Map<String, String> asked) {
        if (asked == null) {
            return Map.of();
        }
        if (asked.size() > MAX_PAIRS) {
            throw invalid(field, asked.size() + " entries", "at most " + MAX_PAIRS);
        }
        asked.forEach((name, value) -> {
            if (!key.matcher(name).matches()) {
                throw invalid(field, printable(name), key.pattern());
            }
            if (value.length() > MAX_VALUE || value.indexOf('\0') >= 0) {
                throw invalid(field + "." + name, value.length() + " characters", "at most " + MAX_VALUE + ", no NUL");
            }
        });
        return Map.copyOf(asked);
    }

    private static String plain(double number) {
        return number == Math.rint(number) ? String.valueOf((long) number) : String.valueOf(number);
    }

    private static String printable(String text) {
        String start = text.length() > 80 ? text.substring(0, 80) + "..." : text;
        return start.replaceAll("[^\\x20-\\x7e]", "?");
    }

    private static SandglassException invalid(String field, String value, String expected) {
        return new SandglassException(
                ErrorCode.INVALID_REQUEST, field + ": " + value + " (expected: " + expected + ")", "Correct the value and try again.");
    }
}
