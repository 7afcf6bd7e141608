"""
ministack with its IAM switched on (AUTH=true), and with what its enforcement lacks for policies that speak of tags. Each
of these is ministack's gap, not Slipway's (test/aws/README.md):

- aws:ResourceTag is known of nine services only: here also of ACM, CloudFront, EC2, ECS and Elastic Load Balancing;
- aws:RequestTag is not read from EC2's TagSpecification, nor from CloudFront's XML;
- CreateDistributionWithTags is checked as an action that IAM does not know;
- what EC2, ECS and CloudFront are asked to make or tag is checked as "*";
- a change of Route 53's records is checked without its names, types and actions;
- a role is checked without its path;
- iam:PolicyARN and cloudformation:RoleArn are not told;
- SimulatePrincipalPolicy leaves out the condition keys that it is told;
- ${*} in a policy is not an asterisk;
- SSM lists the tags of a parameter that does not exist;
- snapshots of RDS and ElastiCache are checked as "*";
- a password of a template has punctuation, whatever it excludes;
- a database of a template that names a snapshot is an empty one.
"""
import contextvars
import json
import re
import string

from ministack.core import iam_actions, iam_evaluator
from ministack.core.responses import error_response_json
from ministack.services import iam, ssm, tagging
from ministack.services.cloudformation import provisioners


def collect_acm():
    import ministack.services.acm as service

    for arn, certificate in service._certificates.items():
        yield arn, certificate.get("Tags", [])


def collect_ec2():
    import ministack.services.ec2 as service

    kinds = {"vpc": "vpc", "subnet": "subnet", "igw": "internet-gateway", "rtb": "route-table", "sg": "security-group"}
    for name, tags in service._tags.items():
        kind = kinds.get(name.split("-", 1)[0])
        if kind:
            yield f"arn:aws:ec2:{tagging.get_region()}:{tagging._account()}:{kind}/{name}", tags


def collect_balancers():
    import ministack.services.alb as service

    yield from service._tags.items()


tagging._RESOURCE_TAG_COLLECTORS |= {
    "acm": collect_acm,
    "cloudfront": tagging._collect_cloudfront,
    "ec2": collect_ec2,
    "ecs": tagging._collect_ecs,
    "elasticloadbalancing": collect_balancers,
}

original_action = iam_actions.extract_iam_action


def extract_iam_action(service, method, path, headers, body, params):
    action = original_action(service, method, path, headers, body, params)
    return "cloudfront:CreateDistribution" if action == "cloudfront:CreateDistributionWithTags" else action


iam_actions.extract_iam_action = extract_iam_action

original_tags = iam_actions.request_tag_context


def request_tag_context(service, action, body, params):
    context = original_tags(service, action, body, params)
    tags = []
    if service == "cloudfront":
        tags = re.findall(r"<Tag>\s*<Key>([^<]*)</Key>\s*<Value>([^<]*)</Value>", body.decode("utf-8", "replace"))
    if service == "ec2":
        for name in params:
            if re.fullmatch(r"TagSpecification\.\d+\.Tag\.\d+\.Key", name):
                value = iam_actions._query_param(params, name[:-3] + "Value")
                tags.append((iam_actions._query_param(params, name), value))
        if tags:
            context["ec2:CreateAction"] = action.split(":", 1)[1]
    if action == "route53:ChangeResourceRecordSets":
        told_of = lambda tag: re.findall(rf"<{tag}>([^<]*)</{tag}>", body.decode("utf-8", "replace"))
        names = [name.lower().rstrip(".").replace("*", "\\052") for name in told_of("Name")]
        context["route53:ChangeResourceRecordSetsNormalizedRecordNames"] = names
        context["route53:ChangeResourceRecordSetsRecordTypes"] = told_of("Type")
        context["route53:ChangeResourceRecordSetsActions"] = told_of("Action")
    if service == "cloudformation" and iam_actions._query_param(params, "RoleARN"):
        context["cloudformation:RoleArn"] = iam_actions._query_param(params, "RoleARN")
    if service == "iam" and iam_actions._query_param(params, "PolicyArn"):
        context["iam:PolicyARN"] = iam_actions._query_param(params, "PolicyArn")
    return {**context, **{f"aws:RequestTag/{key}": value for key, value in tags}}


iam_actions.request_tag_context = request_tag_context

original_resource = iam_actions.extract_resource_arn
MADE = {"CreateVpc": "vpc", "CreateInternetGateway": "internet-gateway"}


def extract_resource_arn(service, method, path, headers, body, params, region, account):
    arn = original_resource(service, method, path, headers, body, params, region, account)
    text = lambda name: iam_actions._query_param(params, name)
    if service == "ec2":
        if text("Action") in MADE:
            return f"arn:aws:ec2:{region}:{account}:{MADE[text('Action')]}/*"
        if text("Action") in ("CreateRoute", "DeleteRoute", "ReplaceRoute"):
            return f"arn:aws:ec2:{region}:{account}:route-table/{text('RouteTableId')}"
        if text("Action") == "CreateTags":
            prefixes = {"vpc": "vpc", "sg": "security-group", "subnet": "subnet", "rtb": "route-table"}
            name = text("ResourceId.1")
            return f"arn:aws:ec2:{region}:{account}:{prefixes.get(name.split('-')[0], 'other')}/{name}"
    snapshot = {"rds": text("DBSnapshotIdentifier"), "elasticache": text("SnapshotName")}.get(service)
    if snapshot and not text("Action").startswith("Create"):
        return f"arn:aws:{service}:{region}:{account}:snapshot:{snapshot}"
    if service == "iam" and text("PolicySourceArn"):
        return text("PolicySourceArn")
    if service == "iam" and text("RoleName"):
        known = iam._roles.get(text("RoleName"))
        return known["Arn"] if known else f"arn:aws:iam::{account}:role{text('Path') or '/'}{text('RoleName')}"
    function = re.match(r"/2020-05-31/function/([^/?]+)", path)
    if service == "cloudfront" and function:
        return f"arn:aws:cloudfront::{account}:function/{function.group(1)}"
    if service == "cloudfront" and path.endswith("/tagging"):
        return text("Resource") or arn
    if service == "ecs":
        asked = json.loads(body or b"{}")
        if asked.get("clusterName"):
            return f"arn:aws:ecs:{region}:{account}:cluster/{asked['clusterName']}"
        if asked.get("service") and asked.get("cluster"):
            name = str(asked["service"])
            cluster = asked["cluster"].split("/")[-1]
            return name if name.startswith("arn:") else f"arn:aws:ecs:{region}:{account}:service/{cluster}/{name}"
        if asked.get("task"):
            return asked["task"]
    return arn


iam_actions.extract_resource_arn = extract_resource_arn

original_compile = iam_evaluator._fnmatch_compile
# "?" is any one character, the asterisk too; no id is that short.
iam_evaluator._fnmatch_compile = lambda pattern, ignore_case: original_compile(pattern.replace("${*}", "?"), ignore_case)

told = contextvars.ContextVar("told", default={})
original_parameters = iam._extract_simulate_params
original_evaluate = iam_evaluator.evaluate


def extract_simulate_params(params):
    context, index = {}, 1
    while name := iam._p(params, f"ContextEntries.member.{index}.ContextKeyName"):
        value = iam._p(params, f"ContextEntries.member.{index}.ContextKeyValues.member.1")
        context[name.lower()] = value
        index += 1
    told.set(context)
    return original_parameters(params)


def evaluate(context, *policies):
    if told.get():
        context.service_context = {**told.get(), **context.service_context}
    return original_evaluate(context, *policies)


iam._extract_simulate_params = extract_simulate_params
iam_evaluator.evaluate = evaluate

original_list_tags = ssm._list_tags_for_resource


def list_tags_for_resource(data):
    if data.get("ResourceId") not in ssm._parameters:
        return error_response_json("InvalidResourceId", "There is no such parameter.", 400)
    return original_list_tags(data)


ssm._list_tags_for_resource = list_tags_for_resource

original_secret_string = provisioners._sm_secret_string


def sm_secret_string(props):
    generated = props.get("GenerateSecretString")
    if generated and generated.get("ExcludePunctuation"):
        props = {**props, "GenerateSecretString": {**generated, "ExcludeCharacters": string.punctuation}}
    return original_secret_string(props)


provisioners._sm_secret_string = sm_secret_string

handlers = provisioners._RESOURCE_HANDLERS["AWS::RDS::DBInstance"]
original_create_database = handlers["create"]


def create_database(logical_id, props, stack_name):
    name = props.get("DBSnapshotIdentifier")
    if not name:
        return original_create_database(logical_id, props, stack_name)
    snapshot = provisioners._rds._snapshots.get(name)
    if not snapshot:
        raise ValueError(f"DBSnapshot not found: {name}")
    if int(props["AllocatedStorage"]) < snapshot["AllocatedStorage"]:
        raise ValueError(f"Invalid storage size for engine name {props['Engine']}: {props['AllocatedStorage']}")
    inherited = ("MasterUsername", "DBName", "EngineVersion", "StorageEncrypted")
    return original_create_database(logical_id, {**props, **{key: snapshot[key] for key in inherited}}, stack_name)


handlers["create"] = create_database

if __name__ == "__main__":
    from ministack.app import main

    main()
