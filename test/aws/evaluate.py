"""Decides cases of IAM with ministack's evaluator, which no test of ours wrote. Cases come as JSON, decisions go as JSON."""
import json, sys
from ministack.core.iam_evaluator import EvalContext, evaluate, parse_policy_document

# In a policy ${*} is an asterisk itself. The evaluator does not know it; "?" is any one character, the asterisk too.
def parsed(document):
    return parse_policy_document(json.loads(json.dumps(document).replace("${*}", "?")))

def decide(case):
    context = {key.lower(): value for key, value in case["context"].items()}
    # A request that names no tags has no aws:TagKeys.
    context.setdefault("aws:tagkeys", None)
    asked = EvalContext(
        principal_arn="arn:aws:sts::210987654321:assumed-role/tested/session",
        principal_type="AssumedRole",
        principal_account="210987654321",
        action=case["action"],
        resource_arn=case["resource"],
        region="us-west-2",
        service_context=context,
    )
    return evaluate(asked, [parsed(document) for document in case["policies"]]).decision

print(json.dumps([decide(case) for case in json.load(sys.stdin)]))
