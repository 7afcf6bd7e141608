/** What CodeBuild does with a commit. Everything of the repository's is passed as a variable, never written into a command. Pure. */
import type { Workload } from "../../platform.ts";

/** Where builds without a Dockerfile begin. */
const DEFAULT_IMAGE = "public.ecr.aws/docker/library/node:24";
const STATIC_NODE = "22";

/**
 * The default builder, for a repository without a Dockerfile: Node.js, with the whole repository in /app and
 * the build command run there. Without a start command, `npm start` is run.
 */
const DEFAULT_DOCKERFILE = [
  `FROM ${DEFAULT_IMAGE}`,
  "WORKDIR /app",
  "COPY . .",
  "ARG SLIPWAY_BUILD_COMMAND",
  'RUN sh -c "$SLIPWAY_BUILD_COMMAND"',
  'CMD ["npm", "start"]',
];

const FETCH = [
  "export GIT_ALLOW_PROTOCOL=https GIT_TERMINAL_PROMPT=0",
  'git init -q . && git fetch -q --depth 1 -- "$SLIPWAY_REPOSITORY" "$SLIPWAY_COMMIT" && git checkout -q FETCH_HEAD',
];

const BUILD_IMAGE = [
  'aws ecr get-login-password | docker login --username AWS --password-stdin "${SLIPWAY_IMAGES%%/*}"',
  "export SLIPWAY_DOCKERFILE=Dockerfile",
  `if [ ! -f Dockerfile ]; then SLIPWAY_DOCKERFILE=/tmp/slipway.Dockerfile; printf '%s\\n' ${DEFAULT_DOCKERFILE.map(quote).join(" ")} > "$SLIPWAY_DOCKERFILE"; fi`,
  'docker build --build-arg SLIPWAY_BUILD_COMMAND --file "$SLIPWAY_DOCKERFILE" --tag "$SLIPWAY_IMAGES:$SLIPWAY_BUILD" .',
  'docker push "$SLIPWAY_IMAGES:$SLIPWAY_BUILD"',
];

const BUILD_SITE = [
  'sh -c "$SLIPWAY_BUILD_COMMAND"',
  'if [ ! -d "./$SLIPWAY_OUTPUT" ]; then echo "After the build there is no folder $SLIPWAY_OUTPUT in the repository."; exit 1; fi',
  'aws s3 cp --recursive --no-progress --no-follow-symlinks --exclude ".git/*" "./$SLIPWAY_OUTPUT" "s3://$SLIPWAY_FILES/$SLIPWAY_FOLDER"',
];

/** None of them has a quote of this kind. */
function quote(text: string): string {
  return `'${text}'`;
}

/** In JSON, which is YAML as well. */
export function buildspecOf(workload: Workload, source: "GITHUB" | "NO_SOURCE"): string {
  const isSite = workload.type === "static";
  return JSON.stringify({
    version: 0.2,
    phases: {
      ...(isSite ? { install: { "runtime-versions": { nodejs: STATIC_NODE } } } : {}),
      ...(source === "NO_SOURCE" ? { pre_build: { commands: FETCH } } : {}),
      // One phase: what follows a command that failed in another phase would still be done.
      build: { "on-failure": "ABORT", commands: isSite ? BUILD_SITE : BUILD_IMAGE },
    },
  });
}

/**
 * How CodeBuild gets at a repository. From GitHub it does so itself, with the credentials that the customer
 * may have given it for private repositories; from elsewhere git does, without any.
 */
export function sourceTypeOf(repoUrl: string): "GITHUB" | "NO_SOURCE" {
  return new URL(repoUrl).hostname === "github.com" ? "GITHUB" : "NO_SOURCE";
}
