import fs from "node:fs";
import path from "node:path";
import * as git from "isomorphic-git";

const NAME = "shop";
const BRANCH = "main";
export const PULL_REQUEST_BRANCH = "cart";
const AUTHOR = { name: "Slipway's demo", email: "demo@sandbox.test" };
const SERVICES = [{ id: "shop", name: "Shop", type: "web", startCommand: "node server.js", port: 3000 }];
const CONFIGURATION = {
  environments: [
    { id: "production", region: "us-west-2", source: { branch: BRANCH }, services: SERVICES },
    { id: "preview", region: "us-west-2", source: { branch: BRANCH, pr: true }, services: SERVICES },
  ],
};

/** The demo's own repository on the sandbox's git host. */
export type ShopRepository = {
  readonly url: string;
  /** Commits the shop with this text to a branch, which begins at `main`. @returns the commit */
  commit(text: string, branch?: typeof PULL_REQUEST_BRANCH): Promise<string>;
};

/** Creates the repository, bare and empty, in the folder of the sandbox's git server. */
export async function createShopRepository(dataDir: string): Promise<ShopRepository> {
  const gitdir = path.join(dataDir, "sandbox", "git", `${NAME}.git`);
  await git.init({ fs, gitdir, bare: true, defaultBranch: BRANCH });
  return {
    url: `https://git.sandbox.test/${NAME}.git`,
    async commit(text, branch) {
      const ref = `refs/heads/${branch ?? BRANCH}`;
      const isNew = branch !== undefined && !(await git.listBranches({ fs, gitdir })).includes(branch);
      const from = { fs, gitdir, ref: BRANCH };
      if (isNew) await git.branch({ fs, gitdir, ref: branch, object: await git.resolveRef(from) });
      const files = { "server.js": serverOf(text), "slipway.json": JSON.stringify(CONFIGURATION, null, 2) };
      const entries: git.TreeEntry[] = [];
      for (const [name, content] of Object.entries(files)) {
        const oid = await git.writeBlob({ fs, gitdir, blob: Buffer.from(content) });
        entries.push({ mode: "100644", path: name, oid, type: "blob" });
      }
      const tree = await git.writeTree({ fs, gitdir, tree: entries });
      return await git.commit({ fs, gitdir, tree, ref, message: text, author: AUTHOR });
    },
  };
}

/** The answer of a commit's shop while the variable `GREETING` has this value; null when it is not set. */
export function pageOf(text: string, greeting: string | null): string {
  return `${text}, ${greeting === null ? "without a greeting" : `greeting ${greeting}`}`;
}

/** A server that shows a text of its commit, and a value from its environment. */
function serverOf(text: string): string {
  const pages = [pageOf(text, null), pageOf(text, "")].map((page) => JSON.stringify(page));
  return `const { GREETING, PORT } = process.env;
const page = GREETING === undefined ? ${pages[0]} : ${pages[1]} + GREETING;
require("node:http")
  .createServer((request, response) => response.end(page))
  .listen(PORT, "127.0.0.1");
`;
}
