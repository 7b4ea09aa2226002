package dev.sandglass.ledger;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.List;
import java.util.regex.Pattern;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.mapper.RowMapper;

/**
 * Finds what somebody names by name, id or the beginning of an id.
 *
 * @param select the beginning of the query
 * @param there which rows count
 * @param noun what they are, in a message
 * @param prefix with which their ids begin
 * @param list the verb that lists them
 */
record Lookup<R>(String select, String there, String noun, String prefix, ErrorCode notFound, String list, RowMapper<R> row) {
    private static final Pattern REST = Pattern.compile("[a-z0-9]{1,12}");

    /** The exact id first, then the name, then the beginning of an id: a name must not hide the id of another. */
    R resolve(Handle handle, String ref) {
        List<R> exact = handle.createQuery(select + "WHERE " + there + " AND (id = :ref OR name = :ref) ORDER BY id = :ref DESC")
                .bind("ref", ref)
                .map(row)
                .list();
        if (!exact.isEmpty()) {
            return exact.getFirst();
        }
        String rest = ref.startsWith(prefix) ? ref.substring(prefix.length()) : ref;
        if (!REST.matcher(rest).matches()) {
            throw nothing(ref);
        }
        List<R> begun = handle.createQuery(select + "WHERE " + there + " AND substr(id, 1, length(:ref)) = :ref LIMIT 2")
                .bind("ref", prefix + rest)
                .map(row)
                .list();
        if (begun.size() > 1) {
            throw new SandglassException(
                    ErrorCode.AMBIGUOUS_PREFIX, "More than one " + noun + "'s id begins with " + ref + ".", "Give more of the id, or the name.");
        }
        return begun.stream().findFirst().orElseThrow(() -> nothing(ref));
    }

    /** What to throw when there is none. */
    SandglassException nothing(String ref) {
        return new SandglassException(notFound, "There is no " + noun + " " + ref + ".", "`" + list + "` lists those that exist.");
    }
}
