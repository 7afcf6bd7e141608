/**
 * ECS's tasks of single commands, which moto has no containers for, and the function of the connection's stack that starts
 * them. A command runs in a shell of this machine, with the variables of its task definition. `permissions.test.ts` runs
 * the code of the real function.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { type AwsAnswer, type AwsRequest, refusal } from "../request.ts";
import type { AskMoto } from "./build-rules.ts";
import type { EmulatedTemplate } from "./stack-answers.ts";

const LAG_MS = 30;

/** How a task ends that ECS itself ends. */
export type TaskEnd = {
  readonly stopCode: string;
  readonly stoppedReason: string;
  readonly exitCode?: number;
  readonly reason?: string;
};

export type TaskRules = {
  /** Null: not about such a task. */
  answer(request: AwsRequest, accountId: string): Promise<AwsAnswer | null>;
  /** The next task ends like this before its container begins. */
  failNext(end: TaskEnd): void;
  /** ECS ends what runs. */
  interrupt(end: TaskEnd): void;
  /** ECS knows no task any more, as an hour after their end. */
  forget(): void;
  /** From now on, the function is that of an earlier stack. */
  makeFunctionOld(): void;
  /** What each start asked for. */
  readonly starts: readonly Start[];
  stop(): void;
};

type Start = {
  readonly environmentId: string;
  readonly region: string;
  readonly cluster: string;
  readonly definition: string;
  readonly group: string;
  readonly command: string;
  readonly cpu: string;
  readonly memory: string;
  readonly token: string;
};

type Task = {
  readonly arn: string;
  readonly accountId: string;
  readonly start: Start;
  readonly createdAtMs: number;
  child: ChildProcess | null;
  end: (TaskEnd & { readonly atMs: number }) | null;
  isStopping: boolean;
};

/** The digest of an image that a build pushed, or the name of another. */
export type Image = string | { readonly "Fn::Join": readonly [string, readonly [unknown, string]] };
export const imageOf = (image: Image): string =>
  typeof image === "string" ? image : image["Fn::Join"][1][1];

type Container = {
  readonly Image: Image;
  readonly Environment: readonly { readonly Name: string; readonly Value: string }[];
  readonly Secrets: readonly { readonly Name: string; readonly ValueFrom: unknown }[];
  readonly LogConfiguration: { readonly Options: Readonly<Record<string, string>> };
};

export function createTaskRules(options: {
  readonly ask: AskMoto;
  readonly templatesOf: (accountId: string) => readonly EmulatedTemplate[];
  /** The word of the program in an image. */
  readonly wordOf: (imageDigest: string) => string | undefined;
}): TaskRules {
  const { ask, templatesOf, wordOf } = options;
  const tasks = new Map<string, Task>();
  const starts: Start[] = [];
  let failure: TaskEnd | null = null;
  let isOld = false;

  const familyOf = ({ definition }: Start) => /task-definition\/([^:]+):/.exec(definition)?.[1];

  async function valueOf(like: AwsRequest, from: unknown): Promise<string> {
    const reference = String(from);
    if (reference.includes(":secretsmanager:")) {
      const { body } = await ask(like, "secretsmanager", "secretsmanager.GetSecretValue", {
        SecretId: reference,
      });
      return (JSON.parse(body.toString()) as { SecretString: string }).SecretString;
    }
    const input = { Names: [reference], WithDecryption: true };
    const { body } = await ask(like, "ssm", "AmazonSSM.GetParameters", input);
    return (JSON.parse(body.toString()) as { Parameters: { Value: string }[] }).Parameters[0]?.Value ?? "";
  }

  async function run(like: AwsRequest, task: Task): Promise<void> {
    const family = familyOf(task.start);
    const template = templatesOf(task.accountId).find(
      ({ Resources }) => Resources["Runs"]?.Properties["Family"] === family,
    );
    const [container] = (template?.Resources["Runs"]?.Properties["ContainerDefinitions"] ??
      []) as Container[];
    if (template === undefined || container === undefined)
      throw new Error(`There is no definition ${family}.`);
    const env: Record<string, string> = { PATH: process.env["PATH"] ?? "" };
    for (const { Name, Value } of container.Environment) env[Name] = Value;
    for (const { Name, ValueFrom } of container.Secrets) env[Name] = await valueOf(like, ValueFrom);
    const prefix = container.LogConfiguration.Options["awslogs-stream-prefix"] ?? "";
    const where = {
      logGroupName: String(template.Resources["RunLog"]?.Properties["LogGroupName"]),
      logStreamName: `${prefix}/app/${task.arn.slice(task.arn.lastIndexOf("/") + 1)}`,
    };
    let printed: Promise<unknown> = ask(like, "logs", "Logs_20140328.CreateLogStream", where);
    const folder = await mkdtemp(path.join(tmpdir(), "slipway-task-"));
    await writeFile(path.join(folder, "word"), wordOf(imageOf(container.Image)) ?? "");
    const child = spawn("sh", ["-c", task.start.command], { env, cwd: folder, detached: true });
    task.child = child;
    const print = (message: string) => {
      const logEvents = [{ timestamp: Date.now(), message }];
      printed = printed.then(() => ask(like, "logs", "Logs_20140328.PutLogEvents", { ...where, logEvents }));
    };
    for (const input of [child.stdout, child.stderr]) createInterface({ input }).on("line", print);
    child.once("close", (code) => {
      void Promise.all([printed, rm(folder, { recursive: true, force: true })]).finally(() => {
        const stopped = task.isStopping
          ? { stopCode: "UserInitiated", stoppedReason: "Task stopped by user" }
          : { stopCode: "EssentialContainerExited", stoppedReason: "Essential container in task exited" };
        task.end ??= { ...stopped, exitCode: code ?? 137, atMs: Date.now() };
      });
    });
  }

  async function start(request: AwsRequest, accountId: string, asked: Start): Promise<AwsAnswer> {
    if (isOld) {
      const failed = { errorMessage: "'role'", errorType: "KeyError" };
      return json(failed, { "x-amz-function-error": "Unhandled" });
    }
    const known = [...tasks.values()].find(({ start: { token } }) => token === asked.token);
    if (known !== undefined) return json({ tasks: [known.arn], failures: [] });
    const id = randomBytes(16).toString("hex");
    const arn = `arn:aws:ecs:${asked.region}:${accountId}:task/${asked.cluster}/${id}`;
    const task: Task = {
      arn,
      accountId,
      start: asked,
      createdAtMs: Date.now(),
      child: null,
      end: null,
      isStopping: false,
    };
    starts.push(asked);
    tasks.set(arn, task);
    if (failure === null) await run({ ...request, region: asked.region }, task);
    else task.end = { ...failure, atMs: Date.now() };
    failure = null;
    return json({ tasks: [arn], failures: [] });
  }

  const kill = ({ child }: Task) => {
    if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, "SIGKILL");
  };

  function view({ arn, createdAtMs, child, end, isStopping }: Task): object {
    const hasBegun = child !== null && Date.now() - createdAtMs >= LAG_MS;
    const isRunning = isStopping ? "STOPPING" : hasBegun ? "RUNNING" : "PENDING";
    const { atMs, stopCode, stoppedReason, exitCode, reason } = end ?? {};
    // A command may end before its begin shows.
    const startedAtMs = Math.min(createdAtMs + LAG_MS, atMs ?? Number.POSITIVE_INFINITY);
    return {
      taskArn: arn,
      lastStatus: end === null ? isRunning : "STOPPED",
      ...(hasBegun || exitCode !== undefined ? { startedAt: startedAtMs / 1_000 } : {}),
      ...(atMs === undefined ? {} : { stoppedAt: atMs / 1_000, stopCode, stoppedReason }),
      containers: [{ name: "app", exitCode, reason }],
    };
  }

  return {
    starts,
    failNext(end) {
      failure = end;
    },
    interrupt(end) {
      for (const task of tasks.values()) {
        task.end ??= { ...end, atMs: Date.now() };
        kill(task);
      }
    },
    forget: () => tasks.clear(),
    makeFunctionOld() {
      isOld = true;
    },
    stop() {
      for (const task of tasks.values()) kill(task);
    },
    async answer(request, accountId) {
      const { api, body } = request;
      if (api === "lambda:InvokeFunction") {
        if (!request.path.includes("/slipway-roles-")) return null;
        const asked = JSON.parse(body.toString()) as Start & { readonly action?: string };
        return asked.action === "start" ? await start(request, accountId, asked) : null;
      }
      if (!api.startsWith("ecs:")) return null;
      const asked = JSON.parse(body.toString()) as {
        readonly task?: string;
        readonly tasks?: readonly string[];
        readonly family?: string;
        readonly startedBy?: string;
        readonly desiredStatus?: string;
      };
      if (api === "ecs:StopTask") {
        const task = tasks.get(asked.task ?? "");
        if (task === undefined)
          return refusal(api, 400, "InvalidParameterException", "The referenced task was not found.");
        task.isStopping = true;
        kill(task);
        return json({ task: view(task) });
      }
      if (api === "ecs:DescribeTasks" && asked.tasks?.some((arn) => arn.includes("/slipway-env-")))
        return json({ tasks: asked.tasks.flatMap((arn) => tasks.get(arn) ?? []).map(view), failures: [] });
      const isAboutCommands = asked.startedBy !== undefined || asked.family?.endsWith("-run") === true;
      if (api !== "ecs:ListTasks" || !isAboutCommands) return null;
      const found = [...tasks.values()].filter(
        (task) =>
          task.accountId === accountId &&
          (asked.startedBy ?? task.start.token) === task.start.token &&
          (asked.family ?? familyOf(task.start)) === familyOf(task.start) &&
          (asked.desiredStatus === "STOPPED") === (task.end !== null),
      );
      return json({ taskArns: found.map(({ arn }) => arn) });
    },
  };
}

function json(value: object, headers: Record<string, string> = {}): AwsAnswer {
  return {
    status: 200,
    headers: { "content-type": "application/x-amz-json-1.1", ...headers },
    body: Buffer.from(JSON.stringify(value)),
  };
}
