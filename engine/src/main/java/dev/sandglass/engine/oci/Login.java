package dev.sandglass.engine.oci;

/** Who somebody is at a registry. */
public record Login(String user, String password) {
    /** Nobody is to read a password in a log. */
    @Override
    public String toString() {
        return "Login[" + user + "]";
    }
}
