/**
 * Which folder of `src`, `edge` and `sandbox` may use which: the one place where the order of the rooms and of the
 * features is written down. `npm run check` holds every import against it;
 * `test/guards/architecture.test.ts` plants a violation of each rule. To add a feature, put its name where it belongs in `FEATURES`.
 */

/** Low to high: a feature may use those before it. */
export const FEATURES: readonly string[] = [
  "events",
  "audit",
  "users",
  "api-keys",
  "sessions",
  "organizations",
  "branding",
  "sign-in",
  "cloud-accounts",
  "projects",
  "project-access",
  "workloads",
  "git-integrations",
  "distributions",
  "data-stores",
  "releases",
  "custom-domains",
  "variables",
  "configuration",
  "flightcontrol-import",
  "dns-checks",
  "domain-connect",
  "domain-import",
  "share-links",
  "environments",
  "deployments",
  "executions",
  "scheduled-jobs",
  "previews",
  "git-reports",
  "git-hooks",
  "webhooks",
  "notifications",
  "invitations",
  "account-removal",
  "project-changes",
  "repositories",
  "search",
  "console-lists",
  "statistics",
  "graph",
  "comparisons",
  "monitoring",
  "scaling",
  "invalidations",
];

const MACHINERY = ["lib", "db", "sealing", "dns", "egress", "domain-connect", "oidc", "git", "jobs", "http"];

/** Each room, and the rooms that it may use. */
const USES: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  db: ["lib"],
  sealing: ["lib"],
  dns: ["lib"],
  egress: ["lib"],
  "domain-connect": ["lib", "dns", "egress"],
  oidc: ["lib"],
  git: ["lib", "egress"],
  jobs: ["lib", "db"],
  http: ["lib", "db", "sealing"],
  cloud: ["lib"],
  // It implements the sealing's contract of a key service too, and asks registries that users name.
  "cloud/aws": ["lib", "egress", "sealing", "cloud"],
  // A workspace of its own, which the small cloud uses.
  edge: ["lib", "egress", "sealing"],
  // A workspace of its own; only its adapter and the composition root use it.
  sandbox: ["lib", "dns", "egress", "git", "http", "cloud", "edge"],
  "cloud/sandbox": ["lib", "cloud", "sandbox"],
  features: [...MACHINERY, "cloud"],
  start: [...MACHINERY, "cloud", "cloud/aws", "edge", "sandbox", "cloud/sandbox", "features"],
  cli: [...MACHINERY, "edge", "features", "start", "main"],
  main: ["lib", "start"],
};

export type Violation = { readonly file: string; readonly specifier: string; readonly rule: string };

type Rule = {
  /** Whose imports it is about. */
  readonly of: RegExp;
  readonly except?: RegExp;
  /** What they must not be: a path below the project's root, or a package. */
  readonly refused: RegExp;
  readonly but?: RegExp;
  readonly rule: string;
};

const STORE = "A store holds SQL and types. Move this to the command or the reconciler that calls it.";
const PURE = "This file is pure. Let its caller get this, and pass it as an argument.";
const BY_ADDRESS =
  "These tests know the service only by its address. Ask it over HTTP (test/helpers/api-client.ts).";
/** Tests, and what they share. They may reach into what they try. */
const TESTS = /[.]test[.]ts$|^src\/.*\/testing(?:[-/.]|$)|\/testing[^/]*[.]ts$/;
const NO_IO = /^node:(?!util$)/;

const RULES: readonly Rule[] = [
  {
    of: /./,
    except: /^(?:src\/cloud\/aws|test\/aws|test\/guards)\//,
    refused: /^@(?:aws-sdk|smithy)\//,
    rule: "The AWS SDK stays in src/cloud/aws. Use the contracts in src/cloud.",
  },
  {
    of: /^(?:src|edge|sandbox)\//,
    except: /^src\/(?:db|start|cli)\//,
    refused: /^(?:pg$|@electric-sql\/)|^src\/db\/drivers\//,
    but: /^src\/db\/drivers\/driver-errors[.]ts$/,
    rule: "Only the composition root names a database driver. Take a `Database` as an argument.",
  },
  {
    of: /^(?:src|edge|sandbox)\//,
    except: /^src\/(?:git|start)\//,
    refused: /^src\/git\/(?:github|gitlab|hosts|sandbox)[.]ts$/,
    rule: "Only the composition root names a git host. Take a `Git` as an argument.",
  },
  {
    of: /^src\/features\//,
    except: /\/(?:[^/]+-)?routes[.]ts$/,
    refused: /^@?fastify|^src\/http\//,
    but: /^src\/http\/schemas[.]ts$/,
    rule: "Only a feature's routes.ts knows HTTP. Move this there, and pass on plain values.",
  },
  {
    of: /^src\/features\//,
    except: /\/(?:body|events|(?:[^/]+-)?(?:routes|views))[.]ts$/,
    refused: /^src\/http\/schemas[.]ts$/,
    rule: "Only routes, bodies, events and views have schemas of the API. Move this into one of them.",
  },
  {
    of: /^src\/(?:features\/[^/]+|git|http)\/errors[.]ts$/,
    refused: /./,
    but: /^src\/(?:lib\/errors|cloud\/cloud|features\/[^/]+\/errors)[.]ts$/,
    rule: "errors.ts holds declarations. Move this to the file that raises the error.",
  },
  {
    of: /^src\/features\/.*\/(?:[^/]+-)?store[.]ts$/,
    refused:
      /^@?fastify|^src\/(?:http|jobs|dns|sealing)\/|\/(?:clock|log|commands|(?:[^/]+-)?(?:routes|views)|reconcile-[^/]+)[.]ts$/,
    // A part of a statement.
    but: /^src\/jobs\/enqueue[.]ts$/,
    rule: STORE,
  },
  {
    of: /^src\/features\/.*\/(?:[^/]+-)?store[.]ts$/,
    refused: NO_IO,
    rule: STORE,
  },
  {
    of: /\/(?:decide-[^/]+|(?:[^/]+-)?views)[.]ts$/,
    refused:
      /^sandbox\/|^src\/(?:db|dns|jobs|sealing|start)\/|^src\/cloud\/(?:aws|sandbox)\/|\/(?:clock|ids|log|(?:[^/]+-)?store|commands|queries|(?:[^/]+-)?routes|reconcile-[^/]+)[.]ts$/,
    // Only types and words, and what is pure itself.
    but: /^src\/start\/health\/(?:decide-)?health[.]ts$/,
    rule: PURE,
  },
  {
    of: /\/(?:decide-[^/]+|(?:[^/]+-)?views)[.]ts$/,
    refused: /^(?:@?fastify|pino|pg|@electric-sql|isomorphic-git|dns-packet|prom-client)(?:\/|$)/,
    rule: PURE,
  },
  { of: /\/(?:decide-[^/]+|(?:[^/]+-)?views)[.]ts$/, refused: NO_IO, rule: PURE },
  {
    of: /\/(?:decide-[^/]+|(?:[^/]+-)?views)[.]ts$/,
    refused: /^src\/git\//,
    but: /^src\/git\/git[.]ts$/,
    rule: PURE,
  },
  {
    of: /^sandbox\/src\/certificates\//,
    refused: /^sandbox\/src\/(?!certificates\/)/,
    rule: "The certificate authority knows no other part of the sandbox. Take it as an argument.",
  },
  {
    of: /^(?:src|edge|sandbox)\//,
    refused: /^(?:test|bench|scripts|console)\//,
    rule: "src runs without the tests, the tools and the console. Move what it needs into a room of src.",
  },
  {
    of: /^(?:src|edge|sandbox)\//,
    refused: TESTS,
    rule: "Only tests use this file. Move what the product needs to a file without `test` in its name.",
  },
  {
    of: /^(?:src|edge|sandbox)\//,
    except: /^src\/cli\//,
    refused: /^(?:sdk|cli)\//,
    rule: "The service runs without its clients. Only src/cli, which is one, uses the SDK.",
  },
  {
    of: /^sdk\//,
    refused: /^(?!sdk\/)/,
    rule: "The SDK runs in browsers and has no dependencies. Write what it needs with what all of them have.",
  },
  {
    of: /^cli\//,
    refused: /^(?!cli\/|sdk\/|node:)/,
    rule: "The command line is a client of the HTTP API: it uses the SDK and Node, nothing else.",
  },
  {
    of: /^console\/app\//,
    refused: /^(?:src\/(?!lib\/accent-colors[.]ts$)|(?:edge|sandbox)\/|cli\/|test\/|scripts\/|node:)/,
    rule: "The console is a client of the HTTP API, nothing else. It may use the SDK, which knows the API too, and the rule of colours, because its preview must show what the server shows.",
  },
  {
    of: /^console\/app\/ui\//,
    refused: /^(?!console\/app\/ui\/|react(?:-dom)?(?:$|\/)|@base-ui\/|lucide-react$)/,
    rule: "Files in ui know neither the router nor the API. Take it as a property, or move this to components.",
  },
  {
    of: /^console\/app\/api\//,
    refused: /^(?:console\/app\/(?!(?:api|early)\/|ui\/[\w-]+[.]ts$)|@base-ui\/|@tanstack\/react-router)/,
    rule: "Files in api show nothing; of ui they use only pure functions (.ts). Move components to components.",
  },
  {
    of: /^console\/app\/early\//,
    refused: /^(?!console\/app\/early\/)/,
    rule: "Files in early come before the program, in one small file: they use nothing.",
  },
  {
    of: /^console\/app\/live\//,
    refused: /^console\/app\/(?:components|forms|pages|routes(?:[.]tsx$|\/))/,
    rule: "Files in live serve the pages. Move what they share into components.",
  },
  {
    of: /^console\/app\/components\//,
    refused: /^console\/app\/(?:forms|pages|routes(?:[.]tsx$|\/))/,
    rule: "Components are below forms and pages. Take what it needs as a property.",
  },
  {
    of: /^console\/app\/(?:forms|pages)\//,
    refused: /^console\/app\/routes(?:[.]tsx$|\/)/,
    rule: "Routes name the pages, not the other way round. Use paths.ts.",
  },
  {
    of: /^console\/app\/forms\//,
    refused: /^console\/app\/pages\//,
    rule: "Forms are below pages. Move what both need into components.",
  },
  {
    of: /^test\/(?:acceptance\/|helpers\/(?:api-client|until)[.]ts$)/,
    refused: /^src\//,
    rule: BY_ADDRESS,
  },
  {
    of: /^test\/acceptance\//,
    refused: /^test\/helpers\//,
    but: /^test\/helpers\/(?:api-client|until)[.]ts$/,
    rule: BY_ADDRESS,
  },
];

/** Whether a path belongs to the service, and not to its tests, tools and clients. */
export function isInRooms(target: string): boolean {
  return /^(?:src|edge|sandbox)\//.test(target);
}

function isTest(file: string): boolean {
  return TESTS.test(file);
}

/** The room of a file of `src`, `edge` or `sandbox`; null for a loose file. */
function roomOf(file: string): string | null {
  const workspace = /^(?:edge|sandbox)(?=\/)/.exec(file)?.[0];
  if (workspace !== undefined) return workspace;
  if (file === "src/main.ts") return "main";
  const found = /^src\/(?<room>cloud\/(?:aws|sandbox)|[^/]+)\//.exec(file);
  const room = found?.groups?.["room"] ?? "";
  return room in USES ? room : null;
}

function featureOf(file: string): string | null {
  return /^src\/features\/(?<feature>[^/]+)\//.exec(file)?.groups?.["feature"] ?? null;
}

/** Why a file must not be where it is; null if it may. Pure. */
export function findMisplacement(file: string): string | null {
  if (!file.startsWith("src/") || file === "src/main.ts") return null;
  const [, folder = "", inside] = file.split("/");
  if (inside === undefined) return "Only main.ts lies loose in src. Move this file into a room.";
  if (!(folder in USES)) return `Add the room ${folder} to USES in scripts/boundaries.ts, or use another.`;
  if (folder !== "features") return null;
  const feature = featureOf(file);
  if (feature === null) return "No file lies loose in src/features. Move this one into a feature.";
  return FEATURES.includes(feature) ? null : `Add ${feature} to FEATURES in scripts/boundaries.ts.`;
}

/**
 * What one file must not import. Pure.
 * @param target of each import: a path below the project's root, or a package
 */
export function findViolations(
  file: string,
  imports: readonly { readonly specifier: string; readonly target: string }[],
): readonly Violation[] {
  if (isTest(file)) return [];
  return imports.flatMap(({ specifier, target }) =>
    [...findRoomFaults(file, target), ...findRuleFaults(file, target)].map((rule) => ({
      file,
      specifier,
      rule,
    })),
  );
}

function findRuleFaults(file: string, target: string): readonly string[] {
  return RULES.filter(
    ({ of, except, refused, but }) =>
      of.test(file) && except?.test(file) !== true && refused.test(target) && but?.test(target) !== true,
  ).map(({ rule }) => rule);
}

function findRoomFaults(file: string, target: string): readonly string[] {
  if (!isInRooms(file) || !isInRooms(target)) return [];
  const [from, to] = [roomOf(file), roomOf(target)];
  if (from === null || to === null)
    return ["Only main.ts lies loose in src, and every other folder is a room. Move the file into a room."];
  if (from !== to) {
    const allowed = USES[from] ?? [];
    if (allowed.includes(to)) return [];
    const others = allowed.length === 0 ? "or any other room" : `only ${allowed.join(", ")}`;
    return [`${from} must not use ${to}, ${others}. Take what it needs as an argument, or move the code.`];
  }
  const [feature, other] = [featureOf(file), featureOf(target)];
  if (feature === null || other === null || feature === other) return [];
  const [place, below] = [FEATURES.indexOf(feature), FEATURES.indexOf(other)];
  if (place === -1 || below === -1) return ["Add the feature to FEATURES in scripts/boundaries.ts."];
  if (below > place)
    return [
      `The feature ${feature} lies below ${other} and must not use it. Move what ties both above them.`,
    ];
  return /\/(?:[^/]+-)?store[.]ts$/.test(target)
    ? [`A store belongs to its feature. Use the queries or commands of ${other}.`]
    : [];
}

/** An import between two folders that lie beside each other. */
type FolderUse = {
  readonly file: string;
  readonly target: string;
  readonly from: string;
  readonly to: string;
};

/**
 * Imports between sibling folders that use each other, at any depth. Files beside the folders are their door, and may
 * use them. Pure.
 * @param uses pairs of files of `src`, `edge` or `sandbox`
 */
export function findCircles(uses: readonly (readonly [string, string])[]): readonly FolderUse[] {
  const between = uses.flatMap(([file, target]): readonly FolderUse[] => {
    const [from, to] = splitAtFork(file, target);
    return isTest(file) || from === null || to === null ? [] : [{ file, target, from, to }];
  });
  const siblings = new Map<string, Set<string>>();
  for (const { from, to } of between) siblings.set(from, (siblings.get(from) ?? new Set()).add(to));
  const reachedFrom = new Map([...siblings.keys()].map((start) => [start, reach(siblings, start)]));
  return between.filter(({ from, to }) => reachedFrom.get(to)?.has(from) === true);
}

function reach(siblings: ReadonlyMap<string, ReadonlySet<string>>, start: string): ReadonlySet<string> {
  const reached = new Set<string>();
  const ahead = [...(siblings.get(start) ?? [])];
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    ahead.push(...(siblings.get(next) ?? []));
  }
  return reached;
}

/** The folders at which two paths part; null where one of them is a file there. The edge, the sandbox and both clouds are rooms. */
function splitAtFork(file: string, target: string): readonly [string | null, string | null] {
  const [a, b] = [foldersOf(file), foldersOf(target)];
  let depth = 0;
  while (depth < a.length && depth < b.length && a[depth] === b[depth]) depth += 1;
  const at = (folders: readonly string[]) =>
    depth < folders.length ? folders.slice(0, depth + 1).join("/") : null;
  return [at(a), at(b)];
}

function foldersOf(file: string): readonly string[] {
  return file
    .replace(/^src\/cloud\/(?<cloud>aws|sandbox)\//, "src/cloud-$<cloud>/")
    .replace(/^(?<workspace>edge|sandbox)\/src\//, "src/$<workspace>/")
    .split("/")
    .slice(0, -1);
}
