CREATE TABLE event (
    id            BIGINT PRIMARY KEY,
    at            BIGINT NOT NULL,
    type          TEXT NOT NULL,
    sandbox_id    TEXT NOT NULL,
    sandbox_name  TEXT NOT NULL,
    data          TEXT NOT NULL
);
