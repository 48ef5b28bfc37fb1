// Takes back the consent of the owner to what a team was to know: its members are not told of it any more.
MATCH (p:Proposal {id: $id})
SET p.consented = false
RETURN p.id AS id
