// An event about a link names the note at its other end, too, so that it is for that note's readers when they change.
CREATE INDEX event_other IF NOT EXISTS FOR (e:Event) ON (e.otherId);
