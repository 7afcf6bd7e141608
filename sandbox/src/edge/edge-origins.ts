/** The sources of the edge's answers: the live release of a service, a repository's files, another host, or nothing yet. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Origin } from "../../../src/cloud/cloud.ts";
import { sendText } from "../serving/edge-text.ts";
import type { GitRepositories } from "../git/git-repositories.ts";
import type { Proxy } from "../serving/origin-proxy.ts";
import { createFileReader, serveRepository } from "./origin-repository.ts";
import type { SandboxPlatform } from "../platform/platform.ts";
import { serveRelease } from "../platform/releases/serve-release.ts";

export type OriginServer = {
  /** The origin of a distribution in that account. */
  serve(accountId: string, origin: Origin, request: IncomingMessage, response: ServerResponse): Promise<void>;
};

export function createOriginServer(parts: {
  readonly repositories: GitRepositories;
  readonly proxy: Proxy;
  readonly platform: SandboxPlatform;
}): OriginServer {
  const { repositories, proxy, platform } = parts;
  const readFile = createFileReader();
  return {
    async serve(accountId, origin, request, response) {
      const serviceId = origin.kind === "host" ? undefined : origin.serviceId;
      const live = serviceId === undefined ? null : platform.releases.findLive(accountId, serviceId);
      if (live !== null) return serveRelease(live, proxy, "https", request, response);
      switch (origin.kind) {
        case "none":
          return sendText(
            response,
            503,
            "Nothing has been released here yet. Come back after the first deployment.",
          );
        case "host":
          return proxy.forward(
            origin.hostname,
            (port) => platform.hasPort(accountId, port),
            request,
            response,
          );
        case "repository":
          return serveRepository(origin, repositories, readFile, request, response);
      }
    },
  };
}
