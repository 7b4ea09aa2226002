package dev.sandglass.cli.terminal;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;

/**
 * Handlers for signals to this process.
 *
 * <p>The JDK has them only in {@code sun.misc}, which the compiler warns about without a way to say that it is meant, so
 * the class is reached by reflection. Where it is gone, signals keep their default effect.
 */
public final class Signals {
    private Signals() {}

    /** Runs the action, on a thread of its own, each time the signal ("INT", "WINCH") arrives. */
    public static void on(String name, Runnable action) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            InvocationHandler call = (proxy, method, arguments) -> switch (method.getName()) {
                case "handle" -> {
                    action.run();
                    yield null;
                }
                case "equals" -> false;
                case "hashCode" -> System.identityHashCode(proxy);
                default -> name;
            };
            Object adapter = Proxy.newProxyInstance(Signals.class.getClassLoader(), new Class<?>[] {handler}, call);
            signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance(name), adapter);
        } catch (ReflectiveOperationException | IllegalArgumentException unavailable) {
            return;
        }
    }
}
