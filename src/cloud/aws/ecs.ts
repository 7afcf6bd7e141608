/**
 * The three calls of ECS that the adapter makes, to tell why instances did not start; all else of ECS is
 * CloudFormation's. The SDK's own client of ECS is 7 MB for them, so that, as with IAM (`iam.ts`), the client
 * of a service that speaks the same protocol sends them: CodeBuild's.
 * https://docs.aws.amazon.com/AmazonECS/latest/APIReference/Welcome.html
 */
import {
  BatchGetBuildsCommand,
  CodeBuildClient,
  type CodeBuildClientConfig,
} from "@aws-sdk/client-codebuild";
import { INSTANT, NUMBER, type Operation, shapesOf, TEXT, TEXTS } from "./shapes.ts";

export type EcsTask = {
  readonly createdAt?: Date;
  readonly stoppedAt?: Date;
  readonly stoppedReason?: string;
  readonly containers?: readonly { readonly exitCode?: number; readonly reason?: string }[];
};
export type EcsService = {
  /** Newest first. */
  readonly events?: readonly { readonly createdAt?: Date; readonly message?: string }[];
};

const NAMESPACE = "com.amazonaws.ecs";
const { structure, listOf, operation } = shapesOf(NAMESPACE);

const LIST_TASKS = operation(
  "ListTasks",
  structure("ListTasksRequest", { cluster: TEXT, family: TEXT, desiredStatus: TEXT, maxResults: NUMBER }),
  structure("ListTasksResponse", { taskArns: TEXTS }),
);
const DESCRIBE_TASKS = operation(
  "DescribeTasks",
  structure("DescribeTasksRequest", { cluster: TEXT, tasks: TEXTS }),
  structure("DescribeTasksResponse", {
    tasks: listOf(
      "Tasks",
      structure("Task", {
        createdAt: INSTANT,
        stoppedAt: INSTANT,
        stoppedReason: TEXT,
        containers: listOf("Containers", structure("Container", { exitCode: NUMBER, reason: TEXT })),
      }),
    ),
  }),
);
const DESCRIBE_SERVICES = operation(
  "DescribeServices",
  structure("DescribeServicesRequest", { cluster: TEXT, services: TEXTS }),
  structure("DescribeServicesResponse", {
    services: listOf(
      "Services",
      structure("Service", {
        events: listOf("ServiceEvents", structure("ServiceEvent", { createdAt: INSTANT, message: TEXT })),
      }),
    ),
  }),
);

class EcsCommand extends BatchGetBuildsCommand {
  readonly #operation: Operation;
  constructor(described: Operation, input: object) {
    super(input as ConstructorParameters<typeof BatchGetBuildsCommand>[0]);
    this.#operation = described;
  }

  override resolveMiddlewareWithContext(
    ...[stack, config, options, command]: Parameters<BatchGetBuildsCommand["resolveMiddlewareWithContext"]>
  ): ReturnType<BatchGetBuildsCommand["resolveMiddlewareWithContext"]> {
    const operationSchema = this.#operation;
    const smithyContext = { ...command.smithyContext, operation: operationSchema[2], operationSchema };
    return super.resolveMiddlewareWithContext(stack, config, options, { ...command, smithyContext });
  }
}

/** @param config as for any client of the SDK; `AWS_ENDPOINT_URL_ECS` is read like those of other services */
export function makeEcsClient(config: CodeBuildClientConfig & { readonly region: string }): CodeBuildClient {
  const ecs = {
    serviceId: "ECS",
    protocolSettings: {
      defaultNamespace: NAMESPACE,
      version: "2014-11-13",
      serviceTarget: "AmazonEC2ContainerServiceV20141113",
    },
    endpointProvider: ({ Endpoint }: { readonly Endpoint?: string | undefined }) => ({
      url: new URL(Endpoint ?? `https://ecs.${config.region}.amazonaws.com`),
      headers: {},
      properties: {
        authSchemes: [{ name: "sigv4", signingName: "ecs", signingRegion: config.region, properties: {} }],
      },
    }),
  };
  return new CodeBuildClient({ ...config, ...ecs });
}

type SendOptions = { readonly abortSignal: AbortSignal };

/** Of what has stopped within the last hour or so. Undefined where the answer was none, here as below. */
export async function listStoppedTasks(
  ecs: CodeBuildClient,
  input: { readonly cluster: string; readonly family: string },
  options: SendOptions,
): Promise<readonly string[] | undefined> {
  const command = new EcsCommand(LIST_TASKS, { ...input, desiredStatus: "STOPPED", maxResults: 100 });
  const answer: object = await ecs.send(command, options);
  return (answer as { readonly taskArns?: readonly string[] }).taskArns;
}

export async function describeTasks(
  ecs: CodeBuildClient,
  input: { readonly cluster: string; readonly tasks: readonly string[] },
  options: SendOptions,
): Promise<readonly EcsTask[] | undefined> {
  const answer: object = await ecs.send(new EcsCommand(DESCRIBE_TASKS, input), options);
  return (answer as { readonly tasks?: readonly EcsTask[] }).tasks;
}

export async function describeServices(
  ecs: CodeBuildClient,
  input: { readonly cluster: string; readonly services: readonly string[] },
  options: SendOptions,
): Promise<readonly EcsService[] | undefined> {
  const answer: object = await ecs.send(new EcsCommand(DESCRIBE_SERVICES, input), options);
  return (answer as { readonly services?: readonly EcsService[] }).services;
}
