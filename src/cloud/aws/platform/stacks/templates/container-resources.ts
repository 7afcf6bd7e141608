import type { RuntimeVariable, Workload, WorkloadSize } from "../../../../platform.ts";
import { LOG_DAYS } from "./build-resources.ts";
import { exportsOf, NETWORK_CIDR } from "./environment-template.ts";
import type { ServiceNames } from "../names.ts";
import { getAtt, importValue, ref, type Resources, sub } from "./template.ts";

type ContainerWorkload = Extract<Workload, { type: "web" | "worker" }>;

export type ContainerRelease = {
  readonly environmentId: string;
  /** The digest of the release's token; the names of its log streams begin with it. */
  readonly digest: string;
  readonly imageDigest: string;
  readonly variables: readonly RuntimeVariable[];
};

/** The port of the load balancer, for CloudFront and the other services of the environment. */
export const LOAD_BALANCER_PORT = 80;
const CONTAINER = "app";
/** How long running requests may take after the switch to another release. */
const DRAIN_SECONDS = 30;
/** Instances are added above this CPU usage, in percent. */
const SCALING_CPU_PERCENT = 70;

/**
 * The resources that run a container. ECS starts a release beside the running one, and stops the old one once
 * the new one is healthy. If it does not become healthy, ECS's circuit breaker rolls it back.
 * @throws RangeError for a size that Fargate does not offer
 */
export function containerResources(
  names: ServiceNames,
  runRoleArn: string,
  workload: ContainerWorkload,
  release: ContainerRelease,
): Resources {
  return {
    // The output of instances.
    RunLog: {
      Type: "AWS::Logs::LogGroup",
      Properties: { LogGroupName: names.runLog, RetentionInDays: LOG_DAYS },
    },
    // The image and how it runs: a new revision with each release.
    Task: {
      Type: "AWS::ECS::TaskDefinition",
      Properties: { Family: names.project, ...task(runRoleArn, workload, release) },
    },
    // Workers accept no connections; a web service accepts them from the load balancer only.
    InstanceAccess: {
      Type: "AWS::EC2::SecurityGroup",
      Properties: {
        GroupDescription: "Instances of a service of Slipway",
        VpcId: importValue(exportsOf(release.environmentId).network),
        SecurityGroupIngress:
          workload.type === "worker"
            ? []
            : [
                {
                  IpProtocol: "tcp",
                  FromPort: workload.port,
                  ToPort: workload.port,
                  SourceSecurityGroupId: getAtt("BalancerAccess", "GroupId"),
                },
              ],
      },
    },
    // Keeps the wanted number of instances running, and replaces them with each release.
    Service: {
      Type: "AWS::ECS::Service",
      // Without its listener, a target group has no load balancer, and ECS refuses the service.
      ...(workload.type === "web" ? { DependsOn: ["Listener"] } : {}),
      Properties: service(workload, release),
    },
    ...(workload.size.maxInstances > workload.size.minInstances ? scaling(workload, release) : {}),
    ...(workload.type === "web" ? balancer(workload, release, names) : {}),
  };
}

function task(
  runRoleArn: string,
  workload: ContainerWorkload,
  { digest, imageDigest, variables }: ContainerRelease,
): Readonly<Record<string, unknown>> {
  const size = fargateSize(workload.size);
  if (size === null) throw new RangeError("Fargate does not offer this size.");
  // The platform sets PORT.
  const given = workload.type === "web" ? variables.filter(({ name }) => name !== "PORT") : variables;
  const plain = given.flatMap((one) =>
    one.kind === "plainText" ? [{ Name: one.name, Value: one.value }] : [],
  );
  const secrets = given.flatMap((one) =>
    one.kind === "plainText" ? [] : [{ Name: one.name, ValueFrom: valueFrom(one.kind, one.reference) }],
  );
  return {
    RequiresCompatibilities: ["FARGATE"],
    NetworkMode: "awsvpc",
    ...size,
    // For ECS's agent. The container itself has no role: code of repositories has no permissions in the account.
    ExecutionRoleArn: runRoleArn,
    ContainerDefinitions: [
      {
        Name: CONTAINER,
        Image: { "Fn::Join": ["@", [getAtt("Images", "RepositoryUri"), imageDigest]] },
        Essential: true,
        ...(workload.startCommand === null
          ? {}
          : { EntryPoint: ["sh", "-c"], Command: [workload.startCommand] }),
        ...(workload.type === "web"
          ? { PortMappings: [{ ContainerPort: workload.port, Protocol: "tcp" }] }
          : {}),
        Environment: [
          ...(workload.type === "web" ? [{ Name: "PORT", Value: String(workload.port) }] : []),
          ...plain,
        ],
        Secrets: secrets,
        LogConfiguration: {
          LogDriver: "awslogs",
          Options: {
            "awslogs-group": ref("RunLog"),
            "awslogs-region": ref("AWS::Region"),
            "awslogs-stream-prefix": digest,
          },
        },
      },
    ],
  };
}

/** A parameter can be given by name or ARN; a secret only by ARN. */
function valueFrom(kind: "fromParameterStore" | "fromSecretsManager", reference: string): unknown {
  if (kind === "fromParameterStore" || reference.startsWith("arn:")) return reference;
  const place = sub("arn:${AWS::Partition}:secretsmanager:${AWS::Region}:${AWS::AccountId}:secret");
  return { "Fn::Join": [":", [place, reference]] };
}

function service(
  workload: ContainerWorkload,
  { environmentId }: ContainerRelease,
): Readonly<Record<string, unknown>> {
  const { size } = workload;
  const imports = exportsOf(environmentId);
  return {
    Cluster: importValue(imports.cluster),
    TaskDefinition: ref("Task"),
    LaunchType: "FARGATE",
    // If instances are scaled, a release must not reset their number.
    ...(size.maxInstances > size.minInstances ? {} : { DesiredCount: size.minInstances }),
    DeploymentConfiguration: {
      DeploymentCircuitBreaker: { Enable: true, Rollback: true },
      // All old instances stay until the new ones are healthy.
      MinimumHealthyPercent: 100,
      MaximumPercent: 200,
    },
    NetworkConfiguration: {
      AwsvpcConfiguration: {
        AssignPublicIp: "ENABLED",
        SecurityGroups: [getAtt("InstanceAccess", "GroupId")],
        Subnets: [importValue(imports.subnetA), importValue(imports.subnetB)],
      },
    },
    ...(workload.type === "web"
      ? {
          HealthCheckGracePeriodSeconds: 60,
          LoadBalancers: [
            {
              ContainerName: CONTAINER,
              ContainerPort: workload.port,
              TargetGroupArn: ref("Targets"),
            },
          ],
        }
      : {}),
  };
}

function scaling({ size }: ContainerWorkload, { environmentId }: ContainerRelease): Resources {
  const cluster = {
    "Fn::Select": [1, { "Fn::Split": ["/", importValue(exportsOf(environmentId).cluster)] }],
  };
  return {
    // The range for the number of instances.
    Scaling: {
      Type: "AWS::ApplicationAutoScaling::ScalableTarget",
      Properties: {
        ServiceNamespace: "ecs",
        ScalableDimension: "ecs:service:DesiredCount",
        ResourceId: { "Fn::Join": ["/", ["service", cluster, getAtt("Service", "Name")]] },
        MinCapacity: size.minInstances,
        MaxCapacity: size.maxInstances,
      },
    },
    // Changes the number by the instances' CPU usage.
    ScalingPolicy: {
      Type: "AWS::ApplicationAutoScaling::ScalingPolicy",
      Properties: {
        PolicyName: "cpu",
        PolicyType: "TargetTrackingScaling",
        ScalingTargetId: ref("Scaling"),
        TargetTrackingScalingPolicyConfiguration: {
          PredefinedMetricSpecification: { PredefinedMetricType: "ECSServiceAverageCPUUtilization" },
          TargetValue: SCALING_CPU_PERCENT,
        },
      },
    },
  };
}

function balancer(
  workload: Extract<Workload, { type: "web" }>,
  { environmentId }: ContainerRelease,
  names: ServiceNames,
): Resources {
  const imports = exportsOf(environmentId);
  return {
    // Open only to the environment's network, which includes CloudFront's VPC origin.
    BalancerAccess: {
      Type: "AWS::EC2::SecurityGroup",
      Properties: {
        GroupDescription: "Load balancer of a service of Slipway",
        VpcId: importValue(imports.network),
        SecurityGroupIngress: [
          {
            IpProtocol: "tcp",
            FromPort: LOAD_BALANCER_PORT,
            ToPort: LOAD_BALANCER_PORT,
            CidrIp: NETWORK_CIDR,
          },
        ],
      },
    },
    // One address for all instances, the same for every release. Internal: not reachable from the internet.
    Balancer: {
      Type: "AWS::ElasticLoadBalancingV2::LoadBalancer",
      Properties: {
        Type: "application",
        Scheme: "internal",
        Subnets: [importValue(imports.subnetA), importValue(imports.subnetB)],
        SecurityGroups: [getAtt("BalancerAccess", "GroupId")],
      },
    },
    // Which instances are healthy, by the service's health check.
    Targets: {
      Type: "AWS::ElasticLoadBalancingV2::TargetGroup",
      Properties: {
        TargetType: "ip",
        Protocol: "HTTP",
        Port: workload.port,
        VpcId: importValue(imports.network),
        HealthCheckPath: workload.healthCheckPath,
        HealthCheckIntervalSeconds: 10,
        HealthCheckTimeoutSeconds: 5,
        HealthyThresholdCount: 2,
        UnhealthyThresholdCount: 3,
        Matcher: { HttpCode: "200-399" },
        TargetGroupAttributes: [
          { Key: "deregistration_delay.timeout_seconds", Value: String(DRAIN_SECONDS) },
        ],
      },
    },
    // Routes requests to healthy instances.
    Listener: {
      Type: "AWS::ElasticLoadBalancingV2::Listener",
      Properties: {
        LoadBalancerArn: ref("Balancer"),
        Port: LOAD_BALANCER_PORT,
        Protocol: "HTTP",
        DefaultActions: [{ Type: "forward", TargetGroupArn: ref("Targets") }],
      },
    },
    // CloudFront's path to the internal load balancer.
    VpcOrigin: {
      Type: "AWS::CloudFront::VpcOrigin",
      // CloudFront refuses a load balancer without a listener.
      DependsOn: ["Listener"],
      Properties: {
        VpcOriginEndpointConfig: {
          Name: names.project,
          Arn: ref("Balancer"),
          HTTPPort: LOAD_BALANCER_PORT,
          OriginProtocolPolicy: "http-only",
        },
      },
    },
  };
}

/**
 * The sizes of Fargate: GiB from, to and in steps of, by CPU units
 * (https://docs.aws.amazon.com/AmazonECS/latest/developerguide/fargate-tasks-services.html#fargate-tasks-size).
 */
const SIZES: ReadonlyMap<number, readonly [number, number, number]> = new Map([
  [256, [0.5, 2, 0.5]],
  [512, [1, 4, 1]],
  [1_024, [2, 8, 1]],
  [2_048, [4, 16, 1]],
  [4_096, [8, 30, 1]],
  [8_192, [16, 60, 4]],
  [16_384, [32, 120, 8]],
]);

/** The size in CPU units and MiB, as in a task definition; null if Fargate does not offer it. Pure. */
export function fargateSize({ cpu, memoryGb }: WorkloadSize): { Cpu: string; Memory: string } | null {
  const [from, to, step] = SIZES.get(cpu * 1_024) ?? [0, -1, 1];
  const isOffered = memoryGb >= from && memoryGb <= to && (memoryGb - from) % step === 0;
  // The smallest CPU only has 0.5, 1 and 2 GiB.
  if (!isOffered || (cpu === 0.25 && memoryGb === 1.5)) return null;
  return { Cpu: String(cpu * 1_024), Memory: String(memoryGb * 1_024) };
}
