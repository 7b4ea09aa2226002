package dev.sandglass.server;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** All tests of the class run once on each runtime, whose name its constructor gets, with the shared daemon up. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(SharedDaemon.class)
@ParameterizedClass(name = "on {0}")
@ValueSource(strings = {"container", "gvisor"})
@Timeout(300)
@interface OnEveryRuntime {}
