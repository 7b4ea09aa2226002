CREATE TABLE spending (
    sandbox_id    TEXT NOT NULL,
    credential    TEXT NOT NULL,
    requests      BIGINT NOT NULL,
    tokens        BIGINT NOT NULL,
    PRIMARY KEY (sandbox_id, credential)
);
