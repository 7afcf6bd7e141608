/** The servers of databases and caches that this machine has. */
import { execFile } from "node:child_process";
import { access, readdir } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

/** `at`: of PostgreSQL, the folder of its programs; of Redis and Valkey, the program. */
export type Program = { readonly version: string; readonly at: string };

/** Where distributions keep one folder for each major version: Debian and Ubuntu, Red Hat and Fedora. */
const POSTGRES_ROOTS = [
  { root: "/usr/lib/postgresql", folder: /^(\d+)$/ },
  { root: "/usr", folder: /^pgsql-(\d+)$/ },
] as const;

/** The newest first. @param searchPath folders to look in as well, as PATH has them */
export async function findPostgres(searchPath: string): Promise<readonly Program[]> {
  const versioned = await Promise.all(
    POSTGRES_ROOTS.map(async ({ root, folder }) => {
      const names = await readdir(root).catch(() => []);
      return names.flatMap((name) => {
        const version = folder.exec(name)?.[1];
        return version === undefined ? [] : [{ version, at: path.join(root, name, "bin") }];
      });
    }),
  );
  const others = searchPath.split(":").map(async (at): Promise<readonly Program[]> => {
    if (!(await hasPrograms(at))) return [];
    const version = await askVersion(path.join(at, "postgres"), /\) (\d+)/);
    return version === null ? [] : [{ version, at }];
  });
  const whole = versioned.flat().map(async (one) => ((await hasPrograms(one.at)) ? [one] : []));
  return newestFirst((await Promise.all([...whole, ...others])).flat());
}

/** The first version whose data says whether it is complete, by a list of its files. */
const OLDEST_REDIS = 7;

/** Redis and Valkey, the newest first. */
export async function findRedis(searchPath: string): Promise<readonly Program[]> {
  const found = ["redis-server", "valkey-server"].flatMap((name) =>
    searchPath.split(":").map(async (folder): Promise<readonly Program[]> => {
      const at = path.join(folder, name);
      const version = await askVersion(at, /\bv=(\d+)/);
      return version === null || Number(version) < OLDEST_REDIS ? [] : [{ version, at }];
    }),
  );
  return newestFirst((await Promise.all(found)).flat());
}

/** The first of each version. */
function newestFirst(found: readonly Program[]): readonly Program[] {
  return [...new Map(found.toReversed().map((one) => [one.version, one])).values()].sort(
    (a, b) => Number(b.version) - Number(a.version),
  );
}

async function hasPrograms(bin: string): Promise<boolean> {
  const files = ["initdb", "postgres"].map((name) => access(path.join(bin, name)));
  return (await Promise.allSettled(files)).every(({ status }) => status === "fulfilled");
}

async function askVersion(program: string, pattern: RegExp): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)(program, ["--version"], { timeout: 5_000 });
    return pattern.exec(stdout)?.[1] ?? null;
  } catch {
    return null;
  }
}
