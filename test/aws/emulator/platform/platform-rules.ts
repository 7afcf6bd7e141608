/** The driver of what moto does not do of a platform: it moves CodeBuild's, CloudFormation's and ECS's states. */
import { randomUUID } from "node:crypto";
import { type AskMoto, type BuildRules, createBuildRules } from "./build-rules.ts";
import { createInstanceRules, type InstanceRules } from "./instance-rules.ts";
import type { AwsAnswer, AwsRequest } from "../request.ts";
import { createRoleRules, type RoleRules } from "./role-rules.ts";
import { createSecretRules } from "./secret-rules.ts";
import type { EmulatedTemplate } from "./stack-answers.ts";
import { createStackRules, type StackRules } from "./stack-rules.ts";
import { createTaskRules, type TaskRules, type Image, imageOf } from "./task-rules.ts";

export type PlatformRules = {
  readonly stacks: StackRules;
  readonly builds: BuildRules;
  readonly instances: InstanceRules;
  readonly roles: RoleRules;
  readonly tasks: TaskRules;
  /** Null: moto's to answer. */
  answer(request: AwsRequest, accountId: string): Promise<AwsAnswer | null>;
};

export function createPlatformRules(forward: (request: AwsRequest) => Promise<AwsAnswer>): PlatformRules {
  const signed = ({ accessKeyId, region }: AwsRequest, service: string) =>
    `AWS4-HMAC-SHA256 Credential=${accessKeyId}/20260101/${region}/${service}/aws4_request, SignedHeaders=host, Signature=none`;

  const ask: AskMoto = async (like, service, target, input) => {
    const body = Buffer.from(JSON.stringify(input));
    const headers = {
      authorization: signed(like, service),
      host: `${service}.${like.region}.amazonaws.com`,
      "content-type": "application/x-amz-json-1.1",
      "content-length": String(body.byteLength),
      "x-amz-target": target,
    };
    const answer = await forward({ ...like, api: "", method: "POST", path: "/", headers, body });
    if (answer.status !== 200) throw new Error(`${target}: ${answer.body.toString()}`);
    return answer;
  };

  async function putObject(like: AwsRequest, bucket: string, key: string, text: string): Promise<void> {
    const body = Buffer.from(text);
    const headers = {
      authorization: signed(like, "s3"),
      host: "s3.amazonaws.com",
      "content-length": String(body.byteLength),
    };
    const path = `/${bucket}/${key}`;
    const answer = await forward({ ...like, api: "", method: "PUT", path, headers, body });
    if (answer.status !== 200) throw new Error(`PUT ${path}: ${answer.body.toString()}`);
  }

  const stacks: StackRules = createStackRules({
    forward,
    secrets: createSecretRules(ask),
    healthOf(template) {
      const played = builds.playedBy(containerIn(template)?.imageDigest ?? "");
      if (played?.program === "web-unhealthy") return "unhealthy";
      return played?.program === "web-tripping" ? "trips-breaker" : "healthy";
    },
    /** moto deletes buckets with all that is in them. */
    async obstacleTo(request, key) {
      const [accountId, , name = ""] = key.split("/");
      if (!name.startsWith("slipway-svc-")) return null;
      const bucket = `${name.replace("slipway-svc-", "slipway-")}-${accountId}`;
      const headers = { authorization: signed(request, "s3"), host: "s3.amazonaws.com" };
      const path = `/${bucket}?list-type=2`;
      const answer = await forward({
        ...request,
        api: "",
        method: "GET",
        path,
        headers,
        body: Buffer.alloc(0),
      });
      return answer.body.includes("<Key>") ? "The bucket you tried to delete is not empty" : null;
    },
    /** moto does not know EmptyOnDelete. */
    async onDeleting(request, name) {
      if (!name.startsWith("slipway-svc-") || name.endsWith("-prepare")) return;
      const repositoryName = name.replace("slipway-svc-", "slipway-");
      const target = "AmazonEC2ContainerRegistry_V20150921";
      const answer = await ask(request, "ecr", `${target}.ListImages`, { repositoryName });
      const { imageIds } = JSON.parse(answer.body.toString()) as { imageIds: readonly object[] };
      if (imageIds.length === 0) return;
      await ask(request, "ecr", `${target}.BatchDeleteImage`, { repositoryName, imageIds });
    },
    /** ECS has started the containers, which print. */
    async onUpdated(request, template) {
      const container = containerIn(template);
      if (container === null) return;
      const { group, prefix, imageDigest } = container;
      const where = { logGroupName: group, logStreamName: `${prefix}/app/${randomUUID()}` };
      await ask(request, "logs", "Logs_20140328.CreateLogStream", where);
      const message = `started ${builds.playedBy(imageDigest)?.word}`;
      const logEvents = [{ timestamp: Date.now(), message }];
      await ask(request, "logs", "Logs_20140328.PutLogEvents", { ...where, logEvents });
    },
  });
  const builds: BuildRules = createBuildRules({
    ask,
    putObject,
    hasProject: (accountId, region, name) => stacks.has(accountId, region, "AWS::CodeBuild::Project", name),
  });

  const instances = createInstanceRules();
  const roles = createRoleRules();
  const tasks = createTaskRules({
    ask,
    templatesOf: (accountId) => stacks.of(accountId).map(({ now }) => now),
    wordOf: (imageDigest) => builds.playedBy(imageDigest)?.word,
  });

  /** moto ignores the prefix of streams when it filters events. */
  async function filterEvents(request: AwsRequest): Promise<AwsAnswer | null> {
    if (request.api !== "logs:FilterLogEvents") return null;
    const { logStreamNamePrefix, ...asked } = JSON.parse(request.body.toString()) as FilteredEvents;
    if (logStreamNamePrefix === undefined) return null;
    const { logGroupName } = asked;
    const found = await ask(request, "logs", "Logs_20140328.DescribeLogStreams", {
      logGroupName,
      logStreamNamePrefix,
    }).catch(() => null);
    // moto says that there is no such group.
    if (found === null) return null;
    const { logStreams } = JSON.parse(found.body.toString()) as { logStreams: { logStreamName: string }[] };
    const logStreamNames = logStreams.map(({ logStreamName }) => logStreamName);
    const none = { ...found, body: Buffer.from(JSON.stringify({ events: [] })) };
    if (logStreamNames.length === 0) return none;
    return await ask(request, "logs", "Logs_20140328.FilterLogEvents", { ...asked, logStreamNames });
  }

  return {
    stacks,
    builds,
    instances,
    roles,
    tasks,
    answer: async (request, accountId) =>
      (await tasks.answer(request, accountId)) ??
      (await filterEvents(request)) ??
      instances.answer(request) ??
      roles.answer(request, accountId) ??
      (await stacks.answer(request, accountId)) ??
      (await builds.answer(request, accountId)),
  };
}

type FilteredEvents = { readonly logGroupName: string; readonly logStreamNamePrefix?: string };

type Container = {
  readonly Image: Image;
  readonly LogConfiguration: { readonly Options: Readonly<Record<string, string>> };
};

function containerIn({
  Resources,
}: EmulatedTemplate): { imageDigest: string; group: string; prefix: string } | null {
  const containers = Resources["Task"]?.Properties["ContainerDefinitions"] as Container[] | undefined;
  const container = containers?.[0];
  if (container === undefined) return null;
  return {
    imageDigest: imageOf(container.Image),
    group: String(Resources["RunLog"]?.Properties["LogGroupName"]),
    prefix: container.LogConfiguration.Options["awslogs-stream-prefix"] ?? "",
  };
}
