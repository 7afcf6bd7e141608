"""
Tries what a role must not be able to do, and what it must, in an account where IAM is enforced. Everything is done by
real calls: what is foreign is made by the account's root. Prints what was allowed, as JSON.
"""
import json, sys
import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

url, account, connection, key_id, secret, access_role = sys.argv[1:]
REGION = "us-west-2"
OWN = [{"Key": "slipway:connection", "Value": connection}]
DENIED = ("AccessDenied", "AccessDeniedException", "UnauthorizedOperation")


def clients(credentials):
    config = Config(retries={"max_attempts": 1})
    return lambda name, region=REGION: boto3.client(
        name, endpoint_url=url, region_name=region, config=config, **credentials
    )


def session_of(credentials):
    return clients(
        {
            "aws_access_key_id": credentials["AccessKeyId"],
            "aws_secret_access_key": credentials["SecretAccessKey"],
            "aws_session_token": credentials["SessionToken"],
        }
    )


root = clients({"aws_access_key_id": account, "aws_secret_access_key": "test"})
slipway = clients({"aws_access_key_id": key_id, "aws_secret_access_key": secret})
results = {}


def attempt(name, call):
    """Whether IAM let it pass; what the service says to it afterwards is another matter."""
    try:
        answer = call()
        results[name] = "allowed"
        return answer
    except ClientError as error:
        code = error.response["Error"]["Code"]
        results[name] = "denied" if code in DENIED else f"allowed ({code})"


def distribution(reference):
    origin = {"HTTPPort": 80, "HTTPSPort": 443, "OriginProtocolPolicy": "https-only"}
    return {
        "CallerReference": reference,
        "Comment": "",
        "Enabled": False,
        "Origins": {"Quantity": 1, "Items": [{"Id": "o", "DomainName": "o.example.com", "CustomOriginConfig": origin}]},
        "DefaultCacheBehavior": {
            "TargetOriginId": "o",
            "ViewerProtocolPolicy": "allow-all",
            "MinTTL": 0,
            "ForwardedValues": {"QueryString": False, "Cookies": {"Forward": "none"}},
        },
    }


# --- S5: AccessRole, and what is not Slipway's.
assumed = slipway("sts", "us-east-1").assume_role(RoleArn=access_role, RoleSessionName="tried", ExternalId=connection)
access = session_of(assumed["Credentials"])
acm, cdn = access("acm", "us-east-1"), access("cloudfront", "us-east-1")
foreign_certificate = root("acm", "us-east-1").request_certificate(DomainName="theirs.example.com")["CertificateArn"]
made = root("cloudfront", "us-east-1").create_distribution(DistributionConfig=distribution("theirs"))
foreign, etag = made["Distribution"], made["ETag"]

attempt("S5 tag a foreign certificate", lambda: acm.add_tags_to_certificate(CertificateArn=foreign_certificate, Tags=OWN))
attempt("S5 delete a foreign certificate", lambda: acm.delete_certificate(CertificateArn=foreign_certificate))
attempt("S5 tag a foreign distribution", lambda: cdn.tag_resource(Resource=foreign["ARN"], Tags={"Items": OWN}))
attempt("S5 change a foreign distribution", lambda: cdn.update_distribution(Id=foreign["Id"], IfMatch=etag, DistributionConfig=distribution("theirs")))
attempt("S5 delete a foreign distribution", lambda: cdn.delete_distribution(Id=foreign["Id"], IfMatch=etag))
attempt("S5 request an untagged certificate", lambda: acm.request_certificate(DomainName="a.example.com"))
mine = attempt("own: request a certificate", lambda: acm.request_certificate(DomainName="mine.example.com", Tags=OWN))
if mine:
    attempt("own: delete the certificate", lambda: acm.delete_certificate(CertificateArn=mine["CertificateArn"]))
tagged = {"DistributionConfig": distribution("mine"), "Tags": {"Items": OWN}}
mine = attempt("own: create a distribution", lambda: cdn.create_distribution_with_tags(DistributionConfigWithTags=tagged))
if mine:
    attempt("own: delete the distribution", lambda: cdn.delete_distribution(Id=mine["Distribution"]["Id"], IfMatch=mine["ETag"]))
attempt("S6 read a value", lambda: access("ssm").get_parameters(Names=["/slipway/a"]))
attempt("S6 run a task past the function", lambda: access("ecs").run_task(cluster="slipway-env-a", taskDefinition="slipway-a-run"))
attempt("S6 stop a foreign task", lambda: access("ecs").stop_task(cluster="theirs", task=f"arn:aws:ecs:{REGION}:{account}:task/theirs/0123"))
attempt("own: stop a command", lambda: access("ecs").stop_task(cluster="slipway-env-a", task=f"arn:aws:ecs:{REGION}:{account}:task/slipway-env-a/0123"))
attempt("S6 make a role", lambda: access("iam").create_role(RoleName="a", Path="/slipway/", AssumeRolePolicyDocument="{}"))

# --- S6, W5: what a template may do. The role trusts CloudFormation alone, so its policies are given to one that can be tried.
iam = root("iam", "us-east-1")
trust = {"Effect": "Allow", "Principal": {"AWS": f"arn:aws:iam::{account}:root"}, "Action": "sts:AssumeRole"}
tried = iam.create_role(RoleName="tried", AssumeRolePolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [trust]}))
for policy in iam.list_attached_role_policies(RoleName=f"slipway-deploy-{connection}")["AttachedPolicies"]:
    iam.attach_role_policy(RoleName="tried", PolicyArn=policy["PolicyArn"])
assumed = root("sts", "us-east-1").assume_role(RoleArn=tried["Role"]["Arn"], RoleSessionName="tried")
deploy = session_of(assumed["Credentials"])
ec2, theirs = deploy("ec2"), root("ec2")
vpc = theirs.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
group = theirs.create_security_group(GroupName="theirs", Description="theirs", VpcId=vpc)["GroupId"]
routes = theirs.create_route_table(VpcId=vpc)["RouteTable"]["RouteTableId"]
gateway = theirs.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
cluster = root("ecs").create_cluster(clusterName="theirs")["cluster"]["clusterArn"]
opened = [{"IpProtocol": "tcp", "FromPort": 5432, "ToPort": 5432, "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}]

attempt("S6 open a foreign security group", lambda: ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=opened))
attempt("S6 tag a foreign security group", lambda: ec2.create_tags(Resources=[group], Tags=OWN))
attempt("S6 add a route to a foreign network", lambda: ec2.create_route(RouteTableId=routes, DestinationCidrBlock="0.0.0.0/0", GatewayId=gateway))
attempt("S6 make a subnet in a foreign network", lambda: ec2.create_subnet(VpcId=vpc, CidrBlock="10.9.1.0/24", TagSpecifications=[{"ResourceType": "subnet", "Tags": OWN}]))
attempt("S6 run a container", lambda: deploy("ecs").create_service(cluster="theirs", serviceName="a", taskDefinition="a"))
attempt("S6 run a task", lambda: deploy("ecs").run_task(cluster="theirs", taskDefinition="a"))
attempt("S6 make a role that a stranger may assume", lambda: deploy("iam").create_role(RoleName="b", Path="/slipway/", AssumeRolePolicyDocument="{}"))
attempt("S6 change a role", lambda: deploy("iam").update_assume_role_policy(RoleName="tried", PolicyDocument="{}"))
attempt("W5 delete a foreign network", lambda: ec2.delete_vpc(VpcId=vpc))
attempt("W5 delete a foreign security group", lambda: ec2.delete_security_group(GroupId=group))
attempt("W5 delete a foreign cluster", lambda: deploy("ecs").delete_cluster(cluster=cluster))
attempt("W5 change a foreign service", lambda: deploy("ecs").update_service(cluster="theirs", service="theirs", desiredCount=0))
attempt("W5 change a foreign distribution", lambda: deploy("cloudfront", "us-east-1").update_distribution(Id=foreign["Id"], IfMatch=etag, DistributionConfig=distribution("theirs")))
balancer = root("elbv2").create_target_group(Name="theirs", Protocol="HTTP", Port=80, VpcId=vpc)["TargetGroups"][0]
attempt("W5 delete a foreign target group", lambda: deploy("elbv2").delete_target_group(TargetGroupArn=balancer["TargetGroupArn"]))
specification = [{"ResourceType": "vpc", "Tags": OWN}]
network = attempt("own: make a network", lambda: ec2.create_vpc(CidrBlock="10.8.0.0/16", TagSpecifications=specification))
if network:
    attempt("own: delete the network", lambda: ec2.delete_vpc(VpcId=network["Vpc"]["VpcId"]))
tags = [{"key": "slipway:connection", "value": connection}]
attempt("own: make a cluster", lambda: deploy("ecs").create_cluster(clusterName="slipway-env-1-Cluster-1", tags=tags))
attempt("own: delete the cluster", lambda: deploy("ecs").delete_cluster(cluster=f"arn:aws:ecs:{REGION}:{account}:cluster/slipway-env-1-Cluster-1"))
attempt("own: make a bucket", lambda: deploy("s3").create_bucket(Bucket="slipway-tried", CreateBucketConfiguration={"LocationConstraint": REGION}))

# --- S15: the roles that the connection's own function makes.
function = access("lambda", "us-east-1")
environment = "env_01h455vb4pex5vsknk084sn02s"


def call(event):
    answer = function.invoke(FunctionName=f"slipway-roles-{connection}", Payload=json.dumps(event))
    return {"error": "FunctionError" in answer, **json.loads(answer["Payload"].read() or b"{}")}


run = attempt("own: have a role made", lambda: call({"role": "run", "environmentId": environment}))
stranger = attempt("own: ask for another", lambda: call({"role": "run", "environmentId": "*"}))
if not run or run["error"]:
    sys.exit(f"The function failed: {run}")
document = iam.get_role_policy(RoleName=f"slipway-run-{environment}", PolicyName="slipway")["PolicyDocument"]
trusted = iam.get_role(RoleName=f"slipway-run-{environment}")["Role"]["AssumeRolePolicyDocument"]
gone = attempt("own: have it removed", lambda: call({"role": "run", "environmentId": environment, "action": "remove"}))
left = [role["RoleName"] for role in iam.list_roles(PathPrefix=f"/slipway/{connection}/")["Roles"]]
made = {"run": run, "stranger": stranger, "gone": gone, "left": left, "document": document, "trust": trusted}
print(json.dumps({"results": results, "made": made}))
