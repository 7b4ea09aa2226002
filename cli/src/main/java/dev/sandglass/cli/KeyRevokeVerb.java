package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;

/** {@code key revoke}: keys let nobody in any more. */
final class KeyRevokeVerb extends RemovalVerb {
    KeyRevokeVerb() {
        super(new Syntax("key revoke", "Revoke keys: they let nobody in any more, and what was begun with them is cut off."), "KEY", "The name of the key.");
    }

    @Override
    void remove(Client client, String name) {
        client.keys().revoke(name);
    }
}
