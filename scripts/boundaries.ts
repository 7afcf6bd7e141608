/**
 * Which folder of `src` may use which: the one place where the order of the rooms and of the features is written down
 * (design, section 6). `npm run check` holds every import against it; `test/guards/architecture.test.ts` plants a
 * violation of each rule. To add a feature, put its name where it belongs in `FEATURES`.
 */

/** Low to high: a feature may use those before it. */
export const FEATURES: readonly string[] = [
  "organizations",
  "cloud-accounts",
  "projects",
  "git-integrations",
  "distributions",
  "releases",
  "variables",
  "configuration",
  "custom-domains",
  "environments",
  "deployments",
  "git-hooks",
  "account-removal",
  "project-changes",
];

const MACHINERY = ["lib", "db", "sealing", "dns", "git", "jobs", "http"];

/** Each room, and the rooms that it may use. */
const USES: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  db: ["lib"],
  sealing: ["lib"],
  dns: ["lib"],
  git: ["lib"],
  jobs: ["lib", "db"],
  http: ["lib", "db", "sealing"],
  cloud: ["lib"],
  // It implements the sealing's contract of a key service too.
  "cloud/aws": ["lib", "sealing", "cloud"],
  sandbox: ["lib", "dns", "git", "http", "cloud"],
  "cloud/sandbox": ["lib", "cloud", "sandbox"],
  features: [...MACHINERY, "cloud"],
  start: [...MACHINERY, "cloud", "cloud/aws", "sandbox", "cloud/sandbox", "features"],
  cli: [...MACHINERY, "features", "start", "main"],
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

const PURE = "This file is pure: no input, output, clock or chance.";
const NO_IO = /^node:(?!util$)/;

const RULES: readonly Rule[] = [
  {
    of: /^(?:src|test|bench|scripts)\//,
    except: /^(?:src\/cloud\/aws|test\/aws|test\/guards)\//,
    refused: /^@(?:aws-sdk|smithy)\//,
    rule: "SDK types stay in src/cloud/aws.",
  },
  {
    of: /^src\//,
    except: /^src\/(?:db|start|cli)\//,
    refused: /^(?:pg$|@electric-sql\/)|^src\/db\/drivers\//,
    but: /^src\/db\/drivers\/driver-errors[.]ts$/,
    rule: "Only the composition root names a database driver.",
  },
  {
    of: /^src\//,
    except: /^src\/(?:git|start)\//,
    refused: /^src\/git\/(?:github|gitlab|hosts|sandbox)[.]ts$/,
    rule: "Only the composition root names a git host.",
  },
  {
    of: /^src\/features\//,
    except: /\/(?:[^/]+-)?routes[.]ts$/,
    refused: /^@?fastify|^src\/http\//,
    but: /^src\/http\/schemas[.]ts$/,
    rule: "Only a feature's routes.ts knows HTTP.",
  },
  {
    of: /^src\/features\//,
    except: /\/(?:body|(?:[^/]+-)?(?:routes|views))[.]ts$/,
    refused: /^src\/http\/schemas[.]ts$/,
    rule: "Only routes, bodies and views have schemas of the API.",
  },
  {
    of: /^src\/(?:features\/[^/]+|git|http)\/errors[.]ts$/,
    refused: /./,
    but: /^src\/(?:lib\/errors|cloud\/cloud|features\/[^/]+\/errors)[.]ts$/,
    rule: "errors.ts holds declarations.",
  },
  {
    of: /^src\/features\/.*\/(?:[^/]+-)?store[.]ts$/,
    refused:
      /^@?fastify|^src\/(?:http|jobs|dns|sealing)\/|\/(?:clock|log|commands|(?:[^/]+-)?(?:routes|views)|reconcile-[^/]+)[.]ts$/,
    // A part of a statement.
    but: /^src\/jobs\/mark-due[.]ts$/,
    rule: "A store holds SQL and types.",
  },
  {
    of: /^src\/features\/.*\/(?:[^/]+-)?store[.]ts$/,
    refused: NO_IO,
    rule: "A store holds SQL and types.",
  },
  {
    of: /\/(?:decide-[^/]+|(?:[^/]+-)?views)[.]ts$/,
    refused:
      /^src\/(?:db|dns|jobs|sealing|sandbox|start)\/|^src\/cloud\/(?:aws|sandbox)\/|\/(?:clock|ids|log|(?:[^/]+-)?store|commands|queries|(?:[^/]+-)?routes|reconcile-[^/]+)[.]ts$/,
    rule: PURE,
  },
  {
    of: /\/(?:decide-[^/]+|(?:[^/]+-)?views)[.]ts$/,
    refused: /^(?:@?fastify|pino|pg|@electric-sql|@octokit|isomorphic-git|dns-packet|prom-client)(?:\/|$)/,
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
    of: /^console\//,
    refused: /^src\/|^node:/,
    rule: "The console is a client of the HTTP API, nothing else.",
  },
  {
    of: /^test\/(?:acceptance\/|helpers\/(?:api-client|until)[.]ts$)/,
    refused: /^src\//,
    rule: "These tests know the service by its address alone.",
  },
  {
    of: /^test\/acceptance\//,
    refused: /^test\/helpers\//,
    but: /^test\/helpers\/(?:api-client|until)[.]ts$/,
    rule: "These tests know the service by its address alone.",
  },
];

/** Tests, and what they share, may reach into what they try. */
function isTest(file: string): boolean {
  return /[.]test[.]ts$|^src\/.*\/testing(?:[-/.]|$)|\/testing[^/]*[.]ts$/.test(file);
}

/** The room of a file of `src`; null for a loose file. Pure. */
export function roomOf(file: string): string | null {
  if (file === "src/main.ts") return "main";
  const found = /^src\/(?<room>cloud\/(?:aws|sandbox)|[^/]+)\//.exec(file);
  const room = found?.groups?.["room"] ?? "";
  return room in USES ? room : null;
}

function featureOf(file: string): string | null {
  return /^src\/features\/(?<feature>[^/]+)\//.exec(file)?.groups?.["feature"] ?? null;
}

/**
 * What one file may not import. Pure.
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
  if (!file.startsWith("src/") || !target.startsWith("src/")) return [];
  const [from, to] = [roomOf(file), roomOf(target)];
  if (from === null || to === null)
    return ["Only main.ts lies loose in src, and every other folder is a room."];
  if (from !== to) return USES[from]?.includes(to) === true ? [] : [`${from} may not use ${to}.`];
  const [feature, other] = [featureOf(file), featureOf(target)];
  if (feature === null || other === null || feature === other) return [];
  const [place, below] = [FEATURES.indexOf(feature), FEATURES.indexOf(other)];
  if (place === -1 || below === -1) return ["Write the feature down in scripts/boundaries.ts."];
  if (below > place) return [`The feature ${feature} lies below ${other}.`];
  return /\/(?:[^/]+-)?store[.]ts$/.test(target) ? ["A store belongs to its feature."] : [];
}

/**
 * Sibling folders that use each other, at any depth. Files beside the folders are their door, and may use them. Pure.
 * @param uses pairs of files of `src`
 */
export function findCircles(uses: readonly (readonly [string, string])[]): readonly string[] {
  const siblings = new Map<string, Set<string>>();
  for (const [file, target] of uses) {
    if (isTest(file)) continue;
    const [from, to] = splitAtFork(file, target);
    if (from !== null && to !== null) siblings.set(from, (siblings.get(from) ?? new Set()).add(to));
  }
  const circles = new Set<string>();
  for (const start of siblings.keys()) {
    const reached = new Set<string>();
    const ahead = [...(siblings.get(start) ?? [])];
    for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
      if (reached.has(next)) continue;
      reached.add(next);
      ahead.push(...(siblings.get(next) ?? []));
    }
    if (reached.has(start)) circles.add(start);
  }
  return [...circles].toSorted();
}

/** The folders at which two paths part; null where one of them is a file there. The two clouds are rooms of their own. */
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
    .split("/")
    .slice(0, -1);
}
