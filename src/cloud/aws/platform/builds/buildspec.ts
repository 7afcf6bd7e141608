/** CodeBuild's instructions for a commit. Values of the repository are passed as variables, never inserted into commands. Pure. */
import { DEV_DEPENDENCIES_HINT, type Workload } from "../../../platform.ts";

const DEFAULT_NODE = "24";
/** The base image of builds without a Dockerfile. */
const DEFAULT_IMAGE = `public.ecr.aws/docker/library/node:${DEFAULT_NODE}`;
const STATIC_NODE = "22";

/** The exit status for a repository that is larger than the limit; none of our other commands uses it. */
export const TOO_LARGE_STATUS = 90;

/** The exit status if `installCommand` failed; a build command that ends with it is given another. */
export const INSTALL_FAILED_STATUS = 91;

/**
 * Prefix for the names of a service's variables, so that none of them (AWS_PROFILE, PATH) affects our own
 * commands. `SLIPWAY_PLAIN` and `SLIPWAY_MANAGED` list the names.
 */
export const VARIABLE_PREFIX = "SLIPWAY_VAR_";

/**
 * The default builder, for a repository without a Dockerfile: Node.js, with the whole repository in /app. The
 * commands of the build run there, or in the folder of the service; they see the variables, but the image does not keep
 * them. The stage `installed` ends after `installCommand`. Without a start command, `npm start` runs. No line contains
 * a single quote.
 */
const DEFAULT_DOCKERFILE = [
  `FROM ${DEFAULT_IMAGE} AS installed`,
  "WORKDIR /app",
  "COPY . .",
  "ARG SLIPWAY_BASE",
  "WORKDIR /app/$SLIPWAY_BASE",
  "ARG SLIPWAY_INSTALL_COMMAND",
  'RUN --mount=type=secret,id=slipway,target=/tmp/slipway.env . /tmp/slipway.env && sh -c "$SLIPWAY_INSTALL_COMMAND"',
  "FROM installed",
  "ARG SLIPWAY_BUILD_COMMAND",
  'RUN --mount=type=secret,id=slipway,target=/tmp/slipway.env . /tmp/slipway.env && sh -c "$SLIPWAY_BUILD_COMMAND"',
  'CMD ["npm", "start"]',
];

/** Ends the build if a part of the checkout has reached the limit. */
function limit(part: string): string {
  return `if [ "$(du -sk --apparent-size ${part} | cut -f1)" -ge "$SLIPWAY_MAX_KIB" ]; then
  echo "The repository is larger than the limit of $SLIPWAY_MAX_KIB KiB."
  exit ${TOO_LARGE_STATUS}
fi`;
}

// No file may grow beyond the limit (in blocks of 512 bytes), so that a large pack is not fetched completely.
const FETCH = `export GIT_ALLOW_PROTOCOL=https GIT_TERMINAL_PROMPT=0
git init -q .
is_fetched=yes
(
  ulimit -f "$((SLIPWAY_MAX_KIB * 2))"
  git -c fetch.unpackLimit=1 fetch -q --depth 1 -- "$SLIPWAY_REPOSITORY" "$SLIPWAY_COMMIT"
) || is_fetched=no
${limit(".git")}
[ "$is_fetched" = yes ]
git checkout -q FETCH_HEAD`;

const CHECK = `if [ -d .git ]; then
${limit(".git")}
fi
${limit("--exclude=.git .")}`;

const POINTERS = `slipway_pointers="$(find . -name .git -prune -o -type f -size -1025c \\
  -exec grep -l "^version https://git-lfs.github.com/spec/" {} + | head -n 5)"
if [ -n "$slipway_pointers" ]; then
  echo "Files of Git LFS are not fetched. These, and perhaps others, are only pointers:"
  printf "%s\\n" "$slipway_pointers"
fi`;

// sed and grep are enough for a hint, and read a manifest that is not valid JSON without an error.
const NODE = `slipway_asked=""
if [ -s .nvmrc ]; then
  slipway_asked="; .nvmrc asks for $(head -n 1 .nvmrc | head -c 100)"
fi
slipway_engines="$(head -c 1000000 package.json | tr "\\n" " " | LC_ALL=C sed -n \\
  's/.*"engines"[[:space:]]*:[[:space:]]*{[^}]*"node"[[:space:]]*:[[:space:]]*"\\([^"]\\{1,100\\}\\)".*/\\1/p')"
if [ -n "$slipway_engines" ]; then
  slipway_asked="$slipway_asked; engines in package.json ask for $slipway_engines"
fi
printf "%s\\n" "$slipway_node$slipway_asked."
if [ "$${VARIABLE_PREFIX}NODE_ENV" = production ] && grep -q "\\"devDependencies\\"" package.json &&
  printf "%s\\n" "$SLIPWAY_INSTALL_COMMAND" "$SLIPWAY_BUILD_COMMAND" | grep -Eq "\\b(npm (ci|i|install)|pnpm (i|install)|yarn)\\b"; then
  echo "${DEV_DEPENDENCIES_HINT}"
fi`;

/** Logs what people ask after a build that surprised them, as the sandbox does. Never ends a build. */
function hintsOf(isSite: boolean): string {
  const isUsed = isSite
    ? '[ -n "$SLIPWAY_INSTALL_COMMAND$SLIPWAY_BUILD_COMMAND" ]'
    : '[ ! -f "${SLIPWAY_DOCKERFILE:-Dockerfile}" ]';
  const node = isSite
    ? `Node.js is ${STATIC_NODE}, the version of CodeBuild for static sites`
    : `Node.js is ${DEFAULT_NODE}, the version of the default builder (a Dockerfile can choose another)`;
  return `(
${POINTERS}
cd "./$SLIPWAY_BASE"
if [ -f package.json ] && ${isUsed}; then
slipway_node="${node}"
${NODE}
fi
) || true`;
}

/** Sets `slipway_value` to the variable named in `slipway_name`, including line breaks. */
const READ = `eval "slipway_value=\\$${VARIABLE_PREFIX}$slipway_name"`;

/**
 * A repository's own Dockerfile gets plain variables as build arguments, and managed ones as secrets, which are in
 * no layer of the image. Its path is relative to the folder of the service, whose files it sees, unless the service names
 * another folder of the repository as its context. The default Dockerfile sees the whole repository, and reads all of them
 * from one file of \`export NAME='…'\`.
 */
const BUILD_IMAGE = `export DOCKER_BUILDKIT=1
aws ecr get-login-password | docker login --username AWS --password-stdin "\${SLIPWAY_IMAGES%%/*}"
set -- --build-arg SLIPWAY_INSTALL_COMMAND --build-arg SLIPWAY_BUILD_COMMAND
slipway_root="$PWD"
cd "./$SLIPWAY_BASE"
context=.
dockerfile="\${SLIPWAY_DOCKERFILE:-Dockerfile}"
if [ -n "$SLIPWAY_DOCKERFILE$SLIPWAY_CONTEXT" ] && [ ! -f "$dockerfile" ]; then
  echo "There is no Dockerfile $SLIPWAY_BASE/$dockerfile in the repository."
  exit 1
fi
if [ -n "$SLIPWAY_CONTEXT" ]; then
  context="$slipway_root/$SLIPWAY_CONTEXT"
  if [ ! -d "$context" ]; then
    echo "There is no folder $SLIPWAY_CONTEXT in the repository, which dockerContext names."
    exit 1
  fi
fi
if [ -f "$dockerfile" ]; then
  for slipway_name in $SLIPWAY_PLAIN; do
    ${READ}
    set -- "$@" --build-arg "$slipway_name=$slipway_value"
  done
  for slipway_name in $SLIPWAY_MANAGED; do
    set -- "$@" --secret "id=$slipway_name,env=${VARIABLE_PREFIX}$slipway_name"
  done
else
  cd "$slipway_root"
  set -- "$@" --build-arg SLIPWAY_BASE
  folder="$(mktemp -d)"
  dockerfile="$folder/Dockerfile"
  printf '%s\\n' ${DEFAULT_DOCKERFILE.map((line) => `'${line}'`).join(" ")} > "$dockerfile"
  for slipway_name in $SLIPWAY_PLAIN $SLIPWAY_MANAGED; do
    ${READ}
    quoted="$(printf '%s.' "$slipway_value" | LC_ALL=C sed "s/'/'\\\\\\\\''/g")"
    printf "export %s='%s'\\n" "$slipway_name" "\${quoted%.}"
  done > "$folder/variables"
  set -- "$@" --secret "id=slipway,src=$folder/variables"
  if [ -n "$SLIPWAY_INSTALL_COMMAND" ]; then
    docker build "$@" --target installed --file "$dockerfile" . || exit ${INSTALL_FAILED_STATUS}
  fi
fi
docker build "$@" --file "$dockerfile" --tag "$SLIPWAY_IMAGES:$SLIPWAY_BUILD" "$context"
docker push "$SLIPWAY_IMAGES:$SLIPWAY_BUILD"`;

const BUILD_SITE = `cd "./$SLIPWAY_BASE"
(
  for slipway_name in $SLIPWAY_PLAIN $SLIPWAY_MANAGED; do
    ${READ}
    unset "${VARIABLE_PREFIX}$slipway_name"
    export "$slipway_name=$slipway_value"
  done
  sh -c "$SLIPWAY_INSTALL_COMMAND" || exit ${INSTALL_FAILED_STATUS}
  sh -c "$SLIPWAY_BUILD_COMMAND" || {
    slipway_status=$?
    [ "$slipway_status" != ${INSTALL_FAILED_STATUS} ] || slipway_status=1
    exit "$slipway_status"
  }
)
if [ ! -d "./$SLIPWAY_OUTPUT" ]; then
  echo "After the build there is no folder $SLIPWAY_OUTPUT in the repository."
  exit 1
fi
aws s3 cp --recursive --no-progress --no-follow-symlinks --exclude ".git/*" "./$SLIPWAY_OUTPUT" "s3://$SLIPWAY_FILES/$SLIPWAY_FOLDER"
(
  # CloudFront asks for /NAME.html instead of /NAME, so a file without an extension is there too.
  cd "./$SLIPWAY_OUTPUT"
  find . -type f ! -name "*.*" ! -path "./.git/*" | while IFS= read -r slipway_file; do
    if [ -e "$slipway_file.html" ]; then continue; fi
    aws s3 cp --no-progress --content-type application/octet-stream "$slipway_file" \\
      "s3://$SLIPWAY_FILES/$SLIPWAY_FOLDER/\${slipway_file#./}.html"
  done
  # CloudFront answers with it if a file is missing.
  if [ ! -e 404.html ]; then
    printf "There is no such page.\\n" | aws s3 cp --no-progress --content-type "text/plain; charset=utf-8" \\
      - "s3://$SLIPWAY_FILES/$SLIPWAY_FOLDER/404.html"
  fi
)`;

/** A single CodeBuild command: only exported variables are guaranteed to survive between commands. */
function phase(...scripts: readonly string[]): { readonly commands: readonly string[] } {
  return { commands: [`(\nset -e\n${scripts.join("\n")}\n)`] };
}

/** As JSON, which is valid YAML. */
export function buildspecOf(workload: Workload, source: "GITHUB" | "NO_SOURCE"): string {
  const isSite = workload.type === "static";
  return JSON.stringify({
    version: 0.2,
    phases: {
      ...(isSite ? { install: { "runtime-versions": { nodejs: STATIC_NODE } } } : {}),
      pre_build: phase(...(source === "NO_SOURCE" ? [FETCH] : []), CHECK, hintsOf(isSite)),
      build: { "on-failure": "ABORT", ...phase(isSite ? BUILD_SITE : BUILD_IMAGE) },
    },
  });
}

/**
 * How CodeBuild fetches a repository. From GitHub it does so itself, with the credentials that the customer may
 * have given it for private repositories. From other hosts, git fetches without credentials.
 */
export function sourceTypeOf(repoUrl: string): "GITHUB" | "NO_SOURCE" {
  return new URL(repoUrl).hostname === "github.com" ? "GITHUB" : "NO_SOURCE";
}
