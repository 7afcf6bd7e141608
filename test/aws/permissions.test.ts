/**
 * The roles of the connection's stack beside what AWS publishes: what CloudFormation's types need, which condition keys
 * an action knows. And each way out of them that was found, tried with an evaluator of IAM's rules that is not ours.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { before, describe, test } from "node:test";
import { promisify } from "node:util";
import { conditionKeysOf, requiredPermissions } from "../../src/cloud/aws/account/permissions.ts";
import { namesOf } from "../../src/cloud/aws/platform/stacks/names.ts";
import { allTemplates } from "../../src/cloud/aws/platform/stacks/templates/testing-templates.ts";
import {
  ACCOUNT,
  type Case,
  type Decoded,
  decodeTemplate,
  type Document,
  documentsOf,
  ENVIRONMENT,
  evaluate,
  type MadeRole,
  makeRoles,
  policyOf,
  SERVICE,
  type Statement,
} from "./connection-roles.ts";
import { NEEDS_MOTO } from "./moto-url.ts";

const run = promisify(execFile);
const PYTHON = process.env["SLIPWAY_TEST_PYTHON"] ?? null;

/** Permissions of the types' handlers for features that our templates do not use. */
const UNUSED: readonly (readonly [RegExp, string])[] = [
  [/^s3tables:|^s3:.*BucketMetadata/, "no table of a bucket's metadata"],
  [
    /^s3:(?:Put|Delete)(?:Bucket)?(?:Accelerate|Analytics|Inventory|Metrics|IntelligentTiering)/,
    "no such statistics or tiers",
  ],
  [
    /^s3:(?:Put|Delete)(?:Bucket)?(?:Lifecycle|Replication|Versioning|Website|Cors|CORS|Logging|Notification|Abac)/,
    "buckets as plain as they are made",
  ],
  [
    /^s3:(?:Put|Delete)(?:Bucket)?(?:Encryption|ObjectLock|Acl)|^s3:PutObjectAcl$/,
    "S3's own encryption, no lock, no ACL",
  ],
  [/^s3:DeleteBucketTagging$/, "the stack's tags are never all taken away"],
  [/^s3:DeleteObject$/, "Slipway empties buckets itself, with AccessRole"],
  [/^s3:REST\.PUT\.OBJECT$|^firehose:|^logs:CreateLogDelivery$/, "no delivery of logs"],
  [
    /^logs:(?:.*KmsKey|.*(?:DataProtection|Index|Resource)Policy|PutBearer.*|PutLogGroupDeletionProtection)$/,
    "log groups only with a retention",
  ],
  [/^kms:/, "AWS's own keys"],
  [
    /^rds:(?:.*DBCluster.*|.*AutomatedBackups.*|.*ReadReplica|.*RoleToDBInstance|.*RoleFromDBInstance|RestoreDBInstanceToPointInTime)$/,
    "databases that are one instance each, without roles; restored from snapshots",
  ],
  [/^iam:ListRoles$/, "databases without roles"],
  [
    /^elasticache:(?:.*ReplicaCount|.*ShardConfiguration|(?:Create|Delete)CacheCluster)$/,
    "caches of one node",
  ],
  [
    /^logs:.*Log(?:Delivery|Deliveries|Stream)$|^logs:PutLogEvents$|^s3:GetObject$/,
    "no logs, and no data of files",
  ],
  [/^secretsmanager:(?:ReplicateSecretToRegions|RemoveRegionsFromReplication)$/, "secrets of one region"],
  [
    /^ecr:(?:Put|Delete)LifecyclePolicy$|^ecr:(?:Set|Delete)RepositoryPolicy$|^ecr:PutImageScanning/,
    "repositories without policies and scans",
  ],
  [
    /^ecs:(?:PutAccountSetting.*|PutClusterCapacityProviders|UpdateClusterSettings)$/,
    "clusters without settings",
  ],
  [/^elasticloadbalancing:(?:De)?[Rr]egisterTargets$/, "ECS registers its instances itself"],
  [
    /^elasticloadbalancing:(?:Modify(?:CapacityReservation|IpPools|ListenerAttributes)|SetIpAddressType)$/,
    "load balancers without these",
  ],
  [/^cognito-idp:/, "listeners without sign-in"],
  [
    /^ec2:(?:.*VpnGateway|.*SubnetCidrBlock|ModifyVpcTenancy|CreateVpcEncryptionControl|DescribeIpamPools)$/,
    "networks without these",
  ],
  [/^application-autoscaling:(?:Put|Delete)ScheduledAction$/, "scaling by CPU, not by the clock"],
  [/^lambda:.*ProvisionedConcurrency/, "only ECS is scaled"],
  [/^cloudfront:UpdateOriginAccessControl$/, "it never changes, and any of the account could be changed"],
  [/^sts:AssumeRole$/, "CloudFront assumes its own role"],
];

/** Permissions that no handler names. */
const BEYOND: readonly (readonly [RegExp, string])[] = [
  [
    /^codebuild:(?:Create|Update|Delete)Project$|^codebuild:BatchGetProjects$/,
    "AWS publishes no permissions of CodeBuild's type",
  ],
];

describe("the roles of a connection", { skip: PYTHON === null ? NEEDS_MOTO : false }, () => {
  const python = PYTHON ?? "";
  const region = "us-west-2";
  const arn = (service: string, name: string, where = region) =>
    `arn:aws:${service}:${where}:${ACCOUNT.accountId}:${name}`;
  const stackName = `slipway-env-${ENVIRONMENT.slice(4)}`;
  let decoded: Decoded;
  let made: Readonly<Record<string, MadeRole>>;
  let subnets: NonNullable<Parameters<typeof makeRoles>[3]>;

  const roleOf = (kind: "run" | "build" | "deploy"): MadeRole => {
    const role = made[`slipway-${kind}-${kind === "build" ? SERVICE : ENVIRONMENT}`];
    assert.ok(role, kind);
    return role;
  };
  const accessRole = () => documentsOf(decoded, "AccessRole");
  const deployRole = () => documentsOf(decoded, "DeployRole");
  /** Everything that may be done for a service: DeployRole's permissions, and those of its environment's role. */
  const environmentsRole = () => [...deployRole(), ...Object.values(roleOf("deploy").policies)];
  const actionsIn = (documents: readonly Document[]): readonly string[] => [
    ...new Set(documents.flatMap(({ Statement }) => Statement.flatMap(({ Action }) => Action))),
  ];

  before(async () => {
    ({ decoded } = await decodeTemplate(python));
    const events = [
      { role: "run", environmentId: ENVIRONMENT },
      { role: "build", environmentId: ENVIRONMENT, serviceId: SERVICE },
      { role: "deploy", environmentId: ENVIRONMENT, region },
    ];
    const tags = { "slipway:connection": ACCOUNT.connectionId, "aws:cloudformation:stack-name": stackName };
    subnets = [
      { id: "subnet-a", tags },
      { id: "subnet-b", tags },
      { id: "subnet-foreign", tags: {} },
      { id: "subnet-of-another", tags: { ...tags, "slipway:connection": "aws_another" } },
    ];
    ({ roles: made } = await makeRoles(python, decoded, events, subnets));
  });

  type Published = {
    readonly needed: Readonly<Record<string, { permissions: readonly string[]; tagOnCreate: boolean }>>;
    readonly actions: Readonly<
      Record<string, { keys: readonly string[]; resources: readonly string[] } | null>
    >;
  };
  async function published(types: readonly string[], actions: readonly string[]): Promise<Published> {
    const script = new URL("schemas.py", import.meta.url).pathname;
    const args = [script, JSON.stringify(types), JSON.stringify(actions)];
    const { stdout } = await run(python, args, { maxBuffer: 1 << 26 });
    return JSON.parse(stdout) as Published;
  }
  const typesUsed = (): readonly string[] => {
    const templates = [...allTemplates()].filter(([name]) => !name.includes("version 1"));
    return [
      ...new Set(templates.flatMap(([, { Resources }]) => Object.values(Resources).map(({ Type }) => Type))),
    ];
  };

  /** What the handlers of the used types need beside what there is, both ways. */
  async function compare(): Promise<{ missing: readonly string[]; beyond: readonly string[] }> {
    const granted = new Set(actionsIn(environmentsRole()));
    const { needed } = await published(typesUsed(), []);
    const all = new Set(Object.values(needed).flatMap(({ permissions }) => permissions));
    assert.deepEqual(
      typesUsed().filter((type) => (needed[type]?.permissions.length ?? 0) === 0),
      ["AWS::CodeBuild::Project"],
    );
    return {
      missing: [...all].filter((one) => !granted.has(one)).sort(),
      beyond: [...granted].filter((one) => !all.has(one)).sort(),
    };
  }
  /** What no reason explains; a reason that explains nothing has to go. */
  function unexplained(list: readonly string[], reasons: typeof UNUSED): readonly string[] {
    const idle = reasons.filter(([pattern]) => !list.some((one) => pattern.test(one)));
    assert.deepEqual(idle, []);
    return list.filter((one) => !reasons.some(([pattern]) => pattern.test(one)));
  }

  test("W1: DeployRole lacks nothing that the handlers of the used types need", async () => {
    assert.deepEqual(unexplained((await compare()).missing, UNUSED), []);
    await allows(environmentsRole(), [["application-autoscaling:DescribeScheduledActions", "*", {}]]);
  });

  test("W4: DeployRole has nothing more than the handlers of the used types need", async () => {
    assert.deepEqual(unexplained((await compare()).beyond, BEYOND), []);
  });

  test("W5: CloudFormation sets the stack's tags at creation, as the conditions require", async () => {
    const { needed } = await published(typesUsed(), []);
    const conditional = typesUsed().filter((type) =>
      /::(?:VPC|InternetGateway|Subnet|RouteTable|SecurityGroup|LoadBalancer|TargetGroup|Listener|ListenerRule|Cluster|Service|TaskDefinition|VpcOrigin)$/.test(
        type,
      ),
    );
    assert.equal(conditional.length, 13);
    for (const type of conditional) assert.equal(needed[type]?.tagOnCreate, true, type);
  });

  test("W2: builds may push (as in ECR's guide), log, upload and read their variables, and nothing more", () => {
    // https://docs.aws.amazon.com/AmazonECR/latest/userguide/image-push-iam.html
    const push = [
      "CompleteLayerUpload",
      "UploadLayerPart",
      "InitiateLayerUpload",
      "BatchCheckLayerAvailability",
      "PutImage",
      "BatchGetImage",
      "GetAuthorizationToken",
    ];
    const wanted = [
      ...push.map((action) => `ecr:${action}`),
      "logs:CreateLogStream",
      "logs:PutLogEvents",
      "s3:PutObject",
      "ssm:GetParameters",
      "secretsmanager:GetSecretValue",
    ];
    assert.deepEqual([...actionsIn(Object.values(roleOf("build").policies))].sort(), wanted.sort());
  });

  test("S15: ECS's agent may do what AWS's own policy allows, read variables, and nothing more", () => {
    // https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AmazonECSTaskExecutionRolePolicy.html
    const agent = [
      "ecr:GetAuthorizationToken",
      "ecr:BatchCheckLayerAvailability",
      "ecr:GetDownloadUrlForLayer",
      "ecr:BatchGetImage",
      "logs:CreateLogStream",
      "logs:PutLogEvents",
    ];
    const wanted = [...agent, "ssm:GetParameters", "secretsmanager:GetSecretValue"];
    assert.deepEqual([...actionsIn(Object.values(roleOf("run").policies))].sort(), wanted.sort());
  });

  test("S15: it writes the logs of releases and of what runs before them, and no others", async () => {
    const policies = Object.values(roleOf("run").policies);
    const put = (group: string) =>
      ["logs:PutLogEvents", arn("logs", `log-group:${group}:log-stream:1`), {}] as const;
    const { runLog, prepareLog, buildLog } = namesOf(ACCOUNT, {
      serviceId: SERVICE,
      environmentId: ENVIRONMENT,
    });
    await allows(policies, [put(runLog), put(prepareLog)]);
    await refuses(policies, [put(buildLog), put("/aws/theirs")]);
  });

  test("S15: images of the customer are found and pulled only from repositories that are tagged for it", async () => {
    const own = arn("ecr", "repository/acme/api");
    const is = (value: string) => ({ "aws:ResourceTag/slipway:readable": value });
    for (const [policies, action] of [
      [Object.values(roleOf("run").policies), "ecr:BatchGetImage"],
      [accessRole(), "ecr:DescribeImages"],
    ] as const) {
      await allows(policies, [[action, own, is("true")]]);
      await refuses(policies, [
        [action, own, {}],
        [action, own, is("false")],
      ]);
    }
  });

  test("W3: each statement names resources and condition keys that its actions know, by AWS's reference", async () => {
    const documents = [
      ...accessRole(),
      ...documentsOf(decoded, "RolesRole"),
      policyOf(decoded, "SetDnsRecords"),
      ...environmentsRole(),
      ...["run", "build"].flatMap((kind) => Object.values(roleOf(kind as "run").policies)),
    ];
    const { actions } = await published([], actionsIn(documents));
    const isGlobal = (key: string) => /^aws:(?:ResourceAccount|SourceAccount)$/.test(key);
    const wrong: string[] = [];
    for (const { Statement } of documents) {
      for (const statement of Statement) {
        const conditions = Object.values(statement.Condition ?? {}).flatMap((block) => Object.keys(block));
        for (const action of [statement.Action].flat()) {
          const known = actions[action];
          if (known === null || known === undefined) {
            wrong.push(`${action} is not known`);
            continue;
          }
          if (known.resources.length === 0 && statement.Resource !== "*")
            wrong.push(`${action} knows no resource`);
          for (const key of conditions) {
            const isKnown = known.keys.some((one) => matchesKey(one, key)) || isGlobal(key);
            if (!isKnown) wrong.push(`${action} knows no ${key}`);
          }
        }
      }
    }
    assert.deepEqual(wrong, []);
  });

  test("are within IAM's sizes", () => {
    const sizeOf = (value: unknown) => JSON.stringify(value).replaceAll(/\s/g, "").length;
    const inline = (decoded.Resources["AccessRole"]?.Properties.Policies ?? []).map(sizeOf);
    assert.ok(inline.reduce((sum, size) => sum + size, 0) < 10_240);
    for (const document of deployRole()) assert.ok(sizeOf(document) < 6_144, String(sizeOf(document)));
    for (const { policies } of Object.values(made)) assert.ok(sizeOf(policies) < 10_240);
  });

  const own = { "aws:ResourceTag/slipway:connection": ACCOUNT.connectionId };
  const marked = { "aws:RequestTag/slipway:connection": ACCOUNT.connectionId };
  const foreign = [{}, { "aws:ResourceTag/slipway:connection": "aws_another" }];

  /** Each is refused, and the same with `legitimate` is allowed. */
  async function decide(
    policies: readonly Document[],
    cases: readonly (readonly [string, string, Case["context"]])[],
  ): Promise<readonly string[]> {
    const decisions = await evaluate(
      python,
      cases.map(([action, resource, context]) => ({ policies, action, resource, context })),
    );
    return cases.flatMap(([action, resource, context], index) =>
      decisions[index] === true ? [`${action} on ${resource} with ${JSON.stringify(context)}`] : [],
    );
  }
  async function refuses(
    policies: readonly Document[],
    cases: readonly (readonly [string, string, Case["context"]])[],
  ): Promise<void> {
    assert.deepEqual(await decide(policies, cases), []);
  }
  async function allows(
    policies: readonly Document[],
    cases: readonly (readonly [string, string, Case["context"]])[],
  ): Promise<void> {
    assert.equal(
      (await decide(policies, cases)).length,
      cases.length,
      JSON.stringify(await decide(policies, cases)),
    );
  }

  test("AccessRole has all checked permissions, with the condition keys of the check", async () => {
    const context = conditionKeysOf(ACCOUNT);
    const cases = requiredPermissions(ACCOUNT).flatMap(({ resource, actions }) =>
      actions.map((action) => [action, resource, context] as const),
    );
    await allows(accessRole(), cases);
  });

  test("AccessRole has no unchecked action, except the one for the check itself", () => {
    const checked = new Set(requiredPermissions(ACCOUNT).flatMap(({ actions }) => actions));
    assert.deepEqual(
      actionsIn(accessRole()).filter((action) => !checked.has(action)),
      ["iam:SimulatePrincipalPolicy"],
    );
  });

  test("AccessRole may only simulate itself", async () => {
    const action = "iam:SimulatePrincipalPolicy";
    await allows(accessRole(), [[action, ACCOUNT.roleArn, {}]]);
    await refuses(accessRole(), [[action, `arn:aws:iam::${ACCOUNT.accountId}:role/admin`, {}]]);
  });

  /** The context of a Route 53 change, as IAM receives it. */
  const changeOf = (actions: readonly string[], names: readonly string[], types = ["CNAME"]) => ({
    "route53:ChangeResourceRecordSetsActions": actions,
    "route53:ChangeResourceRecordSetsNormalizedRecordNames": names,
    "route53:ChangeResourceRecordSetsRecordTypes": types,
  });

  test("records are only created, in the zones and at the names that the customer chose, and deleted if allowed", async () => {
    const mine = "arn:aws:route53:::hostedzone/Z0MINE";
    const change = "route53:ChangeResourceRecordSets";
    const [creates, deletes] = [["RemovesDns"], []].map((unmet) => policyOf(decoded, "SetDnsRecords", unmet));
    assert.ok(creates !== undefined && deletes !== undefined);
    const name = "www.app.example.com";
    const deletion = [change, mine, changeOf(["DELETE"], [name])] as const;
    await allows(
      [creates],
      [
        ["route53:ListHostedZonesByName", "*", {}],
        ["route53:GetHostedZone", mine, {}],
        ["route53:ListResourceRecordSets", mine, {}],
        [change, mine, changeOf(["CREATE"], [name, "\\052.app.example.com"])],
        [change, mine, changeOf(["CREATE"], [name], ["A", "AAAA"])],
      ],
    );
    await allows([deletes], [deletion]);
    for (const policies of [[creates], [deletes]])
      await refuses(policies, [
        [change, mine, changeOf(["UPSERT"], [name])],
        [change, mine, changeOf(["CREATE", "UPSERT"], [name])],
        [change, mine, changeOf(["CREATE"], [name, "www.example.com"])],
        [change, mine, changeOf(["CREATE"], [name], ["CNAME", "NS"])],
        [change, mine, changeOf(["CREATE"], [name], ["TXT"])],
        [change, "arn:aws:route53:::hostedzone/Z0THEIRS", changeOf(["CREATE"], [name])],
        ["route53:ListResourceRecordSets", "arn:aws:route53:::hostedzone/Z0THEIRS", {}],
        ["route53:DeleteHostedZone", mine, {}],
      ]);
    await refuses([creates], [deletion]);
    await refuses(accessRole(), [deletion, [change, mine, changeOf(["CREATE"], [name])]]);
  });

  const certificate = arn("acm", "certificate/8d1a", "us-east-1");
  const distribution = arn("cloudfront", "distribution/E2QWRUHAPOMQZL", "");

  test("S5: AccessRole cannot tag an existing certificate or distribution, nor change one without its tag", async () => {
    await allows(accessRole(), [
      ["acm:RequestCertificate", "*", marked],
      ["acm:AddTagsToCertificate", arn("acm", "certificate/*", "us-east-1"), marked],
      ["acm:DeleteCertificate", certificate, own],
      ["cloudfront:CreateDistribution", "*", marked],
      ["cloudfront:TagResource", arn("cloudfront", "distribution/*", ""), marked],
      ["cloudfront:UpdateDistribution", distribution, own],
      ["cloudfront:DeleteDistribution", distribution, own],
    ]);
    await refuses(accessRole(), [
      ...foreign.flatMap(
        (tags) =>
          [
            ["acm:AddTagsToCertificate", certificate, { ...tags, ...marked }],
            ["cloudfront:TagResource", distribution, { ...tags, ...marked }],
            ["acm:DeleteCertificate", certificate, tags],
            ["cloudfront:UpdateDistribution", distribution, tags],
            ["cloudfront:DeleteDistribution", distribution, tags],
          ] as const,
      ),
      ["acm:RequestCertificate", "*", {}],
      ["cloudfront:CreateDistribution", "*", {}],
    ]);
  });

  test("AccessRole only writes values with its names, reads none directly, and passes no other role", async () => {
    await refuses(accessRole(), [
      ["ssm:PutParameter", arn("ssm", "parameter/mine"), {}],
      ["ssm:GetParameters", arn("ssm", "parameter/slipway/a"), own],
      ["secretsmanager:PutSecretValue", arn("secretsmanager", "secret:mine"), {}],
      ["secretsmanager:GetSecretValue", arn("secretsmanager", "secret:slipway/a"), own],
      [
        "iam:PassRole",
        arn("iam", "role/admin", ""),
        { "iam:PassedToService": "cloudformation.amazonaws.com" },
      ],
      [
        "cloudformation:CreateStack",
        arn("cloudformation", "stack/slipway-svc-a/1"),
        { "cloudformation:RoleArn": arn("iam", "role/admin", "") },
      ],
      ["cloudformation:CreateStack", arn("cloudformation", "stack/slipway-svc-a/1"), {}],
      ["lambda:InvokeFunction", arn("lambda", "function:theirs", "us-east-1"), {}],
    ]);
  });

  test("S6: a build cannot be started with a role, image, log or place other than its project's", async () => {
    const project = arn("codebuild", "project/slipway-01h4");
    await allows(accessRole(), [
      ["codebuild:StartBuild", project, { "codebuild:source.location": "https://github.com/a/b" }],
    ]);
    await refuses(
      accessRole(),
      [
        "codebuild:serviceRole",
        "codebuild:environment.image",
        "codebuild:environment.registryCredential",
        "codebuild:environment.fleet.fleetArn",
        "codebuild:environment.certificate",
        "codebuild:logsConfig",
        "codebuild:artifacts",
        "codebuild:secondarySources",
        "codebuild:secondaryArtifacts",
      ].map((key) => ["codebuild:StartBuild", project, { [key]: "theirs" }] as const),
    );
  });

  const group = arn("ec2", "security-group/sg-1");
  const routes = arn("ec2", "route-table/rtb-1");
  const network = arn("ec2", "vpc/vpc-1");

  test("S6: a template opens no foreign security group, and puts no route into a foreign network", async () => {
    const actions = [
      ["ec2:AuthorizeSecurityGroupIngress", group],
      ["ec2:AuthorizeSecurityGroupEgress", group],
      ["ec2:RevokeSecurityGroupIngress", group],
      ["ec2:CreateRoute", routes],
      ["ec2:ReplaceRoute", routes],
      ["ec2:AssociateRouteTable", routes],
      ["ec2:AttachInternetGateway", network],
      ["ec2:CreateSubnet", network],
      ["ec2:CreateSecurityGroup", network],
    ] as const;
    await allows(
      environmentsRole(),
      actions.map(([action, resource]) => [action, resource, own] as const),
    );
    await refuses(environmentsRole(), [
      ...actions.flatMap(([action, resource]) =>
        // The tag of the request is that of what is made, not of where.
        foreign.map((tags) => [action, resource, { ...tags, ...marked }] as const),
      ),
      // Nor are they made its own by a tag.
      ["ec2:CreateTags", group, marked],
      ["ec2:CreateTags", network, { ...marked, "ec2:CreateAction": "RunInstances" }],
    ]);
    await allows(environmentsRole(), [
      ["ec2:CreateVpc", network, marked],
      ["ec2:CreateTags", network, { ...marked, "ec2:CreateAction": "CreateVpc" }],
      ["ec2:CreateSubnet", arn("ec2", "subnet/*"), marked],
    ]);
  });

  const service = arn("ecs", `service/${stackName}-Cluster-1/slipway-svc-1`);

  test("S6: containers run in the subnets of their environment, and in no other", async () => {
    const inside = { ...marked, ...own, "ecs:subnet": ["subnet-a", "subnet-b"] };
    await allows(environmentsRole(), [
      ["ecs:CreateService", service, inside],
      ["ecs:UpdateService", service, inside],
      // An update that leaves them as they are.
      ["ecs:UpdateService", service, own],
    ]);
    const { "ecs:subnet": _subnets, ...without } = inside;
    const outside = [["subnet-foreign"], ["subnet-a", "subnet-foreign"], ["subnet-of-another"]];
    await refuses(environmentsRole(), [
      ...outside.flatMap((subnets) =>
        (["ecs:CreateService", "ecs:UpdateService"] as const).map(
          (action) => [action, service, { ...inside, "ecs:subnet": subnets }] as const,
        ),
      ),
      // In the network that an account has by default.
      ["ecs:CreateService", service, without],
      ["ecs:CreateService", arn("ecs", "service/theirs/slipway-svc-1"), inside],
      ["ecs:CreateService", arn("ecs", "service/slipway-env-other-Cluster-1/slipway-svc-1"), inside],
      ["ecs:RunTask", arn("ecs", "task-definition/slipway-1:1"), inside],
    ]);
    await refuses(deployRole(), [
      ["ecs:CreateService", service, inside],
      ["ecs:UpdateService", service, inside],
    ]);
  });

  test("S6: a template creates no role, changes no trust, and passes each service only its own roles", async () => {
    const role = arn("iam", `role/slipway/${ACCOUNT.connectionId}/slipway-run-${ENVIRONMENT}`, "");
    const to = (host: string) => ({ "iam:PassedToService": `${host}.amazonaws.com` });
    await allows(environmentsRole(), [
      ["iam:PassRole", role, to("ecs-tasks")],
      ["iam:PassRole", role.replace("run-", "build-"), to("codebuild")],
      ["iam:GetRole", role, {}],
    ]);
    await refuses(environmentsRole(), [
      ...[
        "CreateRole",
        "PutRolePolicy",
        "AttachRolePolicy",
        "UpdateAssumeRolePolicy",
        "DeleteRolePermissionsBoundary",
        "PutRolePermissionsBoundary",
      ].map((action) => [`iam:${action}`, role, own] as const),
      [
        "iam:CreateRole",
        role,
        { "iam:PermissionsBoundary": arn("iam", `policy/slipway-build-${ACCOUNT.connectionId}`, "") },
      ],
      ["iam:PassRole", role, to("ec2")],
      ["iam:PassRole", role, to("lambda")],
      ["iam:PassRole", arn("iam", "role/admin", ""), to("ecs-tasks")],
      ["iam:PassRole", role.replace(ACCOUNT.connectionId, "aws_another"), to("ecs-tasks")],
    ]);
  });

  test("S6: each created role trusts one AWS service, for this account", () => {
    const trusts = (["run", "build", "deploy"] as const).map((kind) => roleOf(kind).trust.Statement);
    const principals = trusts.map((statements) =>
      statements.map((one: Statement & { Principal?: unknown }) => one.Principal),
    );
    assert.deepEqual(principals, [
      [{ Service: "ecs-tasks.amazonaws.com" }],
      [{ Service: "codebuild.amazonaws.com" }],
      [{ Service: "cloudformation.amazonaws.com" }],
    ]);
    const here = { StringEquals: { "aws:SourceAccount": ACCOUNT.accountId } };
    assert.deepEqual(
      trusts.slice(0, 2).map((statements) => statements[0]?.Condition),
      [here, here],
    );
    assert.deepEqual(
      roleOf("deploy").attached,
      ["DeployNetworks", "DeployContainers", "DeployPlaces"].map((name) => arn("iam", `policy/${name}`, "")),
    );
  });

  test("S15: with version 1's resources kept, its stacks can be changed, rolled back and deleted, and nothing else", async () => {
    const runRole = arn("iam", `role/slipway-run-${ACCOUNT.connectionId}`, "");
    const buildRole = arn("iam", "role/slipway/slipway-svc-01h4-BuildRole-A1", "");
    const to = (host: string) => ({ "iam:PassedToService": `${host}.amazonaws.com` });
    const kept = [
      // The next release of a service removes this role from its stack.
      ...["DeleteRole", "DeleteRolePolicy", "ListRolePolicies", "ListAttachedRolePolicies"].map(
        (action) => [`iam:${action}`, buildRole, {}] as const,
      ),
      // If that fails, the rollback restores the project's role and the definition that ran before.
      ["iam:PassRole", buildRole, to("codebuild")],
      ["iam:PassRole", runRole, to("ecs-tasks")],
    ] as const;
    const event = { role: "deploy", environmentId: ENVIRONMENT, region };
    const { roles } = await makeRoles(python, decoded, [event], subnets, runRole);
    const environments = roles[`slipway-deploy-${ENVIRONMENT}`];
    assert.ok(environments);
    // The stack could not delete its own policy while it is attached to an unknown role.
    assert.deepEqual(environments.attached, roleOf("deploy").attached);
    const others = arn("iam", `role/slipway/${ACCOUNT.connectionId}/slipway-run-${ENVIRONMENT}`, "");
    for (const more of [[policyOf(decoded, "DeployVersion1")], Object.values(environments.policies)]) {
      const policies = [...deployRole(), ...more];
      await allows(policies, kept);
      await refuses(policies, [
        ["iam:DeleteRole", others, {}],
        ["iam:DeleteRole", runRole, {}],
        ["iam:PassRole", buildRole, to("lambda")],
        ["iam:PassRole", arn("iam", "role/slipway/theirs", ""), to("codebuild")],
        ...["CreateRole", "PutRolePolicy", "DeleteRolePermissionsBoundary", "UpdateAssumeRolePolicy"].map(
          (action) => [`iam:${action}`, buildRole, {}] as const,
        ),
      ]);
    }
    await refuses(environmentsRole(), kept);
  });

  test("S6: the function only creates roles for ids below its own path, and removes what it created", async () => {
    const other = "env_02h455vb4pex5vsknk084sn02s";
    const { answers, roles } = await makeRoles(python, decoded, [
      { role: "run", environmentId: `${ENVIRONMENT}/*` },
      { role: "run", environmentId: "*" },
      { role: "build", environmentId: ENVIRONMENT, serviceId: `${SERVICE}"` },
      { role: "admin", environmentId: ENVIRONMENT },
      { role: "deploy", environmentId: ENVIRONMENT, region: "us-west-2" },
      { role: "run", environmentId: other },
      { role: "run", environmentId: other },
      { role: "run", environmentId: ENVIRONMENT },
      { role: "run", environmentId: other, action: "remove" },
      { role: "run", environmentId: other, action: "remove" },
    ]);
    assert.deepEqual(
      answers.map(({ error }) => error ?? null),
      [
        "This is not a valid environmentId.",
        "This is not a valid environmentId.",
        "This is not a valid serviceId.",
        "There is no such role.",
        // The environment's stack has made no network in this region.
        `There is no subnet of the environment ${ENVIRONMENT} in us-west-2.`,
        null,
        null,
        null,
        null,
        null,
      ],
    );
    const expected = arn("iam", `role/slipway/${ACCOUNT.connectionId}/slipway-run-${ENVIRONMENT}`, "");
    assert.deepEqual(
      Object.values(roles).map((role) => role.arn),
      [expected],
    );
  });

  test("S6: a command runs in the subnets of its environment, with only its command and size of its own", async () => {
    const start = {
      action: "start",
      environmentId: ENVIRONMENT,
      region,
      cluster: `${stackName}-Cluster-1`,
      definition: arn("ecs", "task-definition/slipway-01h4-run:3"),
      group: "sg-1",
      command: "npm run nightly",
      cpu: "512",
      memory: "1024",
      token: "0123456789abcdef",
      // Not for a caller to choose.
      subnets: ["subnet-foreign"],
      taskRoleArn: arn("iam", "role/admin", ""),
    };
    const events = [start, { ...start, environmentId: "*" }, { ...start, region: "eu-west-1/" }];
    const { answers, started } = await makeRoles(python, decoded, events, subnets);
    assert.deepEqual(answers, [
      { answer: { tasks: ["arn:task"], failures: ["none"] } },
      { error: "This is not a valid environmentId." },
      { error: "This is not a valid region." },
    ]);
    assert.deepEqual(started, [
      {
        cluster: start.cluster,
        taskDefinition: start.definition,
        launchType: "FARGATE",
        clientToken: start.token,
        startedBy: start.token,
        networkConfiguration: {
          awsvpcConfiguration: {
            subnets: ["subnet-a", "subnet-b"],
            securityGroups: ["sg-1"],
            assignPublicIp: "ENABLED",
          },
        },
        overrides: {
          cpu: "512",
          memory: "1024",
          containerOverrides: [{ name: "app", command: ["npm run nightly"] }],
        },
      },
    ]);
  });

  test("S6: only the function starts commands, and only those of Slipway's services; AccessRole stops them", async () => {
    const own = documentsOf(decoded, "RolesRole");
    const definition = arn("ecs", "task-definition/slipway-01h4-run:3");
    const cluster = { "ecs:cluster": arn("ecs", `cluster/${stackName}-Cluster-1`) };
    const runRole = arn("iam", `role/slipway/${ACCOUNT.connectionId}/slipway-run-${ENVIRONMENT}`, "");
    const task = arn("ecs", `task/${stackName}-Cluster-1/0123`);
    const to = (service: string) => ({ "iam:PassedToService": `${service}.amazonaws.com` });
    await allows(own, [
      ["ecs:RunTask", definition, cluster],
      ["iam:PassRole", runRole, to("ecs-tasks")],
    ]);
    await refuses(own, [
      ["ecs:RunTask", arn("ecs", "task-definition/theirs:1"), cluster],
      ["ecs:RunTask", definition, { "ecs:cluster": arn("ecs", "cluster/theirs") }],
      ["ecs:RunTask", definition, {}],
      ["ecs:StopTask", task, {}],
      ["iam:PassRole", runRole, to("lambda")],
      ["iam:PassRole", arn("iam", "role/admin", ""), to("ecs-tasks")],
      ["iam:PassRole", runRole.replace("slipway-run-", "slipway-deploy-"), to("ecs-tasks")],
    ]);
    await allows(accessRole(), [["ecs:StopTask", task, {}]]);
    for (const policies of [accessRole(), environmentsRole()])
      await refuses(policies, [["ecs:RunTask", definition, cluster]]);
    await refuses(accessRole(), [
      ["ecs:StopTask", arn("ecs", "task/theirs/0123"), {}],
      ["iam:PassRole", runRole, to("ecs-tasks")],
    ]);
  });

  test("S15: starts and builds of containers read only their environment's values, and what is tagged for it", async () => {
    const mine = `slipway/proj_1/${ENVIRONMENT}`;
    const theirs = "slipway/proj_1/env_02h455vb4pex5vsknk084sn02s";
    for (const kind of ["run", "build"] as const) {
      const policies = Object.values(roleOf(kind).policies);
      await allows(policies, [
        ["ssm:GetParameters", arn("ssm", `parameter/${mine}/NAME`), {}],
        ["secretsmanager:GetSecretValue", arn("secretsmanager", `secret:${mine}/svc_1/NAME-AbCdEf`), {}],
        ["ssm:GetParameters", arn("ssm", "parameter/shared"), { "aws:ResourceTag/slipway:readable": "true" }],
      ]);
      await refuses(policies, [
        ["ssm:GetParameters", arn("ssm", `parameter/${theirs}/NAME`), {}],
        ["secretsmanager:GetSecretValue", arn("secretsmanager", `secret:${theirs}/NAME-AbCdEf`), {}],
        ["ssm:GetParameters", arn("ssm", "parameter/shared"), {}],
        [
          "ssm:GetParameters",
          arn("ssm", "parameter/shared"),
          { "aws:ResourceTag/slipway:readable": "false" },
        ],
      ]);
    }
  });

  test("a preview's containers and builds also read their template's values for previews, and no other of it", async () => {
    const templateId = "env_02h455vb4pex5vsknk084sn02s";
    const place = { environmentId: ENVIRONMENT, serviceId: SERVICE };
    const read = (name: string) =>
      [
        ["ssm:GetParameters", arn("ssm", `parameter/slipway/proj_1/${name}`), {}],
        ["secretsmanager:GetSecretValue", arn("secretsmanager", `secret:slipway/proj_1/${name}-AbCdEf`), {}],
      ] as const;
    for (const role of ["run", "build"]) {
      const policiesOf = async (more: object) => {
        const { roles } = await makeRoles(python, decoded, [{ role, ...place, ...more }]);
        return Object.values(roles).flatMap(({ policies }) => Object.values(policies));
      };
      const ofPreview = await policiesOf({ templateId });
      await allows(ofPreview, [...read(`${templateId}/previews/NAME`), ...read(`${ENVIRONMENT}/NAME`)]);
      await refuses(ofPreview, [
        ...read(`${templateId}/NAME`),
        ...read(`${templateId}/svc_1/NAME`),
        ...read("env_03h455vb4pex5vsknk084sn02s/previews/NAME"),
      ]);
      await refuses(await policiesOf({}), read(`${templateId}/previews/NAME`));
      const tag = { "aws:ResourceTag/slipway:readable": "true" };
      const tagged = [
        ["ssm:GetParameters", arn("ssm", "parameter/shared"), tag],
        ["secretsmanager:GetSecretValue", arn("secretsmanager", "secret:shared-AbCdEf"), tag],
      ] as const;
      await allows(ofPreview, tagged);
      const ofFork = await policiesOf({ isFork: true });
      await allows(ofFork, read(`${ENVIRONMENT}/NAME`));
      await refuses(ofFork, [
        ...tagged,
        ["ecr:BatchGetImage", arn("ecr", "repository/shared"), tag],
        ...read(`${templateId}/previews/NAME`),
      ]);
    }
    const { answers } = await makeRoles(python, decoded, [{ role: "run", ...place, templateId: "*" }]);
    assert.equal(answers[0]?.error, "This is not a valid templateId.");
  });

  const store = "slipway-store-01h4";
  const database = arn("rds", `db:${store}`);
  const cache = arn("elasticache", `replicationgroup:${store}`);
  const storeSecret = (environment: string) =>
    arn("secretsmanager", `secret:slipway/stores/${environment}/previews/svc_1/0-1/password-AbCdEf`);
  const here = { "aws:ResourceAccount": ACCOUNT.accountId };

  test("only the stacks of data stores change stores of the connection, and none is public", async () => {
    const actions = [
      ["rds:CreateDBInstance", database],
      ["rds:RestoreDBInstanceFromDBSnapshot", database],
      ["rds:RestoreDBInstanceFromDBSnapshot", arn("rds", "snapshot:slipway-store-0123")],
      ["rds:ModifyDBInstance", database],
      ["rds:DeleteDBInstance", database],
      ["rds:AddTagsToResource", database],
      ["rds:CreateDBSubnetGroup", arn("rds", `subgrp:${store}-subnets-1`)],
      ["elasticache:CreateReplicationGroup", cache],
      ["elasticache:ModifyReplicationGroup", cache],
      ["elasticache:DeleteReplicationGroup", cache],
      ["elasticache:AddTagsToResource", cache],
      ["secretsmanager:GetSecretValue", storeSecret(ENVIRONMENT)],
      ["secretsmanager:DeleteSecret", storeSecret(ENVIRONMENT)],
    ] as const;
    await allows(deployRole(), [
      ...actions.map(([action, resource]) => [action, resource, own] as const),
      // A new store has no tag yet.
      ...actions.map(([action, resource]) => [action, resource, {}] as const),
      ["rds:CreateDBInstance", arn("rds", "pg:default.postgres17"), {}],
      ["rds:CreateDBInstance", arn("rds", "og:default:mysql-8-4"), {}],
      ["elasticache:CreateReplicationGroup", arn("elasticache", "parametergroup:default.valkey8"), {}],
      ["s3:PutBucketVersioning", "arn:aws:s3:::data-slipway-01h4", here],
    ]);
    const services = ["DeployNetworks", "DeployContainers", "DeployPlaces"].map((name) =>
      policyOf(decoded, name),
    );
    await refuses(
      [...services, ...Object.values(roleOf("deploy").policies)],
      actions.map(([action, resource]) => [action, resource, own] as const),
    );
    await refuses(accessRole(), [
      ...actions
        .filter(([action]) => !/AddTags|DeleteSecret/.test(action))
        .map(([action, resource]) => [action, resource, own] as const),
      ...["s3:GetObject", "s3:DeleteObject", "s3:ListBucket"].map(
        (action) => [action, "arn:aws:s3:::data-slipway-01h4/file", here] as const,
      ),
    ]);
    await refuses(deployRole(), [
      ...actions.map(
        ([action, resource]) =>
          [action, resource, { "aws:ResourceTag/slipway:connection": "aws_another" }] as const,
      ),
      ...["rds:CreateDBInstance", "rds:RestoreDBInstanceFromDBSnapshot"].map(
        (action) => [action, database, { "rds:PubliclyAccessible": "true" }] as const,
      ),
      ["rds:DeleteDBInstance", arn("rds", "db:theirs"), own],
      ["rds:ModifyDBSnapshotAttribute", arn("rds", "snapshot:slipway-store-0123"), own],
      ["rds:DeleteDBInstanceAutomatedBackup", database, own],
      ["elasticache:DeleteReplicationGroup", arn("elasticache", "replicationgroup:theirs"), own],
      [
        "secretsmanager:GetSecretValue",
        arn("secretsmanager", "secret:slipway/proj_1/env_1/NAME-AbCdEf"),
        own,
      ],
      ["secretsmanager:GetSecretValue", arn("secretsmanager", "secret:theirs"), own],
      ["s3:GetObject", "arn:aws:s3:::data-slipway-01h4/file", here],
    ]);
  });

  test("the reference lists each permission for data stores", async () => {
    const page = await readFile(new URL("../../docs/reference/aws.md", import.meta.url), "utf8");
    const table = page.slice(
      page.indexOf("For data stores, the stack's roles"),
      page.indexOf("So AccessRole"),
    );
    const ofAccess = accessRole().flatMap(({ Statement }) =>
      Statement.filter(({ Sid }) => Sid === "SnapshotStores" || Sid === "ProtectStores"),
    );
    const policy = policyOf(decoded, "DeployStores");
    const actions = actionsIn([{ ...policy, Statement: [...policy.Statement, ...ofAccess] }]);
    assert.ok(actions.length > 40, String(actions.length));
    const unlisted = actions.filter((action) => !table.includes(`\`${action.split(":")[1]}\``));
    assert.deepEqual(unlisted, []);
  });

  test("AccessRole takes and deletes snapshots of its stores, and sets the policy of no other stack", async () => {
    const snapshot = {
      rds: arn("rds", "snapshot:slipway-store-0123"),
      cache: arn("elasticache", "snapshot:slipway-store-0123"),
    };
    const actions = [
      ["rds:CreateDBSnapshot", database],
      ["rds:CreateDBSnapshot", snapshot.rds],
      ["rds:DeleteDBSnapshot", snapshot.rds],
      ["elasticache:CreateSnapshot", cache],
      ["elasticache:CreateSnapshot", snapshot.cache],
      ["elasticache:DeleteSnapshot", snapshot.cache],
    ] as const;
    const stack = (name: string) => arn("cloudformation", `stack/${name}/1`);
    const role = { "cloudformation:RoleArn": arn("iam", `role/slipway-deploy-${ACCOUNT.connectionId}`, "") };
    await allows(accessRole(), [
      ...actions.map(([action, resource]) => [action, resource, own] as const),
      ["cloudformation:SetStackPolicy", stack(store), {}],
      ["cloudformation:CreateStack", stack(store), role],
    ]);
    await refuses(accessRole(), [
      ...actions.map(
        ([action, resource]) =>
          [action, resource, { "aws:ResourceTag/slipway:connection": "aws_another" }] as const,
      ),
      ["rds:CreateDBSnapshot", arn("rds", "db:theirs"), own],
      ["rds:DeleteDBSnapshot", arn("rds", "snapshot:theirs"), own],
      ["rds:ModifyDBSnapshotAttribute", snapshot.rds, own],
      ["cloudformation:SetStackPolicy", stack("slipway-svc-a"), {}],
      ["cloudformation:CreateStack", stack(store), {}],
    ]);
  });

  test("containers read the secrets of the stores of their environment, and previews those of their template", async () => {
    const template = "env_02h455vb4pex5vsknk084sn02s";
    const read = (environment: string) =>
      ["secretsmanager:GetSecretValue", storeSecret(environment), {}] as const;
    const policies = Object.values(roleOf("run").policies);
    await allows(policies, [read(ENVIRONMENT)]);
    await refuses(policies, [read(template)]);
    const events = [{ role: "run", environmentId: ENVIRONMENT, templateId: template }];
    const { roles } = await makeRoles(python, decoded, events);
    await allows(
      Object.values(roles).flatMap((role) => Object.values(role.policies)),
      [read(template)],
    );
  });

  const cluster = arn("ecs", `cluster/${stackName}-Cluster-1`);
  const balancer = arn("elasticloadbalancing", "loadbalancer/app/slipw-Balan-1/50dc6c495c0c9188");
  const rule = arn("elasticloadbalancing", "listener-rule/app/slipw-Balan-1/1/2/3");

  test("W5: a template only changes and deletes workloads of the connection", async () => {
    const actions = [
      ["ec2:DeleteVpc", network],
      ["ec2:DeleteSubnet", arn("ec2", "subnet/subnet-1")],
      ["ec2:DeleteInternetGateway", arn("ec2", "internet-gateway/igw-1")],
      ["ec2:DeleteRouteTable", routes],
      ["ec2:DeleteRoute", routes],
      ["ec2:DeleteSecurityGroup", group],
      ["ec2:DetachInternetGateway", network],
      ["ecs:DeleteCluster", cluster],
      ["ecs:UpdateCluster", cluster],
      ["ecs:DeleteService", service],
      ["ecs:UpdateService", service],
      ["ecs:StopServiceDeployment", service],
      ["elasticloadbalancing:DeleteLoadBalancer", balancer],
      ["elasticloadbalancing:ModifyLoadBalancerAttributes", balancer],
      ["elasticloadbalancing:SetSecurityGroups", balancer],
      ["elasticloadbalancing:CreateListener", balancer],
      ["elasticloadbalancing:DeleteTargetGroup", arn("elasticloadbalancing", "targetgroup/slipw-Targe-1/1")],
      ["elasticloadbalancing:DeleteListener", arn("elasticloadbalancing", "listener/app/slipw-Balan-1/1/2")],
      ["elasticloadbalancing:CreateRule", arn("elasticloadbalancing", "listener/app/slipw-Balan-1/1/2")],
      ...["ModifyRule", "SetRulePriorities", "DeleteRule"].map(
        (action) => [`elasticloadbalancing:${action}`, rule] as const,
      ),
      ["cloudfront:UpdateVpcOrigin", arn("cloudfront", "vpcorigin/vo_1", "")],
      ["cloudfront:DeleteVpcOrigin", arn("cloudfront", "vpcorigin/vo_1", "")],
    ] as const;
    await allows(
      environmentsRole(),
      actions.map(([action, resource]) => [action, resource, own] as const),
    );
    await refuses(environmentsRole(), [
      ...actions.flatMap(([action, resource]) => foreign.map((tags) => [action, resource, tags] as const)),
      // Tagging makes none of them its own.
      ["ecs:TagResource", service, marked],
      ["elasticloadbalancing:AddTags", balancer, marked],
      ["cloudfront:TagResource", arn("cloudfront", "vpcorigin/vo_1", ""), marked],
      // Resources that the policies identify by name.
      ["ecs:DeleteCluster", arn("ecs", "cluster/theirs"), own],
      ["cloudfront:UpdateFunction", arn("cloudfront", "function/theirs", ""), {}],
      ["cloudfront:UpdateDistribution", distribution, own],
      ["s3:DeleteBucket", "arn:aws:s3:::theirs", { "aws:ResourceAccount": ACCOUNT.accountId }],
      ["ecr:DeleteRepository", arn("ecr", "repository/theirs"), {}],
      ["logs:DeleteLogGroup", arn("logs", "log-group:/aws/theirs"), {}],
      // A load balancer that the internet reaches.
      [
        "elasticloadbalancing:CreateLoadBalancer",
        balancer,
        { ...marked, "elasticloadbalancing:Scheme": "internet-facing" },
      ],
    ]);
    await allows(environmentsRole(), [
      [
        "elasticloadbalancing:CreateLoadBalancer",
        balancer,
        { ...marked, "elasticloadbalancing:Scheme": "internal" },
      ],
      ["ecs:CreateCluster", cluster, marked],
      ["ecs:TagResource", cluster, { ...marked, "ecs:CreateAction": "CreateCluster" }],
      ["application-autoscaling:DescribeScheduledActions", "*", {}],
      [
        "application-autoscaling:RegisterScalableTarget",
        arn("application-autoscaling", "scalable-target/1"),
        { "application-autoscaling:service-namespace": "ecs" },
      ],
    ]);
  });
});

/** `aws:RequestTag/${TagKey}` of the reference is any of them. */
function matchesKey(known: string, key: string): boolean {
  const prefix = known.replace(/\$\{.*$/, "").toLowerCase();
  return known.includes("${") ? key.toLowerCase().startsWith(prefix) : prefix === key.toLowerCase();
}
