package dev.sandglass.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Pages that point elsewhere point at something: {@code llms.txt} at pages, and the page for those who come from elsewhere at verbs and options. */
@ExtendWith(SharedCheckout.class)
@Timeout(900)
class PointersTest {
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#]+)\\)");
    private static final Pattern COMMAND = Pattern.compile("`sandglass ([^`]+)`");
    private static final Pattern OPTION = Pattern.compile("(?<= )--?[a-z][a-z-]*");

    @Test
    void whatAgentsAreToldToReadIsThere(Checkout checkout) throws IOException {
        List<String> links = matches(LINK, Files.readString(checkout.root().resolve("llms.txt")));
        assertThat(links).hasSizeGreaterThan(20).allSatisfy(link -> assertThat(checkout.root().resolve(link)).exists());
        try (Stream<Path> pages = Files.list(checkout.root().resolve("docs"))) {
            assertThat(pages.filter(page -> page.toString().endsWith(".md")).map(page -> "docs/" + page.getFileName()).filter(page -> !page.contains("guest-protocol") && !page.contains("snapshot-file")))
                    .as("each page is named there").isSubsetOf(links);
        }
    }

    @Test
    void whatStandsBesideOthersIsInTheProgram(Checkout checkout) throws IOException, InterruptedException {
        Map<String, String> help = new TreeMap<>();
        List<String> commands = matches(COMMAND, Files.readString(checkout.root().resolve("docs/coming-from.md")));
        assertThat(commands).hasSizeGreaterThan(40);
        for (String command : commands) {
            String[] words = command.split(" ");
            String verb = words.length > 1 && words[1].matches("[a-z]+") && checkout.bash("./sandglass " + words[0] + " " + words[1] + " --help").status() == 0 ? words[0] + " " + words[1] : words[0];
            if (!help.containsKey(verb)) {
                help.put(verb, checkout.check("./sandglass " + verb + " --help"));
            }
            assertThat(help.get(verb)).as(command).contains("Usage: sandglass " + verb);
            String own = command.split(" -- ", 2)[0];
            for (String option : matches(OPTION, " " + own)) {
                assertThat(help.get(verb)).as(command).containsPattern("(^|[ ,=])" + Pattern.quote(option) + "([=, <\\]]|$)");
            }
        }
    }

    private static List<String> matches(Pattern pattern, String text) {
        return pattern.matcher(text).results().map((MatchResult found) -> found.groupCount() > 0 ? found.group(1) : found.group()).toList();
    }
}
