// Files that agents live by and that were destroyed: what is told of them when they are gone.
CREATE CONSTRAINT lost_file_of IF NOT EXISTS FOR (l:LostFile) REQUIRE (l.user, l.file) IS UNIQUE;
