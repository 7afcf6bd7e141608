import type { PGlite } from "@electric-sql/pglite";
import { NodeFS } from "@electric-sql/pglite/nodefs";

/** The permissions of the group and of others. */
const OPEN_BITS = 0o077;

type Attributes = { readonly mode?: number };
type NodeFiles = { doSetAttr(at: unknown, node: unknown, attributes: Attributes, ...rest: unknown[]): void };

/**
 * The files of the embedded database, readable only by their owner. PGlite's file system sets the mode of each new
 * file to 0666, whatever the umask of the process is.
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
