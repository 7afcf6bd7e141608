/**
 * A command in a container of Podman, without an image: the container's file system is made of the machine's programs and
 * the command's own folders. Unlike the other kinds of isolation, it limits memory and processor.
 */
import { chmodSync, existsSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { CommandUser, Mount } from "./mount.ts";

/** Of a service; a build has none. */
export type Limits = { readonly cpu: number; readonly memoryGb: number };

/**
 * The first process of a container cannot be killed from inside, so it only waits. The command's shells get a session of
 * their own, which their watchdog can kill, and nothing of the environment that Podman makes.
 */
const WAIT = 'env -i PATH="$PATH" setsid "$@"; exit $?';

export function memoryBytesOf({ memoryGb }: Limits): number {
  return Math.round(memoryGb * 1024 ** 3);
}

/** Mounts of every container: of the command, and of Podman itself. */
const FOLDERS = ["/app", "/dev", "/home/app", "/proc", "/run", "/srv/app", "/sys", "/tmp", "/var/tmp"];
const FILES = ["/etc/hostname", "/etc/hosts", "/etc/passwd", "/etc/resolv.conf", "/run/.containerenv"];

/**
 * Makes the folder on which the containers' file systems are built, with all places for mounts. Without root, Podman would
 * make them as another user, and Slipway's own could not remove them.
 */
export function makeContainerRoot(folder: string, world: readonly Mount[]): void {
  const at = (place: string): string => path.join(folder, place);
  const makeFolder = (place: string): void => {
    if (existsSync(at(place))) return;
    if (place !== "/") makeFolder(path.dirname(place));
    mkdirSync(at(place));
    // Commands with another user pass through it, whatever the umask is.
    chmodSync(at(place), 0o755);
  };
  const makeFile = (place: string): void => {
    makeFolder(path.dirname(place));
    if (!existsSync(at(place))) writeFileSync(at(place), "");
  };
  for (const mount of world) {
    if (mount.kind === "link") {
      rmSync(at(mount.to), { force: true });
      makeFolder(path.dirname(mount.to));
      symlinkSync(mount.target, at(mount.to));
    } else if (mount.kind === "empty" || statSync(mount.from).isDirectory()) makeFolder(mount.to);
    else makeFile(mount.to);
  }
  for (const place of FOLDERS) makeFolder(place);
  for (const place of FILES) makeFile(place);
}

/** What follows `podman`. @param user null: Slipway's own, which is not root */
export function podmanArgs(
  root: string,
  mounts: readonly Mount[],
  user: CommandUser | null,
  limits: Limits | null,
  argv: readonly string[],
): readonly string[] {
  // Podman refuses two mounts at one place.
  const last = new Map(mounts.map((mount) => [mount.to, mount]));
  return [
    "--log-level=error",
    "run",
    "--rm",
    // 3 is the watchdog's, 4 has the environment.
    "--preserve-fds=2",
    "--network=host",
    "--log-driver=none",
    "--read-only",
    "--read-only-tmpfs=false",
    "--cap-drop=all",
    "--security-opt=no-new-privileges",
    "--security-opt=label=disable",
    user === null ? "--userns=keep-id" : `--user=${user.uid}:${user.gid}`,
    "--workdir=/",
    ...(limits === null
      ? []
      : [
          `--cpus=${limits.cpu}`,
          `--memory=${memoryBytesOf(limits)}b`,
          `--memory-swap=${memoryBytesOf(limits)}b`,
        ]),
    ...[...last.values()].flatMap(mountArgs),
    "--rootfs",
    root,
    "/bin/sh",
    "-c",
    WAIT,
    "sh",
    ...argv,
  ];
}

function mountArgs(mount: Mount): readonly string[] {
  switch (mount.kind) {
    case "link":
      return [];
    case "empty":
      return [`--mount=type=tmpfs,destination=${mount.to},tmpfs-mode=0755`];
    case "read":
      return [`--mount=type=bind,source=${mount.from},destination=${mount.to},readonly=true`];
    case "write":
      return [`--mount=type=bind,source=${mount.from},destination=${mount.to}`];
  }
}
