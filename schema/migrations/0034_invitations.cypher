// Invitations name whom they invite, and make no user; a user blocks some of them.
CREATE CONSTRAINT invitation_of IF NOT EXISTS FOR (i:Invitation) REQUIRE (i.team, i.user) IS UNIQUE;
CREATE INDEX invitation_user IF NOT EXISTS FOR (i:Invitation) ON (i.user, i.at);
CREATE INDEX invitation_by IF NOT EXISTS FOR (i:Invitation) ON (i.by, i.at);
CREATE CONSTRAINT invitation_block_of IF NOT EXISTS FOR (b:InvitationBlock) REQUIRE (b.user, b.team, b.inviter) IS UNIQUE;
CREATE INDEX invitation_block_inviter IF NOT EXISTS FOR (b:InvitationBlock) ON (b.inviter, b.at);
