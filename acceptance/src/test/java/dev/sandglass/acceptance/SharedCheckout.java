package dev.sandglass.acceptance;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Gives test classes one checkout with a daemon that runs, started by the first of them and stopped after the last. */
final class SharedCheckout implements ParameterResolver {
    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Checkout.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getRoot()
                .getStore(ExtensionContext.Namespace.create(SharedCheckout.class))
                .computeIfAbsent(Checkout.class, type -> started(), Checkout.class);
    }

    private static Checkout started() {
        try {
            Checkout checkout = new Checkout();
            checkout.check("./sandglass up");
            return checkout;
        } catch (Exception problem) {
            throw new IllegalStateException("no daemon", problem);
        }
    }
}
