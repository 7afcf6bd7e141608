/** `slipway domain-connect …`: what an operator gives to DNS providers, and publishes in the DNS. */
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { lintTemplate } from "../domain-connect/lint-template.ts";
import { publicKeyTexts } from "../domain-connect/signing-key.ts";
import { SERVICE_IDS, type TemplateKind, templateOf } from "../domain-connect/template.ts";
import { isFileError, OperatorError, toFolderError } from "../lib/operator-error.ts";
import { type Config, readConfig } from "../start/config/config.ts";
import { RECORD_SUFFIXES } from "../start/open/open-domain-connect.ts";

/** `slipway domain-connect template` @throws OperatorError, FolderError */
export async function writeTemplates(folder: string, providerName: string): Promise<void> {
  const config = readConfig();
  const { providerId } = requireConfigured(config);
  const { publicUrl, cloud } = config;
  if (cloud === "host")
    throw new OperatorError(
      'Domain Connect is not available with SLIPWAY_CLOUD "host". Leave its variables unset.',
    );
  if (publicUrl === null)
    throw new OperatorError(
      "Set SLIPWAY_PUBLIC_URL: owners come back to its host, which the templates name.",
    );
  for (const kind of Object.keys(SERVICE_IDS) as TemplateKind[]) {
    const redirectHost = new URL(publicUrl).hostname;
    const suffixes = RECORD_SUFFIXES[cloud];
    const template = templateOf(kind, { providerId, providerName, redirectHost, suffixes });
    const problems = lintTemplate(template);
    if (problems.length > 0) throw new OperatorError(problems.join(" "));
    const file = path.resolve(folder, `${providerId}.${template.serviceId}.json`);
    await writeFile(file, `${JSON.stringify(template, null, 2)}\n`).catch((error: unknown) => {
      throw isFileError(error) ? toFolderError("The templates", folder, error) : error;
    });
    print(file);
  }
}

/** `slipway domain-connect key` @throws OperatorError */
export function printKeyRecords(): void {
  const { providerId, key, keyHost } = requireConfigured(readConfig());
  for (const text of publicKeyTexts(key)) print(`${keyHost}.${providerId}. 3600 IN TXT "${text}"`);
}

function requireConfigured({ domainConnect }: Config): NonNullable<Config["domainConnect"]> {
  if (domainConnect !== null) return domainConnect;
  throw new OperatorError(
    "Set SLIPWAY_DOMAIN_CONNECT_PROVIDER_ID and SLIPWAY_DOMAIN_CONNECT_KEY_FILE first; see docs/how-to/domain-connect.md.",
  );
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
