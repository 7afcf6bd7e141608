/**
 * `npm run test:key-timing -- [--samples N] [--seed N]`: whether the time that a refused API key takes reveals how
 * much of it was right. Keys of four kinds are checked in random order against a database that knows one, and
 * the times of each kind compared with those of wholly unknown keys by Welch's t-test. Beyond ±4.5 the
 * times differ (Goodwill et al., "A testing methodology for side channel resistance validation", 2011).
 */
import { rm } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import type { FastifyReply, FastifyRequest } from "fastify";
import { checksumOf, newApiKey } from "../../src/lib/api-key.ts";
import { openPgliteDatabase } from "../../src/db/drivers/pglite.ts";
import { AppError } from "../../src/lib/errors.ts";
import { createHostCookie } from "../../src/http/session-cookie.ts";
import { addGrants } from "../../src/features/project-access/queries.ts";
import { createAuthentication } from "../../src/http/auth.ts";
import { findPrincipal } from "../../src/features/api-keys/queries.ts";
import { createOrganization } from "../../src/features/organizations/commands.ts";
import { createRandom } from "../crash/random.ts";
import { copyPgliteTemplate, makeTempDir } from "../helpers/template.ts";

const { values: options } = parseArgs({
  options: {
    samples: { type: "string", default: "100000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const BODY_LENGTH = 31;
const WARM_UP = 2_000;
const THRESHOLD = 4.5;

/** How many of the first characters of a key that exists another key has; the last is one short of its body. */
const KINDS: Readonly<Record<string, number>> = {
  unknown: 4,
  "right prefix, as lists show it": 12,
  "right but for the last character": BODY_LENGTH - 1,
};

async function main(): Promise<number> {
  const random = createRandom(Number(options.seed));
  const folder = await makeTempDir("key-timing");
  await copyPgliteTemplate(path.join(folder, "database"));
  const db = await openPgliteDatabase({ folder: path.join(folder, "database") });
  try {
    const known = newApiKey();
    await db.transaction((tx) => createOrganization(tx, "Timed", known));
    const { authenticate } = createAuthentication({
      findPrincipal: async ({ hash }) => await addGrants(db, await findPrincipal(db, hash)),
      sessionCookie: createHostCookie("slipway", "http://127.0.0.1"),
      publicOrigin: "http://127.0.0.1",
      admit: () => undefined,
      know: () => undefined,
    });
    const time = async (key: string): Promise<number> => {
      const request = { id: "", headers: { authorization: `Bearer ${key}` }, actor: null };
      const startedAt = performance.now();
      try {
        await authenticate(request as unknown as FastifyRequest, {} as FastifyReply);
      } catch (error) {
        if (error instanceof AppError) return performance.now() - startedAt;
        throw error;
      }
      throw new Error("A key was guessed.");
    };

    const names = Object.keys(KINDS);
    const times = new Map<string, number[]>(names.map((name) => [name, []]));
    const total = WARM_UP + names.length * Number(options.samples);
    for (let sample = 0; sample < total; sample += 1) {
      const name = names[random.below(names.length)] ?? "unknown";
      const took = await time(guess(known, KINDS[name] ?? 0));
      if (sample >= WARM_UP) times.get(name)?.push(took);
    }
    console.log(`seed ${options.seed}, about ${options.samples} samples of each kind`);
    const reference = withoutOutliers(times.get("unknown") ?? []);
    let worst = 0;
    for (const name of names) {
      const sample = withoutOutliers(times.get(name) ?? []);
      const t = welch(sample, reference);
      worst = Math.max(worst, Math.abs(t));
      console.log(`${name}: mean ${(mean(sample) * 1_000).toFixed(2)} µs, t ${t.toFixed(2)}`);
    }
    return worst > THRESHOLD ? 1 : 0;
  } finally {
    await db.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** A key with a right checksum, the first characters of the known one, and others after them. */
function guess(known: string, same: number): string {
  for (;;) {
    const body = known.slice(0, same) + newApiKey().slice(same, BODY_LENGTH);
    if (body !== known.slice(0, BODY_LENGTH)) return body + checksumOf(body);
  }
}

/** The slowest twentieth is noise of the machine. */
function withoutOutliers(sample: readonly number[]): readonly number[] {
  return sample.toSorted((a, b) => a - b).slice(0, Math.floor(sample.length * 0.95));
}

function mean(sample: readonly number[]): number {
  return sample.reduce((sum, value) => sum + value, 0) / sample.length;
}

function variance(sample: readonly number[]): number {
  const middle = mean(sample);
  return sample.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (sample.length - 1);
}

function welch(a: readonly number[], b: readonly number[]): number {
  if (a === b) return 0;
  return (mean(a) - mean(b)) / Math.sqrt(variance(a) / a.length + variance(b) / b.length);
}

process.exitCode = await main();
