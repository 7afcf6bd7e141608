import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { chooseFilesToRead, decideFramework } from "./decide-framework.ts";

type Files = Readonly<Record<string, string | object>>;

function decide(files: Files, siteFolder: string | null = null) {
  const texts = new Map(
    Object.entries(files).map(([name, text]) => [
      name,
      typeof text === "string" ? text : JSON.stringify(text),
    ]),
  );
  return decideFramework({ files: new Set(texts.keys()), texts }, siteFolder);
}

const manifest = (dependencies: readonly string[], scripts: object = {}, more: object = {}) => ({
  "package.json": {
    name: "shop",
    scripts,
    dependencies: Object.fromEntries(dependencies.map((name) => [name, "1.0.0"])),
    ...more,
  },
});
const BUILD = { build: "x" };
const LOCKED = { "package-lock.json": "" };
const NPM = "npm ci && npm run build";

/** The expectation: framework, type, build command, and the output folder or the start command with its port. */
type Row = readonly [
  title: string,
  files: Files,
  framework: string | null,
  type: "static" | "web",
  build: string | null,
  rest: string | null,
];

const TABLE: readonly Row[] = [
  ["nothing", {}, null, "static", null, null],
  ["only a text", { "README.md": "" }, null, "static", null, null],
  ["a page in the root", { "index.html": "" }, "static", "static", null, "."],
  ["Vite", { ...manifest(["vite"], BUILD), ...LOCKED }, "vite", "static", NPM, "dist"],
  [
    "Vite with a page",
    { ...manifest(["vite"], BUILD), ...LOCKED, "index.html": "" },
    "vite",
    "static",
    NPM,
    "dist",
  ],
  [
    "Vite with a preview as start",
    { ...manifest(["vite"], { ...BUILD, start: "vite preview" }), ...LOCKED },
    "vite",
    "static",
    NPM,
    "dist",
  ],
  [
    "a server that uses Vite",
    { ...manifest(["vite", "express"], { ...BUILD, start: "node server.js" }), ...LOCKED },
    "node",
    "web",
    NPM,
    "npm start 3000",
  ],
  [
    "Next",
    { ...manifest(["next"], { ...BUILD, start: "next start" }), ...LOCKED },
    "next",
    "web",
    NPM,
    "npm start 3000",
  ],
  [
    "Next without start",
    { ...manifest(["next"], BUILD), ...LOCKED },
    "next",
    "web",
    NPM,
    "npx next start 3000",
  ],
  [
    "Next with a static export",
    { ...manifest(["next"], BUILD), ...LOCKED, "next.config.mjs": 'export default { output: "export" }' },
    "next",
    "static",
    NPM,
    "out",
  ],
  [
    "Next with standalone output",
    {
      ...manifest(["next"], BUILD),
      ...LOCKED,
      "next.config.js": "module.exports = { output: 'standalone' }",
    },
    "next",
    "web",
    NPM,
    "npx next start 3000",
  ],
  ["Astro", { ...manifest(["astro"], BUILD), ...LOCKED }, "astro", "static", NPM, "dist"],
  [
    "Astro on a server",
    { ...manifest(["astro", "@astrojs/node"], BUILD), ...LOCKED },
    "astro",
    "web",
    NPM,
    "HOST=0.0.0.0 node ./dist/server/entry.mjs 4321",
  ],
  [
    "Nuxt",
    { ...manifest(["nuxt"], BUILD), ...LOCKED },
    "nuxt",
    "web",
    NPM,
    "node .output/server/index.mjs 3000",
  ],
  [
    "Nuxt as files",
    { ...manifest(["nuxt"], { build: "nuxt generate" }), ...LOCKED },
    "nuxt",
    "static",
    NPM,
    ".output/public",
  ],
  [
    "SvelteKit as files",
    { ...manifest(["@sveltejs/kit", "@sveltejs/adapter-static", "vite"], BUILD), ...LOCKED },
    "sveltekit",
    "static",
    NPM,
    "build",
  ],
  [
    "SvelteKit on a server",
    { ...manifest(["@sveltejs/kit", "@sveltejs/adapter-node", "vite"], BUILD), ...LOCKED },
    "sveltekit",
    "web",
    NPM,
    "node build 3000",
  ],
  [
    "React Router",
    { ...manifest(["@react-router/serve", "vite"], { ...BUILD, start: "react-router-serve" }), ...LOCKED },
    "remix",
    "web",
    NPM,
    "npm start 3000",
  ],
  ["Gatsby", { ...manifest(["gatsby"], BUILD), ...LOCKED }, "gatsby", "static", NPM, "public"],
  [
    "Docusaurus",
    { ...manifest(["@docusaurus/core"], BUILD), ...LOCKED },
    "docusaurus",
    "static",
    NPM,
    "build",
  ],
  [
    "Angular",
    { ...manifest(["@angular/core"], BUILD), ...LOCKED },
    "angular",
    "static",
    NPM,
    "dist/shop/browser",
  ],
  [
    "Create React App",
    { ...manifest(["react-scripts"], BUILD), ...LOCKED },
    "create-react-app",
    "static",
    NPM,
    "build",
  ],
  [
    "a server with a script",
    { ...manifest(["express"], { start: "node ." }), ...LOCKED },
    "node",
    "web",
    "npm ci",
    "npm start 3000",
  ],
  ["a server without packages", manifest([], { start: "node ." }), "node", "web", null, "npm start 3000"],
  [
    "a server without a script",
    { ...manifest(["express"]), ...LOCKED, "server.js": "" },
    "node",
    "web",
    "npm ci",
    "node server.js 3000",
  ],
  [
    "a page beside an unused package.json",
    { ...manifest(["prettier"]), "index.html": "" },
    "static",
    "static",
    null,
    ".",
  ],
  ["a package.json that is not JSON", { "package.json": "{" }, "node", "web", "npm ci", "npm start 3000"],
  [
    "a package.json of another form",
    { "package.json": '{"scripts":7,"dependencies":[1]}', "index.html": "" },
    "static",
    "static",
    null,
    ".",
  ],
  [
    "pnpm",
    { ...manifest(["vite"], BUILD), "pnpm-lock.yaml": "" },
    "vite",
    "static",
    "corepack enable && pnpm install --frozen-lockfile && pnpm run build",
    "dist",
  ],
  [
    "yarn",
    { ...manifest(["vite"], BUILD), "yarn.lock": "" },
    "vite",
    "static",
    "corepack enable && yarn install && yarn run build",
    "dist",
  ],
  [
    "bun",
    { ...manifest(["express"], { start: "bun ." }), "bun.lock": "" },
    "node",
    "web",
    "npx bun install --frozen-lockfile",
    "npx bun run start 3000",
  ],
  ["no lock file", manifest(["vite"], BUILD), "vite", "static", "npm install && npm run build", "dist"],
  [
    "a Dockerfile",
    { ...manifest(["next"]), Dockerfile: 'FROM node\nEXPOSE 8000\nCMD ["node", "server.js"]' },
    "dockerfile",
    "web",
    null,
    "node server.js 8000",
  ],
  [
    "a Dockerfile with stages and continued lines",
    {
      Dockerfile:
        'FROM go AS build\nCMD build\nFROM alpine\nexpose 9000/tcp\nENTRYPOINT ["/app"]\ncmd ["--name", \\\n  "it\'s here"]\n',
    },
    "dockerfile",
    "web",
    null,
    `/app --name 'it'\\''s here' 9000`,
  ],
  ["a Dockerfile without a command", { Dockerfile: "FROM nginx" }, "dockerfile", "web", null, "null 8080"],
  [
    "an ill-formed command",
    { Dockerfile: "FROM nginx\nCMD [nginx]\nEXPOSE 99999" },
    "dockerfile",
    "web",
    null,
    "null 8080",
  ],
  ["Django", { "manage.py": "", "requirements.txt": "Django==5" }, "django", "web", null, "null 8000"],
  [
    "Flask",
    { "requirements.txt": "flask>=3\ngunicorn", "app.py": "" },
    "flask",
    "web",
    null,
    "gunicorn --bind 0.0.0.0:8000 app:app 8000",
  ],
  [
    "FastAPI",
    { "pyproject.toml": 'dependencies = ["fastapi>=0.1"]', "main.py": "" },
    "fastapi",
    "web",
    null,
    "uvicorn main:app --host 0.0.0.0 --port 8000 8000",
  ],
  [
    "a package like Flask",
    { "requirements.txt": "flask-cors-like\nnot-flask" },
    "python",
    "web",
    null,
    "null 8000",
  ],
  [
    "a Procfile",
    { "requirements.txt": "", Procfile: "release: x\nweb: gunicorn shop.wsgi\n" },
    "python",
    "web",
    null,
    "gunicorn shop.wsgi 8000",
  ],
  ["Go", { "go.mod": "" }, "go", "web", null, "null 8080"],
  ["Rust", { "Cargo.toml": "" }, "rust", "web", null, "null 8080"],
  ["Ruby", { Gemfile: "", Procfile: "web: puma" }, "ruby", "web", null, "puma 8080"],
  ["PHP", { "composer.json": "{}" }, "php", "web", null, "null 8080"],
  ["Java", { "build.gradle.kts": "" }, "java", "web", null, "null 8080"],
  [".NET", { "Shop.sln": "" }, "dotnet", "web", null, "null 8080"],
];

describe("the framework of a repository", () => {
  for (const [title, files, framework, type, build, rest] of TABLE) {
    it(`is found for ${title}`, () => {
      const { service, framework: found, reasons, hints } = decide(files);
      const { outputDirectory, startCommand, port } = service;
      const end = service.type === "static" ? outputDirectory : `${startCommand} ${port}`;
      assert.deepEqual(
        [found?.id ?? null, service.type, service.buildCommand, end],
        [framework, type, build, rest],
      );
      assert.equal(reasons.length > 0, framework !== null);
      for (const sentence of [...reasons, ...hints]) assert.match(sentence, /^[A-Za-z][^\n]*[.]$/);
    });
  }

  it("is a folder of files if nothing else is known", () => {
    const { framework, service } = decide({ "README.md": "" }, "public");
    assert.deepEqual([framework?.id, service.outputDirectory], ["static", "public"]);
  });

  it("says that other languages need a Dockerfile, and that a monorepo needs names", () => {
    assert.match(decide({ "go.mod": "" }).hints.join(" "), /builds Go with a Dockerfile only/);
    assert.match(
      decide(manifest(["vite"], BUILD, { workspaces: ["a"] })).hints.join(" "),
      /several packages/,
    );
  });

  it("takes names of objects for no dependencies", () => {
    assert.equal(
      decide(manifest([], {}, { dependencies: { constructor: "1", __proto__: { next: "1" } } })).framework,
      null,
    );
  });

  it("takes little time for hostile texts", () => {
    const long = `${"FROM x\\\n".repeat(20_000)}CMD ${" ".repeat(50_000)}x`;
    const before = performance.now();
    decide({
      Dockerfile: long,
      "package.json": "[".repeat(100_000),
      "next.config.js": "output :".repeat(30_000),
    });
    decide({ "requirements.txt": "flask-".repeat(40_000), Procfile: `web:${" ".repeat(100_000)}` });
    assert.ok(performance.now() - before < 1000);
  });
});

describe("the files to read", () => {
  it("are the deciding ones, at most ten", () => {
    const many = Array.from({ length: 30 }, (_, index) => `${index}.txt`);
    assert.deepEqual(
      chooseFilesToRead(new Set([...many, "package.json", "next.config.ts", "xnext.config.js"])),
      ["package.json", "next.config.ts"],
    );
  });
});
