package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Bytes;
import dev.sandglass.cli.terminal.Table;
import dev.sandglass.wire.Entry;
import dev.sandglass.wire.EntryList;
import java.util.List;

/** {@code files ls}: what is in a directory. */
final class FilesLsVerb extends FilesVerb {
    private static final int DEEPEST = 64;

    private final Syntax.Value place = syntax.operand(0, LABEL, PLACE);
    private final Syntax.Flag recursive = syntax.flag("Also what is in the directories below.", "-r", "-R", "--recursive");

    FilesLsVerb() {
        super(new Syntax("files ls", "List what is in a directory of a sandbox."));
    }

    @Override
    int run(Console console, Client client, Format format) {
        Inside inside = inside(place.orEmpty());
        Entry entry = client.files().stat(inside.sandbox(), inside.path(), user());
        EntryList found = entry.kind().equals("directory")
                ? client.files().list(inside.sandbox(), inside.path(), user(), recursive.isSet() ? DEEPEST : 1)
                : new EntryList(List.of(entry), false);
        if (format.structured()) {
            console.print(Document.ofList(found.entries(), format, console));
        } else {
            console.print(table(found.entries(), console.styled()));
        }
        if (found.truncated()) {
            console.warn("warning: there is more than is listed\n");
        }
        return OK;
    }

    private static String table(List<Entry> entries, boolean styled) {
        Table table = new Table("MODE", "OWNER", "SIZE", "MODIFIED", "NAME");
        for (Entry entry : entries) {
            String owner = entry.owner() == null ? Long.toString(entry.uid()) : entry.owner();
            String group = entry.group() == null ? Long.toString(entry.gid()) : entry.group();
            String modified = entry.modifiedAt().toString();
            table.row(
                    letter(entry.kind()) + permissions(Integer.parseInt(entry.mode(), 8)),
                    owner + ":" + group,
                    Bytes.shown(entry.size()),
                    modified.substring(0, Math.min(19, modified.length())).replace('T', ' '),
                    entry.path() + (entry.target() == null ? "" : " -> " + entry.target()));
        }
        return table.text(styled);
    }

    private static char letter(String kind) {
        return switch (kind) {
            case "directory" -> 'd';
            case "link" -> 'l';
            case "fifo" -> 'p';
            case "socket" -> 's';
            case "device" -> 'c';
            default -> '-';
        };
    }

    /** As {@code ls -l} shows them, the bits for set-uid, set-gid and sticky included. */
    private static String permissions(int mode) {
        char[] shown = new char[9];
        for (int bit = 0; bit < 9; bit++) {
            shown[bit] = (mode & (0400 >> bit)) != 0 ? "rwx".charAt(bit % 3) : '-';
        }
        for (int special = 0; special < 3; special++) {
            if ((mode & (04000 >> special)) != 0) {
                int at = special * 3 + 2;
                char letter = special == 2 ? 't' : 's';
                shown[at] = shown[at] == 'x' ? letter : Character.toUpperCase(letter);
            }
        }
        return new String(shown);
    }
}
