CREATE TABLE image (
    id          TEXT PRIMARY KEY,
    layers      TEXT NOT NULL,
    details     TEXT NOT NULL,
    created_at  BIGINT NOT NULL
);

CREATE TABLE image_name (
    name        TEXT PRIMARY KEY,
    image_id    TEXT NOT NULL
);

CREATE INDEX image_name_of ON image_name (image_id);
