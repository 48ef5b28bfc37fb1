// Records that all names have a key of this form under which they are looked up loosely.
MERGE (m:Meta {name: 'names'})
  ON CREATE SET m:System
SET m.form = $form
REMOVE m.reached
RETURN m.form AS form
