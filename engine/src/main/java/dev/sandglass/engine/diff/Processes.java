package dev.sandglass.engine.diff;

import dev.sandglass.wire.ProcessChange;
import dev.sandglass.wire.ProcessFacts;
import dev.sandglass.wire.ProcessList;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Processes that came and went between two states. One that has the same number and the same command in both is the same: numbers go on in a copy, start
 * times do not.
 *
 * @param changes none where those of one state are not known
 * @param truncated whether there are more than were compared
 */
record Processes(List<ProcessChange> changes, boolean truncated) {
    private record Same(long pid, String command) {
        static Same of(ProcessFacts process) {
            return new Same(process.pid(), process.command());
        }
    }

    static Processes between(Optional<ProcessList> before, Optional<ProcessList> after) {
        if (before.isEmpty() || after.isEmpty()) {
            return new Processes(List.of(), false);
        }
        long last = Math.min(last(before.get()), last(after.get()));
        List<ProcessChange> changes = new ArrayList<>();
        missing(before.get(), after.get(), last).forEach(gone -> changes.add(new ProcessChange("removed", gone)));
        missing(after.get(), before.get(), last).forEach(come -> changes.add(new ProcessChange("added", come)));
        changes.sort(Comparator.comparingLong(ProcessChange::pid)); // what became of one number stands together
        return new Processes(List.copyOf(changes), before.get().truncated() || after.get().truncated());
    }

    /** Up to which number a list has all. */
    private static long last(ProcessList list) {
        return list.truncated() && !list.processes().isEmpty() ? list.processes().getLast().pid() : Long.MAX_VALUE;
    }

    private static List<ProcessFacts> missing(ProcessList here, ProcessList there, long last) {
        Set<Same> known = new HashSet<>();
        there.processes().forEach(process -> known.add(Same.of(process)));
        return here.processes().stream().filter(process -> process.pid() <= last && !known.contains(Same.of(process))).toList();
    }
}
