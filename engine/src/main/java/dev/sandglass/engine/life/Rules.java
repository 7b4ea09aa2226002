package dev.sandglass.engine.life;

import dev.sandglass.engine.sandbox.Capability;
import dev.sandglass.engine.sandbox.CommandDefaults;
import dev.sandglass.engine.sandbox.Limits;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.engine.sandbox.VolumeId;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the values of a sandbox must be like; what is not is refused with the value and the expectation. Touches nothing. */
public final class Rules {
    static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,254}");
    public static final Pattern LABEL = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_./-]{0,62}");

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,62}");
    /** How a warning about processors begins. */
    static final String CPUS = "cpus: ";

    private static final String ALL = "ALL";
    private static final Pattern USER = Pattern.compile("[^\\s:\\p{Cntrl}]{1,255}(:[^\\s:\\p{Cntrl}]{1,255})?");
    private static final int MAX_PATH = 4095;
    private static final int MAX_WORDS = 1 << 16;
    private static final int MAX_PAIRS = 256;
    private static final int MAX_VALUE = 1 << 15;
    private static final long MIB = 1 << 20;
    /** About 68 years: sums of it and any sane clock are still dates. */
    private static final long MAX_SECONDS = Integer.MAX_VALUE;

    private Rules() {}

    /** A name of a sandbox, a snapshot or a volume. */
    public static String name(String asked) {
        if (!NAME.matcher(asked).matches()) {
            throw invalid("name", printable(asked), "1 to 63 letters, digits, '_', '.', '-', beginning with a letter or digit");
        }
        if (SandboxId.isId(asked) || SnapshotId.isId(asked) || VolumeId.isId(asked)) {
            throw invalid("name", asked, "not the form of an id");
        }
        return asked;
    }

    /** A name of a sandbox, which stands in host names too: there an id has no dash. */
    static String sandboxName(String asked) {
        if (SandboxId.undashed(asked).isPresent()) {
            throw invalid("name", asked, "not the form of an id, which host names have without its dash");
        }
        return name(asked);
    }

    /** The limits that were asked for, those before where nothing was. */
    static Limits limits(
            Limits before,
            @Nullable Long memoryMb,
            @Nullable Double cpus,
            @Nullable Long diskMb,
            @Nullable Long processes,
            int hostCpus,
            List<String> warnings) {
        Limits asked = Limits.of(
                memoryMb == null ? before.memoryBytes() / MIB : memoryMb,
                cpus == null ? before.cpus() : cpus,
                diskMb == null ? before.diskBytes() / MIB : diskMb,
                processes == null ? before.processes() : processes);
        if (asked.cpus() <= hostCpus) {
            return asked;
        }
        warnings.add(CPUS + plain(asked.cpus()) + " is more than this machine has; the sandbox gets " + hostCpus);
        return new Limits(asked.memoryBytes(), hostCpus, asked.diskBytes(), asked.processes());
    }

    public static boolean isVariable(String name) {
        return VARIABLE.matcher(name).matches();
    }

    /** Variables or labels: not too many, none too long, each name of that form. */
    public static Map<String, String> pairs(String field, Pattern key, Map<String, String> asked) {
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
        return Collections.unmodifiableMap(new LinkedHashMap<>(asked)); // in the order in which they were given
    }

    /** As whom and where commands run if nobody says otherwise; who that is and whether there is such a directory is seen when one does. */
    public static CommandDefaults commandDefaults(@Nullable String user, @Nullable String workdir) {
        if (user != null && !USER.matcher(user).matches()) {
            throw invalid("user", printable(user), "a name, a uid, name:group or uid:gid");
        }
        if (workdir != null && (!workdir.startsWith("/") || workdir.length() > MAX_PATH || workdir.indexOf('\0') >= 0)) {
            throw invalid("workdir", printable(workdir), "an absolute path of at most " + MAX_PATH + " characters");
        }
        return CommandDefaults.of(Optional.ofNullable(user), Optional.ofNullable(workdir));
    }

    /** The same of what others say, an image or a file. */
    public static CommandDefaults checked(CommandDefaults told) {
        commandDefaults(told.user().orElse(null), told.workdir().orElse(null));
        pairs("env", VARIABLE, told.env());
        if (Stream.concat(told.entrypoint().stream(), told.cmd().stream()).mapToLong(String::length).sum() > MAX_WORDS || told.words(List.of()).size() > MAX_PATH) {
            throw invalid("cmd", "too long", "at most " + MAX_WORDS + " characters in all words");
        }
        return told;
    }

    /** How long something is to last; empty for 0, which is for ever. */
    static Optional<Duration> seconds(String field, long asked) {
        if (asked < 0 || asked > MAX_SECONDS) {
            throw invalid(field, String.valueOf(asked), "0 (never) to " + MAX_SECONDS + " seconds");
        }
        return asked == 0 ? Optional.empty() : Optional.of(Duration.ofSeconds(asked));
    }

    /**
     * The capabilities of commands: the standard ones without those to drop, and with those to add.
     *
     * @param offered what the runtime can give
     */
    static Set<Capability> capabilities(@Nullable List<String> add, @Nullable List<String> drop, Set<Capability> offered, String runtime) {
        Set<Capability> more = EnumSet.noneOf(Capability.class);
        for (String name : add == null ? List.<String>of() : add) {
            more.add(capability("cap_add", name, offered, runtime));
        }
        Set<Capability> some = EnumSet.copyOf(Capability.STANDARD);
        for (String name : drop == null ? List.<String>of() : drop) {
            if (name.equalsIgnoreCase(ALL)) {
                some.clear();
                continue;
            }
            Capability dropped = capability("cap_drop", name, EnumSet.allOf(Capability.class), runtime);
            if (more.contains(dropped)) {
                throw invalid("cap_drop", dropped.name(), "not what cap_add has too");
            }
            some.remove(dropped);
        }
        some.addAll(more);
        return Set.copyOf(some);
    }

    private static Capability capability(String field, String name, Collection<Capability> offered, String runtime) {
        String plain = name.toUpperCase(Locale.ROOT).replaceFirst("^CAP_", "");
        for (Capability one : offered) {
            if (one.name().equals(plain)) {
                return one;
            }
        }
        List<String> names = new ArrayList<>(offered.stream().sorted().map(Capability::name).toList());
        throw invalid(field, printable(name), "on " + runtime + " one of " + String.join(", ", names));
    }

    private static String plain(double number) {
        return number == Math.rint(number) ? String.valueOf((long) number) : String.valueOf(number);
    }

    public static String printable(String text) {
        String start = text.length() > 80 ? text.substring(0, 80) + "..." : text;
        return start.replaceAll("[^\\x20-\\x7e]", "?");
    }

    /** What to throw about a value. */
    public static SandglassException invalid(String field, String value, String expected) {
        return new SandglassException(
                ErrorCode.INVALID_REQUEST, field + ": " + value + " (expected: " + expected + ")", "Correct the value and try again.");
    }
}
