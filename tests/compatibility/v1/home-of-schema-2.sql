BEGIN TRANSACTION;
CREATE TABLE designs (plan_id TEXT PRIMARY KEY, digest TEXT NOT NULL, manifest TEXT NOT NULL, created TEXT NOT NULL) STRICT;
INSERT INTO "designs" VALUES('pdafd0fe3a51b','182aaa702233135e709bd2b95db9017ef2e2253dac6cf4434908db5365814c00','{
  "format": "neyman-plan/1",
  "plan_id": "pdafd0fe3a51b",
  "pool": {
    "digest": "182aaa702233135e709bd2b95db9017ef2e2253dac6cf4434908db5365814c00",
    "name": "Exam – Prüfung, = 60",
    "n_items": 60
  },
  "design": {
    "budget": 20,
    "n_strata": 5,
    "stratifier": "adaptive",
    "allocation": "proxy-neyman",
    "offset": 0.75,
    "seed": 0,
    "parser": null,
    "signal": "semantic-entropy"
  },
  "versions": {
    "neyman": "0.1.0",
    "numpy": "2.3.5",
    "python": "3.11.7",
    "parsers": {
      "choice": "1",
      "number": "1",
      "text": "1",
      "as-is": "1",
      "mmlu-pro": "1",
      "mmlu-redux": "1",
      "gpqa": "1",
      "mmbench": "1"
    }
  },
  "strata": [
    {
      "stratum": 0,
      "se_low": 0.0,
      "se_high": 0.0,
      "items": 11,
      "consistency": 1.0,
      "labels": 2,
      "inclusion_probability": 0.18181818181818182
    },
    {
      "stratum": 1,
      "se_low": 0.4505612088663047,
      "se_high": 0.4505612088663047,
      "items": 11,
      "consistency": 0.8333333333333333,
      "labels": 4,
      "inclusion_probability": 0.36363636363636365
    },
    {
      "stratum": 2,
      "se_low": 0.8675632284814613,
      "se_high": 0.8675632284814613,
      "items": 10,
      "consistency": 0.6666666666666667,
      "labels": 4,
      "inclusion_probability": 0.4
    },
    {
      "stratum": 3,
      "se_low": 1.242453324894,
      "se_high": 1.242453324894,
      "items": 11,
      "consistency": 0.5,
      "labels": 4,
      "inclusion_probability": 0.36363636363636365
    },
    {
      "stratum": 4,
      "se_low": 1.3296613488547582,
      "se_high": 1.3296613488547582,
      "items": 17,
      "consistency": 0.34313725490196073,
      "labels": 6,
      "inclusion_probability": 0.35294117647058826
    }
  ],
  "sample": {
    "n_labels": 20,
    "digest": "a2a397f42ee3744b717eb4c8faaccb0cd0eb4b2b0e79e0495654f5b17f9ca849"
  }
}
','2026-11-19T06:00:00+00:00');
INSERT INTO "designs" VALUES('pf4215b20c41f','182aaa702233135e709bd2b95db9017ef2e2253dac6cf4434908db5365814c00','{
  "format": "neyman-plan/1",
  "plan_id": "pf4215b20c41f",
  "pool": {
    "digest": "182aaa702233135e709bd2b95db9017ef2e2253dac6cf4434908db5365814c00",
    "name": "Exam – Prüfung, = 60",
    "n_items": 60
  },
  "design": {
    "budget": 26,
    "n_strata": 5,
    "stratifier": "adaptive",
    "allocation": "proxy-neyman",
    "offset": 0.75,
    "seed": 0,
    "parser": null,
    "signal": "semantic-entropy"
  },
  "versions": {
    "neyman": "0.1.0",
    "numpy": "2.3.5",
    "python": "3.11.7",
    "parsers": {
      "choice": "1",
      "number": "1",
      "text": "1",
      "as-is": "1",
      "mmlu-pro": "1",
      "mmlu-redux": "1",
      "gpqa": "1",
      "mmbench": "1"
    }
  },
  "strata": [
    {
      "stratum": 0,
      "se_low": 0.0,
      "se_high": 0.0,
      "items": 11,
      "consistency": 1.0,
      "labels": 3,
      "inclusion_probability": 0.2727272727272727
    },
    {
      "stratum": 1,
      "se_low": 0.4505612088663047,
      "se_high": 0.4505612088663047,
      "items": 11,
      "consistency": 0.8333333333333333,
      "labels": 5,
      "inclusion_probability": 0.45454545454545453
    },
    {
      "stratum": 2,
      "se_low": 0.8675632284814613,
      "se_high": 0.8675632284814613,
      "items": 10,
      "consistency": 0.6666666666666667,
      "labels": 5,
      "inclusion_probability": 0.5
    },
    {
      "stratum": 3,
      "se_low": 1.242453324894,
      "se_high": 1.242453324894,
      "items": 11,
      "consistency": 0.5,
      "labels": 5,
      "inclusion_probability": 0.45454545454545453
    },
    {
      "stratum": 4,
      "se_low": 1.3296613488547582,
      "se_high": 1.3296613488547582,
      "items": 17,
      "consistency": 0.34313725490196073,
      "labels": 8,
      "inclusion_probability": 0.47058823529411764
    }
  ],
  "sample": {
    "n_labels": 26,
    "digest": "de57f8163dc599a132cd5e805f81945ac25593f0f3c132ed6969fa237e75c60e"
  }
}
','2026-11-19T06:00:00+00:00');
CREATE TABLE label_changes (number INTEGER PRIMARY KEY, batch TEXT NOT NULL, plan_id TEXT NOT NULL, item_id TEXT NOT NULL, annotator TEXT NOT NULL, part INTEGER NOT NULL, label TEXT, note TEXT, status TEXT NOT NULL, source TEXT NOT NULL, created TEXT NOT NULL) STRICT;
INSERT INTO "label_changes" VALUES(1,'bcsv gold','pdafd0fe3a51b','q059','Ann',0,'59','a note','','csv gold','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(2,'bcsv gold','pdafd0fe3a51b','q001','Ann',0,'B','a note','','csv gold','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(3,'bcsv gold','pdafd0fe3a51b','q020','Ann',0,'A','a note','','csv gold','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(4,'bcsv gold','pdafd0fe3a51b','q013','Ann',0,'B','a note','','csv gold','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(5,'bcsv gold','pdafd0fe3a51b','q011','Ann',0,'D','a note','','csv gold','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(6,'bcsv gold','pdafd0fe3a51b','ünïcode Ω 🙂','Ann',0,'D','a note','','csv gold','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(7,'bcsv gold','pdafd0fe3a51b','q002','Ann',0,'C','a note','','csv gold','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(8,'bcsv gold','pdafd0fe3a51b','1e5','Ann',0,'B','a note','','csv gold','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(9,'bcsv gold','pdafd0fe3a51b','q053','Ann',0,'55','a note','','csv gold','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(10,'bcsv gold','pdafd0fe3a51b','q021','Ann',0,'B','a note','','csv gold','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(11,'bcsv gold','pdafd0fe3a51b','q032','Ann',0,'A','a note','','csv gold','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(12,'bcsv gold','pdafd0fe3a51b','q048','Ann',0,'48','a note','','csv gold','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(13,'bcsv gold','pdafd0fe3a51b','q046','Ann',0,'C','a note','','csv gold','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(14,'bcsv gold','pdafd0fe3a51b','+49','Ann',0,'D','a note','','csv gold','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(15,'bcsv gold','pdafd0fe3a51b','q031','Ann',0,'D','a note','','csv gold','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(16,'bcsv gold','pdafd0fe3a51b','q058','Ann',0,'62','a note','','csv gold','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(17,'bcsv gold','pdafd0fe3a51b','q035','Ann',0,'D','a note','','csv gold','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(18,'bcsv gold','pdafd0fe3a51b','q051','Ann',0,'56','a note','','csv gold','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(19,'bcsv gold','pdafd0fe3a51b','q056','Ann',0,'57','a note','','csv gold','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(20,'bcsv gold','pdafd0fe3a51b','q042','Ann',0,'C','a note','','csv gold','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(21,'bhere right-wrong','pdafd0fe3a51b','q059','Ben',0,'wrong',NULL,'','here right-wrong','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(22,'bhere right-wrong','pdafd0fe3a51b','q001','Ben',0,'right',NULL,'','here right-wrong','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(23,'bhere right-wrong','pdafd0fe3a51b','q020','Ben',0,'right',NULL,'','here right-wrong','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(24,'bhere right-wrong','pdafd0fe3a51b','q013','Ben',0,'wrong',NULL,'','here right-wrong','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(25,'bhere right-wrong','pdafd0fe3a51b','q011','Ben',0,'right',NULL,'','here right-wrong','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(26,'bhere right-wrong','pdafd0fe3a51b','ünïcode Ω 🙂','Ben',0,'right',NULL,'','here right-wrong','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(27,'bhere right-wrong','pdafd0fe3a51b','q002','Ben',0,'wrong',NULL,'','here right-wrong','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(28,'bhere right-wrong','pdafd0fe3a51b','1e5','Ben',0,'right',NULL,'','here right-wrong','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(29,'bhere right-wrong','pdafd0fe3a51b','q053','Ben',0,'right',NULL,'','here right-wrong','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(30,'bhere right-wrong','pdafd0fe3a51b','q021','Ben',0,'wrong',NULL,'','here right-wrong','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(31,'bhere right-wrong','pdafd0fe3a51b','q032','Ben',0,'right',NULL,'','here right-wrong','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(32,'bhere right-wrong','pdafd0fe3a51b','q048','Ben',0,'right',NULL,'','here right-wrong','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(33,'bhere right-wrong','pdafd0fe3a51b','q046','Ben',0,'wrong',NULL,'','here right-wrong','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(34,'bhere right-wrong','pdafd0fe3a51b','+49','Ben',0,'right',NULL,'','here right-wrong','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(35,'bhere right-wrong','pdafd0fe3a51b','q031','Ben',0,'right',NULL,'','here right-wrong','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(36,'bhere right-wrong','pdafd0fe3a51b','q058','Ben',0,'wrong',NULL,'','here right-wrong','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(37,'bhere right-wrong','pdafd0fe3a51b','q035','Ben',0,'right',NULL,'','here right-wrong','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(38,'bhere right-wrong','pdafd0fe3a51b','q051','Ben',0,'right',NULL,'','here right-wrong','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(39,'bhere right-wrong','pdafd0fe3a51b','q056','Ben',0,'wrong',NULL,'','here right-wrong','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(40,'bhere right-wrong','pdafd0fe3a51b','q042','Ben',0,'right',NULL,'','here right-wrong','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(41,'bpool right-wrong','pdafd0fe3a51b','q059','β/2, = large',0,'right',NULL,'','pool right-wrong','2026-11-19T07:00:00+00:00');
INSERT INTO "label_changes" VALUES(42,'bcsv score','pdafd0fe3a51b','q001','Ann',0,'0.5',NULL,'','csv score','2026-11-19T07:00:00+00:00');
CREATE TABLE pools (digest TEXT PRIMARY KEY, name TEXT NOT NULL, n_items INTEGER NOT NULL, n_generations INTEGER NOT NULL, targets TEXT NOT NULL, notes TEXT NOT NULL, created TEXT NOT NULL) STRICT;
INSERT INTO "pools" VALUES('182aaa702233135e709bd2b95db9017ef2e2253dac6cf4434908db5365814c00','Exam – Prüfung, = 60',60,6,'["alpha", "β/2, = large"]','[]','2026-11-19T06:00:00+00:00');
CREATE INDEX label_changes_of_plan ON label_changes (plan_id);
COMMIT;
PRAGMA user_version = 2;
