package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.Comparator;
import java.util.List;

/**
 * The processes that a sandbox had at one moment, without the agent's own. It is kept with a full snapshot, so old ones are read for as long as
 * there are old snapshots.
 *
 * @param version of this form
 * @param processes in the order of their numbers, within bounds
 * @param truncated whether there were more, with higher numbers
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record ProcessList(int version, List<ProcessFacts> processes, boolean truncated) {
    public static final int VERSION = 1;
    public static final int MOST = 4096;
    /** Of one where nothing runs. */
    public static final ProcessList NONE = new ProcessList(VERSION, List.of(), false);

    public ProcessList {
        truncated |= processes.size() > MOST;
        processes = List.copyOf(processes).stream().sorted(Comparator.comparingLong(ProcessFacts::pid)).limit(MOST).toList();
    }
}
