/** The acceptance story on an own server: real DNS packets, Pebble as the CA, and a GitLab with real git. */
import { rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createRepository } from "../../sandbox/src/git/git-repositories.ts";
import { Slipway } from "../../sdk/src/index.ts";
import { describeStory } from "../acceptance/story.ts";
import type { Target } from "../acceptance/target.ts";
import { createApiClient } from "../helpers/api-client.ts";
import { configOf, withConfig } from "../helpers/customers/deployments.ts";
import { startGitServer } from "../helpers/git/git-server.ts";
import { KEY, startHostInstance } from "../helpers/host/host-instance.ts";
import { makeTempDir } from "../helpers/template.ts";

const FILES = withConfig(configOf([{ id: "web", type: "static", outputDirectory: "public" }]), {
  "public/index.html": "It floats.",
});

/** The part of GitLab's API that describes a project, and reads its files. @returns whether it was asked */
function answerApi({ url = "" }: IncomingMessage, response: ServerResponse): boolean {
  const { pathname } = new URL(url, "https://host");
  if (!pathname.startsWith("/api/v4/")) return false;
  const file = /\/repository\/files\/([^/]+)\/raw$/.exec(pathname)?.[1];
  const commit = /\/repository\/commits\/([0-9a-f]{40})$/.exec(pathname)?.[1];
  const found =
    file !== undefined
      ? FILES[decodeURIComponent(file)]
      : JSON.stringify(
          pathname.endsWith("/user")
            ? { id: 1, username: "slipway" }
            : commit === undefined
              ? { id: 2, visibility: "public", path_with_namespace: "acme/shop", default_branch: "main" }
              : { id: commit, message: "Float", author_name: "Ada" },
        );
  response.writeHead(found === undefined ? 404 : 200, { "content-type": "application/json" });
  response.end(found ?? "{}");
  return true;
}

async function openHostTarget(): Promise<Target> {
  const folder = await makeTempDir("acceptance-git");
  const git = await startGitServer({ folder, login: null, answerInstead: answerApi });
  const acme = `${folder}/acme`;
  await createRepository({ folder: acme, name: "shop", branch: "main", files: FILES, at: new Date() });
  const instance = await startHostInstance();
  const slipway = new Slipway({ url: instance.url, token: KEY });
  return {
    slipway,
    client: createApiClient(instance.url, KEY),
    customer: {
      async connect(awsAccountId) {
        await slipway.request("POST", "/host/connections", { body: { ServiceId: awsAccountId } });
      },
      async setRecord({ name, type, value }) {
        instance.names.set(name, type, value);
      },
      repository: {
        url: `https://${git.host}/acme/shop`,
        codeSource: { provider: "provider_b_self_hosted", host: git.host },
      },
    },
    async dispose() {
      await instance.stop();
      await git.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

describeStory(openHostTarget);
