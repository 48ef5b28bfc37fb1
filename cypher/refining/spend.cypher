// Adds to a note what an LLM used for it.
MATCH (n:Note {id: $id})
SET n.llmModel = $model, n.llmCalls = coalesce(n.llmCalls, 0) + $calls,
    n.llmTokensIn = coalesce(n.llmTokensIn, 0) + $tokensIn, n.llmTokensOut = coalesce(n.llmTokensOut, 0) + $tokensOut,
    n.llmCost = coalesce(n.llmCost, 0.0) + $cost
RETURN n.llmCalls AS calls
