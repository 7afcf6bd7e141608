import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { createRepository, type Files } from "./git-repositories.ts";
import type { SandboxState } from "../state.ts";

const CONFIG = {
  envVariables: {},
  environments: [
    {
      id: "production",
      name: "Production",
      region: "us-west-2",
      source: { branch: "main", trigger: "manual" },
      envVariables: {},
      services: [{ id: "web", name: "Web", type: "static", outputDirectory: "public" }],
    },
  ],
};

const INDEX = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>It floats: served by Slipway</title>
    <link rel="stylesheet" href="/style.css">
  </head>
  <body>
    <main>
      <svg viewBox="0 0 120 60" role="img" aria-label="A small boat that leaves its slipway">
        <path class="ramp" d="M0 56 L120 44 L120 60 L0 60 Z"/>
        <path class="hull" d="M32 36 H88 L78 50 H42 Z"/>
        <path class="sail" d="M58 6 V33 H36 Z M62 12 V33 H80 Z"/>
      </svg>
      <h1>It floats.</h1>
      <p>
        This page comes from the <code>demo</code> repository, over HTTPS, under a certificate that was
        issued after its DNS record was seen.
      </p>
      <ol>
        <li>Its files are in <code>public/</code>, at the head of <code>main</code>.</li>
        <li>Push a change, reload, and it is here.</li>
        <li>Add a domain of your own: the API says which record to set.</li>
      </ol>
    </main>
  </body>
</html>
`;

const NOT_FOUND = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Nothing here</title>
    <link rel="stylesheet" href="/style.css">
  </head>
  <body>
    <main>
      <h1>Nothing is moored here.</h1>
      <p><a href="/">Back to the start</a></p>
    </main>
  </body>
</html>
`;

const STYLE = `:root {
  color-scheme: light dark;
  --ink: #12263a;
  --sea: #0b7285;
  --paper: #f6fafb;
  --card: #ffffff;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e3f0f4;
    --sea: #66d9e8;
    --paper: #0b1a24;
    --card: #122635;
  }
}
* {
  box-sizing: border-box;
}
body {
  margin: 0;
  min-height: 100vh;
  display: grid;
  place-items: center;
  padding: 1.5rem;
  background: var(--paper);
  color: var(--ink);
  font: 1.05rem/1.6 system-ui, sans-serif;
}
main {
  max-width: 36rem;
  padding: 2.5rem;
  background: var(--card);
  border-radius: 1rem;
  box-shadow: 0 0.5rem 2rem rgb(0 0 0 / 12%);
}
svg {
  width: 9rem;
}
.ramp {
  fill: var(--ink);
  opacity: 0.25;
}
.hull {
  fill: var(--ink);
}
.sail {
  fill: var(--sea);
}
h1 {
  margin: 0.5rem 0;
  font-size: 2.25rem;
  line-height: 1.2;
}
a {
  color: var(--sea);
}
`;

const README = `# demo

A small site for a first tour of Slipway's sandbox. \`slipway.json\` declares one environment,
\`production\`, with one static service, \`web\`, that serves \`public/\`.

This repository is bare and lies on your disk: clone it by its path, change something, and push.
`;

const FILES: Files = {
  "README.md": README,
  "slipway.json": `${JSON.stringify(CONFIG, null, 2)}\n`,
  "public/index.html": INDEX,
  "public/404.html": NOT_FOUND,
  "public/style.css": STYLE,
};

/** Creates the `demo` repository at the first start. If it is deleted later, it is not created again. */
export async function ensureDemoRepository(state: SandboxState, folder: string, at: Date): Promise<void> {
  const done = state.collection<{ readonly at: number }>("first-start");
  if (done.get("demo-repository") !== undefined) return;
  mkdirSync(folder, { recursive: true });
  // After a crash between the two lines, the repository exists without a note of it.
  if (!existsSync(path.join(folder, "demo.git"))) {
    await createRepository({ folder: path.resolve(folder), name: "demo", branch: "main", files: FILES, at });
  }
  done.put("demo-repository", { at: at.getTime() });
}
