package dev.sandglass.cli.terminal;

import dev.sandglass.wire.WindowSize;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** The modes and the size of the terminal on the standard streams. Thread-safe. */
public final class Termios {
    private static final int STDIN = 0;
    private static final int STDOUT = 1;
    private static final int STDERR = 2;
    /** At least as large as any C library's struct termios. */
    private static final int STRUCT_SIZE = 256;

    /** Where Linux has them: four words of flags, the line discipline, and the special characters. */
    private static final int FLAGS = 4;
    private static final int CHARACTERS_AT = 17;
    private static final int CHARACTERS = 32;

    private static final int TCSADRAIN = 1;
    private static final long TIOCGWINSZ = 0x5413;

    private static final Linker LINKER = Linker.nativeLinker();

    // SAFETY: int tcgetattr(int, struct termios *) writes one struct, for which STRUCT_SIZE bytes are there.
    private static final MethodHandle TCGETATTR = call("tcgetattr",
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
    // SAFETY: int tcsetattr(int, int, const struct termios *) only reads a struct that tcgetattr filled.
    private static final MethodHandle TCSETATTR = call("tcsetattr",
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
    // SAFETY: void cfmakeraw(struct termios *) changes a struct that tcgetattr filled.
    private static final MethodHandle CFMAKERAW = call("cfmakeraw", FunctionDescriptor.ofVoid(ValueLayout.ADDRESS));
    // SAFETY: int ioctl(int, unsigned long, ...) with TIOCGWINSZ writes four unsigned shorts.
    private static final MethodHandle IOCTL = call("ioctl",
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS),
            Linker.Option.firstVariadicArg(2));

    private final MemorySegment original;
    private final TerminalGuard guard;
    private boolean isRaw;
    private boolean over;

    private Termios(MemorySegment original) {
        this.original = original;
        this.guard = new TerminalGuard(settings(original));
    }

    /** The terminal in the mode it is in, guarded until it is restored; null where standard input is none. */
    public static @Nullable Termios of() {
        try {
            MemorySegment original = Arena.global().allocate(STRUCT_SIZE);
            if ((int) TCGETATTR.invokeExact(STDIN, original) != 0) {
                return null;
            }
            return new Termios(original);
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Puts the terminal into raw mode, unless it was restored already. */
    public synchronized void raw() {
        guard.await();
        if (over) {
            return;
        }
        isRaw = true;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment raw = arena.allocate(STRUCT_SIZE).copyFrom(original);
            CFMAKERAW.invokeExact(raw);
            set(raw);
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Puts the terminal back into the mode it was in. May be called more than once. */
    public synchronized void restore() {
        if (isRaw) {
            set(original);
        }
        isRaw = false;
        over = true;
        guard.dismiss();
    }

    /** The size of the terminal on standard output; 80 by 24 where it has none. */
    public static WindowSize size() {
        return size(STDOUT);
    }

    /** The size of the terminal on standard error; 80 by 24 where it has none. */
    static WindowSize errorSize() {
        return size(STDERR);
    }

    private static WindowSize size(int stream) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment size = arena.allocate(8, 2);
            if ((int) IOCTL.invokeExact(stream, TIOCGWINSZ, size) == 0) {
                int rows = Short.toUnsignedInt(size.get(ValueLayout.JAVA_SHORT, 0));
                int columns = Short.toUnsignedInt(size.get(ValueLayout.JAVA_SHORT, 2));
                if (rows > 0 && columns > 0) {
                    return new WindowSize(Math.min(columns, 10_000), Math.min(rows, 10_000));
                }
            }
            return new WindowSize(80, 24);
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** As {@code stty -g} prints them. */
    private static String settings(MemorySegment mode) {
        StringJoiner settings = new StringJoiner(":");
        for (int i = 0; i < FLAGS; i++) {
            settings.add(Integer.toHexString(mode.getAtIndex(ValueLayout.JAVA_INT_UNALIGNED, i)));
        }
        for (int i = 0; i < CHARACTERS; i++) {
            settings.add(Integer.toHexString(Byte.toUnsignedInt(mode.get(ValueLayout.JAVA_BYTE, CHARACTERS_AT + i))));
        }
        return settings.toString();
    }

    private void set(MemorySegment mode) {
        try {
            int _ = (int) TCSETATTR.invokeExact(STDIN, TCSADRAIN, mode);
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static MethodHandle call(String name, FunctionDescriptor descriptor, Linker.Option... options) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), descriptor, options);
    }
}
