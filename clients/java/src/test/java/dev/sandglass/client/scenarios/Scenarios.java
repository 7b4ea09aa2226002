package dev.sandglass.client.scenarios;

import dev.sandglass.client.CommandHandle;
import dev.sandglass.client.CreateOptions;
import dev.sandglass.client.Daemon;
import dev.sandglass.client.FileOptions;
import dev.sandglass.client.ListOptions;
import dev.sandglass.client.Paginator;
import dev.sandglass.client.RaceResult;
import dev.sandglass.client.RunOptions;
import dev.sandglass.client.Sandbox;
import dev.sandglass.client.SnapshotInfo;
import dev.sandglass.client.Volume;
import dev.sandglass.wire.ErrorCode.Category;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.NetworkPolicy;
import dev.sandglass.wire.SandglassException;
import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/** Plays the scenarios that all clients share: {@code java -cp ... Scenarios.java FILE RUNTIME PREFIX}. */
public final class Scenarios {
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{([a-z_.0-9]+)}");

    private final Map<String, Object> kept = new HashMap<>();

    private Scenarios(String run, String runtime) {
        kept.put("run", run);
        kept.put("runtime", runtime);
    }

    public static void main(String[] args) throws Exception {
        boolean fine = true;
        for (Object each : list(Json.tree(Files.readAllBytes(Path.of(args[0]))))) {
            Map<String, Object> scenario = map(each);
            if (list(scenario.getOrDefault("runtimes", List.of(args[1]))).contains(args[1])) {
                boolean went = new Scenarios(args[2], args[1]).play(list(scenario.get("steps")));
                System.out.println((went ? "ok   " : "FAIL ") + scenario.get("name"));
                fine &= went;
            }
        }
        System.exit(fine ? 0 : 1);
    }

    private boolean play(List<Object> steps) throws Exception {
        int number = 0;
        try {
            for (Object step : steps) {
                number++;
                play(map(step));
            }
            return true;
        } catch (Exception | AssertionError problem) {
            System.err.println("step " + number + " " + steps.get(number - 1));
            problem.printStackTrace();
            return false;
        } finally {
            clean();
        }
    }

    private void play(Map<String, Object> step) throws Exception {
        if (step.containsKey("error")) {
            try {
                call(step);
            } catch (SandglassException problem) {
                require(problem.code().text().equals(step.get("error")) && !problem.hint().isEmpty(), "it ended with " + problem.code() + ": " + problem.getMessage());
                return;
            }
            throw new AssertionError("it did not end with " + step.get("error"));
        }
        Object result = call(step);
        if (step.get("as") instanceof String name) {
            kept.put(name, result);
        }
        if (step.containsKey("expect")) {
            compare(result, read(step.get("expect")), "the result");
        }
    }

    private Object call(Map<String, Object> step) throws Exception {
        Object on = step.get("on") instanceof String path ? find(path) : null;
        List<Object> args = list(read(step.getOrDefault("args", List.of())));
        Map<String, Object> with = map(read(step.getOrDefault("with", Map.of())));
        String action = (String) step.get("do");
        Object result = on == null ? of(action, args, with) : on instanceof Sandbox box ? of(box, action, args, with) : of((CommandHandle) on, action, args);
        return result instanceof Paginator<?> pages ? pages.toList() : result;
    }

    private static Object of(String action, List<Object> args, Map<String, Object> with) {
        Daemon daemon = with.get("url") instanceof String url ? Daemon.at(url) : Daemon.find();
        Daemon keyed = with.get("api_key") instanceof String key ? daemon.withApiKey(key) : daemon;
        return switch (action) {
            case "Sandbox.create" -> Sandbox.create(keyed, options -> create(options, with));
            case "Sandbox.connect" -> Sandbox.connect(keyed, text(args, 0));
            case "Sandbox.list" -> Sandbox.list(keyed, options -> filter(options, with));
            case "Sandbox.list_snapshots" -> Sandbox.listSnapshots(keyed, options -> filter(options, with));
            case "Sandbox.kill" -> nothing(() -> Sandbox.kill(text(args, 0)));
            case "Sandbox.delete_snapshot" -> nothing(() -> Sandbox.deleteSnapshot(text(args, 0)));
            case "Volume.create" -> Volume.create(text(args, 0));
            case "Volume.get" -> Volume.get(text(args, 0));
            case "Volume.delete" -> nothing(() -> Volume.delete(keyed, text(args, 0)));
            default -> throw new AssertionError("unknown: " + action);
        };
    }

    private static Object of(CommandHandle command, String action, List<Object> args) {
        return switch (action) {
            case "wait" -> command.waitFor();
            case "kill" -> command.kill();
            case "close_stdin" -> nothing(command::closeStdin);
            case "send_stdin" -> nothing(() -> command.sendStdin(new ByteArrayInputStream(bytes(args.get(0)))));
            default -> throw new AssertionError("unknown: " + action);
        };
    }

    private static Object of(Sandbox box, String action, List<Object> args, Map<String, Object> with) throws Exception {
        boolean diskOnly = Boolean.TRUE.equals(with.get("disk_only"));
        return switch (action) {
            case "get_info" -> box.getInfo();
            case "is_running" -> box.isRunning();
            case "set_timeout" -> nothing(() -> box.setTimeout(Duration.ofSeconds(number(args, 0))));
            case "kill" -> nothing(box::kill);
            case "pause" -> nothing(() -> box.pause(diskOnly));
            case "resume" -> nothing(() -> box.resume(diskOnly));
            case "create_snapshot" -> box.createSnapshot(options -> {
                given(with, "name").ifPresent(options::name);
                options.metadata(texts(with.get("metadata")));
                if (diskOnly) {
                    options.diskOnly();
                }
            });
            case "fork" -> box.fork(args.isEmpty() ? 1 : number(args, 0), options -> {
                given(with, "name").ifPresent(options::name);
                options.envs(texts(with.get("envs")));
                if (diskOnly) {
                    options.diskOnly();
                }
            });
            case "rewind" -> nothing(() -> box.rewind(text(args, 0)));
            case "undo_rewind" -> nothing(box::undoRewind);
            case "race" -> box.race(text(args, 0), options -> {
                options.count(((Number) with.get("count")).intValue());
                given(with, "name").ifPresent(options::name);
            });
            case "commands.run" -> run(box, args.get(0), with);
            case "commands.list" -> box.commands().list();
            case "commands.connect" -> box.commands().connect(text(args, 0));
            case "services.create" -> box.services().create(text(args, 0), text(args, 1));
            case "services.list" -> box.services().list();
            case "services.get" -> box.services().get(text(args, 0));
            case "services.stop" -> box.services().stop(text(args, 0));
            case "services.remove" -> nothing(() -> box.services().remove(text(args, 0)));
            case "routes.create" -> Boolean.TRUE.equals(with.get("public")) ? box.routes().createPublic(text(args, 0), number(args, 1)) : box.routes().create(text(args, 0), number(args, 1));
            case "routes.list" -> box.routes().list();
            case "routes.remove" -> nothing(() -> box.routes().remove(text(args, 0)));
            case "network.get" -> box.network().get();
            case "network.allow" -> box.network().allow(text(args, 0));
            case "network.set" -> box.network().set(policy(args.get(0)));
            default -> files(box, action, args, with);
        };
    }

    private static Object files(Sandbox box, String action, List<Object> args, Map<String, Object> with) {
        String path = text(args, 0);
        return switch (action) {
            case "files.write" -> box.files().write(path, bytes(args.get(1)), options -> file(options, with));
            case "files.read" -> {
                byte[] bytes = box.files().readBytes(path, options -> file(options, with));
                yield "bytes".equals(with.get("format")) ? bytes : new String(bytes, java.nio.charset.StandardCharsets.UTF_8);
            }
            case "files.list" -> box.files().list(path, options -> file(options, with));
            case "files.get_info" -> box.files().getInfo(path);
            case "files.exists" -> box.files().exists(path);
            case "files.make_dir" -> box.files().makeDir(path);
            case "files.rename" -> box.files().rename(path, text(args, 1));
            case "files.remove" -> nothing(() -> box.files().remove(path));
            default -> throw new AssertionError("unknown: " + action);
        };
    }

    private static Object run(Sandbox box, Object command, Map<String, Object> with) {
        boolean background = Boolean.TRUE.equals(with.get("background"));
        if (command instanceof String line) {
            return background ? box.commands().start(line, options -> run(options, with)) : box.commands().run(line, options -> run(options, with));
        }
        List<String> argv = list(command).stream().map(String.class::cast).toList();
        return background ? box.commands().start(argv, options -> run(options, with)) : box.commands().run(argv, options -> run(options, with));
    }

    private static void run(RunOptions options, Map<String, Object> with) {
        options.envs(texts(with.get("envs")));
        given(with, "cwd").ifPresent(options::cwd);
        given(with, "user").ifPresent(options::user);
        if (with.get("timeout") instanceof Number seconds) {
            options.timeout(Duration.ofSeconds(seconds.longValue()));
        }
        if (Boolean.TRUE.equals(with.get("stdin"))) {
            options.stdin();
        }
        if (Boolean.TRUE.equals(with.get("check"))) {
            options.check();
        }
    }

    private static void create(CreateOptions options, Map<String, Object> with) {
        given(with, "name").ifPresent(options::name);
        given(with, "template").ifPresent(options::template);
        given(with, "snapshot_id").ifPresent(options::snapshotId);
        given(with, "runtime").ifPresent(options::runtime);
        options.envs(texts(with.get("envs"))).metadata(texts(with.get("metadata")));
        if (with.get("memory_mb") instanceof Number memory) {
            options.memoryMb(memory.longValue());
        }
        if (with.get("auto_resume") instanceof Boolean resume) {
            options.autoResume(resume);
        }
        if (with.get("network") instanceof String preset) {
            options.network(preset);
        } else if (with.get("network") != null) {
            options.network(policy(with.get("network")));
        }
        list(with.getOrDefault("volumes", List.of())).forEach(each -> options.volume((String) map(each).get("volume"), (String) map(each).get("path")));
    }

    private static void file(FileOptions options, Map<String, Object> with) {
        given(with, "user").ifPresent(options::user);
        given(with, "mode").ifPresent(options::mode);
        if (with.get("depth") instanceof Number depth) {
            options.depth(depth.intValue());
        }
    }

    private static void filter(ListOptions options, Map<String, Object> with) {
        options.metadata(texts(with.get("metadata")));
        options.state(list(with.getOrDefault("state", List.of())).toArray(String[]::new));
        if (with.get("limit") instanceof Number limit) {
            options.limit(limit.intValue());
        }
    }

    private static NetworkPolicy policy(Object value) {
        Map<String, Object> policy = map(value);
        return new NetworkPolicy((String) policy.get("preset"), list(policy.get("rules")).stream().map(String.class::cast).toList(), (String) policy.get("otherwise"));
    }

    private void clean() {
        List<Object> all = kept.values().stream().filter(Objects::nonNull).flatMap(each -> each instanceof List<?> many ? many.stream().map(Object.class::cast) : java.util.stream.Stream.of(each)).toList();
        for (Object each : all) {
            if (each instanceof Sandbox box) {
                box.kill();
            } else if (each instanceof RaceResult race) {
                race.winner().ifPresent(Sandbox::kill);
            }
        }
        for (Object each : all) {
            try {
                if (each instanceof Volume volume) {
                    volume.delete();
                } else if (each instanceof SnapshotInfo snapshot) {
                    Sandbox.deleteSnapshot(snapshot.snapshotId());
                }
            } catch (SandglassException problem) {
                require(problem.code().category() == Category.NOT_FOUND, problem.getMessage());
            }
        }
    }

    private static void compare(Object actual, Object expected, String what) throws ReflectiveOperationException {
        if (expected instanceof List<?> items) {
            List<Object> found = list(actual);
            require(found.size() == items.size(), what + " has " + found.size() + " items: " + found);
            for (int i = 0; i < items.size(); i++) {
                compare(found.get(i), items.get(i), what + "[" + i + "]");
            }
        } else if (expected instanceof Map<?, ?> fields && fields.containsKey("contains")) {
            require(String.valueOf(actual).contains((String) fields.get("contains")), what + " is " + actual);
        } else if (expected instanceof Map<?, ?> fields && (fields.containsKey("present") || fields.containsKey("absent"))) {
            require((actual != null) == fields.containsKey("present"), what + " is " + actual);
        } else if (expected instanceof Map<?, ?> fields) {
            for (Map.Entry<?, ?> field : fields.entrySet()) {
                compare(field(actual, (String) field.getKey()), field.getValue(), what + "." + field.getKey());
            }
        } else if (expected instanceof byte[] bytes) {
            require(actual instanceof byte[] found && Arrays.equals(bytes, found), what);
        } else if (expected instanceof Number number) {
            require(actual instanceof Number found && found.doubleValue() == number.doubleValue(), what + " is " + actual);
        } else {
            require(Objects.equals(actual, expected), what + " is " + actual + " (expected: " + expected + ")");
        }
    }

    /** A field of a result by its name in the file, whatever kind of object it is. */
    private static Object field(Object value, String name) throws ReflectiveOperationException {
        if (value instanceof Map<?, ?> fields) {
            return fields.get(name);
        }
        StringBuilder camel = new StringBuilder();
        for (String part : name.split("_")) {
            camel.append(camel.length() == 0 ? part : part.substring(0, 1).toUpperCase(java.util.Locale.ROOT) + part.substring(1));
        }
        Object found = value.getClass().getMethod(camel.toString()).invoke(value);
        return found instanceof Optional<?> optional ? optional.orElse(null) : found;
    }

    private Object find(String path) throws ReflectiveOperationException {
        Object value = kept;
        for (String part : path.split("\\.")) {
            value = value instanceof List<?> many ? many.get(Integer.parseInt(part)) : field(value, part);
        }
        return value;
    }

    /** What stands in the file, with its variables and bytes replaced. */
    private Object read(Object value) throws ReflectiveOperationException {
        if (value instanceof String text) {
            java.util.regex.Matcher matcher = VARIABLE.matcher(text);
            StringBuilder out = new StringBuilder();
            while (matcher.find()) {
                matcher.appendReplacement(out, java.util.regex.Matcher.quoteReplacement(String.valueOf(find(matcher.group(1)))));
            }
            return matcher.appendTail(out).toString();
        }
        if (value instanceof List<?> items) {
            java.util.ArrayList<Object> all = new java.util.ArrayList<>();
            for (Object item : items) {
                all.add(read(item));
            }
            return all;
        }
        if (value instanceof Map<?, ?> fields) {
            if (fields.get("base64") instanceof String base64) {
                return Base64.getDecoder().decode(base64);
            }
            Map<String, Object> all = new HashMap<>();
            for (Map.Entry<?, ?> field : fields.entrySet()) {
                all.put((String) field.getKey(), read(field.getValue()));
            }
            return all;
        }
        return value;
    }

    private static Object nothing(Runnable work) {
        work.run();
        return null;
    }

    private static byte[] bytes(Object value) {
        return value instanceof byte[] bytes ? bytes : ((String) value).getBytes(java.nio.charset.StandardCharsets.UTF_8);
    }

    private static Optional<String> given(Map<String, Object> with, String name) {
        return Optional.ofNullable((String) with.get(name));
    }

    private static Map<String, String> texts(Object value) {
        Map<String, String> texts = new HashMap<>();
        map(value == null ? Map.of() : value).forEach((name, each) -> texts.put(name, (String) each));
        return texts;
    }

    private static String text(List<Object> args, int at) {
        return (String) args.get(at);
    }

    private static int number(List<Object> args, int at) {
        return ((Number) args.get(at)).intValue();
    }

    @SuppressWarnings("unchecked")
    private static List<Object> list(Object value) {
        return (List<Object>) value;
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new AssertionError(otherwise);
        }
    }
}
