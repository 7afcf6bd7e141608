/** The PostgreSQL servers that this machine has. */
import { execFile } from "node:child_process";
import { access, readdir } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

export type PostgresPrograms = { readonly version: string; readonly bin: string };

/** Where distributions keep one folder for each major version: Debian and Ubuntu, Red Hat and Fedora. */
const ROOTS = [
  { root: "/usr/lib/postgresql", folder: /^(\d+)$/ },
  { root: "/usr", folder: /^pgsql-(\d+)$/ },
] as const;

/** The newest first. @param searchPath folders to look in as well, as PATH has them */
export async function findPostgres(searchPath: string): Promise<readonly PostgresPrograms[]> {
  const versioned = await Promise.all(
    ROOTS.map(async ({ root, folder }) => {
      const names = await readdir(root).catch(() => []);
      return names.flatMap((name) => {
        const version = folder.exec(name)?.[1];
        return version === undefined ? [] : [{ version, bin: path.join(root, name, "bin") }];
      });
    }),
  );
  const others = await Promise.all(
    searchPath.split(":").map(async (bin) => {
      const version = await askVersion(bin);
      return version === null ? [] : [{ version, bin }];
    }),
  );
  const found: PostgresPrograms[] = [];
  for (const one of [...versioned.flat(), ...others.flat()])
    if (!found.some(({ version }) => version === one.version) && (await hasPrograms(one.bin)))
      found.push(one);
  return found.sort((a, b) => Number(b.version) - Number(a.version));
}

async function hasPrograms(bin: string): Promise<boolean> {
  const files = ["initdb", "postgres"].map((name) => access(path.join(bin, name)));
  return (await Promise.allSettled(files)).every(({ status }) => status === "fulfilled");
}

async function askVersion(bin: string): Promise<string | null> {
  if (!(await hasPrograms(bin))) return null;
  try {
    const { stdout } = await promisify(execFile)(path.join(bin, "postgres"), ["--version"], {
      timeout: 5_000,
    });
    return /\) (\d+)/.exec(stdout)?.[1] ?? null;
  } catch {
    return null;
  }
}
