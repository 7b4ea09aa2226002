package dev.sandglass.engine.template;

import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.util.zip.GZIPInputStream;

/** Archives that were uploaded, and what copies out of them inside a sandbox. Stateless. */
final class Archive {
    private static final int GZIP_FIRST = 0x1f;
    private static final int GZIP_SECOND = 0x8b;

    /**
     * Run by root with PLACE (where the archive is unpacked), SOURCE, TARGET, OWNER and MODE. Of a directory what is in it is copied. A directory that is there keeps its owner and mode: it may be
     * one of the system's.
     */
    static final String COPY = """
            shopt -s dotglob nullglob
            cd "$PLACE"
            source="${SOURCE#./}"; source="${source%/}"; [ -n "$source" ] || source=.
            if [ -e "$source" ] || [ -L "$source" ]; then entries=("$source"); else IFS= entries=($source); fi
            if [ "${#entries[@]}" -eq 0 ]; then echo "$SOURCE: there is no such thing in what was sent" >&2; exit 1; fi
            made() { [ -d "$1" ] || { made "$(dirname "$1")"; mkdir "$1"; chown "$OWNER" "$1"; }; }
            directory=no
            case "$TARGET" in */) directory=yes ;; esac
            if [ -d "$TARGET" ] || [ "${#entries[@]}" -gt 1 ]; then directory=yes; fi
            for entry in "${entries[@]}"; do
              chown -Rh "$OWNER" "$entry"
              [ -z "$MODE" ] || chmod -R "$MODE" "$entry"
              if [ -d "$entry" ] && [ ! -L "$entry" ]; then
                made "$TARGET"
                tar -C "$entry" -cf - . | tar -C "$TARGET" --no-overwrite-dir -xpf -
              elif [ "$directory" = yes ]; then
                made "$TARGET"
                cp -a -- "$entry" "$TARGET"
              else
                made "$(dirname "$TARGET")"
                cp -aT -- "$entry" "$TARGET"
              fi
            done
            cd /
            rm -rf -- "$PLACE"
            """;

    private Archive() {}

    /** Without the compression that it may have. */
    static InputStream plain(InputStream archive) throws IOException {
        PushbackInputStream start = new PushbackInputStream(archive, 2);
        byte[] first = start.readNBytes(2);
        start.unread(first);
        boolean compressed = first.length == 2 && (first[0] & 0xff) == GZIP_FIRST && (first[1] & 0xff) == GZIP_SECOND;
        return compressed ? new GZIPInputStream(start) : start;
    }
}
