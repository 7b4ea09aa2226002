package dev.sandglass.wire.recipe;

import dev.sandglass.wire.Component;
import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.CreateService;
import dev.sandglass.wire.NetworkPolicy;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.TemplateLifecycle;
import dev.sandglass.wire.document.Documents;
import dev.sandglass.wire.document.Fields;
import dev.sandglass.wire.document.Place;
import dev.sandglass.wire.document.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** The file of a fleet. */
public final class FleetText {
    /** Labels that begin so belong to Sandglass. */
    public static final String RESERVED = "sandglass.";

    /** The most machines of a fleet. */
    public static final int MOST_MACHINES = 500;

    private static final long MOST = 1 << 24;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,62}");
    private static final String A_NAME = "1 to 63 letters, digits, '_', '.', '-', beginning with a letter or digit";
    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,254}");
    private static final List<String> SECURITY = List.of("strict", "standard");
    private static final List<String> PRESETS = List.of("none", "open", "package-registries");
    private static final List<String> MODES = List.of("rw", "shared", "ro");
    private static final Pattern SIZE = Pattern.compile("([0-9]{1,12}(?:\\.[0-9]{1,6})?)([kmgt]?)(?:i?b)?", Pattern.CASE_INSENSITIVE);
    private static final TemplateLifecycle NO_LIFECYCLE = new TemplateLifecycle(null, null, null, null, null, null, null, null);

    /**
     * What such a file says.
     *
     * @param name null where it does not say
     */
    public record Contents(@Nullable String name, List<Entry> machines) {}

    /** A word of the file and where it stands. */
    public record Named(String text, Place place) {}

    /**
     * One machine, or several that are alike.
     *
     * @param names of the machines: that of the entry, or with numbers from 1 on where it has a count
     * @param request what they are made of, without what a machine has of its own: name, volumes, and the variables of files
     * @param origin the snapshot, template or image that they begin with
     * @param envFiles with variables that those of the request go before
     * @param components to be installed, by name
     * @param provision where they are listed
     * @param definitions components that are defined there
     */
    public record Entry(
            Named name,
            List<String> names,
            CreateSandbox request,
            Optional<Named> origin,
            List<Named> envFiles,
            List<String> components,
            Place provision,
            List<Component> definitions,
            @Nullable Map<String, String> variables,
            List<CreateService> services,
            List<Volume> volumes) {}

    /**
     * A volume of a machine.
     *
     * @param name {@code ${MACHINE}} in it stands for the name of the machine
     * @param sizeMb null if it must be there
     */
    public record Volume(Named name, String path, @Nullable String mode, @Nullable Long sizeMb) {
        public String of(String machine) {
            return name.text().replace("${MACHINE}", machine);
        }
    }

    private FleetText() {}

    /** Whether a fleet, or a machine, may be called so. */
    public static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    /** @param label what errors call the text: the name of its file */
    public static Contents read(String label, String text) {
        Fields root = Documents.read(label, text).only("name", "machines");
        root.find("name").ifPresent(name -> require(isName(name.text()), () -> name.refused(A_NAME)));
        Value list = root.need("machines");
        List<Entry> machines = list.items().stream().map(FleetText::entry).toList();
        int all = machines.stream().mapToInt(each -> each.names().size()).sum();
        require(all > 0 && all <= MOST_MACHINES, () -> list.refused("1 to " + MOST_MACHINES + " machines, and not " + all));
        Map<String, Place> seen = new HashMap<>();
        for (int i = 0; i < machines.size(); i++) {
            Value name = list.items().get(i).fields().need("name");
            for (String machine : machines.get(i).names()) {
                Place before = seen.putIfAbsent(machine, name.place());
                require(before == null, () -> name.refused("names that are not there twice, as " + machine + " is: see line " + Objects.requireNonNull(before).line()));
            }
        }
        return new Contents(root.text("name"), machines);
    }

    private static void require(boolean holds, Supplier<SandglassException> problem) {
        if (!holds) {
            throw problem.get();
        }
    }

    private static Entry entry(Value item) {
        Fields fields = item.fields().only(
                "name", "count", "from", "template", "image", "disk_only", "runtime", "security", "memory", "cpus", "disk", "processes", "env", "env_file", "provision", "variables", "policy", "credentials",
                "volumes", "services", "labels", "cap_add", "cap_drop", "linger", "lifecycle", "user", "workdir");
        Value name = fields.need("name");
        Long count = fields.number("count", 0, MOST_MACHINES);
        List<String> names = count == null ? List.of(name.text()) : LongStream.rangeClosed(1, count).mapToObj(number -> name.text() + "-" + number).toList();
        require(isName(name.text()) && names.stream().allMatch(FleetText::isName), () -> name.refused(A_NAME + ", with its number"));
        List<Value> origins = List.of("from", "template", "image").stream().flatMap(key -> fields.find(key).stream()).toList();
        require(origins.size() <= 1, () -> fields.refused("it begins with one of from, template and image"));
        List<Component> definitions = new ArrayList<>();
        Optional<Value> provision = fields.find("provision");
        return new Entry(
                named(name),
                names,
                request(fields),
                origins.stream().findFirst().map(FleetText::named),
                fields.find("env_file").map(FleetText::several).orElse(List.of()),
                provision.map(value -> components(value, definitions)).orElse(List.of()),
                provision.map(Value::place).orElse(item.place()),
                definitions,
                fields.pairs("variables"),
                fields.find("services").map(list -> list.items().stream().map(each -> TemplateText.service(each.fields())).toList()).orElse(List.of()),
                fields.find("volumes").map(list -> list.items().stream().map(FleetText::volume).toList()).orElse(List.of()));
    }

    private static CreateSandbox request(Fields fields) {
        TemplateLifecycle lifecycle = fields.find("lifecycle").map(each -> TemplateText.lifecycle(each.fields())).orElse(NO_LIFECYCLE);
        return new CreateSandbox(
                null,
                fields.text("runtime"),
                fields.find("security").map(value -> word(value, SECURITY)).orElse(null),
                fields.find("memory").map(FleetText::megabytes).orElse(null),
                fields.find("cpus").map(FleetText::cpus).orElse(null),
                fields.find("disk").map(FleetText::megabytes).orElse(null),
                fields.number("processes", 1, MOST),
                fields.find("env").map(FleetText::variables).orElse(null),
                fields.find("labels").map(FleetText::labels).orElse(null),
                fields.texts("cap_add"),
                fields.texts("cap_drop"),
                lifecycle.timeout(),
                lifecycle.onTimeout(),
                lifecycle.ttl(),
                lifecycle.hardTtl(),
                fields.flag("linger"),
                fields.text("from"),
                fields.flag("disk_only"),
                lifecycle.autoResume(),
                lifecycle.checkpointEvery(),
                lifecycle.keepCheckpoints(),
                lifecycle.restart(),
                fields.find("policy").map(FleetText::policy).orElse(null),
                fields.texts("credentials"),
                null,
                null,
                fields.text("image"),
                fields.text("user"),
                fields.text("workdir"),
                fields.text("template"));
    }

    private static Named named(Value value) {
        return new Named(value.text(), value.place());
    }

    /** One word, or a list of them. */
    private static List<Named> several(Value value) {
        return value.isList() ? value.items().stream().map(FleetText::named).toList() : List.of(named(value));
    }

    /** Names in one text with commas between them, or a list of names and of whole components. */
    private static List<String> components(Value value, List<Component> definitions) {
        return value.isList()
                ? ComponentText.named(value, definitions, "file")
                : List.of(value.text().split(",")).stream().map(String::strip).filter(each -> !each.isEmpty()).toList();
    }

    /** {@code NAME:/PATH[:MODE]}, or a mapping, which may say a size too. */
    private static Volume volume(Value item) {
        if (!item.isMapping()) {
            String[] parts = item.text().split(":", -1);
            require(
                    parts.length >= 2 && parts.length <= 3 && !parts[0].isEmpty() && parts[1].startsWith("/") && (parts.length == 2 || !parts[2].isEmpty()),
                    () -> item.refused("VOLUME:/PATH, or with :ro or :shared at its end"));
            require(parts.length == 2 || MODES.contains(parts[2]), () -> item.refused("a mode that is one of " + String.join(", ", MODES)));
            return new Volume(new Named(parts[0], item.place()), parts[1], parts.length == 3 ? parts[2] : null, null);
        }
        Fields fields = item.fields().only("name", "path", "mode", "size");
        Value path = fields.need("path");
        require(path.text().startsWith("/"), () -> path.refused("a path that begins with /"));
        return new Volume(
                named(fields.need("name")), path.text(), fields.find("mode").map(value -> word(value, MODES)).orElse(null), fields.find("size").map(FleetText::megabytes).orElse(null));
    }

    private static String word(Value value, List<String> known) {
        require(known.contains(value.text()), () -> value.refused("one of " + String.join(", ", known)));
        return value.text();
    }

    private static NetworkPolicy policy(Value value) {
        NetworkPolicy policy = TemplateText.network(value);
        require(policy.preset() == null || PRESETS.contains(policy.preset()), () -> value.refused("one of " + String.join(", ", PRESETS) + ", or rules"));
        return policy;
    }

    private static Map<String, String> variables(Value value) {
        Map<String, String> variables = value.pairs();
        variables.keySet().forEach(name -> require(VARIABLE.matcher(name).matches(), () -> value.refused("names of letters, digits and '_' that begin with no digit, and not " + name)));
        return variables;
    }

    private static Map<String, String> labels(Value value) {
        Map<String, String> labels = new LinkedHashMap<>(value.pairs());
        labels.keySet().forEach(label -> require(!label.startsWith(RESERVED), () -> value.refused("labels that do not begin with " + RESERVED + ", as " + label + " does")));
        return labels;
    }

    private static double cpus(Value value) {
        double cpus = value.decimal();
        require(cpus > 0, () -> value.refused("a number above 0"));
        return cpus;
    }

    /** A number of megabytes, or a size with its unit. */
    private static long megabytes(Value value) {
        Matcher size = SIZE.matcher(value.text());
        require(size.matches(), () -> value.refused("megabytes, or a size such as 512M or 2G"));
        double factor = switch (size.group(2).toLowerCase(Locale.ROOT)) {
            case "k" -> 1.0 / 1024;
            case "g" -> 1024;
            case "t" -> 1024 * 1024;
            default -> 1;
        };
        long megabytes = Math.round(Double.parseDouble(size.group(1)) * factor);
        require(megabytes >= 1 && megabytes <= MOST, () -> value.refused("1 to " + MOST + " megabytes"));
        return megabytes;
    }
}
