/** How `console/app` becomes `console/dist`. Run by `console/build.js`. */
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { defineConfig, type Plugin, type Rolldown } from "vite";

type Bundle = Rolldown.OutputBundle;
type Chunk = Rolldown.OutputChunk;

const APP = path.join(import.meta.dirname, "app");
const BASE = "/console/";

/** Smaller files fit one packet as they are. */
const COMPRESSED_FROM_BYTES = 1_024;

// oxlint-disable-next-line import/no-default-export -- Vite reads it
export default defineConfig({
  root: import.meta.dirname,
  base: BASE,
  plugins: [early(), compressed()],
  build: {
    emptyOutDir: true,
    target: "es2022",
    // The policy allows no `data:` address.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    // `npm run package` adds it to the licences of the package.
    license: { fileName: "licenses.txt" },
    rolldownOptions: {
      output: {
        // Code that four or more pages share is in one file of the first load. The browser has six connections, and on a
        // slow network each further file costs a round trip: after the early script, the first load has six files.
        // Base UI is loaded at the first use of an overlay.
        codeSplitting: {
          // Otherwise React would be in the file of the overlays, and each page would load them.
          includeDependenciesRecursively: false,
          groups: [
            { name: "overlays", test: /node_modules\/@(?:base-ui|floating-ui)/, priority: 1 },
            // Only forms that choose events say what each type means.
            { name: "event-fields", test: /event-(?:types|fields)[.]tsx?/, priority: 1 },
            { name: "shared", test: /console\/app|node_modules|sdk\/src|preload-helper/, minShareCount: 4 },
          ],
        },
      },
    },
    reportCompressedSize: false,
  },
});

/**
 * Puts `app/early/early.ts` before the program, as a separate file, and what the script needs of the build: the files
 * of each page that are not in the first load, by the path of its route.
 */
function early(): Plugin {
  return {
    name: "early",
    apply: "build",
    buildStart() {
      this.emitFile({ type: "chunk", id: path.join(APP, "early/early.ts"), name: "early" });
    },
    transformIndexHtml: {
      order: "post",
      handler(_html, { bundle = {} }) {
        const chunks = Object.values(bundle).filter((one) => one.type === "chunk");
        const first = new Set(chunks.filter(({ isEntry }) => isEntry).flatMap((one) => filesOf(one, bundle)));
        const pages = readRoutes().map(([route, file]) => {
          const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId === path.join(APP, file));
          const files = chunk === undefined ? [] : filesOf(chunk, bundle).filter((one) => !first.has(one));
          return [route, files.map((one) => BASE + one)] as const;
        });
        const script = chunks.find(({ name }) => name === "early");
        if (script === undefined || script.imports.length > 0) throw new Error("early.ts must be one file.");
        return [
          {
            tag: "script",
            attrs: { type: "application/json", id: "page-files" },
            children: JSON.stringify(Object.fromEntries(pages)).replaceAll("<", "\\u003c"),
            injectTo: "head-prepend",
          },
          {
            tag: "script",
            attrs: { type: "module", async: true, src: BASE + script.fileName },
            injectTo: "head-prepend",
          },
        ];
      },
    },
  };
}

/** The path of each route, and the file of its page, as `app/routes` names them. */
function readRoutes(): readonly (readonly [string, string])[] {
  const route = /path: "([^"]+)",(?:(?!path: ")[^])*?import\("[.][.]\/((?:pages|forms)\/[^"]+)"\)/g;
  return readdirSync(path.join(APP, "routes")).flatMap((name) =>
    [...readFileSync(path.join(APP, "routes", name), "utf8").matchAll(route)].map(
      ([, at = "", file = ""]) => [at, file] as const,
    ),
  );
}

/** A chunk, what it imports, and their styles. */
function filesOf(chunk: Chunk, bundle: Bundle, seen = new Set<string>()): readonly string[] {
  if (seen.has(chunk.fileName)) return [];
  seen.add(chunk.fileName);
  const styles = [...(chunk.viteMetadata?.importedCss ?? [])];
  const imported = chunk.imports.flatMap((name) => {
    const one = bundle[name];
    return one?.type === "chunk" ? filesOf(one, bundle, seen) : [];
  });
  return [...new Set([chunk.fileName, ...styles, ...imported])];
}

/** Writes each text beside itself as brotli and gzip, so that the server compresses nothing. */
function compressed(): Plugin {
  let folder = "";
  return {
    name: "compressed",
    apply: "build",
    configResolved({ root, build }) {
      folder = path.resolve(root, build.outDir);
    },
    writeBundle() {
      for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
        if (!/[.](?:js|css|html|svg)$/.test(name)) continue;
        const file = path.join(folder, name);
        const bytes = readFileSync(file);
        if (bytes.length < COMPRESSED_FROM_BYTES) continue;
        const size = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
        writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: size }));
        writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
      }
    },
  };
}
