"""
Runs the function of the connection's stack that makes roles and starts commands: its code, with an IAM, an EC2 and an ECS
that write down what they are asked. Events come as JSON; what was asked for each goes as JSON.
"""
import json, sys, types

source, events, subnets = open(sys.argv[1]).read(), json.loads(sys.argv[2]), json.loads(sys.argv[3])
existing, filters, started = {}, [], []


class Missing(Exception):
    pass


class Exists(Exception):
    pass


class Iam:
    exceptions = types.SimpleNamespace(EntityAlreadyExistsException=Exists, NoSuchEntityException=Missing)

    def create_role(self, Path, RoleName, AssumeRolePolicyDocument):
        if RoleName in existing:
            raise Exists()
        arn = f"arn:aws:iam::210987654321:role{Path}{RoleName}"
        existing[RoleName] = {"path": Path, "arn": arn, "trust": json.loads(AssumeRolePolicyDocument)}
        existing[RoleName] |= {"attached": [], "policies": {}}

    def get_role(self, RoleName):
        if RoleName not in existing:
            raise Missing()
        return {"Role": {"Path": existing[RoleName]["path"], "Arn": existing[RoleName]["arn"]}}

    def attach_role_policy(self, RoleName, PolicyArn):
        existing[RoleName]["attached"].append(PolicyArn)

    def detach_role_policy(self, RoleName, PolicyArn):
        existing[RoleName]["attached"].remove(PolicyArn)

    def list_attached_role_policies(self, RoleName):
        return {"AttachedPolicies": [{"PolicyArn": arn} for arn in existing[RoleName]["attached"]]}

    def put_role_policy(self, RoleName, PolicyName, PolicyDocument):
        existing[RoleName]["policies"][PolicyName] = json.loads(PolicyDocument)

    def list_role_policies(self, RoleName):
        return {"PolicyNames": list(existing[RoleName]["policies"])}

    def delete_role_policy(self, RoleName, PolicyName):
        del existing[RoleName]["policies"][PolicyName]

    def delete_role(self, RoleName):
        role = existing.pop(RoleName)
        assert not role["attached"] and not role["policies"], "IAM refuses to delete a role that has policies"


class Ec2:
    def describe_subnets(self, Filters):
        wanted = {one["Name"]: one["Values"] for one in Filters}
        filters.append(wanted)
        tagged = lambda subnet: all(subnet["tags"].get(key[4:]) in values for key, values in wanted.items())
        return {"Subnets": [{"SubnetId": one["id"]} for one in subnets if tagged(one)]}


class Ecs:
    def run_task(self, **asked):
        started.append(asked)
        return {"tasks": [{"taskArn": "arn:task"}], "failures": [{"reason": "none"}]}


clients = {"iam": Iam, "ec2": Ec2, "ecs": Ecs}
sys.modules["boto3"] = types.SimpleNamespace(client=lambda name, **_: clients[name]())
scope = {}
exec(source, scope)
scope["time"] = types.SimpleNamespace(sleep=lambda seconds: None)
answers = []
for event in events:
    try:
        answers.append({"answer": scope["handler"](event, None)})
    except (ValueError, KeyError) as error:
        answers.append({"error": str(error)})
print(json.dumps({"answers": answers, "roles": existing, "started": started}))
