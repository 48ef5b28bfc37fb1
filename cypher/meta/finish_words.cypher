// Records that all notes have a word index of this form.
MERGE (m:Meta {name: 'words'})
  ON CREATE SET m:System
SET m.form = $form
REMOVE m.reached
RETURN m.form AS form
