/**
 * How a command of a repository is kept apart from Slipway and from other accounts' commands. Pure: from the
 * kind of isolation and a command to what has to be started. Which kind this machine offers says
 * `find-isolation.ts`, by trying.
 *
 * | kind      | a command sees                                       | as root, besides                      |
 * |-----------|------------------------------------------------------|---------------------------------------|
 * | `bwrap`   | the machine's programs, its own folders, its own     | a user id of its own for each account |
 * |           | processes (bubblewrap)                               |                                       |
 * | `unshare` | the same, by util-linux                              | the same                              |
 * | `uid`     | what everyone may read; other processes' names only  | the same; root only                   |
 * | `none`    | all that Slipway's user may read                     |                                       |
 */

/** The best first. */
export const ISOLATION_KINDS = ["bwrap", "unshare", "uid", "none"] as const;
export type IsolationKind = (typeof ISOLATION_KINDS)[number];

/** What a command sees of the file system, in the order in which it is laid over one another. */
export type Mount =
  | { readonly kind: "read" | "write"; readonly from: string; readonly to: string }
  | { readonly kind: "link"; readonly target: string; readonly to: string }
  /** An empty folder over what is there. */
  | { readonly kind: "empty"; readonly to: string };

export type CommandUser = { readonly uid: number; readonly gid: number };

export type Isolation = {
  readonly kind: IsolationKind;
  /** Programs, libraries and what they read of `/etc`. */
  readonly world: readonly Mount[];
  /** Slipway's own user and group. */
  readonly self: CommandUser;
  /** An empty folder, on which `unshare` builds the file system that a command sees. */
  readonly emptyFolder: string;
};

export type Place = {
  /** The only folder that a command may write, at its own path; `tmp` in it is its `/tmp`. */
  readonly root: string;
  /** Null: as Slipway's own user, which is a plain one. */
  readonly user: CommandUser | null;
};

function foldersOf({ root, user }: Place): readonly Mount[] {
  return [
    ...["/tmp", "/var/tmp"].map((to): Mount => ({ kind: "write", from: `${root}/tmp`, to })),
    { kind: "write", from: root, to: root },
    // Programs ask for the name and the home of whoever runs them, which the machine's own list does not have.
    ...(user === null ? [] : [{ kind: "read", from: `${root}/passwd`, to: "/etc/passwd" } as const]),
  ];
}

export type Confined = {
  readonly file: string;
  readonly args: readonly string[];
  /** Whom the system itself has to start it as; null: Slipway's own user. */
  readonly user: CommandUser | null;
};

/**
 * Whether programs of ours run before the command, with more rights than it has. The command's own environment
 * (`LD_PRELOAD`) must not reach those.
 */
export function isWrapped({ kind }: Isolation): boolean {
  return kind === "bwrap" || kind === "unshare";
}

/** @param argv what runs in the end */
export function confine(isolation: Isolation, place: Place, argv: readonly string[]): Confined {
  switch (isolation.kind) {
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

/** Of all rights that root has, what becoming somebody else takes; that user has none of them any more. */
function asUser(user: CommandUser | null): readonly string[] {
  if (user === null) return [];
  const ids = [`--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups"];
  return ["setpriv", ...ids, "--no-new-privs", "--inh-caps=-all", "--bounding-set=-all", "--"];
}

const TO_BECOME_A_USER = ["CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"];

function bwrapArgs({ world }: Isolation, place: Place): readonly string[] {
  const made = new Set<string>();
  return [
    // When Slipway ends, by `kill -9` too, all that runs inside is killed with its first process.
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
    ...[...world, ...foldersOf(place)].flatMap((mount) => {
      // Otherwise the folders above one that is closed are closed, too.
      const above = foldersAbove(mount.to).filter((at) => !made.has(at));
      for (const at of above) made.add(at);
      return [...above.flatMap((at) => ["--dir", at]), ...bwrapMount(mount)];
    }),
    // What was made to hold all these is not for writing.
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

/** The outermost first, without `/`. */
function foldersAbove(folder: string): readonly string[] {
  const names = folder.split("/").slice(1, -1);
  return names.map((_, index) => `/${names.slice(0, index + 1).join("/")}`);
}

/**
 * Makes a file system on the empty folder and changes to it. Runs as the first process of its namespace, and
 * stays: when it ends, all others are killed. In a user namespace only what its user might change is made
 * read-only, for the flags of other mounts may not be touched there.
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
  { world, self, emptyFolder }: Isolation,
  place: Place,
  argv: readonly string[],
): [string, readonly string[]] {
  const { user } = place;
  const mounts = [...world, ...foldersOf(place)].flatMap((mount) =>
    mount.kind === "link"
      ? ["link", mount.target, mount.to]
      : [mount.kind, mount.kind === "empty" ? "" : mount.from, mount.to],
  );
  // The last step of a plain user: a namespace in which it is itself again, and no root that could undo the rest.
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
