/**
 * Stored keys. Each key belongs to the server that it was stored for. Only the owner can read the file. It is put in
 * place by renaming, so that a reader never finds half of it.
 */
import { randomBytes } from "node:crypto";
import { chmodSync, readFileSync, statSync } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { CommandError, EXIT } from "./failure.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export type Profile = { readonly url: string; readonly token: string };

export type Credentials = {
  /** The name of the profile that is used unless another is asked for. */
  readonly current: string | null;
  readonly profiles: Readonly<Record<string, Profile>>;
};

/** @param name may be that of a member of every object, such as `constructor` */
export function findProfile({ profiles }: Pick<Credentials, "profiles">, name: string): Profile | null {
  return Object.hasOwn(profiles, name) ? (profiles[name] ?? null) : null;
}

/** The text of a variable, without blanks around it; null if it has none. */
export function readVariable(env: Environment, name: string): string | null {
  const text = env[name]?.trim() ?? "";
  return text === "" ? null : text;
}

const NOTHING: Credentials = { current: null, profiles: {} };
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** Where this user's programs keep such files (XDG Base Directory Specification). */
export function configFolder(env: Environment): string {
  return path.join(baseFolder(env, "XDG_CONFIG_HOME", ".config"), "slipway");
}

/** Where this user's programs keep what they were doing. */
export function stateFolder(env: Environment): string {
  return path.join(baseFolder(env, "XDG_STATE_HOME", ".local/state"), "slipway");
}

/** Relative paths are not to be used, says the specification. */
function baseFolder(env: Environment, variable: string, fallback: string): string {
  const set = env[variable];
  return set !== undefined && path.isAbsolute(set) ? set : path.join(env["HOME"] ?? homedir(), fallback);
}

export const credentialsFile = (env: Environment): string => path.join(configFolder(env), "credentials.json");

/** @throws CommandError for a file that is none of ours */
export function readCredentials(env: Environment): Credentials {
  const file = credentialsFile(env);
  const text = readIfThere(file);
  if (text === null) return NOTHING;
  // It may have been copied here by something that did not care.
  if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, FILE_MODE);
  const read = parse(text);
  if (read === null)
    throw new CommandError(`${file} does not have the format that slipway writes.`, {
      code: "CREDENTIALS_UNREADABLE",
      exitCode: EXIT.FAILED,
      hint: "Remove it, and run slipway login again.",
    });
  return read;
}

export async function writeCredentials(env: Environment, credentials: Credentials): Promise<void> {
  await writePrivately(credentialsFile(env), `${JSON.stringify(credentials, null, 2)}\n`);
}

/** Writes a file that only its owner can read, in a folder of the same kind. A reader finds the old or the new one. */
export async function writePrivately(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: FOLDER_MODE });
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    const handle = await open(draft, "wx", FILE_MODE);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** @returns null if there is no such file */
export function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

function parse(text: string): Credentials | null {
  try {
    const value = JSON.parse(text) as Partial<Credentials> | null;
    const profiles = Object.entries(value?.profiles ?? {});
    const isRight = profiles.every(([, { url, token }]) => URL.canParse(url) && typeof token === "string");
    if (value === null || !isRight) return null;
    return { current: value.current ?? null, profiles: Object.fromEntries(profiles) };
  } catch {
    return null;
  }
}
