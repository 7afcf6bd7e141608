/** The cloud adapter for the small cloud, the sandbox and the edge of an own server: each method is one call over HTTP. */
import type {
  ObservedCertificate,
  Cloud,
  CloudAccount,
  CloudStack,
  ObservedDistribution,
  ReportedIdentity,
  Traffic,
} from "../cloud.ts";
import { shortNameFirst, stackNameOf, verifyTrust } from "../adapter-rules.ts";
import { type CallPolicy, createCallPolicy } from "../calls/policy.ts";
import { createCaller, roleOf } from "./adapter-call.ts";
import { linkCodeOf } from "../../../sandbox/src/accounts/link-code.ts";
import { CAA_ISSUER } from "../../../sandbox/src/dns/names.ts";
import type {
  CertificateMessage,
  DistributionMessage,
  TrafficMessage,
} from "../../../sandbox/src/protocol.ts";
import { STACK_REGION } from "../../../sandbox/src/accounts/stacks.ts";

type Options = {
  /** The address of the small cloud's server. */
  readonly url: string;
  /** Where browsers find its pages. */
  readonly publicUrl: string;
  readonly secret: string | null;
  /** For each attempt; five seconds by default. */
  readonly timeoutMs?: number;
  /** By default, the adapter creates its own. */
  readonly policy?: CallPolicy;
};

export function createSandboxCloud(options: Options): Cloud {
  const { publicUrl, secret } = options;
  return createSmallCloud(options, {
    kind: "sandbox",
    caaIssuers: () => Promise.resolve([CAA_ISSUER]),
    servesRepositories: true,
    createsStores: ["postgres", "redis"],
    provesByConnection: false,
    stackFor: (connectionId) =>
      stackAt(connectionId, `${publicUrl}/sandbox/console/stacks/new`, secret, {
        templateURL: `${publicUrl}/sandbox/template.json`,
        stackName: stackNameOf(connectionId),
      }),
  });
}

/** @param options.caaIssuers the names by which CAA records allow the CA */
export function createHostCloud(options: Options & Pick<Cloud, "caaIssuers">): Cloud {
  const { publicUrl, secret, caaIssuers } = options;
  return createSmallCloud(options, {
    kind: "host",
    caaIssuers,
    servesRepositories: false,
    createsStores: [],
    provesByConnection: true,
    stackFor: (connectionId) => stackAt(connectionId, `${publicUrl}/host/connect`, secret, {}),
  });
}

/** A page of the small cloud on which an admin connects it. Without a template, its address stands for it. */
function stackAt(
  connectionId: string,
  page: string,
  secret: string | null,
  more: { readonly templateURL?: string; readonly stackName?: string },
): CloudStack {
  const query = new URLSearchParams({
    ...more,
    param_ServiceId: connectionId,
    code: linkCodeOf(secret, connectionId),
  });
  const consoleUrl = `${page}?${query.toString()}`;
  return {
    consoleUrl,
    template: {
      url: more.templateURL ?? consoleUrl,
      stackName: stackNameOf(connectionId),
      region: STACK_REGION,
      parameters: { ServiceId: connectionId },
    },
  };
}

function createSmallCloud(
  options: Options,
  own: Pick<
    Cloud,
    "kind" | "caaIssuers" | "servesRepositories" | "createsStores" | "provesByConnection" | "stackFor"
  >,
): Cloud {
  const { policy = createCallPolicy() } = options;
  const call = createCaller({ ...options, policy });

  async function verify(connectionId: string, reported: ReportedIdentity): Promise<CloudAccount> {
    const { roleArn, accountId } = reported;
    await verifyTrust(connectionId, accountId, "identity.verify", {
      assume: (externalId) => call("identity.verify", { connectionId, roleArn, externalId }, {}),
      accountOf: async (caller) => caller.accountId,
    });
    return { connectionId, accountId, roleArn };
  }

  return policy.each<Cloud>({
    ...own,
    sleeps: true,
    keepsLogsByDays: false,
    buildsDockerfiles: false,
    runsImages: false,
    scalesInstances: false,
    cachesAnswers: false,
    joinsValues: true,
    readsOtherSecrets: false,
    sizesStores: false,
    // The small cloud's roles have no policies: they may do everything or, once deleted, nothing.
    identity: { verify, missingPermissions: () => Promise.resolve([]) },

    certificates: {
      request: (account, { names, token }) =>
        call("certificates.request", roleOf(account), { names: shortNameFirst(names) ?? [...names], token }),
      async describe(account, id) {
        const { certificate } = await call("certificates.describe", roleOf(account), { id });
        return certificate === null ? null : readCertificate(certificate);
      },
      list: async (account) => (await call("certificates.list", roleOf(account), {})).certificates,
      delete: async (account, id) => (await call("certificates.delete", roleOf(account), { id })).result,
    },

    distributions: {
      create: async (account, request) =>
        readDistribution(await call("distributions.create", roleOf(account), request)),
      async describe(account, id) {
        const { distribution } = await call("distributions.describe", roleOf(account), { id });
        return distribution === null ? null : readDistribution(distribution);
      },
      async update(account, id, { aliases, origin, ...update }) {
        const input = { id, ...update, aliases: [...aliases], ...(origin === undefined ? {} : { origin }) };
        return readDistribution(await call("distributions.update", roleOf(account), input));
      },
      // Its edge asks the service each time.
      invalidate: (_account, _id, { token }) => Promise.resolve({ id: token, isComplete: true }),
      describeInvalidation: (_account, _id, id) => Promise.resolve({ id, isComplete: true }),
      // The small cloud keeps redirects only in the distribution.
      forgetRedirects: () => Promise.resolve(),
      delete: async (account, id, etag) =>
        (await call("distributions.delete", roleOf(account), { id, etag })).result,
      async traffic(account, ids, since) {
        const input = { ids: [...ids], since: since.getTime() };
        return readTraffic(await call("distributions.traffic", roleOf(account), input));
      },
    },

    zones: {
      find: async (account, name) => (await call("zones.find", roleOf(account), { name })).zones,
      look: async (account, id, names) =>
        (await call("zones.look", roleOf(account), { id, names: [...names] })).found,
      async create(account, id, records) {
        await call("zones.create", roleOf(account), { id, records: [...records] });
      },
      async delete(account, id, records) {
        await call("zones.delete", roleOf(account), { id, records: [...records] });
      },
    },

    parameters: {
      put: (account, { region, name, value, token }) =>
        call("parameters.put", roleOf(account), { region, name, value, token }),
      async delete(account, { region, name }) {
        await call("parameters.delete", roleOf(account), { region, name });
      },
    },

    secrets: {
      put: (account, { region, name, value, token }) =>
        call("secrets.put", roleOf(account), { region, name, value, token }),
      async delete(account, { region, name }) {
        await call("secrets.delete", roleOf(account), { region, name });
      },
    },
  });
}

function readCertificate(message: CertificateMessage): ObservedCertificate {
  const date = (ms: number | null) => (ms === null ? null : new Date(ms));
  return {
    ...message,
    requestedAt: new Date(message.requestedAt),
    issuedAt: date(message.issuedAt),
    expiresAt: date(message.expiresAt),
  };
}

function readTraffic({ from, until, minutes }: TrafficMessage): Traffic {
  return {
    from: new Date(from),
    until: new Date(until),
    minutes: minutes.map((minute) => ({ ...minute, at: new Date(minute.at) })),
  };
}

function readDistribution(message: DistributionMessage): ObservedDistribution {
  const { aliases, changedAt } = message;
  return { ...message, aliases: aliases.toSorted(), changedAt: new Date(changedAt) };
}
