package dev.sandglass.engine.diff;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The difference of two texts as {@code diff -u} writes it, found by Myers' way: from one to the other in the fewest steps. */
final class TextDiff {
    private static final int CONTEXT = 3;
    /** Texts that are farther from each other than so many lines are told as one large change. */
    private static final int FARTHEST = 1000;

    private static final int LONGEST = 64 * 1024;
    private static final String REST = "\\ The rest is left out\n";
    private static final String NO_NEWLINE = "\n\\ No newline at end of file";

    /** A line that both have (' '), or only the old ('-') or the new text ('+'). */
    private record Edit(char sign, String line) {}

    private TextDiff() {}

    /** Empty if one of them is no text. */
    static Optional<String> of(String path, byte[] before, byte[] after) {
        try {
            List<String> old = lines(before);
            List<String> now = lines(after);
            return Optional.of("--- a" + path + "\n+++ b" + path + "\n" + hunks(edits(old, now)));
        } catch (CharacterCodingException noText) {
            return Optional.empty();
        }
    }

    private static List<String> lines(byte[] content) throws CharacterCodingException {
        String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(content)).toString();
        if (text.indexOf('\0') >= 0) {
            throw new CharacterCodingException();
        }
        if (text.isEmpty()) {
            return List.of();
        }
        List<String> lines = new ArrayList<>(Arrays.asList(text.split("\n", -1)));
        String last = lines.removeLast();
        if (!last.isEmpty()) {
            lines.add(last + NO_NEWLINE);
        }
        return lines;
    }

    private static List<Edit> edits(List<String> old, List<String> now) {
        int start = 0;
        while (start < Math.min(old.size(), now.size()) && old.get(start).equals(now.get(start))) {
            start++;
        }
        int end = 0;
        while (end < Math.min(old.size(), now.size()) - start
                && old.get(old.size() - 1 - end).equals(now.get(now.size() - 1 - end))) {
            end++;
        }
        List<Edit> edits = new ArrayList<>();
        old.subList(0, start).forEach(line -> edits.add(new Edit(' ', line)));
        edits.addAll(shortest(old.subList(start, old.size() - end), now.subList(start, now.size() - end)));
        old.subList(old.size() - end, old.size()).forEach(line -> edits.add(new Edit(' ', line)));
        return edits;
    }

    /** Goes on from every diagonal by one step at a time until the end of both is reached, then back along what was kept of each round. */
    private static List<Edit> shortest(List<String> old, List<String> now) {
        int most = Math.min(FARTHEST, old.size() + now.size());
        int[] reached = new int[2 * most + 2];
        List<int[]> rounds = new ArrayList<>();
        for (int steps = 0; steps <= most; steps++) {
            rounds.add(Arrays.copyOfRange(reached, most - steps, most + steps + 2));
            for (int diagonal = -steps; diagonal <= steps; diagonal += 2) {
                boolean down = diagonal == -steps || (diagonal != steps && reached[most + diagonal - 1] < reached[most + diagonal + 1]);
                int x = down ? reached[most + diagonal + 1] : reached[most + diagonal - 1] + 1;
                while (x < old.size() && x - diagonal < now.size() && old.get(x).equals(now.get(x - diagonal))) {
                    x++;
                }
                reached[most + diagonal] = x;
                if (x >= old.size() && x - diagonal >= now.size()) {
                    return back(old, now, rounds);
                }
            }
        }
        List<Edit> all = new ArrayList<>();
        old.forEach(line -> all.add(new Edit('-', line)));
        now.forEach(line -> all.add(new Edit('+', line)));
        return all;
    }

    private static List<Edit> back(List<String> old, List<String> now, List<int[]> rounds) {
        List<Edit> edits = new ArrayList<>();
        int x = old.size();
        int y = now.size();
        for (int steps = rounds.size() - 1; steps >= 0; steps--) {
            int[] before = rounds.get(steps); // its index 0 is diagonal -steps
            int diagonal = x - y;
            boolean down = diagonal == -steps || (diagonal != steps && before[steps + diagonal - 1] < before[steps + diagonal + 1]);
            int fromX = steps == 0 ? 0 : down ? before[steps + diagonal + 1] : before[steps + diagonal - 1];
            int fromY = steps == 0 ? 0 : fromX - (down ? diagonal + 1 : diagonal - 1);
            int afterX = steps == 0 || down ? fromX : fromX + 1;
            while (x > afterX) {
                edits.add(new Edit(' ', old.get(--x)));
                y--;
            }
            if (steps > 0) {
                edits.add(down ? new Edit('+', now.get(--y)) : new Edit('-', old.get(--x)));
            }
            x = fromX;
            y = fromY;
        }
        return edits.reversed();
    }

    private static String hunks(List<Edit> edits) {
        StringBuilder text = new StringBuilder();
        int oldLine = 1;
        int newLine = 1;
        int at = 0;
        while (at < edits.size()) {
            int first = at;
            while (first < edits.size() && edits.get(first).sign == ' ') {
                first++;
            }
            if (first == edits.size()) {
                return text.toString();
            }
            int start = Math.max(at, first - CONTEXT);
            int end = end(edits, first);
            oldLine += start - at;
            newLine += start - at;
            List<Edit> hunk = edits.subList(start, end);
            int olds = (int) hunk.stream().filter(edit -> edit.sign != '+').count();
            int news = (int) hunk.stream().filter(edit -> edit.sign != '-').count();
            text.append("@@ -").append(range(oldLine, olds)).append(" +").append(range(newLine, news)).append(" @@\n");
            for (Edit edit : hunk) {
                text.append(edit.sign).append(edit.line).append('\n');
                if (text.length() > LONGEST) {
                    return text.substring(0, text.lastIndexOf("\n", LONGEST) + 1) + REST;
                }
            }
            oldLine += olds;
            newLine += news;
            at = end;
        }
        return text.toString();
    }

    /** Behind the last change that is near enough to the one before it, and its context. */
    private static int end(List<Edit> edits, int firstChange) {
        int last = firstChange;
        for (int i = firstChange; i < edits.size() && i - last <= 2 * CONTEXT; i++) {
            last = edits.get(i).sign == ' ' ? last : i;
        }
        return Math.min(edits.size(), last + 1 + CONTEXT);
    }

    private static String range(int line, int count) {
        int shown = count == 0 ? line - 1 : line;
        return count == 1 ? Integer.toString(shown) : shown + "," + count;
    }
}
