package dev.sandglass.engine.diff;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.ProcessFacts;
import dev.sandglass.wire.ProcessList;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Of two lists of processes that is told which differs for sure. */
class ProcessesTest {
    @Test
    void theSameNumberAndCommandAreTheSameProcess() {
        Processes found = Processes.between(list(process(2, "stays"), process(3, "goes"), process(4, "old title")), list(process(4, "new title"), process(9, "comes"), process(2, "stays")));
        assertThat(changes(found)).containsExactly("removed 3 goes", "removed 4 old title", "added 4 new title", "added 9 comes");
        assertThat(found.truncated()).isFalse();
    }

    @Test
    void whatIsNotKnownIsNotCompared() {
        assertThat(Processes.between(Optional.empty(), list(process(2, "a"))).changes()).isEmpty();
        assertThat(Processes.between(list(process(2, "a")), Optional.empty()).changes()).isEmpty();
        assertThat(changes(Processes.between(list(), list(process(2, "a"))))).containsExactly("added 2 a");
    }

    @Test
    void whatLiesBehindTheEndOfAListIsNotTakenForGone() {
        Optional<ProcessList> cut = Optional.of(new ProcessList(1, List.of(process(2, "a"), process(5, "b")), true));
        Processes found = Processes.between(list(process(2, "a"), process(4, "gone"), process(7, "who knows")), cut);
        assertThat(changes(found)).containsExactly("removed 4 gone", "added 5 b");
        assertThat(found.truncated()).isTrue();
    }

    @Test
    void listsAreBounded() {
        ProcessList many = new ProcessList(1, LongStream.rangeClosed(1, 5000).mapToObj(pid -> process(5001 - pid, "x".repeat(1000))).toList(), false);
        assertThat(many.processes()).hasSize(4096).first().isEqualTo(process(1, "x".repeat(512)));
        assertThat(many.truncated()).isTrue();
    }

    private static ProcessFacts process(long pid, String command) {
        return new ProcessFacts(pid, 1, 0, command);
    }

    private static Optional<ProcessList> list(ProcessFacts... processes) {
        return Optional.of(new ProcessList(1, List.of(processes), false));
    }

    private static List<String> changes(Processes found) {
        return found.changes().stream().map(change -> change.change() + " " + change.pid() + " " + change.command()).toList();
    }
}
