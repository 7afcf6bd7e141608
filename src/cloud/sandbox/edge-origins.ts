/** What the edge answers from: files of a repository, another host, or nothing yet. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Origin } from "../cloud.ts";
import { sendText } from "./edge-text.ts";
import type { GitRepositories } from "./git-repositories.ts";
import type { NameSource } from "./look-up.ts";
import { createProxy } from "./origin-proxy.ts";
import { createFileReader, serveRepository } from "./origin-repository.ts";

export type OriginServer = {
  serve(origin: Origin, request: IncomingMessage, response: ServerResponse): Promise<void>;
  stop(): void;
};

export function createOriginServer(repositories: GitRepositories, names: NameSource): OriginServer {
  const proxy = createProxy(names);
  const readFile = createFileReader();
  return {
    async serve(origin, request, response) {
      switch (origin.kind) {
        case "none":
          return sendText(
            response,
            503,
            "Nothing has been released here yet. Come back after the first deployment.",
          );
        case "host":
          return proxy.forward(origin.hostname, request, response);
        case "repository":
          return serveRepository(origin, repositories, readFile, request, response);
      }
    },
    stop: () => proxy.stop(),
  };
}
