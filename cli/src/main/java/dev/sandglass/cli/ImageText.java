package dev.sandglass.cli;

import dev.sandglass.cli.terminal.Age;
import dev.sandglass.cli.terminal.Bytes;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.cli.terminal.Table;
import dev.sandglass.wire.ImageInfo;
import java.util.List;

/** Images for people. */
final class ImageText {
    private static final int SHORT = 16;

    private ImageText() {}

    static String table(List<ImageInfo> images, boolean styled) {
        Table table = new Table("NAME", "ID", "LAYERS", "SIZE", "AGE");
        long now = System.currentTimeMillis() / 1000;
        for (ImageInfo image : images) {
            for (String name : image.names().isEmpty() ? List.of("") : image.names()) {
                table.row(name, shortened(image.id()), Integer.toString(image.layers().size()), Bytes.shown(image.bytes()), Age.shown(now - image.createdAt().getEpochSecond()));
            }
        }
        return table.text(styled);
    }

    /** Enough to name it by. */
    private static String shortened(String id) {
        return id.substring(0, Math.min(id.length(), SHORT));
    }

    static String line(ImageInfo image) {
        String title = image.names().isEmpty() ? "" : Inert.text(String.join(" ", image.names())) + "   ";
        return title + Inert.text(shortened(image.id())) + "   " + Bytes.shown(image.bytes()) + "\n";
    }

    /** What of it is left out. */
    static void warnings(Console console, ImageInfo image) {
        image.warnings().forEach(warning -> console.warn("warning: " + Inert.text(warning) + "\n"));
    }
}
