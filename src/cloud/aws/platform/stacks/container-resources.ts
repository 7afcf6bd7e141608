import type { RuntimeVariable, Workload } from "../../../platform.ts";
import { LOG_DAYS } from "./build-resources.ts";
import { exportsOf, NETWORK_CIDR } from "./environment-template.ts";
import { fargateSize } from "./fargate.ts";
import type { ServiceNames } from "./names.ts";
import { getAtt, importValue, ref, type Resources, sub } from "./template.ts";

type ContainerWorkload = Extract<Workload, { type: "web" | "worker" }>;

export type ContainerRelease = {
  readonly environmentId: string;
  /** Of the release's token; the streams of its log begin with it. */
  readonly digest: string;
  readonly imageDigest: string;
  readonly variables: readonly RuntimeVariable[];
};

/** Of the load balancer; CloudFront and the other services of the environment use it. */
export const LOAD_BALANCER_PORT = 80;
const CONTAINER = "app";
/** How long requests in flight may take after the switch to another release. */
const DRAIN_SECONDS = 30;
/** Instances are added above this part of their CPU, in percent. */
const SCALING_CPU_PERCENT = 70;

/**
 * What runs a container. ECS starts a release beside what runs and stops the old one once the new one is
 * healthy; its circuit breaker rolls back one that does not become so.
 * @throws RangeError for a size that Fargate does not have
 */
export function containerResources(
  names: ServiceNames,
  runRoleArn: string,
  workload: ContainerWorkload,
  release: ContainerRelease,
): Resources {
  return {
    // What instances print.
    RunLog: {
      Type: "AWS::Logs::LogGroup",
      Properties: { LogGroupName: names.runLog, RetentionInDays: LOG_DAYS },
    },
    // Which image runs how: a new revision with each release.
    Task: {
      Type: "AWS::ECS::TaskDefinition",
      Properties: { Family: names.project, ...task(runRoleArn, workload, release) },
    },
    // Nobody reaches a worker; a web service is reached by the load balancer alone.
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
    // Keeps the wanted number of instances running, and replaces them release by release.
    Service: {
      Type: "AWS::ECS::Service",
      // Without its listener, a target group belongs to no load balancer and the service is refused.
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
  if (size === null) throw new RangeError("Fargate has no such size.");
  // The port is the platform's to say.
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
    // For ECS's agent. The container itself gets no role: code of repositories has no rights in the account.
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

/** A parameter's name or ARN is taken as it is; of a secret, ECS wants the ARN. */
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
    // Where instances are scaled, their number is not to be set back with each release.
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
    // Between how many instances the number may move.
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
    // When it moves: by the CPU that instances use.
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
    // Open to the environment's network only, to which CloudFront's VPC origin belongs.
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
    // One address for all instances, the same from release to release. Internal: the internet does not reach it.
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
    // Leads requests to the healthy ones.
    Listener: {
      Type: "AWS::ElasticLoadBalancingV2::Listener",
      Properties: {
        LoadBalancerArn: ref("Balancer"),
        Port: LOAD_BALANCER_PORT,
        Protocol: "HTTP",
        DefaultActions: [{ Type: "forward", TargetGroupArn: ref("Targets") }],
      },
    },
    // The way of CloudFront to the internal load balancer.
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
