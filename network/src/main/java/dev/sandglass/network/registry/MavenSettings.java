package dev.sandglass.network.registry;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.w3c.dom.Element;

/** The repositories of Maven, and the mirrors that stand for them. The user's settings come before those of the installation. */
final class MavenSettings {
    private static final Logger LOG = LoggerFactory.getLogger(MavenSettings.class);
    private static final String CENTRAL = "central";
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{env\\.([^}]+)}");

    private MavenSettings() {}

    static Stream<String> urls(Look look) {
        Optional<Path> home = look.program("mvn").flatMap(MavenSettings::home);
        List<Mirror> mirrors = new ArrayList<>();
        Map<String, String> repositories = new LinkedHashMap<>();
        settings(look.at(look.atHome(".m2/settings.xml")), look).ifPresent(root -> read(root, mirrors, repositories, look));
        home.flatMap(each -> settings(each.resolve("conf/settings.xml"), look)).ifPresent(root -> read(root, mirrors, repositories, look));
        if (!repositories.containsKey(CENTRAL) && look.isComplete()) {
            home.flatMap(each -> SuperPom.in(each, look)).ifPresent(root -> read(root, mirrors, repositories, look));
        }
        Stream<String> direct = repositories.entrySet().stream().filter(each -> mirrors.stream().noneMatch(mirror -> mirror.isOf(each.getKey(), each.getValue()))).map(Map.Entry::getValue);
        return Stream.concat(direct, mirrors.stream().filter(mirror -> !mirror.blocked()).map(Mirror::url));
    }

    /** An installation has its program in {@code bin}. */
    private static Optional<Path> home(Path program) {
        try {
            return Optional.ofNullable(program.toRealPath().getParent()).flatMap(bin -> Optional.ofNullable(bin.getParent()));
        } catch (IOException gone) {
            return Optional.empty();
        }
    }

    private static Optional<Element> settings(Path file, Look look) {
        Optional<byte[]> bytes = look.read(file);
        Optional<Element> root = bytes.flatMap(SmallXml::parse);
        if (bytes.isPresent() && root.isEmpty()) {
            look.miss();
            LOG.warn("{} is malformed, and not looked into for registries", file);
        }
        return root;
    }

    private static void read(Element root, List<Mirror> mirrors, Map<String, String> repositories, Look look) {
        for (Element each : SmallXml.all(root, "mirror")) {
            mirrors.add(new Mirror(SmallXml.text(each, "mirrorOf"), url(each, look), SmallXml.text(each, "blocked").equals("true")));
        }
        for (String kind : List.of("repository", "pluginRepository")) {
            SmallXml.all(root, kind).forEach(each -> repositories.putIfAbsent(SmallXml.text(each, "id"), url(each, look)));
        }
    }

    private static String url(Element of, Look look) {
        return VARIABLE.matcher(SmallXml.text(of, "url")).replaceAll(found -> Matcher.quoteReplacement(look.environment().getOrDefault(found.group(1), "")));
    }
}
