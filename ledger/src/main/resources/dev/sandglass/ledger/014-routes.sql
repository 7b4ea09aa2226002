CREATE TABLE route (
    sandbox_id    TEXT NOT NULL,
    name          TEXT NOT NULL,
    description   TEXT NOT NULL,
    secret        TEXT NOT NULL,
    generation    TEXT NOT NULL,
    created_at    BIGINT NOT NULL,
    PRIMARY KEY (sandbox_id, name)
);
CREATE TABLE port_link (
    sandbox_id    TEXT NOT NULL,
    port          BIGINT NOT NULL,
    generation    TEXT NOT NULL,
    PRIMARY KEY (sandbox_id, port)
);
