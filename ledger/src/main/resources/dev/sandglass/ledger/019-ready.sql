CREATE TABLE ready (
    name        TEXT PRIMARY KEY,
    least       BIGINT NOT NULL,
    most        BIGINT NOT NULL,
    warm_up     TEXT
);
