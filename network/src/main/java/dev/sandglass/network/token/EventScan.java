package dev.sandglass.network.token;

/** Takes events apart that a server sends one after the other, and looks into the data of each. */
final class EventScan {
    private static final String DATA = "data:";

    private final JsonScan data;
    /** How much of {@code data:} was matched in this line; less than 0 where it is another one. */
    private int matched;

    private int length;
    private boolean afterReturn;
    private boolean hasData;
    private long events;

    EventScan(JsonScan data) {
        this.data = data;
    }

    /** Those that had data, that which is not over included. */
    long events() {
        return events;
    }

    void take(byte next) {
        boolean isSecondHalf = afterReturn && next == '\n';
        afterReturn = next == '\r';
        if (isSecondHalf) {
            return;
        }
        if (next == '\n' || next == '\r') {
            endLine();
            return;
        }
        length = Math.min(length + 1, Integer.MAX_VALUE - 1);
        if (matched == DATA.length()) {
            data.take(next);
        } else if (matched >= 0 && next == DATA.charAt(matched)) {
            matched++;
        } else {
            matched = -1;
        }
        if (matched == DATA.length() && !hasData) {
            hasData = true;
            events++;
        }
    }

    private void endLine() {
        if (length == 0) {
            data.reset();
            hasData = false;
        } else if (matched == DATA.length()) {
            data.take((byte) '\n');
        }
        matched = 0;
        length = 0;
    }
}
