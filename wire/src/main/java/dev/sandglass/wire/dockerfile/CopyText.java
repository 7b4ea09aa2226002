package dev.sandglass.wire.dockerfile;

import dev.sandglass.wire.document.Nearest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The words of COPY and ADD. */
final class CopyText {
    private static final Set<String> FLAGS = Set.of("chown", "chmod", "link", "from", "parents", "exclude", "checksum", "keep-git-dir", "unpack");
    private static final Pattern OWNER = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,31}(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,31})?");
    private static final Pattern MODE = Pattern.compile("0?[0-7]{3,4}");
    private static final Pattern ELSEWHERE = Pattern.compile("(?i)(https?|ftp|ssh|git)://.*|git@.*");
    private static final Pattern ARCHIVE = Pattern.compile("(?i).*\\.(tar|tgz|tbz2?|txz|tar\\.(gz|bz2|xz|zst))");

    private final Line line;
    private final boolean adds;
    private final Map<String, String> flags = new LinkedHashMap<>();
    private final List<Words.Word> words;

    CopyText(Line line) {
        this.line = line;
        this.adds = line.name().equalsIgnoreCase("ADD");
        List<Words.Word> all = new ArrayList<>(Words.split(line, line.rest()));
        while (!all.isEmpty() && all.get(0).raw().startsWith("--")) {
            flag(all.remove(0));
        }
        List<Words.Word> plain = all.isEmpty() ? all : JsonWords.of(line, all.get(0).at()).orElse(all);
        if (plain.size() < 2) {
            throw line.refused(0, line.name() + " has no target (expected: " + line.name() + " SOURCE... TARGET)");
        }
        words = plain;
    }

    private void flag(Words.Word word) {
        String[] parts = word.raw().substring(2).split("=", 2);
        if (!FLAGS.contains(parts[0])) {
            throw line.refused(word.at(), "--" + parts[0] + " is no option of " + line.name() + Nearest.to(parts[0], Set.of("chown", "chmod")));
        }
        if (parts[0].equals("from")) {
            throw line.refused(word.at(), "--from copies out of another stage or image, which is not possible here", "Build what it has in a template of its own and begin with that: FROM that template.");
        }
        if (!Set.of("chown", "chmod", "link").contains(parts[0])) {
            throw line.refused(word.at(), "--" + parts[0] + " is not possible here", "Leave it out, and do the rest in a RUN.");
        }
        flags.put(parts[0], parts.length > 1 ? parts[1] : "");
    }

    /** What it copies from beside the Dockerfile, as it stands there; a variable in it stands for anything. */
    List<Source> possible() {
        List<Source> sources = new ArrayList<>();
        for (Words.Word word : words.subList(0, words.size() - 1)) {
            if (!Lines.isHeredoc(word.raw())) {
                sources.add(new Source(word.raw().contains("$") ? Source.EVERYTHING : new Words(line, Map.of()).meant(word), line.place(word.at())));
            }
        }
        return sources;
    }

    /** @param absolute makes a path absolute that begins where the instruction is */
    DockerStep.Copy step(Words meaning, UnaryOperator<String> absolute) {
        List<Source> sources = new ArrayList<>();
        Map<String, String> inline = new LinkedHashMap<>();
        int heredoc = 0;
        for (Words.Word word : words.subList(0, words.size() - 1)) {
            if (Lines.isHeredoc(word.raw())) {
                Heredoc below = line.heredocs().get(heredoc++);
                inline.put(below.name(), below.literal() ? below.content() : meaning.filled(below.content(), word.at()));
            } else {
                sources.add(source(word, meaning.meant(word)));
            }
        }
        Words.Word last = words.get(words.size() - 1);
        String target = meaning.meant(last);
        if (target.isEmpty()) {
            throw line.refused(last.at(), "the target is empty");
        }
        boolean isDirectory = target.endsWith("/") || target.equals(".") || target.endsWith("/.") || target.equals("..") || target.endsWith("/..");
        boolean several = sources.size() + inline.size() > 1;
        if (several && !isDirectory) {
            throw line.refused(last.at(), target + " (expected: a directory with / at its end, because several are copied)");
        }
        return new DockerStep.Copy(
                line.shown(), line.place(0), List.copyOf(sources), inline, absolute.apply(target), isDirectory, checked("chown", OWNER, "USER or USER:GROUP", meaning), checked("chmod", MODE, "octal digits such as 755", meaning));
    }

    private Source source(Words.Word word, String path) {
        if (ELSEWHERE.matcher(path).matches()) {
            throw line.refused(word.at(), path + " is elsewhere, and " + line.name() + " takes files beside the Dockerfile only", "Fetch it in a RUN, and name its host in required_domains.");
        }
        if (adds && ARCHIVE.matcher(path).matches()) {
            throw line.refused(word.at(), path + " is an archive, which ADD would unpack", "COPY it, and unpack it in a RUN.");
        }
        Source source = new Source(path, line.place(word.at()));
        if (path.isEmpty() || source.leadsOut()) {
            throw line.refused(word.at(), (path.isEmpty() ? "nothing" : path) + " (expected: what stands beside the Dockerfile or below)");
        }
        return source;
    }

    private @Nullable String checked(String flag, Pattern pattern, String expected, Words meaning) {
        String raw = flags.get(flag);
        if (raw == null) {
            return null;
        }
        int at = Math.max(0, line.text().indexOf("--" + flag));
        String value = meaning.meant(new Words.Word(raw, at));
        if (!pattern.matcher(value).matches()) {
            throw line.refused(at, "--" + flag + "=" + value + " (expected: " + expected + ")");
        }
        return value;
    }
}
