ALTER TABLE template_version ADD COLUMN recipe TEXT;

CREATE TABLE template_tag (
    template    TEXT NOT NULL,
    tag         TEXT NOT NULL,
    version     BIGINT NOT NULL,
    at          BIGINT NOT NULL,
    PRIMARY KEY (template, tag)
);
