"""The answers of services that protocols show as they are."""

from graphmem.services.forgetting.forgetting import ForgetOutcome as ForgetOutcome
from graphmem.services.forgetting.many import ForgottenMany as ForgottenMany
from graphmem.services.packages import ContextPackage as ContextPackage
from graphmem.services.proposals.previewing import Preview as Preview
from graphmem.services.recall.expansion import PathStep as PathStep
from graphmem.services.recall.recall import Hit as Hit
from graphmem.services.recall.recall import RecallResult as RecallResult
from graphmem.services.resolution import EntityReview as EntityReview
from graphmem.services.routing.consulting import Consultation as Consultation
from graphmem.services.routing.routing import RouteAdvice as RouteAdvice
from graphmem.services.writing.secrets import FoundSecret as FoundSecret
from graphmem.services.writing.visibility import VisibilityChange as VisibilityChange
