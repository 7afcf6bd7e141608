/** The sites of the edge: for each name of a live distribution, the answers of its origin. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Origin } from "../../../src/cloud/cloud.ts";
import type { KeyPair } from "../../../edge/src/key-pair.ts";
import type { Site } from "../../../edge/src/requests.ts";
import type { Visitor } from "../../../edge/src/visitor.ts";
import { repositoryNameOf, type GitRepositories } from "../git/git-repositories.ts";
import { RepositoryFault } from "../git/objects.ts";
import type { SandboxPlatform } from "../platform/platform.ts";
import type { LiveTarget } from "../platform/releases/releases.ts";
import { serveRelease } from "../platform/releases/serve-release.ts";
import { sendText } from "../../../edge/src/edge-text.ts";
import type { Proxy } from "../../../edge/src/origin-proxy.ts";
import type { SiteFile } from "../../../edge/src/site-file.ts";
import { serveSite } from "../../../edge/src/site.ts";
import type { Certificates } from "./certificates.ts";
import { type Distributions, labelOf, originOf, routeOf } from "./distributions.ts";

const NOT_RELEASED = "Nothing has been released here yet. Come back after the first deployment.";
const NO_PREVIEW =
  "There is no preview at this address. It may have been deleted: see the pull request, or the list of previews.";

export function createSites(parts: {
  readonly distributions: Distributions;
  readonly certificates: Pick<Certificates, "keyPairFor">;
  /** For the provider's own host names; null for any other, and as long as there is none. */
  readonly ownPairFor: (hostName: string) => KeyPair | null;
  readonly repositories: Pick<GitRepositories, "open">;
  readonly proxy: Proxy;
  readonly platform: SandboxPlatform;
}): (hostName: string) => Site | null {
  const { distributions, certificates, ownPairFor, repositories, proxy, platform } = parts;

  function findRelease(accountId: string, origin: Origin): LiveTarget | null {
    const serviceId = "serviceId" in origin ? origin.serviceId : undefined;
    return serviceId === undefined ? null : platform.releases.findLive(accountId, serviceId);
  }

  /** The live release of a service, a repository's files, another host, or nothing yet. */
  async function serve(
    accountId: string,
    origin: Origin,
    visitor: Visitor,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const live = findRelease(accountId, origin);
    if (live !== null) return serveRelease(live, "visitor", proxy, visitor, request, response);
    switch (origin.kind) {
      case "none":
        return sendText(response, 503, NOT_RELEASED);
      case "previews":
        return sendText(response, 404, NO_PREVIEW);
      case "host":
        return proxy.forward(
          origin.hostname,
          (port) => platform.hasPort(accountId, port),
          visitor,
          request,
          response,
        );
      case "repository":
        return serveRepository(origin, repositories, request, response);
    }
  }

  return (hostName) => {
    const live = distributions.findLive(hostName);
    if (live === null) return null;
    const { distribution, revision } = live;
    const { redirects = {} } = revision;
    const given = originOf(distribution, revision);
    const route = given.kind === "previews" ? routeOf(distribution, hostName) : null;
    const origin: Origin =
      route === null ? given : "hostname" in route ? { kind: "host", ...route } : { kind: "none", ...route };
    return {
      id: route === null ? distribution.id : `${distribution.id}/${labelOf(hostName)}`,
      certificate:
        hostName === distribution.domainName
          ? ownPairFor(hostName)
          : certificates.keyPairFor(revision.certificateId ?? "", hostName),
      redirectTo: (Object.hasOwn(redirects, hostName) ? redirects[hostName] : undefined) ?? null,
      isUnlisted: revision.access !== undefined,
      gate: distributions.gateOf(live),
      originHost: origin.kind === "host" ? origin.hostname : null,
      files() {
        const release = findRelease(distribution.accountId, origin);
        return release?.kind === "site" ? release.files : null;
      },
      serve: (request, response, visitor) =>
        serve(distribution.accountId, origin, visitor, request, response),
    };
  };
}

/** Files of a sandbox repository, at the head of a branch. */
async function serveRepository(
  origin: Extract<Origin, { kind: "repository" }>,
  repositories: Pick<GitRepositories, "open">,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const name = repositoryNameOf(origin.repoUrl);
  // Of a repository at a git host, only releases are served.
  if (name === null) return sendText(response, 503, NOT_RELEASED);
  const repository = repositories.open(name);
  const commit = (await repository?.resolveBranch(origin.branch)) ?? null;
  if (repository === null || commit === null) {
    return sendText(
      response,
      502,
      "The origin of this site cannot be read: its repository or branch is missing.",
    );
  }
  const root = origin.directory.split("/").filter((part) => part !== "" && part !== ".");
  const read = async (sitePath: string): Promise<SiteFile | "tree" | null> => {
    const found = await repository.read(commit, [...root, sitePath].filter(Boolean).join("/"));
    if (found === null || found === "tree") return found;
    const { oid, bytes } = found;
    const open: SiteFile["open"] = ({ start, end } = { start: 0, end: bytes.byteLength - 1 }) =>
      bytes.subarray(start, end + 1);
    return { etag: oid, contentKey: oid, sizeBytes: bytes.byteLength, open };
  };
  try {
    await serveSite({ read }, request, response);
  } catch (error) {
    if (!(error instanceof RepositoryFault)) throw error;
    return sendText(response, 502, `The origin of this site cannot be read. ${error.message}`);
  }
}
