"""The commons in the API: its queries and mutations."""

import strawberry

from graphmem.api.commons_types import BoardEntry, Knowledge, Skill, Sop
from graphmem.api.fields import mutation_of, query_of
from graphmem.operations.commands.commons import (
    AddSkill,
    GetSop,
    ListBoard,
    ListKnowledge,
    ListSkills,
    PostBoard,
    RemoveFromBoard,
    ReportSkill,
    ReviseKnowledge,
    SetSop,
    VerifyKnowledge,
    WithdrawKnowledge,
)


@strawberry.type
class CommonsQuery:
    """Reading the commons."""

    commons = query_of(ListKnowledge, list[Knowledge])
    skills = query_of(ListSkills, list[Skill])
    sop = query_of(GetSop, Sop | None)
    board = query_of(ListBoard, list[BoardEntry])


@strawberry.type
class CommonsMutation:
    """Changing the commons."""

    add_skill = mutation_of(AddSkill, Skill)
    report_skill = mutation_of(ReportSkill, Skill)
    set_sop = mutation_of(SetSop, Sop)
    post_board = mutation_of(PostBoard, BoardEntry)
    remove_from_board = mutation_of(RemoveFromBoard, bool)
    verify_knowledge = mutation_of(VerifyKnowledge, Knowledge)
    revise_knowledge = mutation_of(ReviseKnowledge, Knowledge)
    withdraw_knowledge = mutation_of(WithdrawKnowledge, bool)
