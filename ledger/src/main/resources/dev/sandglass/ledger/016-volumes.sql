CREATE TABLE volume (
    id            TEXT PRIMARY KEY,
    name          TEXT NOT NULL UNIQUE,
    state         TEXT NOT NULL,
    details       TEXT NOT NULL,
    created_at    BIGINT NOT NULL
);

CREATE INDEX volume_order ON volume (created_at, id);

CREATE TABLE volume_use (
    sandbox_id    TEXT NOT NULL,
    volume_id     TEXT NOT NULL,
    mode          TEXT NOT NULL,
    PRIMARY KEY (sandbox_id, volume_id)
);

CREATE INDEX volume_use_volume ON volume_use (volume_id);
