"""The tables of ``neyman.sqlite``, by numbered migrations, and the checksum of a change of a label.

pools                  a kept pool: name, counts, digest of its items, digests of its leaves (``core.pool.digest``)
designs                a plan: its manifest, the pool and the items it was drawn from, the stratum of every item
label_changes          every change of a label (``core.archive.label_log``), with its checksum
field_maps             shape of a file that no reader recognizes → the map by which it is read (``core.readers.shape``)
label_files            of each file of labels: what became of rows that are not kept (``core.archive.stored_labels``)
label_words            word of a label file → what somebody said that it means (``core.labels.vocabulary``)
verdict_parts          a source of verdicts → what the bank of verdicts has of it (``core.bank``)
annotator_links        what the link of an annotator opens, and the SHA-256 of its token
discarded              what was undone, or is only in a copy and nobody wants back (``core.archive.copies``)
label_sums             of each plan: how many changes it has, and the sum of their checksums
surrogate_jobs         what is to be generated, which process runs it, how far it is
surrogate_generations  (job, position of the item in the pool, sample) → text, answer, log-probabilities …
surrogate_failures     (job, position) → why this item has no generations
surrogate_partitions   (job, counts of equal answers of an item, descending) → number of such items
surrogate_verdicts     key of a question and an ordered pair of answers to it → whether the first entails the second
surrogate_batches      a file of requests at a batch service: its names there, how it stands, whether it is fetched
"""

from __future__ import annotations

import zlib

_CHANGE = "number, batch, plan_id, item_id, annotator, kind, target, part, label, note, status, source, created"
# MIGRATIONS[v] leads from version v to v + 1.
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE IF NOT EXISTS pools (digest TEXT PRIMARY KEY, name TEXT NOT NULL, n_items INTEGER NOT NULL,"
        " n_generations INTEGER NOT NULL, targets TEXT NOT NULL, notes TEXT NOT NULL, created TEXT NOT NULL) STRICT",
        "CREATE TABLE IF NOT EXISTS designs (plan_id TEXT PRIMARY KEY, digest TEXT NOT NULL, manifest TEXT NOT NULL,"
        " created TEXT NOT NULL) STRICT",
    ),
    (
        "CREATE TABLE IF NOT EXISTS label_changes (number INTEGER PRIMARY KEY, batch TEXT NOT NULL,"
        " plan_id TEXT NOT NULL, item_id TEXT NOT NULL, annotator TEXT NOT NULL, part INTEGER NOT NULL, label TEXT,"
        " note TEXT, status TEXT NOT NULL, source TEXT NOT NULL, created TEXT NOT NULL) STRICT",
        "CREATE INDEX IF NOT EXISTS label_changes_of_plan ON label_changes (plan_id)",
    ),
    (
        "ALTER TABLE label_changes ADD COLUMN kind TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE label_changes ADD COLUMN target TEXT NOT NULL DEFAULT ''",
        # Until then the kind of label stood behind the source.
        "UPDATE label_changes SET kind = 'right-wrong' WHERE source LIKE '% right-wrong'",
        "UPDATE label_changes SET kind = 'gold' WHERE source LIKE '% gold'",
        "UPDATE label_changes SET kind = 'score' WHERE source LIKE '% score'",
    ),
    (
        # NULL: not known yet. They are filled when such a pool or plan is next looked at.
        "ALTER TABLE pools ADD COLUMN items TEXT",
        "ALTER TABLE pools ADD COLUMN leaves TEXT",
        "ALTER TABLE designs ADD COLUMN items TEXT",
        "ALTER TABLE designs ADD COLUMN strata BLOB",
        # Until then these tables were made with the first job, and had a separate version in surrogate_schema.
        "CREATE TABLE IF NOT EXISTS surrogate_jobs (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,"
        " key TEXT NOT NULL, digest TEXT NOT NULL, spec TEXT NOT NULL, total INTEGER NOT NULL, created TEXT NOT NULL,"
        " state TEXT NOT NULL, phase TEXT NOT NULL DEFAULT '', error TEXT NOT NULL DEFAULT '',"
        " stop INTEGER NOT NULL DEFAULT 0, owner TEXT, host TEXT, pid INTEGER, pid_started TEXT,"
        " heartbeat REAL NOT NULL, seconds REAL NOT NULL DEFAULT 0, sent TEXT, server_model TEXT, versions TEXT,"
        " done INTEGER NOT NULL DEFAULT 0, failed INTEGER NOT NULL DEFAULT 0, generations INTEGER NOT NULL DEFAULT 0,"
        " unparsed INTEGER NOT NULL DEFAULT 0, truncated INTEGER NOT NULL DEFAULT 0,"
        " requests INTEGER NOT NULL DEFAULT 0, retries INTEGER NOT NULL DEFAULT 0,"
        " prompt_tokens INTEGER NOT NULL DEFAULT 0, completion_tokens INTEGER NOT NULL DEFAULT 0,"
        " item_rate REAL NOT NULL DEFAULT 0, token_rate REAL NOT NULL DEFAULT 0,"
        " latest TEXT NOT NULL DEFAULT '[]') STRICT",
        "CREATE UNIQUE INDEX IF NOT EXISTS surrogate_one_active ON surrogate_jobs (key)"
        " WHERE state IN ('queued', 'running')",
        "CREATE TABLE IF NOT EXISTS surrogate_generations (job INTEGER NOT NULL, position INTEGER NOT NULL,"
        " sample INTEGER NOT NULL, text TEXT NOT NULL, reasoning TEXT, answer TEXT, finish TEXT, tokens INTEGER,"
        " logprob REAL, token_logprob REAL, PRIMARY KEY (job, position, sample)) STRICT",
        "CREATE TABLE IF NOT EXISTS surrogate_failures (job INTEGER NOT NULL, position INTEGER NOT NULL,"
        " kind TEXT NOT NULL, message TEXT NOT NULL, final INTEGER NOT NULL, PRIMARY KEY (job, position)) STRICT",
        "CREATE TABLE IF NOT EXISTS surrogate_partitions (job INTEGER NOT NULL, counts TEXT NOT NULL,"
        " items INTEGER NOT NULL, PRIMARY KEY (job, counts)) STRICT",
        "DROP TABLE IF EXISTS surrogate_schema",
    ),
    (
        "UPDATE surrogate_jobs SET state = 'stopped' WHERE state = 'cancelled'",
        "UPDATE surrogate_jobs SET state = 'done with failures' WHERE state = 'done' AND failed > 0",
        # Until then a server's refusal was final, though the next try might have been answered.
        "UPDATE surrogate_failures SET final = 0 WHERE kind = 'refused'",
    ),
    (
        "ALTER TABLE label_changes ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0",
        f"UPDATE label_changes SET checksum = label_checksum({_CHANGE})",
        "CREATE TABLE IF NOT EXISTS label_sums (plan_id TEXT PRIMARY KEY, changes INTEGER NOT NULL,"
        " checksums INTEGER NOT NULL) STRICT",
        "INSERT INTO label_sums SELECT plan_id, count(*), sum(checksum) FROM label_changes GROUP BY plan_id",
        # One label is saved without reading the others of its plan.
        "CREATE INDEX IF NOT EXISTS label_changes_of_item ON label_changes (plan_id, item_id)",
    ),
    ("ALTER TABLE surrogate_jobs ADD COLUMN estimated_tokens INTEGER NOT NULL DEFAULT 0",),
    (
        "CREATE TABLE IF NOT EXISTS annotator_links (number INTEGER PRIMARY KEY, token TEXT NOT NULL UNIQUE,"
        " plan_id TEXT NOT NULL, digest TEXT NOT NULL, kind TEXT NOT NULL, target TEXT NOT NULL,"
        " annotator TEXT NOT NULL, created TEXT NOT NULL, expires TEXT NOT NULL, revoked TEXT NOT NULL) STRICT",
        "CREATE INDEX IF NOT EXISTS annotator_links_of_plan ON annotator_links (plan_id)",
    ),
    (
        "CREATE TABLE IF NOT EXISTS surrogate_batches (number INTEGER PRIMARY KEY, job INTEGER NOT NULL,"
        " requests TEXT NOT NULL, file TEXT, batch TEXT, state TEXT NOT NULL, output TEXT, errors TEXT,"
        " answered INTEGER NOT NULL DEFAULT 0, failed INTEGER NOT NULL DEFAULT 0, total INTEGER NOT NULL DEFAULT 0,"
        " reason TEXT NOT NULL DEFAULT '', fetched INTEGER NOT NULL DEFAULT 0) STRICT",
    ),
    (
        "CREATE TABLE IF NOT EXISTS field_maps (shape TEXT PRIMARY KEY, fields TEXT NOT NULL, created TEXT NOT NULL)"
        " STRICT",
        "ALTER TABLE pools ADD COLUMN origin TEXT",
    ),
    (
        "CREATE TABLE IF NOT EXISTS surrogate_verdicts (key BLOB PRIMARY KEY, verdict TEXT NOT NULL)"
        " STRICT, WITHOUT ROWID",
    ),
    (
        "CREATE TABLE IF NOT EXISTS label_words (word TEXT PRIMARY KEY, meaning TEXT NOT NULL, created TEXT NOT NULL)"
        " STRICT",
    ),
    ("ALTER TABLE pools ADD COLUMN account TEXT",),
    (
        "CREATE TABLE IF NOT EXISTS verdict_parts (source TEXT PRIMARY KEY, state TEXT NOT NULL,"
        " content BLOB NOT NULL, created TEXT NOT NULL) STRICT",
    ),
    (
        "CREATE TABLE IF NOT EXISTS label_files (plan_id TEXT NOT NULL, kind TEXT NOT NULL, target TEXT NOT NULL,"
        " name TEXT NOT NULL, batch TEXT NOT NULL, rows TEXT NOT NULL, notes TEXT NOT NULL, created TEXT NOT NULL,"
        " PRIMARY KEY (plan_id, kind, target, name)) STRICT",
    ),
    ("CREATE TABLE IF NOT EXISTS discarded (kind TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (kind, id)) STRICT",),
)
SCHEMA_VERSION = len(MIGRATIONS)


# The checksum of a change of a label.

_NOTHING = "\x00"


def checksum(*change: int | str | None) -> int:
    """CRC-32 of a change, which differs after every single flipped byte; parameters are its columns but the last."""
    number, batch, plan_id, item_id, annotator, kind, target, part, label, note, status, source, created = change
    # One expression, because a reader does this for every row.
    text = (
        f"{number}\x1f{batch}\x1f{plan_id}\x1f{item_id}\x1f{annotator}\x1f{kind}\x1f{target}\x1f{part}"
        f"\x1f{_NOTHING if label is None else label}\x1f{_NOTHING if note is None else note}"
        f"\x1f{status}\x1f{source}\x1f{created}"
    )
    return zlib.crc32(text.encode())
