package dev.sandglass.network.intercept;

/** A secret on its way into a request, and where it goes. None of them shows it as text. */
public sealed interface Addition {
    /** In a header field, in the place of those of that name. */
    record Field(String name, String value) implements Addition {
        @Override
        public String toString() {
            return name + ": ***";
        }
    }

    /** In the query, in the place of those of that name. */
    record Parameter(String name, String value) implements Addition {
        @Override
        public String toString() {
            return name + "=***";
        }
    }

    /** Wherever the sandbox wrote a placeholder: in header fields, in the query, and in a body of at most 1 MiB. */
    record Replacement(String placeholder, String value) implements Addition {
        @Override
        public String toString() {
            return placeholder + " -> ***";
        }
    }
}
