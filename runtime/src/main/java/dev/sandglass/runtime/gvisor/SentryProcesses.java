package dev.sandglass.runtime.gvisor;

import dev.sandglass.wire.ProcessFacts;
import dev.sandglass.wire.ProcessList;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads what gVisor's kernel tells of its processes: their names only, which are theirs to choose. */
final class SentryProcesses {
    private SentryProcesses() {}

    /** Without the agent and its workers, which have its name and are its children. */
    static ProcessList list(@Nullable Object told) throws IOException {
        if (!(told instanceof List<?> processes)) {
            throw new IOException("no list of processes");
        }
        List<Map<?, ?>> all = processes.stream().<Map<?, ?>>map(SentryProcesses::fields).toList();
        Object agent = all.stream()
                .filter(process -> number(process, "pid") == 1)
                .map(process -> process.get("cmd"))
                .filter(Objects::nonNull)
                .findFirst()
                .orElseThrow(() -> new IOException("no agent among the processes"));
        List<ProcessFacts> found = all.stream()
                .filter(process -> number(process, "pid") != 1 && !(number(process, "ppid") == 1 && agent.equals(process.get("cmd"))))
                .map(process -> new ProcessFacts(
                        number(process, "pid"), number(process, "ppid"), number(process, "uid"), "[" + process.get("cmd") + "]"))
                .toList();
        return new ProcessList(ProcessList.VERSION, found, false);
    }

    private static Map<?, ?> fields(@Nullable Object value) {
        return value instanceof Map<?, ?> fields ? fields : Map.of();
    }

    private static long number(Map<?, ?> fields, String name) {
        return fields.get(name) instanceof Number number ? number.longValue() : 0;
    }
}
