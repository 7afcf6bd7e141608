/** ECS's stopped tasks and events, as a test puts them there: moto has no containers that could fail. */
import { type AwsAnswer, type AwsRequest } from "../request.ts";

export type StoppedTask = {
  readonly stoppedReason: string;
  readonly exitCode?: number;
  readonly reason?: string;
  /** Before now; a second when left out. */
  readonly ageMs?: number;
};

export type InstanceRules = {
  /** @returns null if the call is not one of ECS about instances */
  answer(request: AwsRequest): AwsAnswer | null;
  /** Sets the stopped instances, and the events of the service that ECS reports. */
  tell(told: { readonly stopped?: readonly StoppedTask[]; readonly events?: readonly string[] }): void;
  /** What each of the calls asked for. */
  readonly asked: readonly Readonly<Record<string, unknown>>[];
};

export function createInstanceRules(): InstanceRules {
  let stopped: readonly StoppedTask[] = [];
  let events: readonly string[] = [];
  /** Of the only service that a test scales. One instance runs at all times. */
  let desired = 1;
  const running = 1;
  const asked: Readonly<Record<string, unknown>>[] = [];
  const seconds = (ageMs = 1_000) => (Date.now() - ageMs) / 1_000;

  const answers: Readonly<Record<string, (input: Readonly<Record<string, unknown>>) => object>> = {
    "ecs:ListTasks": () => ({ taskArns: stopped.map((_task, index) => `arn:aws:ecs:::task/${index}`) }),
    "ecs:DescribeTasks": () => ({
      tasks: stopped.map(({ stoppedReason, exitCode, reason, ageMs }) => ({
        createdAt: seconds(ageMs),
        stoppedAt: seconds(0),
        stoppedReason,
        containers: [{ name: "app", exitCode, reason }],
      })),
    }),
    "ecs:DescribeServices": () => ({
      services: [
        {
          desiredCount: desired,
          runningCount: Math.min(desired, running),
          pendingCount: Math.max(0, desired - running),
          events: events.map((message) => ({ createdAt: seconds(), message })),
        },
      ],
    }),
    "ecs:UpdateService": (input) => {
      desired = Number(input["desiredCount"]);
      return { service: { desiredCount: desired } };
    },
  };

  return {
    asked,
    tell(told) {
      stopped = told.stopped ?? [];
      events = told.events ?? [];
    },
    answer({ api, body }) {
      const output = answers[api];
      if (output === undefined) return null;
      const input = JSON.parse(body.toString()) as Readonly<Record<string, unknown>>;
      asked.push({ api, ...input });
      const headers = { "content-type": "application/x-amz-json-1.1" };
      return { status: 200, headers, body: Buffer.from(JSON.stringify(output(input))) };
    },
  };
}
