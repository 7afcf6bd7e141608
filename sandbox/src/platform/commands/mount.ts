/** What a command sees of the file system. Later mounts cover earlier ones. */
export type Mount =
  | { readonly kind: "read" | "write"; readonly from: string; readonly to: string }
  | { readonly kind: "link"; readonly target: string; readonly to: string }
  /** An empty folder that hides the existing content. */
  | { readonly kind: "empty"; readonly to: string };

export type CommandUser = { readonly uid: number; readonly gid: number };
