/**
 * AWS as the tests meet it: moto does the work, and this server before it adds the rules that moto lacks
 * (trust, validation, ETags, aliases) and the faults that a test asks for.
 */
import { createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type CertificateRules, createCertificateRules } from "./certificate-rules.ts";
import { createDistributionRules, type DistributionRules } from "./distribution-rules.ts";
import { createFunctionRules, type FunctionRules } from "./function-rules.ts";
import { createPlatformRules, type PlatformRules } from "./platform/platform-rules.ts";
import { createFaults, type Faults, faultyAnswer, seededRandom } from "./faults.ts";
import { type AwsAnswer, type AwsRequest, readRequest } from "./request.ts";
import { createTrust, type Trust } from "./trust.ts";
import { createZoneRules } from "./zone-rules.ts";

export type Emulator = {
  readonly url: string;
  readonly trust: Trust;
  readonly faults: Faults;
  readonly platform: PlatformRules;
  readonly functions: FunctionRules["list"];
  readonly edges: DistributionRules["edges"];
  readonly distributions: DistributionRules["list"];
  readonly setDnsRecord: CertificateRules["setRecord"];
  /** Sees each call as it comes and again when its answer is ready, and holds it meanwhile. */
  watch(observer: Observer): void;
  /** Closes every connection; their calls get no answer. */
  disconnectAll(): void;
  /** Every call that came, in order, including calls that met a fault. */
  readonly calls: readonly {
    readonly api: string;
    readonly atMs: number;
    readonly accountId: string;
    /** Of a session's: the name that it was asked for by. */
    readonly sessionName: string;
  }[];
  stop(): Promise<void>;
};

/** `before`: nothing was done yet. `after`: it was, and the caller does not know. */
export type Moment = "before" | "after";
/** @param isCallerGone the caller died meanwhile, at the moment of another call: this call gets no answer */
export type Observer = (api: string, moment: Moment, isCallerGone: boolean) => Promise<void>;

export async function startEmulator(options: { motoUrl: string; seed?: number }): Promise<Emulator> {
  const trust = createTrust();
  const faults = createFaults(seededRandom(options.seed ?? 1));
  // Each needs one answer of the other.
  const distributions = createDistributionRules(
    (...args) => certificates.covers(...args),
    (arn) => functions.isLive(arn),
  );
  const functions = createFunctionRules((arn) => distributions.isFunctionInUse(arn));
  const certificates = createCertificateRules((arn) => distributions.isCertificateInUse(arn));
  const platform = createPlatformRules((request) => forward(options.motoUrl, request));
  const zoneRules = createZoneRules((request) => forward(options.motoUrl, request));
  const calls: { api: string; atMs: number; accountId: string; sessionName: string }[] = [];
  let observe: Observer = () => Promise.resolve();

  async function work(request: AwsRequest): Promise<AwsAnswer> {
    const denied = trust.before(request);
    if (denied !== null) return denied;
    const accountId = trust.accountOf(request);
    const refused =
      certificates.before(request) ?? distributions.before(request, accountId) ?? (await zoneRules(request));
    if (refused !== null) return refused;
    const played = functions.answer(request, accountId) ?? (await platform.answer(request, accountId));
    if (played !== null) return played;
    const answer = await forward(options.motoUrl, request);
    trust.after(request, answer);
    return distributions.after(request, certificates.after(request, answer, accountId), accountId);
  }

  // Writes one after the other: moto checks and acts in two steps, between which another would slip.
  let last: Promise<unknown> = Promise.resolve();
  function workInTurn(request: AwsRequest): Promise<AwsAnswer> {
    if (/:(?:Describe|Get|List|Assume)/.test(request.api)) return work(request);
    const turn = last.then(() => work(request));
    last = turn.catch(() => undefined);
    return turn;
  }

  async function serve(request: AwsRequest, response: ServerResponse): Promise<void> {
    const { api } = request;
    const accountId = trust.accountOf(request);
    calls.push({ api, atMs: performance.now(), accountId, sessionName: trust.sessionNameOf(request) });
    await observe(api, "before", false);
    // Its caller died: the call never came.
    if (isAbandoned(response)) return;
    const fault = faults.next(api);
    if (fault === null) {
      const answer = await workInTurn(request);
      await observe(api, "after", isAbandoned(response));
      return send(response, answer);
    }
    if (fault === "hang") return;
    if (fault === "lost-response") await workInTurn(request);
    const answer = faultyAnswer(api, fault);
    if (answer === null) response.socket?.resetAndDestroy();
    else send(response, answer);
  }

  const server = createServer((incoming, response) => {
    void readRequest(incoming)
      .then((request) => serve(request, response))
      .catch((error: unknown) => {
        // A client that gave up is not a fault; the test must see any other error.
        if (!response.destroyed) response.writeHead(500).end(`The emulator failed: ${String(error)}`);
      });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    trust,
    faults,
    platform,
    functions: () => functions.list(),
    edges: (accountId) => distributions.edges(accountId),
    distributions: (accountId) => distributions.list(accountId),
    calls,
    disconnectAll: () => server.closeAllConnections(),
    watch(observer) {
      observe = observer;
    },
    setDnsRecord: (record) => certificates.setRecord(record),
    async stop() {
      platform.tasks.stop();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** A destroyed connection's response learns of it a turn later than the socket. */
function isAbandoned({ destroyed, socket }: ServerResponse): boolean {
  return destroyed || socket === null || socket.destroyed;
}

function send(response: ServerResponse, { status, headers, body }: AwsAnswer): void {
  if (isAbandoned(response)) return;
  response.writeHead(status, { ...headers, "content-length": body.byteLength }).end(body);
}

async function forward(motoUrl: string, { method, path, headers, body }: AwsRequest): Promise<AwsAnswer> {
  const outgoing = httpRequest(`${motoUrl}${path}`, { method, headers });
  outgoing.end(body);
  const [incoming] = (await once(outgoing, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) {
    const isOfTheHop = ["connection", "content-length", "transfer-encoding", "keep-alive"].includes(name);
    if (typeof value === "string" && !isOfTheHop) kept[name] = value;
  }
  return { status: incoming.statusCode ?? 0, headers: kept, body: Buffer.concat(chunks) };
}
