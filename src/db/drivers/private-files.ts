import type { PGlite } from "@electric-sql/pglite";
import { NodeFS } from "@electric-sql/pglite/nodefs";

/** What the group and others might do with a file. */
const OPEN_BITS = 0o077;

type Attributes = { readonly mode?: number };
type NodeFiles = { doSetAttr(at: unknown, node: unknown, attributes: Attributes, ...rest: unknown[]): void };

/**
 * The files of the embedded database, for their owner alone. PGlite's file system sets the mode of each file
 * that it makes (0666, as no umask reaches into it), whatever the umask of the process is.
 */
export class PrivateFiles extends NodeFS {
  override async init(pg: PGlite, options: Parameters<NodeFS["init"]>[1]): ReturnType<NodeFS["init"]> {
    const { emscriptenOpts } = await super.init(pg, options);
    const close = (module: object): void => {
      const files = (module as { readonly NODEFS: NodeFiles }).NODEFS;
      const setAttributes = files.doSetAttr.bind(files);
      files.doSetAttr = (at, node, attributes, ...rest) => {
        const { mode } = attributes;
        setAttributes(
          at,
          node,
          mode === undefined ? attributes : { ...attributes, mode: mode & ~OPEN_BITS },
          ...rest,
        );
      };
    };
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [close, ...(emscriptenOpts.preRun ?? [])] } };
  }
}
