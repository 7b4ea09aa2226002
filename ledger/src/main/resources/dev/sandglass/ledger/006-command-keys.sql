CREATE TABLE command_key (
    sandbox_id  TEXT NOT NULL,
    key         TEXT NOT NULL,
    digest      TEXT NOT NULL,
    life        BIGINT NOT NULL,
    command     INTEGER NOT NULL,
    started     INTEGER NOT NULL,
    at          BIGINT NOT NULL,
    PRIMARY KEY (sandbox_id, key)
);

CREATE INDEX command_key_age ON command_key (at);
