/**
 * CodeBuild as the tests need it: no command is run. What a build would do is played by the program that a
 * test has put behind its commit, in moto's CloudWatch, ECR and S3, as the instructions of the build say.
 */
import { randomUUID } from "node:crypto";
import type { Program } from "../../../contract/platform/platform-suite.ts";
import { type AwsAnswer, type AwsRequest, refusal } from "../request.ts";

const LAG_MS = 30;
/** How long CodeBuild remembers a token (StartBuild, idempotencyToken). */
const TOKEN_MS = 5 * 60_000;

export type Played = { readonly program: Program | "web-tripping"; readonly word: string };

type Build = {
  readonly id: string;
  readonly project: string;
  readonly token: string;
  readonly startedAtMs: number;
  readonly variables: Readonly<Record<string, string>>;
  /** Of each variable: PLAINTEXT, or where its value is looked up. */
  readonly kinds: Readonly<Record<string, string>>;
  readonly source: { readonly type: string; readonly buildspec: string };
  status: "IN_PROGRESS" | "SUCCEEDED" | "FAILED" | "STOPPED";
  endedAtMs: number | null;
};

export type BuildRules = {
  /** Null: not CodeBuild's. */
  answer(request: AwsRequest, accountId: string): Promise<AwsAnswer | null>;
  /** What a commit does when it is built and run. */
  setProgram(commit: string, played: Played): void;
  playedBy(imageDigest: string): Played | undefined;
  /** As if their tokens were as old as CodeBuild forgets. */
  forgetTokens(): void;
  readonly builds: readonly Pick<Build, "id" | "token" | "status" | "source" | "variables" | "kinds">[];
};

/** One call of JSON to moto, in the account of another request. */
export type AskMoto = (
  like: AwsRequest,
  service: string,
  target: string,
  input: object,
) => Promise<AwsAnswer>;

export function createBuildRules(options: {
  ask: AskMoto;
  putObject: (like: AwsRequest, bucket: string, key: string, text: string) => Promise<void>;
  hasProject: (accountId: string, region: string, name: string) => boolean;
}): BuildRules {
  const { ask, putObject, hasProject } = options;
  const programs = new Map<string, Played>();
  const byImage = new Map<string, Played>();
  const builds: (Build & { readonly place: string })[] = [];
  let tokensFromMs = 0;

  async function print(
    like: AwsRequest,
    group: string,
    stream: string,
    texts: readonly string[],
  ): Promise<void> {
    const where = { logGroupName: group, logStreamName: stream };
    await ask(like, "logs", "Logs_20140328.CreateLogStream", where);
    const logEvents = texts.map((message) => ({ timestamp: Date.now(), message }));
    await ask(like, "logs", "Logs_20140328.PutLogEvents", { ...where, logEvents });
  }

  async function end(like: AwsRequest, build: Build, accountId: string): Promise<void> {
    const played = programs.get(build.variables["SLIPWAY_COMMIT"] ?? "");
    if (played === undefined) throw new Error(`No program for ${build.variables["SLIPWAY_COMMIT"]}.`);
    if (played.program === "build-hanging") return;
    const slug = build.project.replace(/^slipway-/, "");
    const stream = build.id.slice(build.id.indexOf(":") + 1);
    const log = `/slipway/${slug}/build`;
    const isFailing = played.program === "build-failing" || played.program === "too-large";
    const texts = [`building ${played.word}`];
    if (played.program === "build-printing") {
      const key = await lookUp(like, build, "SLIPWAY_VAR_KEY");
      texts.push(`PLAIN is ${build.variables["SLIPWAY_VAR_PLAIN"]}`, `KEY has ${key.length} characters`);
    }
    await print(like, log, stream, texts);
    if (!isFailing) await leave(like, build, accountId, played);
    build.status = isFailing ? "FAILED" : "SUCCEEDED";
    build.endedAtMs = Date.now();
  }

  /** As CodeBuild does before a build begins. */
  async function lookUp(like: AwsRequest, build: Build, name: string): Promise<string> {
    const reference = build.variables[name] ?? "";
    if (build.kinds[name] === "PLAINTEXT") return reference;
    if (build.kinds[name] === "PARAMETER_STORE") {
      const input = { Names: [reference], WithDecryption: true };
      const { body } = await ask(like, "ssm", "AmazonSSM.GetParameters", input);
      return (JSON.parse(body.toString()) as { Parameters: { Value: string }[] }).Parameters[0]?.Value ?? "";
    }
    const input = { SecretId: reference };
    const { body } = await ask(like, "secretsmanager", "secretsmanager.GetSecretValue", input);
    return (JSON.parse(body.toString()) as { SecretString: string }).SecretString;
  }

  async function leave(like: AwsRequest, build: Build, accountId: string, played: Played): Promise<void> {
    const folder = build.variables["SLIPWAY_FOLDER"];
    if (folder !== undefined) {
      const bucket = `${build.project}-${accountId}`;
      return await putObject(like, bucket, `${folder}/index.html`, played.word);
    }
    // moto makes an image's digest of its layers'.
    const layer = {
      mediaType: "application/vnd.docker.image.rootfs.diff.tar.gzip",
      size: 1,
      digest: `sha256:${build.token.padEnd(64, "0")}`,
    };
    const imageManifest = JSON.stringify({
      schemaVersion: 2,
      mediaType: "application/vnd.docker.distribution.manifest.v2+json",
      config: {
        mediaType: "application/vnd.docker.container.image.v1+json",
        size: 1,
        digest: `sha256:${"0".repeat(64)}`,
      },
      layers: [layer],
    });
    const answer = await ask(like, "ecr", "AmazonEC2ContainerRegistry_V20150921.PutImage", {
      repositoryName: build.project,
      imageTag: build.variables["SLIPWAY_BUILD"],
      imageManifest,
    });
    const { image } = JSON.parse(answer.body.toString()) as { image: { imageId: { imageDigest: string } } };
    byImage.set(image.imageId.imageDigest, played);
  }

  function view(build: Build): object {
    return {
      id: build.id,
      buildStatus: build.status,
      startTime: build.startedAtMs / 1_000,
      ...(build.endedAtMs === null ? {} : { endTime: build.endedAtMs / 1_000 }),
      environment: {
        environmentVariables: Object.entries(build.variables).map(([name, value]) => ({ name, value })),
      },
      phases:
        build.status === "FAILED" ? [failedPhase(programs.get(build.variables["SLIPWAY_COMMIT"] ?? ""))] : [],
    };
  }

  return {
    builds,
    setProgram: (commit, played) => void programs.set(commit, played),
    playedBy: (imageDigest) => byImage.get(imageDigest),
    forgetTokens() {
      tokensFromMs = Date.now();
    },
    async answer(request, accountId) {
      const { api, region } = request;
      if (!api.startsWith("codebuild:")) return null;
      const place = `${accountId}/${region}`;
      const own = builds.filter((build) => build.place === place);
      for (const build of own) {
        const isDue = build.status === "IN_PROGRESS" && Date.now() - build.startedAtMs >= LAG_MS;
        if (isDue && hasProject(accountId, region, build.project)) await end(request, build, accountId);
      }
      const input = JSON.parse(request.body.toString()) as Input;
      switch (api) {
        case "codebuild:StartBuild": {
          const { projectName: project = "", idempotencyToken: token = "" } = input;
          if (!hasProject(accountId, region, project)) {
            return refusal(api, 400, "ResourceNotFoundException", `Project cannot be found: ${project}`);
          }
          const fromMs = Math.max(tokensFromMs, Date.now() - TOKEN_MS);
          const same = own.find((build) => build.token === token && build.startedAtMs > fromMs);
          if (same !== undefined) return json({ build: view(same) });
          const variables = Object.fromEntries(
            (input.environmentVariablesOverride ?? []).map(({ name, value }) => [name, value]),
          );
          const kinds = Object.fromEntries(
            (input.environmentVariablesOverride ?? []).map(({ name, type }) => [name, type]),
          );
          const source = { type: input.sourceTypeOverride ?? "", buildspec: input.buildspecOverride ?? "" };
          const build: Build & { place: string } = {
            id: `${project}:${randomUUID()}`,
            place,
            project,
            token,
            startedAtMs: Date.now(),
            variables,
            kinds,
            source,
            status: "IN_PROGRESS",
            endedAtMs: null,
          };
          builds.push(build);
          return json({ build: view(build) });
        }
        case "codebuild:BatchGetBuilds":
          return json({ builds: own.filter(({ id }) => input.ids?.includes(id) === true).map(view) });
        case "codebuild:ListBuildsForProject": {
          const ids = own.filter(({ project }) => project === input.projectName).map(({ id }) => id);
          return json({ ids: ids.toReversed() });
        }
        case "codebuild:StopBuild": {
          const build = own.find(({ id }) => id === input.id);
          if (build === undefined) return refusal(api, 400, "ResourceNotFoundException", "No such build");
          if (build.status === "IN_PROGRESS")
            Object.assign(build, { status: "STOPPED", endedAtMs: Date.now() });
          return json({ build: view(build) });
        }
        default:
          throw new Error(`The emulator does not know ${api}.`);
      }
    },
  };
}

type Input = {
  readonly projectName?: string;
  readonly idempotencyToken?: string;
  readonly ids?: readonly string[];
  readonly id?: string;
  readonly sourceTypeOverride?: string;
  readonly buildspecOverride?: string;
  readonly environmentVariablesOverride?: readonly { name: string; value: string; type: string }[];
};

/** The failed phase, in the words that CodeBuild uses for a failed command. */
function failedPhase(played: Played | undefined): object {
  const isTooLarge = played?.program === "too-large";
  const statusCode = "COMMAND_EXECUTION_ERROR";
  const message = `Error while executing command: (. Reason: exit status ${isTooLarge ? 90 : 1}`;
  const phaseType = isTooLarge ? "PRE_BUILD" : "BUILD";
  return { phaseType, phaseStatus: "FAILED", contexts: [{ statusCode, message }] };
}

function json(output: object): AwsAnswer {
  const headers = { "content-type": "application/x-amz-json-1.1" };
  return { status: 200, headers, body: Buffer.from(JSON.stringify(output)) };
}
