package dev.sandglass.network.registry;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.w3c.dom.Element;

/** The project that every project of Maven inherits from: it has the repository that is used when nobody names another. */
final class SuperPom {
    private static final Logger LOG = LoggerFactory.getLogger(SuperPom.class);
    private static final String ENTRY = "org/apache/maven/model/pom-4.0.0.xml";
    private static final int LARGEST = 1 << 20;

    private SuperPom() {}

    /** That of an installation. */
    static Optional<Element> in(Path home, Look look) {
        return look.names(home.resolve("lib")).stream()
                .filter(name -> name.matches("maven-model-builder-.*\\.jar"))
                .findFirst()
                .flatMap(name -> look.read(home.resolve("lib").resolve(name)))
                .flatMap(SuperPom::read);
    }

    private static Optional<Element> read(byte[] jar) {
        try (ZipInputStream entries = new ZipInputStream(new ByteArrayInputStream(jar), StandardCharsets.UTF_8)) {
            for (ZipEntry entry = entries.getNextEntry(); entry != null; entry = entries.getNextEntry()) {
                if (entry.getName().equals(ENTRY)) {
                    return SmallXml.parse(entries.readNBytes(LARGEST));
                }
            }
        } catch (IOException broken) {
            LOG.debug("Maven's own project cannot be read", broken);
        }
        return Optional.empty();
    }
}
