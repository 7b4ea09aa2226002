package dev.sandglass.runtime.gvisor;

import dev.sandglass.engine.runtime.Glance;
import dev.sandglass.wire.ProcessFacts;
import dev.sandglass.wire.ProcessList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads what gVisor's kernel tells of its processes. What they call themselves, their files and directories is theirs to choose. */
final class SentryProcesses {
    /** Stands behind the path of what has no name any more; a file may be called so too. */
    private static final String DELETED = " (deleted)";

    private SentryProcesses() {}

    static Glance glance(List<?> processes) {
        List<Map<?, ?>> all = processes.stream().<Map<?, ?>>map(SentryProcesses::fields).toList();
        Optional<Map<?, ?>> agent = all.stream().filter(process -> number(status(process), "pid") == 1).findFirst();
        List<ProcessFacts> found = all.stream()
                .filter(process -> agent.filter(itself -> isSameProgram(itself, process)).isEmpty())
                .map(SentryProcesses::facts)
                .toList();
        return new Glance(new ProcessList(ProcessList.VERSION, found, false), all.stream().anyMatch(SentryProcesses::mayUseDeleted));
    }

    /** The agent, its workers and what has not become a command yet. Others may give its arguments to themselves, but not its program too. */
    private static boolean isSameProgram(Map<?, ?> agent, Map<?, ?> process) {
        return text(agent.get("exe")).equals(text(process.get("exe"))) && list(agent, "args").equals(list(process, "args"));
    }

    private static ProcessFacts facts(Map<?, ?> process) {
        Map<?, ?> status = status(process);
        String arguments = list(process, "args").stream().map(SentryProcesses::text).collect(Collectors.joining(" ")).stripTrailing();
        return new ProcessFacts(
                number(status, "pid"),
                number(status, "ppid"),
                number(fields(status.get("uid")), "effective"),
                arguments.isEmpty() ? "[" + text(status.get("comm")) + "]" : arguments);
    }

    private static boolean mayUseDeleted(Map<?, ?> process) {
        Stream<String> open = list(process, "fdlist").stream().map(file -> text(fields(file).get("path")));
        Stream<String> mapped = list(process, "maps").stream().map(mapping -> text(fields(mapping).get("pathname")));
        Stream<String> places = Stream.of("cwd", "root", "exe").map(name -> text(process.get(name)));
        return Stream.of(open, mapped, places).flatMap(names -> names).anyMatch(name -> name.endsWith(DELETED));
    }

    private static Map<?, ?> status(Map<?, ?> process) {
        return fields(process.get("status"));
    }

    private static Map<?, ?> fields(@Nullable Object value) {
        return value instanceof Map<?, ?> fields ? fields : Map.of();
    }

    private static List<?> list(Map<?, ?> fields, String name) {
        return fields.get(name) instanceof List<?> list ? list : List.of();
    }

    private static String text(@Nullable Object value) {
        return value instanceof String text ? text : "";
    }

    private static long number(Map<?, ?> fields, String name) {
        return fields.get(name) instanceof Number number ? number.longValue() : 0;
    }
}
