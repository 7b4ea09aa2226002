package dev.sandglass.server;

import ch.qos.logback.classic.pattern.MessageConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;

/** The message of a line of the log, with what could end the line or speak to a terminal made visible: names and refusals in it may be hostile. */
public final class PlainMessage extends MessageConverter {
    @Override
    public String convert(ILoggingEvent event) {
        return visible(String.valueOf(super.convert(event)), "");
    }

    /** @param kept control characters that stay */
    static String visible(String text, String kept) {
        StringBuilder plain = new StringBuilder(text.length());
        text.chars().forEach(each -> {
            if (isHarmless(each) || kept.indexOf(each) >= 0) {
                plain.append((char) each);
            } else {
                plain.append(String.format("\\u%04x", each));
            }
        });
        return plain.toString();
    }

    /** Other line ends, and what turns the direction of a text, are of the kinds that are no controls. */
    private static boolean isHarmless(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }
}
