// past(r, n): a past wording of a note that the viewer may read: it was for readers among whom the viewer is, or the user in person asks.
r.audience IS NULL OR r.audience IN $audiences OR 'u:' + n.user IN $audiences
