import {
  type Autoscaling,
  AUTOSCALING_DEFAULT,
  type Command,
  HEALTH_CHECK_DEFAULTS,
  LOG_RETENTION_DEFAULT,
  type RuntimeVariable,
  type Workload,
} from "../../../../platform.ts";
import { ownBalancerResources, placeResources } from "./balancer-resources.ts";
import { fargateSize } from "./fargate-size.ts";
import { networkExportsOf } from "./network-exports.ts";
import { isRegistryImage, type ServiceNames } from "../names.ts";
import { getAtt, importValue, ref, type Resources, sub } from "./template.ts";

export type ContainerWorkload = Exclude<Workload, { type: "static" }>;
/** With instances. */
type RunningWorkload = Exclude<ContainerWorkload, { type: "scheduler" }>;

export type ContainerRelease = CommandRelease & {
  readonly serviceId: string;
  /** Null for a worker. */
  readonly routing: Routing | null;
};

export type CommandRelease = {
  readonly networkId: string;
  /** The digest of the release's token; the names of its instances' log streams begin with it. */
  readonly digest: string;
  /** The address of the repository of the service's own images. */
  readonly images: unknown;
  /** The digest of one of them, or the name of another image with its digest. */
  readonly artifact: string;
  readonly variables: readonly RuntimeVariable[];
};

/**
 * How requests reach a web service.
 * - `own`: by a load balancer of its own, which no other service uses.
 * - `shared`: by the load balancer of its network, at this place.
 * - `both`: by the shared one, while something may still know the address of its own.
 */
export type Routing = { readonly kind: "own" } | { readonly kind: "shared" | "both"; readonly place: number };

/** The function of the connection's stack gives this container the command of an execution. */
const CONTAINER = "app";
/** The output of a service's stack with the ARN of its ECS service. */
export const ECS_SERVICE_OUTPUT = "EcsService";
/** How long running requests may take after the switch to another release. */
const DRAIN_SECONDS = 30;

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
  const routes = routesOf(release);
  return {
    ...commandResources({ log: names.runLog, family: names.runs }, runRoleArn, workload, release, routes),
    ...(workload.type === "scheduler" ? {} : instanceResources(names, runRoleArn, workload, release, routes)),
  };
}

/** How commands run in the image of a release, with the log and the group that its instances have, too. */
export function commandResources(
  { log, family }: { readonly log: string; readonly family: string },
  runRoleArn: string,
  workload: ContainerWorkload,
  release: CommandRelease,
  routes: readonly Route[],
): Resources {
  return {
    // The output of instances.
    RunLog: {
      Type: "AWS::Logs::LogGroup",
      Properties: {
        LogGroupName: log,
        RetentionInDays: workload.logRetentionDays ?? LOG_RETENTION_DEFAULT,
      },
    },
    // How commands run in the image, each started with its command and size.
    Runs: {
      Type: "AWS::ECS::TaskDefinition",
      Properties: { Family: family, ...task(runRoleArn, workload, release, null) },
    },
    // Workers and commands accept no connections; a web service accepts them from the load balancer only.
    InstanceAccess: {
      Type: "AWS::EC2::SecurityGroup",
      Properties: {
        GroupDescription: "Instances of a service of Slipway",
        VpcId: importValue(networkExportsOf(release.networkId).network),
        SecurityGroupIngress:
          workload.type !== "web"
            ? []
            : routes.map(({ access }) => ({
                IpProtocol: "tcp",
                FromPort: workload.port,
                ToPort: workload.port,
                SourceSecurityGroupId: access,
              })),
      },
    },
  };
}

function instanceResources(
  names: ServiceNames,
  runRoleArn: string,
  workload: RunningWorkload,
  release: ContainerRelease,
  routes: readonly Route[],
): Resources {
  return {
    // The image and how it runs: a new revision with each release.
    Task: {
      Type: "AWS::ECS::TaskDefinition",
      Properties: {
        Family: names.project,
        ...task(runRoleArn, workload, release, workload),
      },
    },
    // Keeps the wanted number of instances running, and replaces them with each release.
    Service: {
      Type: "AWS::ECS::Service",
      // Without its listener, a target group has no load balancer, and ECS refuses the service.
      ...(workload.type === "web" ? { DependsOn: routes.flatMap(({ needs }) => needs) } : {}),
      Properties: service(workload, release, routes),
    },
    ...(workload.size.maxInstances > workload.size.minInstances ? scaling(workload, release, routes) : {}),
    ...(workload.type === "web" ? routeResources(workload, release, names) : {}),
  };
}

/** A load balancer's way to the instances: from which group it connects, and what must exist before them. */
type Route = { readonly targets: string; readonly access: unknown; readonly needs: readonly string[] };

function routesOf({ routing, networkId }: ContainerRelease): readonly Route[] {
  if (routing === null) return [];
  const shared: Route = {
    targets: "PlaceTargets",
    access: importValue(networkExportsOf(networkId).balancerAccess),
    needs: ["Rule", "Address"],
  };
  const own: Route = {
    targets: "Targets",
    access: getAtt("BalancerAccess", "GroupId"),
    needs: ["Listener"],
  };
  return routing.kind === "own" ? [own] : routing.kind === "shared" ? [shared] : [own, shared];
}

function routeResources(
  workload: Extract<Workload, { type: "web" }>,
  { serviceId, networkId, routing }: ContainerRelease,
  { project }: ServiceNames,
): Resources {
  if (routing === null) throw new TypeError("A web service needs a load balancer.");
  const group = targets(workload, networkId);
  return {
    ...(routing.kind === "shared" ? {} : { Targets: group, ...ownBalancerResources(networkId, project) }),
    ...(routing.kind === "own"
      ? {}
      : { PlaceTargets: group, ...placeResources(serviceId, networkId, routing.place) }),
  };
}

/** @param instance null: for commands */
function task(
  runRoleArn: string,
  workload: ContainerWorkload,
  { digest, images, artifact, variables }: CommandRelease,
  instance: RunningWorkload | null,
): Readonly<Record<string, unknown>> {
  const size = fargateSize(workload.size);
  if (size === null) throw new RangeError("Fargate does not offer this size.");
  // The platform sets PORT.
  const given = workload.type === "web" ? variables.filter(({ name }) => name !== "PORT") : variables;
  const plain = given.flatMap((one) =>
    one.kind === "plainText" ? [{ Name: one.name, Value: one.value }] : [],
  );
  const secrets = given.flatMap((one) =>
    "reference" in one ? [{ Name: one.name, ValueFrom: valueFrom(one.kind, one.reference) }] : [],
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
        Image: isRegistryImage(artifact) ? artifact : { "Fn::Join": ["@", [images, artifact]] },
        Essential: true,
        ...(instance === null ? ofCommand() : ofInstance(instance)),
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
            "awslogs-stream-prefix": instance === null ? commandLogOf(digest) : digest,
          },
        },
      },
    ],
  };
}

/** Replaces the image's entry point, and with it the image's arguments. A list needs no shell in the image. */
function programOf(command: Command): Readonly<Record<string, readonly string[]>> {
  if (typeof command === "string") return { EntryPoint: ["sh", "-c"], Command: [command] };
  const [program = "", ...words] = command;
  return { EntryPoint: [program], ...(words.length === 0 ? {} : { Command: words }) };
}

function ofInstance(workload: RunningWorkload): Readonly<Record<string, unknown>> {
  return {
    ...(workload.startCommand === null ? {} : programOf(workload.startCommand)),
    ...(workload.type === "web" ? { PortMappings: [{ ContainerPort: workload.port, Protocol: "tcp" }] } : {}),
  };
}

/** A start can replace the command, but not the entry point. */
function ofCommand(): Readonly<Record<string, unknown>> {
  return {
    EntryPoint: ["sh", "-c"],
    Command: ["exit 1"],
    // Otherwise the shell is process 1, which ignores the request to stop.
    LinuxParameters: { InitProcessEnabled: true },
  };
}

/** What the names of the log streams of a release's commands begin with. */
function commandLogOf(digest: string): string {
  return `${digest}-run`;
}

/** The log stream of a command. @param task the id of its task */
export function commandStreamOf(digest: string, task: string): string {
  return `${commandLogOf(digest)}/${CONTAINER}/${task}`;
}

/** A parameter can be given by name or ARN; a secret only by ARN. */
function valueFrom(kind: "fromParameterStore" | "fromSecretsManager", reference: string): unknown {
  if (kind === "fromParameterStore" || reference.startsWith("arn:")) return reference;
  const place = sub("arn:${AWS::Partition}:secretsmanager:${AWS::Region}:${AWS::AccountId}:secret");
  return { "Fn::Join": [":", [place, reference]] };
}

function service(
  workload: RunningWorkload,
  { networkId }: ContainerRelease,
  routes: readonly Route[],
): Readonly<Record<string, unknown>> {
  const { size } = workload;
  const imports = networkExportsOf(networkId);
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
          HealthCheckGracePeriodSeconds:
            workload.healthCheckGracePeriodSeconds ?? HEALTH_CHECK_DEFAULTS.gracePeriodSeconds,
          LoadBalancers: routes.map(({ targets: group }) => ({
            ContainerName: CONTAINER,
            ContainerPort: workload.port,
            TargetGroupArn: ref(group),
          })),
        }
      : {}),
  };
}

function scaling(
  { size, autoscaling = AUTOSCALING_DEFAULT }: RunningWorkload,
  { networkId, routing }: ContainerRelease,
  routes: readonly Route[],
): Resources {
  const cluster = {
    "Fn::Select": [1, { "Fn::Split": ["/", importValue(networkExportsOf(networkId).cluster)] }],
  };
  const { cpuThreshold, memoryThreshold, requestsPerTarget }: Autoscaling = autoscaling;
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
    ...(cpuThreshold === undefined
      ? {}
      : { ScalingPolicy: policy("cpu", "ECSServiceAverageCPUUtilization", cpuThreshold) }),
    ...(memoryThreshold === undefined
      ? {}
      : { ScalingByMemory: policy("memory", "ECSServiceAverageMemoryUtilization", memoryThreshold) }),
    ...(requestsPerTarget === undefined || routing === null
      ? {}
      : { ScalingByRequests: requestPolicy(requestsPerTarget, routing, networkId, routes) }),
  };
}

/** Changes the number of instances by a metric. */
function policy(name: string, metric: string, target: number, more: object = {}): Resources[string] {
  return {
    Type: "AWS::ApplicationAutoScaling::ScalingPolicy",
    Properties: {
      PolicyName: name,
      PolicyType: "TargetTrackingScaling",
      ScalingTargetId: ref("Scaling"),
      TargetTrackingScalingPolicyConfiguration: {
        PredefinedMetricSpecification: { PredefinedMetricType: metric, ...more },
        TargetValue: target,
      },
    },
  };
}

/** The metric has the names of the load balancer and of the target group, which must be connected. */
function requestPolicy(
  requestsPerTarget: number,
  routing: Routing,
  networkId: string,
  routes: readonly Route[],
): Resources[string] {
  const isOwn = routing.kind === "own";
  const balancer = isOwn
    ? getAtt("Balancer", "LoadBalancerFullName")
    : // The part of its ARN behind "loadbalancer/".
      {
        "Fn::Select": [
          1,
          { "Fn::Split": ["loadbalancer/", importValue(networkExportsOf(networkId).balancer)] },
        ],
      };
  const group = getAtt(isOwn ? "Targets" : "PlaceTargets", "TargetGroupFullName");
  const label = { ResourceLabel: { "Fn::Join": ["/", [balancer, group]] } };
  return {
    ...policy("requests", "ALBRequestCountPerTarget", requestsPerTarget, label),
    DependsOn: routes.flatMap(({ needs }) => needs),
  };
}

/** Which instances are healthy, by the service's health check. */
function targets(workload: Extract<Workload, { type: "web" }>, networkId: string): Resources[string] {
  return {
    Type: "AWS::ElasticLoadBalancingV2::TargetGroup",
    Properties: {
      TargetType: "ip",
      Protocol: "HTTP",
      Port: workload.port,
      VpcId: importValue(networkExportsOf(networkId).network),
      HealthCheckPath: workload.healthCheckPath,
      HealthCheckIntervalSeconds:
        workload.healthCheckIntervalSeconds ?? HEALTH_CHECK_DEFAULTS.intervalSeconds,
      HealthCheckTimeoutSeconds: workload.healthCheckTimeoutSeconds ?? HEALTH_CHECK_DEFAULTS.timeoutSeconds,
      HealthyThresholdCount: 2,
      UnhealthyThresholdCount: 3,
      Matcher: { HttpCode: "200-399" },
      TargetGroupAttributes: [{ Key: "deregistration_delay.timeout_seconds", Value: String(DRAIN_SECONDS) }],
    },
  };
}
