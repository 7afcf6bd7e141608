/**
 * Certificates of public CAs by ACME (RFC 8555), one for each name. Everything is kept in the small cloud's state: a
 * process that is killed continues where it was.
 */
import type { Challenges } from "../../../edge/src/challenges.ts";
import type { DnsServer } from "../../../src/dns/wire/servers.ts";
import type { SandboxLog } from "../accounts/stacks.ts";
import type { Certificates } from "../cdn/certificates.ts";
import type { SandboxState } from "../state.ts";
import { createAnswers } from "./answers.ts";
import { createAcmeCertificates, delegationOf } from "./certificates.ts";
import { type AcmeConfig, openDirectories, type Seal } from "./directories.ts";
import { createEngine } from "./engine.ts";
import { createLook, type EdgePlace } from "./look.ts";
import { openNames } from "./names.ts";
import { createQueue } from "./queue.ts";
import { type AcmeStatus, readStatus } from "./status.ts";
import { openUses } from "./uses.ts";

const AT_ONCE = 32;

export type Acme = {
  readonly certificates: Certificates;
  readonly challenges: Challenges;
  status(): AcmeStatus;
  /** Why the zone of delegated challenges cannot be looked up here, as a sentence; null if it can. */
  findZoneProblem(): Promise<string | null>;
  /** Ends the work; what is under way is continued at the next start. */
  stop(): Promise<void>;
};

export async function startAcme(options: {
  readonly state: SandboxState;
  readonly now: () => number;
  readonly log: SandboxLog;
  readonly isInUse: (certificateId: string) => boolean;
  readonly config: AcmeConfig;
  /** What names must lead to. */
  readonly edge: EdgePlace;
  /** The zone of delegated challenges, which Slipway's DNS serves. */
  readonly challengeZone: string;
  /** To look names up. */
  readonly dnsServers: readonly DnsServer[];
  readonly seal: Seal;
  readonly validationWindowMs: number;
}): Promise<Acme> {
  const { state, now, log, isInUse, config, edge, challengeZone, dnsServers, seal } = options;
  const stopping = new AbortController();
  const names = openNames(state);
  const uses = openUses(state, now);
  const answers = createAnswers();
  const look = createLook({ dnsServers, edge, answers });
  const directories = openDirectories({ state, config, seal, now, signal: stopping.signal, log });
  const certificates = createAcmeCertificates({
    state,
    names,
    seal,
    challengeZone,
    validationWindowMs: options.validationWindowMs,
    now,
    isInUse,
    onNames(wanted, dropped) {
      for (const id of dropped) {
        queue.forget(id);
        answers.remove(id);
      }
      for (const id of wanted) queue.wake(id);
    },
  });
  const engine = createEngine({
    disk: state,
    names,
    uses,
    answers,
    look,
    directories,
    certificates,
    seal,
    edgeHostname: edge.hostname,
    challengeZone,
    now,
    signal: stopping.signal,
    log,
  });
  const queue = createQueue({
    atOnce: AT_ONCE,
    now,
    accountOf: (id) => id.slice(0, id.indexOf("/")),
    work: (id) => engine.work(id),
  });
  // The CA may check at any moment the answers that it heard of before the restart.
  for (const { id, accountId, name, order } of names.values()) {
    if (order?.challenge)
      await answers.put(id, name, delegationOf(accountId, name, challengeZone).value, order.challenge);
  }
  for (const { id } of names.values()) queue.wake(id);
  return {
    certificates,
    challenges: answers,
    status: () => readStatus({ names, certificates, directories, uses, now }),
    findZoneProblem: () => look.findZoneProblem(challengeZone),
    async stop() {
      stopping.abort();
      await queue.stop();
      look.close();
      for (const { client } of directories) client.close();
    },
  };
}
