/** Frameworks of JavaScript, by the packages that package.json names. Pure. */
import {
  type DetectedService,
  type Detection,
  type Framework,
  type RepositoryFiles,
  serverOf,
  siteOf,
} from "./detection.ts";

/** The facts of a package.json that decide. */
type Package = {
  readonly name: string;
  readonly scripts: Readonly<Record<string, string>>;
  readonly has: (dependency: string) => boolean;
  readonly build: string | null;
  /** The command of the script `start`; null without one. */
  readonly start: string | null;
  /** The text of a framework's configuration file, such as next.config.js. */
  readonly configOf: (framework: string) => string;
};

type Decided = { readonly service: DetectedService; readonly reason?: string; readonly hint?: string };

type Rule = {
  readonly framework: Framework;
  /** Any of these packages. */
  readonly packages: readonly string[];
  readonly decide: (of: Package) => Decided;
};

const site =
  (folder: string): Rule["decide"] =>
  ({ build }) => ({ service: siteOf(build, folder) });

/** The first rule that applies decides: frameworks before the tools that they use. */
const RULES: readonly Rule[] = [
  { framework: { id: "next", name: "Next.js" }, packages: ["next"], decide: decideNext },
  {
    framework: { id: "nuxt", name: "Nuxt" },
    packages: ["nuxt"],
    decide: ({ build, scripts }) =>
      /\bnuxt generate\b/.test(scripts["build"] ?? "")
        ? { service: siteOf(build, ".output/public"), reason: "Its build is nuxt generate." }
        : { service: serverOf(build, "node .output/server/index.mjs", 3000) },
  },
  { framework: { id: "astro", name: "Astro" }, packages: ["astro"], decide: decideAstro },
  { framework: { id: "sveltekit", name: "SvelteKit" }, packages: ["@sveltejs/kit"], decide: decideSvelteKit },
  {
    framework: { id: "remix", name: "React Router" },
    packages: ["@react-router/serve", "@remix-run/serve"],
    decide: ({ build, start }) => ({ service: serverOf(build, start ?? "npm start", 3000) }),
  },
  { framework: { id: "gatsby", name: "Gatsby" }, packages: ["gatsby"], decide: site("public") },
  {
    framework: { id: "docusaurus", name: "Docusaurus" },
    packages: ["@docusaurus/core"],
    decide: site("build"),
  },
  { framework: { id: "eleventy", name: "Eleventy" }, packages: ["@11ty/eleventy"], decide: site("_site") },
  {
    framework: { id: "angular", name: "Angular" },
    packages: ["@angular/core"],
    decide: (of) => ({
      service: siteOf(of.build, of.name === "" ? null : `dist/${of.name}/browser`),
      hint: "Check the output folder: angular.json names it.",
    }),
  },
  {
    framework: { id: "create-react-app", name: "Create React App" },
    packages: ["react-scripts"],
    decide: site("build"),
  },
  { framework: { id: "vue-cli", name: "Vue CLI" }, packages: ["@vue/cli-service"], decide: site("dist") },
  { framework: { id: "vite", name: "Vite" }, packages: ["vite"], decide: site("dist") },
  { framework: { id: "parcel", name: "Parcel" }, packages: ["parcel"], decide: site("dist") },
];

const NODE: Framework = { id: "node", name: "Node.js" };
/** A script that starts a program of the repository, and not a development server. */
const OWN_SERVER = /(?:^|\s|&&\s*)(?:node|tsx|ts-node|bun)\s(?!.*\bvite\b)/;
const SERVER_FILES = ["server.js", "server.mjs", "index.js", "app.js"];

/** Null if package.json shows neither a framework nor a server. */
export function decideNodeFramework(repository: RepositoryFiles): Detection | null {
  const { files, texts } = repository;
  const manifest = readManifest(texts.get("package.json") ?? "");
  if (manifest === null)
    return {
      framework: NODE,
      service: serverOf("npm ci", "npm start", 3000),
      reasons: ["The root has a package.json."],
      hints: ["package.json could not be read as JSON. Check the commands."],
    };
  const of = describePackage(manifest, repository);
  const workspaces = manifest["workspaces"] !== undefined || files.has("pnpm-workspace.yaml");
  const hints = workspaces
    ? ["The repository has several packages. The commands run in its root: name the package in them."]
    : [];
  const rule = RULES.find(({ packages }) => packages.some(of.has));
  const isTool = rule !== undefined && ["vite", "parcel"].includes(rule.framework.id);
  if (rule !== undefined && !(isTool && OWN_SERVER.test(of.scripts["start"] ?? ""))) {
    const { service, reason, hint } = rule.decide(of);
    const named = rule.packages.find(of.has) ?? "";
    return {
      framework: rule.framework,
      service,
      reasons: [`package.json depends on ${named}.`, ...(reason === undefined ? [] : [reason])],
      hints: [...hints, ...(hint === undefined ? [] : [hint])],
    };
  }
  const file = SERVER_FILES.find((name) => files.has(name));
  const start = of.start ?? (file === undefined ? null : `node ${file}`);
  if (start === null || (of.start === null && files.has("index.html"))) return null;
  return {
    framework: NODE,
    service: serverOf(of.build, start, 3000),
    reasons: [of.start === null ? `The root has a ${file}.` : "package.json has a script to start it."],
    hints: [...hints, "The server must listen on the port that the variable PORT names."],
  };
}

function decideNext({ build, start, configOf }: Package): Decided {
  if (/\boutput\s*:\s*["'`]export["'`]/.test(configOf("next")))
    return { service: siteOf(build, "out"), reason: "Its configuration exports static files." };
  return { service: serverOf(build, start ?? "npx next start", 3000) };
}

function decideAstro({ build, has, configOf }: Package): Decided {
  const isServer = /\boutput\s*:\s*["'`](?:server|hybrid)["'`]/.test(configOf("astro"));
  if (has("@astrojs/node"))
    return {
      service: serverOf(build, "HOST=0.0.0.0 node ./dist/server/entry.mjs", 4321),
      reason: "It renders pages with @astrojs/node.",
    };
  const hint =
    "The configuration renders pages on a server: add the adapter @astrojs/node, or use static output.";
  return { service: siteOf(build, "dist"), ...(isServer ? { hint } : {}) };
}

function decideSvelteKit({ build, has }: Package): Decided {
  if (has("@sveltejs/adapter-static"))
    return { service: siteOf(build, "build"), reason: "It has the adapter for static files." };
  const hint = "Use the adapter @sveltejs/adapter-node or @sveltejs/adapter-static.";
  return {
    service: serverOf(build, "node build", 3000),
    ...(has("@sveltejs/adapter-node") ? {} : { hint }),
  };
}

/** How each package manager is used, by its lock file. */
const MANAGERS: readonly (readonly [lock: string, install: string, run: string])[] = [
  ["pnpm-lock.yaml", "corepack enable && pnpm install --frozen-lockfile", "pnpm run"],
  ["yarn.lock", "corepack enable && yarn install", "yarn run"],
  ["bun.lock", "npx bun install --frozen-lockfile", "npx bun run"],
  ["bun.lockb", "npx bun install --frozen-lockfile", "npx bun run"],
  ["package-lock.json", "npm ci", "npm run"],
];
const WITHOUT_LOCK = ["", "npm install", "npm run"] as const;

function describePackage(manifest: JsonObject, { files, texts }: RepositoryFiles): Package {
  const scripts = textsOf(manifest["scripts"]);
  const dependencies = new Set(
    ["dependencies", "devDependencies"].flatMap((field) => Object.keys(textsOf(manifest[field]))),
  );
  const [lock, install, run] = MANAGERS.find(([name]) => files.has(name)) ?? WITHOUT_LOCK;
  const isEmpty = dependencies.size === 0 && lock === "";
  const steps = [...(isEmpty ? [] : [install]), ...(scripts["build"] === undefined ? [] : [`${run} build`])];
  const configs = [...texts].filter(([name]) => name.includes(".config."));
  return {
    name: typeof manifest["name"] === "string" ? manifest["name"] : "",
    scripts,
    has: (name) => dependencies.has(name),
    build: steps.length === 0 ? null : steps.join(" && "),
    start: scripts["start"] === undefined ? null : run === "npm run" ? "npm start" : `${run} start`,
    configOf: (framework) => configs.find(([name]) => name.startsWith(`${framework}.`))?.[1] ?? "",
  };
}

type JsonObject = Readonly<Record<string, unknown>>;

function readManifest(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as JsonObject)
      : null;
  } catch {
    return null;
  }
}

/** The texts of an object, by name; of anything else none. */
function textsOf(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== "object" || value === null) return {};
  const entries = Object.entries(value as JsonObject).flatMap(([name, text]) =>
    typeof text === "string" ? [[name, text] as const] : [],
  );
  return Object.fromEntries(entries);
}
