/**
 * `slipway keys …`: the sealing keys in the key folder. No command opens the database, so all of them work while a
 * service uses the embedded database.
 */
import { systemClock } from "../lib/clock.ts";
import { readConfig } from "../start/config/config.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { openFiles } from "./open-keys.ts";
import { type AtRestKeyFile, atRestKeysIn, rotateAtRestKey } from "../sealing/keys/at-rest-keys.ts";
import { readFolderKey } from "../sealing/keys/folder-key.ts";
import { type KeyFolder, openKeyFolder } from "../sealing/keys/key-folder.ts";
import { PROGRESS_FILE, type ResealProgress } from "../sealing/reseal.ts";

/** `slipway keys rotate` @throws SealingError, OperatorError */
export async function rotateKeys(): Promise<void> {
  const files = await openFiles(readConfig());
  if (atRestKeysIn(await files.folder.list()).length === 0) {
    throw new OperatorError(
      `There is no at-rest key in ${files.folder.path} to rotate. Start the service once, or set SLIPWAY_SEALING_KEYS to the service's value.`,
    );
  }
  const { file } = await rotateAtRestKey(files, systemClock);
  print(
    `The new at-rest key is ${file}. Running processes seal with it within seconds, and a worker re-seals what older keys sealed. Keep a copy of the file, separate from the database backups. To see the progress, run: slipway keys status`,
  );
}

/** `slipway keys status` @throws SealingError */
export async function showKeys(): Promise<void> {
  const { sealingKeysDir } = readConfig();
  const folder = await openKeyFolder(sealingKeysDir, systemClock);
  const wrapped = await readFolderKey(folder);
  const keys = atRestKeysIn(await folder.list());
  print(`Key folder  ${folder.path}`);
  print(
    `Wrapped by  ${wrapped === null ? "nothing: the keys are readable in their files" : wrapped.wrappedBy}`,
  );
  for (const key of keys) {
    const made = key.createdAt === null ? "the first" : `made ${key.createdAt.toISOString()}`;
    print(`At-rest key ${key.file}  ${made}  ${key === keys.at(-1) ? "seals and opens" : "opens only"}`);
  }
  if (keys.length > 1) print(await describeProgress(folder, keys));
}

/** `slipway keys unwrap` @throws SealingError, OperatorError */
export async function unwrapKeys(): Promise<void> {
  const config = readConfig();
  if (config.kmsKeyId === null) {
    throw new OperatorError(
      "Set SLIPWAY_KMS_KEY_ID to the service's value. It is needed to unwrap the keys.",
    );
  }
  const count = await (await openFiles(config)).unwrapAll();
  print(
    `Unwrapped ${count} keys. Start all processes without SLIPWAY_KMS_KEY_ID; a process that has it set wraps the keys again.`,
  );
}

async function describeProgress(folder: KeyFolder, keys: readonly AtRestKeyFile[]): Promise<string> {
  const text = (await folder.read(PROGRESS_FILE))?.toString("utf8");
  const progress = text === undefined ? null : (JSON.parse(text) as ResealProgress);
  if (progress === null || progress.key !== keys.at(-1)?.file) {
    return "Re-sealing  not started: a worker starts within ten seconds of the rotation. Check that a worker is running.";
  }
  const { at, left, unreadable } = progress;
  if (left > unreadable) return `Re-sealing  ${left} values left, at ${at}`;
  const lost =
    unreadable === 0
      ? ""
      : ` ${unreadable} values cannot be opened with any key; enter those git tokens again. Their key is kept until then.`;
  return `Re-sealing  done at ${at}.${lost} Older keys are destroyed a day after they were replaced, when no stored answer needs them.`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
