// Each file that was destroyed is kept by itself, also two of the same name.
DROP CONSTRAINT lost_file_of IF EXISTS;
CREATE CONSTRAINT lost_file IF NOT EXISTS FOR (l:LostFile) REQUIRE (l.user, l.id) IS UNIQUE;
