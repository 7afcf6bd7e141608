/** How `console/app` becomes `console/dist`. Run by `console/build.js`. */
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { defineConfig, type Plugin } from "vite";

/** Smaller files fit one packet as they are. */
const COMPRESSED_FROM_BYTES = 1_024;

// oxlint-disable-next-line import/no-default-export -- Vite reads it
export default defineConfig({
  root: import.meta.dirname,
  base: "/console/",
  plugins: [compressed()],
  build: {
    emptyOutDir: true,
    target: "es2022",
    // The policy allows no `data:` address.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    rolldownOptions: {
      output: {
        // What many pages share comes with the first load. In files of their own, twenty would be asked for at once,
        // and a browser has six connections for them.
        codeSplitting: { groups: [{ name: "shared", test: /console\/app|node_modules/, minShareCount: 3 }] },
      },
    },
    reportCompressedSize: false,
  },
});

/** Writes each text beside itself as brotli and gzip, so that the server compresses nothing. */
function compressed(): Plugin {
  let folder = "";
  return {
    name: "compressed",
    configResolved({ root, build }) {
      folder = path.resolve(root, build.outDir);
    },
    closeBundle() {
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
