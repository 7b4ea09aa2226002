package dev.sandglass.ledger;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.mapper.RowMapper;

/**
 * Finds what somebody names by name, id or the beginning of one.
 *
 * @param select the beginning of the query
 * @param there which rows count
 * @param noun what they are, in a message
 * @param prefix with which their ids begin
 * @param list the verb that lists them
 */
record Lookup<R>(String select, String there, String noun, String prefix, ErrorCode notFound, String list, RowMapper<R> row) {
    private static final Pattern REST = Pattern.compile("[a-z0-9]{1,12}");
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,62}");
    private static final int LENGTH_OF_REST = 12;

    /** The exact id first, then the name, then the beginning of an id or a name: a name must not hide the id of another. */
    R resolve(Handle handle, String ref) {
        return exactly(handle, ref).orElseGet(() -> begun(handle, ref, isWholeId(ref) ? "" : ref));
    }

    /** The same, but that a name must be whole. */
    R resolveWhole(Handle handle, String ref) {
        return exactly(handle, ref).orElseGet(() -> begun(handle, ref, ""));
    }

    private Optional<R> exactly(Handle handle, String ref) {
        return handle.createQuery(select + "WHERE " + there + " AND (id = :ref OR name = :ref) ORDER BY id = :ref DESC LIMIT 1")
                .bind("ref", ref)
                .map(row)
                .findFirst();
    }

    /** @param name how the name may begin; empty if that does not count */
    private R begun(Handle handle, String ref, String name) {
        String rest = ref.startsWith(prefix) ? ref.substring(prefix.length()) : ref;
        String id = REST.matcher(rest).matches() ? prefix + rest : "";
        List<R> begun = handle.createQuery(select + "WHERE " + there
                        + " AND (:id <> '' AND substr(id, 1, length(:id)) = :id OR :name <> '' AND substr(name, 1, length(:name)) = :name) LIMIT 2")
                .bind("id", id)
                .bind("name", NAME.matcher(name).matches() ? name : "")
                .map(row)
                .list();
        if (begun.size() > 1) {
            throw new SandglassException(
                    ErrorCode.AMBIGUOUS_PREFIX,
                    "More than one " + noun + "'s " + (name.isEmpty() ? "id begins" : "id or name begins") + " with " + ref + ".",
                    "Give more of the id or the name; `" + list + "` lists them.");
        }
        return begun.stream().findFirst().orElseThrow(() -> nothing(ref));
    }

    /** What is one may have been destroyed: nothing else is meant by it then. */
    private boolean isWholeId(String ref) {
        return ref.startsWith(prefix) && ref.length() == prefix.length() + LENGTH_OF_REST;
    }

    /** What to throw when there is none. */
    SandglassException nothing(String ref) {
        return new SandglassException(notFound, "There is no " + noun + " " + ref + ".", "`" + list + "` lists those that exist.");
    }
}
