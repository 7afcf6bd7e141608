/**
 * How a command of a repository is isolated from Slipway and from other accounts' commands. Pure: it turns a
 * kind of isolation and a command into what has to be started. `find-isolation.ts` finds out by trying which
 * kinds this machine offers.
 *
 * | kind      | a command sees                                       | if Slipway is root                    |
 * |-----------|------------------------------------------------------|---------------------------------------|
 * | `podman`  | the same as with `bwrap`, with limits of memory and  | the same                              |
 * |           | processor (own servers only, unless required)        |                                       |
 * | `bwrap`   | the machine's programs, its own folders, its own     | a separate user id for each account   |
 * |           | processes (bubblewrap)                               |                                       |
 * | `unshare` | the same, with util-linux                            | the same                              |
 * | `uid`     | what everyone may read; only names of other processes| the same; requires root               |
 * | `none`    | everything that Slipway's user may read              |                                       |
 */

import type { CommandUser, Mount } from "./mount.ts";
import { type Limits, podmanArgs } from "./podman.ts";

/** Best first. */
export const ISOLATION_KINDS = ["podman", "bwrap", "unshare", "uid", "none"] as const;
export type IsolationKind = (typeof ISOLATION_KINDS)[number];

export type Isolation = {
  readonly kind: IsolationKind;
  /** Programs, libraries and the files that they read in `/etc`. */
  readonly world: readonly Mount[];
  /** Slipway's own user and group. */
  readonly self: CommandUser;
  /** An empty folder on which `unshare` builds the command's file system. */
  readonly emptyFolder: string;
  /** The folder on which Podman does so. */
  readonly containerRoot: string;
  /** Descriptors that Slipway got from its own parent, which commands must not inherit. */
  readonly strayDescriptors: readonly number[];
};

export type Place = {
  /** The folder of a build or a release. Its command may write to no other folder. `tmp` and `home` are in it. */
  readonly root: string;
  /** The folder in it in which the command runs. */
  readonly folder: string;
  /** Null: runs as Slipway's own user, which is not root. */
  readonly user: CommandUser | null;
  /** Only Podman enforces them. */
  readonly limits: Limits | null;
};

const HOME = "/home/app";

/**
 * Where a command finds its folder and its home. With a file system of its own, these paths are the same for a build
 * and for its releases, as on AWS: tools write absolute paths into what they install.
 */
export function pathsIn(
  isolation: Isolation,
  { root, folder }: Pick<Place, "root" | "folder">,
): { readonly folder: string; readonly home: string } {
  if (!isWrapped(isolation)) return { folder, home: `${root}/home` };
  // Slipway's own Node may be in a folder of this name.
  const isTaken = isolation.world.some(({ to }) => `${to}/`.startsWith("/app/"));
  return { folder: isTaken ? "/srv/app" : "/app", home: HOME };
}

/** Programs may be in a folder below `/tmp`, so its mounts come first. */
function mountsOf(isolation: Isolation, place: Place): readonly Mount[] {
  const { root, folder, user } = place;
  const at = pathsIn(isolation, place);
  return [
    ...["/tmp", "/var/tmp"].map((to): Mount => ({ kind: "write", from: `${root}/tmp`, to })),
    ...isolation.world,
    { kind: "write", from: folder, to: at.folder },
    { kind: "write", from: `${root}/home`, to: at.home },
    // Programs look up the name and home of their user, which the machine's own list does not have.
    ...(user === null ? [] : [{ kind: "read", from: `${root}/passwd`, to: "/etc/passwd" } as const]),
  ];
}

export type Confined = {
  readonly file: string;
  readonly args: readonly string[];
  /** The user that the operating system has to start it as; null: Slipway's own user. */
  readonly user: CommandUser | null;
};

/**
 * Whether programs of ours run before the command, with more permissions than it has. The command's own
 * environment (`LD_PRELOAD`) must not reach them.
 */
export function isWrapped({ kind }: Isolation): boolean {
  return kind === "podman" || kind === "bwrap" || kind === "unshare";
}

/** @param argv the command to run */
export function confine(isolation: Isolation, place: Place, argv: readonly string[]): Confined {
  switch (isolation.kind) {
    case "podman": {
      const { user, limits } = place;
      const mounts = mountsOf(isolation, place);
      return wrapped("podman", podmanArgs(isolation.containerRoot, mounts, user, limits, argv));
    }
    case "bwrap":
      return wrapped("bwrap", [...bwrapArgs(isolation, place), "--", ...asUser(place.user), ...argv]);
    case "unshare":
      return wrapped(...unshareArgv(isolation, place, argv));
    case "uid":
    case "none": {
      const [file = "", ...args] = argv;
      return { file, args, user: isolation.kind === "uid" ? place.user : null };
    }
  }
}

function wrapped(file: string, args: readonly string[]): Confined {
  return { file, args, user: null };
}

/** The capabilities of root that are needed to switch the user; after the switch, the user has none of them. */
function asUser(user: CommandUser | null): readonly string[] {
  if (user === null) return [];
  const ids = [`--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups"];
  return ["setpriv", ...ids, "--no-new-privs", "--inh-caps=-all", "--bounding-set=-all", "--"];
}

const TO_BECOME_A_USER = ["CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"];

function bwrapArgs(isolation: Isolation, place: Place): readonly string[] {
  const made = new Set<string>();
  return [
    // When Slipway ends, even by `kill -9`, its first process and everything inside is killed.
    "--die-with-parent",
    "--new-session",
    "--unshare-pid",
    "--unshare-ipc",
    ...(place.user === null
      ? ["--unshare-user"]
      : ["--cap-drop", "ALL", ...TO_BECOME_A_USER.flatMap((name) => ["--cap-add", name])]),
    "--proc",
    "/proc",
    "--dev",
    "/dev",
    ...mountsOf(isolation, place).flatMap((mount) => {
      // Otherwise the folders above a hidden folder would be hidden as well.
      const above = foldersAbove(mount.to).filter((at) => !made.has(at));
      for (const at of above) made.add(at);
      return [...above.flatMap((at) => ["--dir", at]), ...bwrapMount(mount)];
    }),
    // The folders that only hold mounts must not be written to.
    "--remount-ro",
    "/",
  ];
}

function bwrapMount(mount: Mount): readonly string[] {
  switch (mount.kind) {
    case "link":
      return ["--symlink", mount.target, mount.to];
    case "empty":
      return ["--tmpfs", mount.to];
    case "read":
      return ["--ro-bind", mount.from, mount.to];
    case "write":
      return ["--bind", mount.from, mount.to];
  }
}

/** Outermost first, without `/`. */
function foldersAbove(folder: string): readonly string[] {
  const names = folder.split("/").slice(1, -1);
  return names.map((_, index) => `/${names.slice(0, index + 1).join("/")}`);
}

/**
 * Builds a file system on the empty folder and changes to it. Runs as the first process of its namespace and
 * stays there: when it ends, all others are killed. In a user namespace, only mounts that its user may change
 * are made read-only, because the flags of other mounts cannot be changed there.
 */
const CHANGE_ROOT = `
set -eu
umask 022
root=$1
shift
mount -t tmpfs -o mode=0755 tmpfs "$root"
mkdir "$root/proc" "$root/dev" "$root/.old"
mount -t proc proc "$root/proc"
for name in null zero full random urandom tty; do
  : > "$root/dev/$name"
  mount --bind "/dev/$name" "$root/dev/$name"
done
mkdir -m 1777 "$root/dev/shm"
ln -s /proc/self/fd "$root/dev/fd"
while [ "$1" != end ]; do
  kind=$1 from=$2 to=$root$3
  shift 3
  mkdir -p "\${to%/*}"
  case $kind in
    link) ln -s "$from" "$to"; continue ;;
    empty) mount -t tmpfs -o mode=0755 tmpfs "$to"; continue ;;
  esac
  if [ -d "$from" ]; then mkdir -p "$to"; elif [ ! -e "$to" ]; then : > "$to"; fi
  mount --rbind "$from" "$to"
  if [ "$kind" = read ] && [ -w "$from" ]; then mount -o remount,bind,ro "$to"; fi
done
shift
cd "$root"
pivot_root . .old
umount -l /.old
rmdir /.old
mount -o remount,ro / 2>/dev/null || :
umask 077
setsid "$@"
exit $?
`;

function unshareArgv(
  isolation: Isolation,
  place: Place,
  argv: readonly string[],
): [string, readonly string[]] {
  const { self, emptyFolder } = isolation;
  const { user } = place;
  const mounts = mountsOf(isolation, place).flatMap((mount) =>
    mount.kind === "link"
      ? ["link", mount.target, mount.to]
      : [mount.kind, mount.kind === "empty" ? "" : mount.from, mount.to],
  );
  // The last step for a non-root user: a namespace in which it is itself again, without a root that could undo the rest.
  const own = ["unshare", "--user", `--map-user=${self.uid}`, `--map-group=${self.gid}`];
  const last = user === null ? [...own, "--"] : asUser(user);
  return [
    "setpriv",
    [
      "--pdeathsig",
      "KILL",
      "--",
      "unshare",
      ...(user === null ? ["--user", "--map-root-user"] : []),
      "--mount",
      "--pid",
      "--ipc",
      "--fork",
      "--kill-child=KILL",
      "--",
      "/bin/sh",
      "-c",
      CHANGE_ROOT,
      "sh",
      emptyFolder,
      ...mounts,
      "end",
      ...last,
      ...argv,
    ],
  ];
}
