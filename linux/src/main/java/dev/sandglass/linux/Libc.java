package dev.sandglass.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/** The one door to system calls: {@code syscall(2)} with six words and errno, and the few libc functions beside it. */
final class Libc {
    static final int EPERM = 1;
    static final int ENOENT = 2;
    static final int ESRCH = 3;
    static final int EINTR = 4;
    static final int EAGAIN = 11;
    static final int EBUSY = 16;
    static final int EEXIST = 17;
    static final int EINVAL = 22;
    static final int ENOSPC = 28;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final StructLayout CAPTURE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = CAPTURE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    // SAFETY: syscall(2) takes its number and up to six words; the kernel ignores the words that a call does not have.
    // Pointers are passed as words and must stay alive during the call: callers hold the arena around it.
    private static final MethodHandle SYSCALL = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("syscall"),
            FunctionDescriptor.of(
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG),
            Linker.Option.captureCallState("errno"));

    // SAFETY: strerror returns a static or thread-local NUL-terminated text; it is copied at once.
    private static final MethodHandle STRERROR = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("strerror"),
            FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_INT));

    private Libc() {}

    /** Calls and returns the result, retrying when interrupted; throws when it is negative. */
    static long call(String name, long number, long... words) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(CAPTURE);
            while (true) {
                long result = (long) SYSCALL.invokeExact(
                        state, number, word(words, 0), word(words, 1), word(words, 2), word(words, 3), word(words, 4), word(words, 5));
                if (result >= 0) {
                    return result;
                }
                int errno = (int) ERRNO.get(state, 0L);
                if (errno != EINTR) {
                    throw new ErrnoException(name, errno);
                }
            }
        } catch (ErrnoException problem) {
            throw problem;
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** A NUL-terminated path or text for a call, in the arena. */
    static long text(Arena arena, String text) {
        return arena.allocateFrom(text).address();
    }

    static String errorText(int errno) {
        try {
            MemorySegment text = (MemorySegment) STRERROR.invokeExact(errno);
            return text.reinterpret(256).getString(0);
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static long word(long[] words, int index) {
        return index < words.length ? words[index] : 0;
    }
}
