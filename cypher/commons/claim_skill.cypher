// Makes writers of skills wait for each other, and gives a row only while no readable skill has the name.
MATCH (u:User {id: $user})
SET u.touched = $now
REMOVE u.touched
WITH u
WHERE NOT EXISTS {
  MATCH (n:Note {user: $user, titleKey: $key})
  USING INDEX SEEK n:Note(user, titleKey)
  WHERE n:Skill AND @readable(n) AND n.status IN $statuses
}
RETURN u.id AS user
