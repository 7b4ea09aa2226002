package dev.sandglass.pool.diff;

import dev.sandglass.linux.DirectoryEntry;
import dev.sandglass.linux.NameRoom;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The names in several directories, each once, in the order of their bytes. Not thread-safe. */
final class Names {
    static final Names NONE = new Names(List.of());

    private final List<List<DirectoryEntry>> lists;
    private final int[] at;
    private final @Nullable DirectoryEntry[] row;

    private Names(List<List<DirectoryEntry>> lists) {
        this.lists = lists;
        this.at = new int[lists.size()];
        this.row = new @Nullable DirectoryEntry[lists.size()];
    }

    static Names of(List<Source> sources, NameRoom room) throws IOException {
        List<List<DirectoryEntry>> lists = new ArrayList<>();
        for (Source source : sources) {
            lists.add(source.directory().entries(room));
        }
        return new Names(lists);
    }

    /** The next name; {@link #entry} tells who has it. */
    byte @Nullable [] next() {
        byte[] least = null;
        for (int i = 0; i < at.length; i++) {
            if (at[i] < lists.get(i).size()) {
                byte[] name = lists.get(i).get(at[i]).name();
                least = least == null || Arrays.compareUnsigned(name, least) < 0 ? name : least;
            }
        }
        for (int i = 0; least != null && i < at.length; i++) {
            boolean has = at[i] < lists.get(i).size() && Arrays.equals(lists.get(i).get(at[i]).name(), least);
            row[i] = has ? lists.get(i).get(at[i]++) : null;
        }
        return least;
    }

    /** The entry of the present name in a directory, counted as they were given. */
    @Nullable DirectoryEntry entry(int source) {
        return row[source];
    }
}
