package dev.sandglass.cli;

import dev.sandglass.cli.terminal.Age;
import dev.sandglass.cli.terminal.Bytes;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.cli.terminal.Table;
import dev.sandglass.wire.Volume;
import java.util.List;
import java.util.stream.Collectors;

/** Volumes for people. */
final class VolumeText {
    private VolumeText() {}

    static String table(List<Volume> volumes, boolean styled) {
        Table table = new Table("NAME", "ID", "KIND", "SIZE", "USED", "IN USE BY", "AGE", "LABELS");
        long now = System.currentTimeMillis() / 1000;
        for (Volume one : volumes) {
            table.row(
                    one.name(),
                    one.id(),
                    one.kind().equals("volume") ? "" : one.kind(),
                    Bytes.shown(one.sizeMb() << 20),
                    one.usedBytes() == null ? "" : Bytes.shown(one.usedBytes()),
                    one.usedBy().stream().map(user -> user.sandboxName() + ":" + user.path()).collect(Collectors.joining(",")),
                    Age.shown(now - one.createdAt().getEpochSecond()),
                    LsVerb.labels(one.labels()));
        }
        return table.withoutEmpty("KIND", "USED", "IN USE BY", "LABELS").text(styled);
    }

    /** One volume for people. */
    static String line(Volume one) {
        return Inert.text(one.name() + "   " + one.id() + "   " + one.kind() + " of " + Bytes.shown(one.sizeMb() << 20)) + "\n";
    }
}
