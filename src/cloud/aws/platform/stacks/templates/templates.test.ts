import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { HealthCheckTimes, Workload } from "../../../../platform.ts";
import { fargateSize } from "./fargate-size.ts";
import { environmentTemplate } from "./environment-template.ts";
import { serviceTemplate } from "./service-template.ts";
import {
  ACCOUNT,
  allTemplates,
  BUILD_ROLE,
  CACHE,
  DATABASE,
  IMAGE,
  releaseTemplate,
  RUN_ROLE,
  SERVICE,
  SIZE,
  templateOfStore,
  VARIABLES,
  WEB,
} from "./testing-templates.ts";
import type { Template } from "./template.ts";

const WORKER = { type: "worker", buildCommand: null, startCommand: null, size: SIZE } as const;

type Statement = { readonly Action: unknown; readonly Resource: unknown; readonly Condition?: unknown };

function typesIn({ Resources }: Template): readonly string[] {
  return Object.values(Resources).map(({ Type }) => Type);
}

function containerOf({ Resources }: Template): Record<string, unknown> {
  const containers = Resources["Task"]?.Properties["ContainerDefinitions"] as
    | Record<string, unknown>[]
    | undefined;
  const container = containers?.[0];
  assert.ok(container);
  return container;
}

describe("templates of services", () => {
  test("are the same for the same input", () => {
    assert.deepEqual([...allTemplates()], [...allTemplates()]);
  });

  test("give an environment one load balancer, once it has a web service, and the service none", () => {
    const balancers = (template: Template) =>
      typesIn(template).filter((type) => type === "AWS::ElasticLoadBalancingV2::LoadBalancer").length;
    const { environmentId } = SERVICE;
    assert.equal(balancers(environmentTemplate(environmentId, { hasBalancer: false })), 0);
    assert.equal(balancers(environmentTemplate(environmentId, { hasBalancer: true })), 1);
    assert.equal(balancers(releaseTemplate(WEB)), 0);
  });

  test("send CloudFront's requests to a service by its header, and others' by its port", () => {
    const { Rule, Address } = releaseTemplate(WEB, [], IMAGE, { kind: "shared", place: 7 }).Resources;
    assert.equal(Rule?.Properties["Priority"], 7);
    assert.deepEqual(Rule.Properties["Conditions"], [
      {
        Field: "http-header",
        HttpHeaderConfig: { HttpHeaderName: "x-slipway-service", Values: [SERVICE.serviceId] },
      },
    ]);
    assert.equal(Address?.Properties["Port"], 10_007);
  });

  test("attach a moving service to both load balancers, and let both connect", () => {
    const { Service, InstanceAccess } = releaseTemplate(WEB, [], IMAGE, { kind: "both", place: 1 }).Resources;
    const groups = Service?.Properties["LoadBalancers"] as readonly { TargetGroupArn: unknown }[];
    assert.deepEqual(
      groups.map(({ TargetGroupArn }) => TargetGroupArn),
      [{ Ref: "Targets" }, { Ref: "PlaceTargets" }],
    );
    assert.deepEqual([...(Service?.DependsOn ?? [])].sort(), ["Address", "Listener", "Rule"]);
    const ingress = InstanceAccess?.Properties["SecurityGroupIngress"] as unknown[] | undefined;
    assert.equal(ingress?.length, 2);
  });

  test("check the health of a web service at the times that it asks for, or at the usual ones", () => {
    const timesOf = (times: HealthCheckTimes) => {
      const { PlaceTargets, Service } = releaseTemplate({ ...WEB, ...times }).Resources;
      return [
        PlaceTargets?.Properties["HealthCheckIntervalSeconds"],
        PlaceTargets?.Properties["HealthCheckTimeoutSeconds"],
        Service?.Properties["HealthCheckGracePeriodSeconds"],
      ];
    };
    assert.deepEqual(timesOf({}), [10, 5, 60]);
    const healthCheckGracePeriodSeconds = 300;
    const asked = {
      healthCheckIntervalSeconds: 30,
      healthCheckTimeoutSeconds: 20,
      healthCheckGracePeriodSeconds,
    };
    assert.deepEqual(timesOf(asked), [30, 20, 300]);
  });

  test("keep the output of instances for as many days as a service asks for, and that of builds for 30", () => {
    const daysOf = (more: object) => {
      const { RunLog, BuildLog } = releaseTemplate({ ...WEB, ...more }).Resources;
      return [RunLog, BuildLog].map((log) => log?.Properties["RetentionInDays"]);
    };
    assert.deepEqual(
      [daysOf({}), daysOf({ logRetentionDays: 365 })],
      [
        [30, 30],
        [365, 30],
      ],
    );
  });

  test("of a preview use the network of its template, and their own values", () => {
    const preview = { ...SERVICE, environmentId: "env_preview", networkId: "env_template" };
    const common = { digest: "0123456789abcdef", workload: WEB, artifact: IMAGE, variables: [] };
    const release = { ...common, runRole: RUN_ROLE, routing: { kind: "shared", place: 1 } } as const;
    const text = JSON.stringify(serviceTemplate(ACCOUNT, preview, BUILD_ROLE, release));
    assert.match(text, /slipway-env-template-cluster/);
    assert.doesNotMatch(text, /slipway-env-preview/);
  });

  test("give a worker no open port", () => {
    const worker = releaseTemplate(WORKER);
    assert.ok(!typesIn(worker).some((type) => /LoadBalancing|CloudFront/.test(type)));
    assert.deepEqual(worker.Resources["InstanceAccess"]?.Properties["SecurityGroupIngress"], []);
  });

  test("of data stores keep, encrypt and hide the data, and let only the environment in", () => {
    const databases = [
      templateOfStore(DATABASE),
      templateOfStore({ ...DATABASE, type: "mysql", version: "8.4" }),
    ];
    for (const { Resources } of [...databases, templateOfStore(CACHE)]) {
      assert.deepEqual(
        [Resources["Data"]?.DeletionPolicy, Resources["Data"]?.UpdateReplacePolicy],
        ["Snapshot", "Snapshot"],
      );
      const ingress = Resources["Access"]?.Properties["SecurityGroupIngress"] as { CidrIp: string }[];
      assert.deepEqual(
        ingress.map(({ CidrIp }) => CidrIp),
        ["10.0.0.0/16"],
      );
    }
    for (const { Resources } of databases) {
      const { StorageEncrypted, PubliclyAccessible, DeletionProtection, DeleteAutomatedBackups, ...rest } =
        Resources["Data"]?.Properties ?? {};
      assert.deepEqual(
        [StorageEncrypted, PubliclyAccessible, DeletionProtection, DeleteAutomatedBackups],
        [true, false, true, false],
      );
      assert.deepEqual([rest["BackupRetentionPeriod"], rest["CopyTagsToSnapshot"]], [7, true]);
    }
    const cache = templateOfStore(CACHE).Resources["Data"]?.Properties;
    assert.deepEqual([cache?.["TransitEncryptionEnabled"], cache?.["AtRestEncryptionEnabled"]], [true, true]);
    assert.ok(cache?.["AuthToken"]);
    const { Data, Policy } = templateOfStore({ type: "bucket", deletionProtection: true }).Resources;
    assert.equal(Data?.DeletionPolicy, "RetainExceptOnCreate");
    assert.deepEqual(Object.values(Data?.Properties["PublicAccessBlockConfiguration"] ?? {}), [
      true,
      true,
      true,
      true,
    ]);
    assert.match(JSON.stringify(Policy?.Properties), /"Deny".*"aws:SecureTransport":"false"/);
  });

  test("of data stores never have a password, and give data up only for a removal", () => {
    for (const shape of [DATABASE, CACHE]) {
      const template = templateOfStore(shape);
      const { Password, Connection } = template.Resources;
      assert.ok(Password?.Properties["GenerateSecretString"]);
      assert.match(
        JSON.stringify(Connection?.Properties["SecretString"]),
        /\{\{resolve:secretsmanager:\$\{Password\}\}\}/,
      );
      const removable = templateOfStore(shape, { isRemovable: true });
      assert.equal(removable.Resources["Data"]?.DeletionPolicy, "Delete");
      assert.deepEqual(
        [template.Outputs["Removable"], removable.Outputs["Removable"]],
        [undefined, { Value: "true" }],
      );
    }
    const removed = templateOfStore(DATABASE, { isRemovable: true }).Resources["Data"];
    assert.equal(removed?.Properties["DeletionProtection"], false);
  });

  test("run the image by its digest, never by a tag", () => {
    assert.match(JSON.stringify(containerOf(releaseTemplate(WEB))["Image"]), new RegExp(`"@".*"${IMAGE}"`));
  });

  test("run a line in a shell, and a list without one, instead of the image's entry point", () => {
    const programOf = (startCommand: string | readonly string[] | null) => {
      const { EntryPoint, Command } = containerOf(releaseTemplate({ ...WEB, startCommand }));
      return [EntryPoint, Command];
    };
    assert.deepEqual(programOf("node 'a b.js' $X"), [["sh", "-c"], ["node 'a b.js' $X"]]);
    assert.deepEqual(programOf(["node", "a b.js", "$X"]), [["node"], ["a b.js", "$X"]]);
    assert.deepEqual(programOf(["/server"]), [["/server"], undefined]);
    assert.deepEqual(programOf(null), [undefined, undefined]);
  });

  test("contain managed variables as references, plain ones unchanged, and the platform's port", () => {
    const { Environment, Secrets } = containerOf(releaseTemplate(WEB, VARIABLES));
    assert.deepEqual(Environment, [
      { Name: "PORT", Value: "3000" },
      { Name: "PLAIN", Value: "a ${Ref} that is none" },
    ]);
    assert.deepEqual(
      (Secrets as { Name: string; ValueFrom: unknown }[]).map(({ Name, ValueFrom }) => [
        Name,
        typeof ValueFrom === "string" ? ValueFrom : "an ARN made of the name",
      ]),
      [
        ["STORED", "/slipway/stored"],
        ["SECRET", "arn:aws:secretsmanager:us-west-2:123456789012:secret:slipway/s-AbCdEf"],
        ["NAMED", "an ARN made of the name"],
      ],
    );
  });

  test("give containers no role; their start and their builds use roles from the connection's stack", () => {
    const { Resources } = releaseTemplate(WEB);
    assert.equal(Resources["Task"]?.Properties["TaskRoleArn"], undefined);
    assert.equal(Resources["Task"]?.Properties["ExecutionRoleArn"], RUN_ROLE);
    assert.equal(Resources["Build"]?.Properties["ServiceRole"], BUILD_ROLE);
  });

  test("run commands of every container service in a shell, with its variables, apart from its instances", () => {
    const scheduler = { type: "scheduler", buildCommand: null, size: SIZE } as const;
    for (const workload of [WEB, WORKER, scheduler]) {
      const { Resources, Outputs } = releaseTemplate(workload, VARIABLES);
      const { Runs, Task, Service } = Resources;
      assert.equal(Task === undefined && Service === undefined, workload.type === "scheduler");
      assert.equal(Runs?.Properties["TaskRoleArn"], undefined);
      assert.equal(Runs?.Properties["ExecutionRoleArn"], RUN_ROLE);
      const [command] = Runs.Properties["ContainerDefinitions"] as Record<string, unknown>[];
      assert.deepEqual(command?.["EntryPoint"], ["sh", "-c"]);
      assert.equal(command["PortMappings"], undefined);
      assert.match(
        JSON.stringify(command["LogConfiguration"]),
        /"awslogs-stream-prefix":"0123456789abcdef-run"/,
      );
      assert.equal((command["Secrets"] as readonly unknown[]).length, 3);
      assert.deepEqual(Outputs["RunRelease"], { Value: "0123456789abcdef" });
    }
  });

  test("S6: create no role", () => {
    for (const [name, template] of allTemplates()) {
      const hasRole = typesIn(template).some((type) => type.startsWith("AWS::IAM::"));
      assert.equal(hasRole, name.includes("version 1"), name);
    }
  });

  describe("in a connection of version 1", () => {
    const { Resources } = serviceTemplate(ACCOUNT, SERVICE, null, null);
    const role = Resources["BuildRole"];

    test("have the role of their builds, inside its boundary", () => {
      assert.match(String(role?.Properties["PermissionsBoundary"]), /:policy\/slipway-build-/);
      assert.deepEqual(Resources["Build"]?.Properties["ServiceRole"], { "Fn::GetAtt": ["BuildRole", "Arn"] });
    });

    test("let builds read their environment's managed variables, and the customer's own that are tagged for it", () => {
      const readBy = (of: typeof role) => {
        assert.ok(of);
        const [policy] = of.Properties["Policies"] as { PolicyDocument: { Statement: Statement[] } }[];
        const reading = policy?.PolicyDocument.Statement.filter(({ Action }) =>
          /Get(?:Parameters|SecretValue)/.test(String(Action)),
        );
        return reading?.map(({ Resource, Condition }) => [
          (Resource as { "Fn::Sub": string }[]).map((one) => one["Fn::Sub"].split("AccountId}:")[1]),
          Condition,
        ]);
      };
      const own = [
        [`parameter/slipway/*/${SERVICE.environmentId}/*`, `secret:slipway/*/${SERVICE.environmentId}/*`],
        undefined,
      ];
      const tagged = { StringEquals: { "aws:ResourceTag/slipway:readable": "true" } };
      assert.deepEqual(readBy(role), [own, [["parameter/*", "secret:*"], tagged]]);
      const ofFork = serviceTemplate(ACCOUNT, { ...SERVICE, isFork: true }, null, null).Resources[
        "BuildRole"
      ];
      assert.deepEqual(readBy(ofFork), [own], "not for the code of a fork");
    });
  });

  test("do not reset the number of instances if it is scaled", () => {
    const scaled = releaseTemplate({ ...WEB, size: { ...SIZE, minInstances: 2, maxInstances: 4 } });
    assert.equal(scaled.Resources["Service"]?.Properties["DesiredCount"], undefined);
    assert.equal(scaled.Resources["Scaling"]?.Properties["MinCapacity"], 2);
    assert.equal(releaseTemplate(WEB).Resources["Service"]?.Properties["DesiredCount"], 1);
  });

  test("scale by what a service asks for, or by CPU", () => {
    const size = { ...SIZE, maxInstances: 4 };
    const policiesOf = (workload: Workload) =>
      Object.values(releaseTemplate(workload).Resources)
        .filter(({ Type }) => Type === "AWS::ApplicationAutoScaling::ScalingPolicy")
        .map(({ Properties }) => {
          const { PredefinedMetricSpecification, TargetValue } = Properties[
            "TargetTrackingScalingPolicyConfiguration"
          ] as { PredefinedMetricSpecification: { PredefinedMetricType: string }; TargetValue: number };
          return [PredefinedMetricSpecification.PredefinedMetricType, TargetValue];
        });
    assert.deepEqual(policiesOf(WEB), []);
    assert.deepEqual(policiesOf({ ...WEB, size }), [["ECSServiceAverageCPUUtilization", 70]]);
    const autoscaling = { memoryThreshold: 75, requestsPerTarget: 500 };
    assert.deepEqual(policiesOf({ ...WEB, size, autoscaling }), [
      ["ECSServiceAverageMemoryUtilization", 75],
      ["ALBRequestCountPerTarget", 500],
    ]);
    assert.deepEqual(policiesOf({ ...WORKER, size, autoscaling: { cpuThreshold: 50 } }), [
      ["ECSServiceAverageCPUUtilization", 50],
    ]);
  });

  test("count the requests of the load balancer that CloudFront uses, once the service is connected to it", () => {
    const size = { ...SIZE, maxInstances: 4 };
    const workload = { ...WEB, size, autoscaling: { requestsPerTarget: 500 } };
    const { ScalingByRequests } = releaseTemplate(workload).Resources;
    assert.deepEqual(ScalingByRequests?.DependsOn, ["Rule", "Address"]);
    const own = releaseTemplate(workload, [], IMAGE, { kind: "own" }).Resources["ScalingByRequests"];
    const labels = [ScalingByRequests, own].map((one) => JSON.stringify(one?.Properties));
    assert.match(labels[0] ?? "", /"PlaceTargets","TargetGroupFullName"/);
    assert.match(labels[1] ?? "", /"Balancer","LoadBalancerFullName".*"Targets","TargetGroupFullName"/);
  });

  test("let ECS roll back a release that does not become healthy", () => {
    assert.deepEqual(releaseTemplate(WEB).Resources["Service"]?.Properties["DeploymentConfiguration"], {
      DeploymentCircuitBreaker: { Enable: true, Rollback: true },
      MinimumHealthyPercent: 100,
      MaximumPercent: 200,
    });
  });
});

describe("a size of Fargate", () => {
  const sizes: readonly [number, number, boolean][] = [
    [0.25, 0.5, true],
    [0.25, 1.5, false],
    [0.25, 2, true],
    [0.25, 3, false],
    [0.5, 0.5, false],
    [1, 8, true],
    [1, 2.5, false],
    [3, 8, false],
    [8, 18, false],
    [8, 20, true],
    [16, 120, true],
    [16, 36, false],
  ];
  for (const [cpu, memoryGb, isOffered] of sizes) {
    test(`${cpu} vCPU with ${memoryGb} GiB is ${isOffered ? "offered" : "refused"}`, () => {
      const expected = isOffered ? { Cpu: String(cpu * 1024), Memory: String(memoryGb * 1024) } : null;
      assert.deepEqual(fargateSize({ ...SIZE, cpu, memoryGb }), expected);
    });
  }
});
