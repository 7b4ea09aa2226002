package dev.sandglass.server.e2b.envd;

/** Modes as text, the way Go writes them: what the entry is comes first, and all of its special bits before the nine others. */
final class FileModes {
    private static final String BITS = "rwxrwxrwx";
    private static final int SET_UID = 04000;
    private static final int SET_GID = 02000;
    private static final int STICKY = 01000;

    private FileModes() {}

    static String text(String kind, int mode) {
        StringBuilder text = new StringBuilder(switch (kind) {
            case "directory" -> "d";
            case "link" -> "L";
            case "fifo" -> "p";
            case "socket" -> "S";
            case "device" -> "D";
            default -> "";
        });
        text.append((mode & SET_UID) != 0 ? "u" : "").append((mode & SET_GID) != 0 ? "g" : "").append((mode & STICKY) != 0 ? "t" : "");
        if (text.isEmpty()) {
            text.append('-');
        }
        for (int i = 0; i < BITS.length(); i++) {
            text.append((mode >> (BITS.length() - 1 - i) & 1) != 0 ? BITS.charAt(i) : '-');
        }
        return text.toString();
    }
}
