/** The certificate and private key for HTTPS. They are files, and are read again when they are replaced. */
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { unwatchFile, watchFile } from "node:fs";
import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import { OperatorError } from "../../lib/operator-error.ts";

export type TlsFiles = { readonly certFile: string; readonly keyFile: string };
export type TlsMaterial = { readonly cert: Buffer; readonly key: Buffer; readonly validUntil: Date };

/** The files cannot be used. The message says which, and what to do. */
export class TlsFilesError extends OperatorError {
  override readonly name = "TlsFilesError";
}

/** Reads both files and checks that they belong together and are valid now. @throws TlsFilesError */
export async function readTlsFiles({ certFile, keyFile }: TlsFiles, now: Date): Promise<TlsMaterial> {
  const cert = await read("SLIPWAY_TLS_CERT", certFile);
  const key = await read("SLIPWAY_TLS_KEY", keyFile);
  const certificate = parse(
    () => new X509Certificate(cert),
    `SLIPWAY_TLS_CERT (${certFile}) contains no certificate. Use PEM, with the server's certificate first, then its intermediates.`,
  );
  const privateKey: KeyObject = parse(
    () => createPrivateKey(key),
    `SLIPWAY_TLS_KEY (${keyFile}) contains no readable private key. Use PEM without a passphrase.`,
  );
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new TlsFilesError(
      `The private key in SLIPWAY_TLS_KEY (${keyFile}) does not belong to the certificate in SLIPWAY_TLS_CERT (${certFile}). Set both to files of the same certificate.`,
    );
  }
  const validUntil = new Date(certificate.validTo);
  if (now > validUntil) {
    throw new TlsFilesError(
      `The certificate in SLIPWAY_TLS_CERT (${certFile}) expired at ${validUntil.toISOString()}. Renew it.`,
    );
  }
  const validFrom = new Date(certificate.validFrom);
  if (now < validFrom) {
    throw new TlsFilesError(
      `The certificate in SLIPWAY_TLS_CERT (${certFile}) is not valid before ${validFrom.toISOString()}. Check the clock of this machine.`,
    );
  }
  parse(
    () => createSecureContext({ cert, key }),
    `The certificate in SLIPWAY_TLS_CERT (${certFile}) cannot be used: its chain is incomplete or its key is too weak.`,
  );
  return { cert, key, validUntil };
}

/**
 * Checks every two seconds whether one of the files was replaced, and passes both on when they fit together: a renewal
 * writes one after the other.
 * @returns a function that stops it
 */
export function followTlsFiles(
  { certFile, keyFile }: TlsFiles,
  on: { readonly renewed: (material: TlsMaterial) => void; readonly refused: (problem: string) => void },
): () => void {
  let reported: string | null = null;
  let retry: NodeJS.Timeout | undefined;
  const renew = async (): Promise<void> => {
    clearTimeout(retry);
    try {
      on.renewed(await readTlsFiles({ certFile, keyFile }, new Date()));
      reported = null;
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      if (problem !== reported) on.refused(problem);
      reported = problem;
      // The files may be right later without a change, such as when the certificate becomes valid.
      retry = setTimeout(() => void renew(), CHECK_EVERY_MS).unref();
    }
  };
  const onChange = (): void => void renew();
  for (const file of [certFile, keyFile])
    watchFile(file, { interval: CHECK_EVERY_MS, persistent: false }, onChange);
  return () => {
    clearTimeout(retry);
    for (const file of [certFile, keyFile]) unwatchFile(file, onChange);
  };
}

const CHECK_EVERY_MS = 2_000;

async function read(variable: string, file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    const why = { ENOENT: "does not exist", EACCES: "cannot be read by this user", EISDIR: "is a folder" }[
      code
    ];
    throw new TlsFilesError(`${variable} (${file}) ${why ?? `cannot be read (${code})`}.`, { cause: error });
  }
}

function parse<T>(make: () => T, problem: string): T {
  try {
    return make();
  } catch (error) {
    throw new TlsFilesError(problem, { cause: error });
  }
}
