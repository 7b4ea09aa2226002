-- Sandboxes that are not to be there alone, or not for long: one that is still here when a daemon starts belongs to a fork or a run that was cut off.
CREATE TABLE unconfirmed (
    sandbox_id  TEXT PRIMARY KEY
);
