/**
 * Builds in CodeBuild. Each call of `describe` takes the next step, so nothing here waits:
 *
 * | state of the build                      | step                                                      |
 * |-----------------------------------------|-----------------------------------------------------------|
 * | the service's stack is missing          | create it; delete a dead one first                        |
 * | the stack exists, no build is known     | start it with its token, or find one started before       |
 * | CodeBuild runs it                       | stop it at its time limit                                 |
 * | CodeBuild has ended it                  | look for its result, and record the end                   |
 *
 * A recorded end never changes. A service with an image needs no build: the end is that its digest is known.
 */
import {
  BatchGetBuildsCommand,
  type Build,
  ListBuildsForProjectCommand,
  StartBuildCommand,
  StopBuildCommand,
} from "@aws-sdk/client-codebuild";
import { CloudError, type CloudAccount } from "../../../cloud.ts";
import {
  type BuildRequest,
  imageOf,
  type ObservedBuild,
  type LogPage,
  type Platform,
} from "../../../platform.ts";
import { required } from "../../calls/calls.ts";
import { cloudError } from "../../calls/errors.ts";
import { tokenDigest } from "../../calls/tags.ts";
import { findImage, hasFiles } from "../artifacts.ts";
import { type BuildEnding, CANCELLED, endingOf, folderOf, startBuildInput, timedOut } from "./codebuild.ts";
import { readLogPage } from "../logs.ts";
import type { Images } from "./images.ts";
import { deployRoleOf, namesOf, type ServiceNames } from "../stacks/names.ts";
import { findLostVariable } from "../stacks/preconditions.ts";
import { buildKey, memberKey, type Stored } from "../records.ts";
import { serviceTemplate } from "../stacks/templates/service-template.ts";
import { shorten, stackFailure } from "../stacks/stack-events.ts";
import type { PlatformParts } from "../stacks/stacks.ts";

export type BuildRecord = BuildRequest & {
  readonly requestedAtMs: number;
  /** Whether CodeBuild may have been called. Only then can a build exist that is not known yet. */
  readonly isAsked: boolean;
  readonly buildId: string | null;
  readonly end: BuildEnd | null;
};

type BuildEnd = BuildEnding & { readonly artifact: string | null; readonly endedAtMs: number };

export function createBuilds(parts: PlatformParts, images: Images): Platform["builds"] {
  const { call, records, stacks, roles } = parts;

  const read = (account: CloudAccount, token: string) => records.read<BuildRecord>(account, buildKey(token));

  async function change(
    account: CloudAccount,
    { value, etag }: Stored<BuildRecord>,
    changed: Partial<BuildRecord>,
  ): Promise<Stored<BuildRecord>> {
    return await records.write(account, buildKey(value.token), { ...value, ...changed }, etag);
  }

  async function end(
    account: CloudAccount,
    stored: Stored<BuildRecord>,
    ended: Omit<BuildEnd, "endedAtMs">,
    endedAt?: Date,
  ): Promise<ObservedBuild> {
    const endedAtMs = endedAt?.getTime() ?? Date.now();
    return view((await change(account, stored, { end: { ...ended, endedAtMs } })).value);
  }

  async function fail(
    account: CloudAccount,
    stored: Stored<BuildRecord>,
    code: string,
    message: string,
  ): Promise<ObservedBuild> {
    return await end(account, stored, { status: "FAILED", artifact: null, failure: { code, message } });
  }

  async function describeBuild(
    account: CloudAccount,
    region: string,
    ids: readonly string[],
  ): Promise<readonly Build[]> {
    const api = "codebuild:BatchGetBuilds";
    const command = new BatchGetBuildsCommand({ ids: [...ids] });
    const answer = await call(account, api, command, region);
    return required(answer.builds, api);
  }

  /** The build that this record started before, in case the answer was lost. */
  async function findStarted(account: CloudAccount, record: BuildRecord): Promise<string | null> {
    const api = "codebuild:ListBuildsForProject";
    const { project } = namesOf(account, record.service);
    const command = new ListBuildsForProjectCommand({ projectName: project, sortOrder: "DESCENDING" });
    const { region } = record.service;
    const answer = await call(account, api, command, region);
    const ids = required(answer.ids, api);
    if (ids.length === 0) return null;
    const digest = tokenDigest(record.token);
    const found = (await describeBuild(account, region, ids)).find(({ environment }) =>
      environment?.environmentVariables?.some(
        ({ name, value }) => name === "SLIPWAY_BUILD" && value === digest,
      ),
    );
    return found?.id ?? null;
  }

  async function startBuild(account: CloudAccount, record: BuildRecord): Promise<string> {
    const api = "codebuild:StartBuild";
    const command = new StartBuildCommand(startBuildInput(account, record));
    const { region } = record.service;
    const answer = await call(account, api, command, region);
    return required(answer.build?.id, api);
  }

  async function stopBuild(account: CloudAccount, { service, buildId }: BuildRecord): Promise<void> {
    if (buildId === null) return;
    const command = new StopBuildCommand({ id: buildId });
    await call(account, "codebuild:StopBuild", command, service.region);
  }

  async function begin(account: CloudAccount, stored: Stored<BuildRecord>): Promise<ObservedBuild> {
    const { service, token, requestedAtMs } = stored.value;
    const names = namesOf(account, service);
    const progress = await stacks.ensure(account, {
      service,
      environmentId: service.environmentId,
      region: service.region,
      name: names.stack,
      async prepare() {
        const template = serviceTemplate(account, service, await roles.build(account, service), null);
        return { template, roleArn: deployRoleOf(account) };
      },
      token: `build-${tokenDigest(token)}`,
      since: new Date(requestedAtMs),
    });
    if (progress.kind === "waiting") return view(stored.value, progress.for);
    if (progress.kind === "failed") {
      const { code, message } = stackFailure("create the stack that builds the service", progress);
      return await fail(account, stored, code, message);
    }
    // CodeBuild knows a token only for minutes. After that, the record's digest finds the build.
    const known = stored.value.isAsked ? await findStarted(account, stored.value) : null;
    const asked = stored.value.isAsked ? stored : await change(account, stored, { isAsked: true });
    try {
      const buildId = known ?? (await startBuild(account, asked.value));
      return view((await change(account, asked, { buildId })).value);
    } catch (error) {
      const refusal = refusalOf(error, names);
      if (refusal === null) throw error;
      return await fail(account, asked, refusal.code, refusal.message);
    }
  }

  async function step(account: CloudAccount, stored: Stored<BuildRecord>): Promise<ObservedBuild> {
    const { value: record } = stored;
    if (record.end !== null) return view(record);
    if (record.buildId === null) return await begin(account, stored);
    const { region } = record.service;
    const [build] = await describeBuild(account, region, [record.buildId]);
    if (build === undefined) {
      return await fail(account, stored, "BUILD_LOST", "CodeBuild no longer knows the build.");
    }
    return await settle(account, stored, build);
  }

  async function settle(
    account: CloudAccount,
    stored: Stored<BuildRecord>,
    build: Build,
  ): Promise<ObservedBuild> {
    const { value: record } = stored;
    switch (build.buildStatus) {
      case "SUCCEEDED": {
        const artifact = await findArtifact(account, record);
        if (artifact !== null) {
          const ended = { status: "SUCCEEDED", artifact, failure: null } as const;
          return await end(account, stored, ended, build.endTime);
        }
        const message = "The build succeeded, but produced no image and no files.";
        return await fail(account, stored, "ARTIFACT_MISSING", message);
      }
      case "FAILED":
      case "FAULT":
      case "TIMED_OUT":
      case "STOPPED":
        return await end(account, stored, { artifact: null, ...endingOf(build, record) }, build.endTime);
      default: {
        const startedMs = build.startTime?.getTime() ?? Date.now();
        if (Date.now() - startedMs < record.timeLimitSeconds * 1_000) {
          return view(record, `CodeBuild, which is in phase ${build.currentPhase ?? "SUBMITTED"}`);
        }
        await stopBuild(account, record);
        return await end(account, stored, { artifact: null, ...timedOut(record) });
      }
    }
  }

  async function findArtifact(account: CloudAccount, record: BuildRecord): Promise<string | null> {
    const { service, workload, token } = record;
    const names = namesOf(account, service);
    if (workload.type !== "static") {
      const image = { imageTag: tokenDigest(token) };
      return await findImage(call, account, service.region, names.project, image);
    }
    const folder = folderOf(record);
    const place = { bucket: names.files, region: service.region };
    return (await hasFiles(call, account, place, folder)) ? folder : null;
  }

  /** How a build ends that CodeBuild does not have to run. */
  async function findEnd(
    account: CloudAccount,
    { workload, service, variables }: BuildRequest,
  ): Promise<Omit<BuildEnd, "endedAtMs"> | null> {
    const image = imageOf(workload);
    if (image !== null) {
      const found = await images.find(account, image);
      return typeof found === "string"
        ? { status: "SUCCEEDED", artifact: found, failure: null }
        : { status: "FAILED", artifact: null, failure: found };
    }
    const failure = await findLostVariable(call, account, service.region, variables);
    return failure === null ? null : { status: "FAILED", artifact: null, failure };
  }

  return {
    async start(account, request) {
      const known = await read(account, request.token);
      if (known !== null) return await step(account, known);
      const { service, token } = request;
      await records
        .write(account, memberKey(service.serviceId, buildKey(token)), { service }, null)
        .catch(ignoreWritten);
      const requestedAtMs = Date.now();
      const ended = await findEnd(account, request);
      const end: BuildEnd | null = ended === null ? null : { ...ended, endedAtMs: Date.now() };
      const record: BuildRecord = { ...request, requestedAtMs, isAsked: false, buildId: null, end };
      return await step(account, await records.write(account, buildKey(token), record, null));
    },

    async describe(account, token) {
      const stored = await read(account, token);
      return stored === null ? null : await step(account, stored);
    },

    async cancel(account, token) {
      const stored = await read(account, token);
      if (stored === null || (await step(account, stored)).status !== "RUNNING") return;
      // The step above may have started it.
      const now = await read(account, token);
      if (now === null || now.value.end !== null) return;
      await stopBuild(account, now.value);
      await end(account, now, { artifact: null, ...CANCELLED });
    },

    async logs(account, token, cursor): Promise<LogPage> {
      const stored = await read(account, token);
      if (stored === null) {
        const message = "There is no build with this token.";
        throw cloudError(["gone", "NOT_FOUND"], "s3:GetObject", { message });
      }
      const { service, buildId } = stored.value;
      if (buildId === null) return { lines: [], next: cursor ?? "0.0" };
      const place = {
        region: service.region,
        group: namesOf(account, service).buildLog,
        // CodeBuild names a build's log stream after the part of its id behind the project.
        streams: { logStreamNames: [buildId.slice(buildId.indexOf(":") + 1)] },
        stream: "build" as const,
      };
      return await readLogPage(call, account, place, cursor);
    },
  };
}

/** The record was already written before, with the same token. */
export function ignoreWritten(error: unknown): void {
  if (!(error instanceof CloudError && error.code === "UNAVAILABLE" && error.operation === "s3:PutObject")) {
    throw error;
  }
}

/** Why CodeBuild refuses every build of the service; null for errors that may pass. */
function refusalOf(error: unknown, { project, stack }: ServiceNames): ObservedBuild["failure"] {
  if (!(error instanceof CloudError) || error.operation !== "codebuild:StartBuild") return null;
  const words = error.cause instanceof Error ? shorten(error.cause.message) : error.code;
  if (error.kind === "gone") {
    const reason = `The CodeBuild project ${project} is not found`;
    return stackFailure("start the build", { name: stack, isStuck: false, reason });
  }
  if (error.kind !== "invalid") return null;
  return { code: "BUILD_REFUSED", message: `CodeBuild does not accept the build: ${words}.` };
}

function view({ token, requestedAtMs, end }: BuildRecord, waitingFor: string | null = null): ObservedBuild {
  return {
    id: tokenDigest(token),
    status: end?.status ?? "RUNNING",
    artifact: end?.artifact ?? null,
    failure: end?.failure ?? null,
    waitingFor: end === null ? waitingFor : null,
    startedAt: new Date(requestedAtMs),
    endedAt: end === null ? null : new Date(Math.max(end.endedAtMs, requestedAtMs)),
  };
}
