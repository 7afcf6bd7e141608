/** The names of previews below the domain of their template. */
import { createHash } from "node:crypto";

/** RFC 1035, section 2.3.4. */
const LABEL_MAX = 63;
const HASH_LENGTH = 8;

/**
 * The label of a service of a preview: `<service>-<key>`, if that is a label and no other service has it. Otherwise, the
 * id of the service is cut, and a hash of both ends the label. Pure.
 * @param service its id in the configuration: letters, digits, `-` and `_`
 * @param key of the preview: lower-case letters, digits and `-`, at most 40 characters
 * @param taken the labels of the other services of the template's previews
 */
export function decidePreviewLabel(service: string, key: string, taken: ReadonlySet<string>): string {
  const readable = service.toLowerCase().replaceAll("_", "-").replace(/-+$/, "");
  const label = `${readable}-${key}`;
  if (isLabel(label) && !taken.has(label)) return label;
  const hash = createHash("sha256").update(`${service}\n${key}`).digest("hex").slice(0, HASH_LENGTH);
  const tail = `-${key}-${hash}`;
  const cut = readable.slice(0, LABEL_MAX - tail.length).replace(/-+$/, "");
  // Labels with -- after two characters are reserved (RFC 5891, section 4.2.3.1), except encodings of other letters.
  return `${cut.replace(/^(..)-{2,}/, "$1-")}${tail}`;
}

function isLabel(text: string): boolean {
  return text.length <= LABEL_MAX && /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(text) && !/^..--/.test(text);
}

/** The first label of a name. Pure. */
export function labelOf(host: string): string {
  return host.split(".", 1)[0] ?? "";
}

/** The key of a preview, from the id of its environment: `<template>.<key>`. Pure. */
export function keyOfPreview(configId: string): string {
  return configId.slice(configId.indexOf(".") + 1);
}
